"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="moving",
    about="Import and export of what is known, and the HTTP routes of earlier designs.",
    verbs=rows_in("vademecum.plugins.moving.verbs", "VERBS"),
    words="import export",
    menu={"Capture": "import", "Maintain": "export"},
    examples="""
import: import agent-memory old-memory
import: import mem0 export.json --yes
export: export all-memories
export: export all-memories --project webapp
""",
    routes=rows_in("vademecum.plugins.moving.older_routes", "ROUTES"),
)
