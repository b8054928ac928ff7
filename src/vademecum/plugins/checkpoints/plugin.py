"""Plugin registration."""

from vademecum.plugin import Plugin, late, rows_in

PLUGIN = Plugin(
    name="checkpoints",
    about="The last messages of agents' chats, for a week, and a handoff when a chat is closed.",
    verbs=rows_in("vademecum.plugins.checkpoints.verbs", "VERBS"),
    words="checkpoint",
    examples="""
agent checkpoint: agent checkpoint planner --messages @chat.json
agent checkpoint: agent checkpoint planner --messages - --chat 42
""",
    jobs=rows_in("vademecum.plugins.checkpoints.shorten", "JOBS"),
    routes=rows_in("vademecum.plugins.checkpoints.routes", "ROUTES"),
    compacts=late("vademecum.plugins.checkpoints.shorten", "tidy_chats"),
    last_words=late("vademecum.plugins.checkpoints.checkpoints", "last_words"),
    instructions=("At the end: `vade checkpoint --close AGENT --messages JSON --summary TEXT`",),
)
