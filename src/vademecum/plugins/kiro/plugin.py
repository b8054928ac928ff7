"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="kiro",
    about="Conversations of Kiro.",
    places=rows_in("vademecum.plugins.kiro.places", "PLACES"),
    formats=rows_in("vademecum.plugins.kiro.transcripts", "FORMATS"),
    libraries=rows_in("vademecum.plugins.kiro.database", "LIBRARIES"),
)
