"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="droid",
    about="Conversations of Droid.",
    places=rows_in("vademecum.plugins.droid.places", "PLACES"),
    formats=rows_in("vademecum.plugins.droid.transcripts", "FORMATS"),
)
