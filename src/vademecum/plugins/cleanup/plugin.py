"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="cleanup",
    about="Moves old formats of agents' memory files to a folder of their own, once the new format has their content.",
    verbs=rows_in("vademecum.plugins.cleanup.verbs", "VERBS"),
    words="cleanup",
    menu={"Maintain": "cleanup"},
    examples="""
cleanup: cleanup .agents/memory
cleanup: cleanup .agents/memory --apply
""",
)
