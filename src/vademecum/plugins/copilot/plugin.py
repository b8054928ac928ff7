"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="copilot",
    about="Hooks and conversations of VS Code and the Copilot command line.",
    hosts=rows_in("vademecum.plugins.copilot.host", "HOSTS"),
    places=rows_in("vademecum.plugins.copilot.places", "PLACES"),
    formats=rows_in("vademecum.plugins.copilot.transcripts", "FORMATS"),
    libraries=rows_in("vademecum.plugins.copilot.database", "LIBRARIES"),
)
