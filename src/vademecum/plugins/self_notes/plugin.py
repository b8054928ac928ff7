"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="self_notes",
    about="What an agent holds about itself.",
    verbs=rows_in("vademecum.plugins.self_notes.verbs", "VERBS"),
    words="soul",
    examples="""
agent soul: agent soul
agent soul: agent soul planner
""",
    tools=rows_in("vademecum.plugins.self_notes.tools", "TOOLS"),
)
