"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="opencode",
    about="Hooks and conversations of OpenCode.",
    hosts=rows_in("vademecum.plugins.opencode.host", "HOSTS"),
    places=rows_in("vademecum.plugins.opencode.places", "PLACES"),
    formats=rows_in("vademecum.plugins.opencode.transcripts", "FORMATS"),
    libraries=rows_in("vademecum.plugins.opencode.database", "LIBRARIES"),
)
