"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="pages",
    about="Local pages in a browser: look at memory, correct it and throw it away.",
    commands=rows_in("vademecum.plugins.pages.command", "COMMANDS"),
    menu={"Look": "+web"},
    examples="""
web: web
web: web --json
""",
    apps=rows_in("vademecum.plugins.pages.served", "APPS"),
)
