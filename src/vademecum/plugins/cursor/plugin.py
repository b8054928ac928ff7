"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="cursor",
    about="Hooks and conversations of Cursor.",
    hosts=rows_in("vademecum.plugins.cursor.host", "HOSTS"),
    places=rows_in("vademecum.plugins.cursor.places", "PLACES"),
    formats=rows_in("vademecum.plugins.cursor.transcripts", "FORMATS"),
    libraries=rows_in("vademecum.plugins.cursor.database", "LIBRARIES"),
)
