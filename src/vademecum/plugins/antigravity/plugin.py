"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="antigravity",
    about="Hooks and conversations of Antigravity.",
    hosts=rows_in("vademecum.plugins.antigravity.host", "HOSTS"),
    places=rows_in("vademecum.plugins.antigravity.places", "PLACES"),
    formats=rows_in("vademecum.plugins.antigravity.transcripts", "FORMATS"),
)
