"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="pi",
    about="Conversations of pi.",
    places=rows_in("vademecum.plugins.pi.places", "PLACES"),
    formats=rows_in("vademecum.plugins.pi.transcripts", "FORMATS"),
)
