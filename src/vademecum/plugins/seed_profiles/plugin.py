"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="seed_profiles",
    about="Recall profiles that rank as the published designs do.",
    rankers=rows_in("vademecum.plugins.seed_profiles.rankers", "RANKERS"),
)
