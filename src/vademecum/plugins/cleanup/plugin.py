"""What this plugin adds."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="cleanup",
    about="Moves old forms of agents' memory files out of the way, once what they say stands in the new form.",
    verbs=rows_in("vademecum.plugins.cleanup.verbs", "VERBS"),
    menu={"Maintain": "cleanup"},
    examples="""
cleanup: cleanup .agents/memory
cleanup: cleanup .agents/memory --apply
""",
)
