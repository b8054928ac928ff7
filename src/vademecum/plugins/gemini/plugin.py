"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="gemini",
    about="Hooks and conversations of Gemini CLI.",
    hosts=rows_in("vademecum.plugins.gemini.host", "HOSTS"),
    places=rows_in("vademecum.plugins.gemini.places", "PLACES"),
    formats=rows_in("vademecum.plugins.gemini.transcripts", "FORMATS"),
)
