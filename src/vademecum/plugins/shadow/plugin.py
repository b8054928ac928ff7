"""Plugin registration."""

from vademecum.plugin import Plugin, Setting, rows_in

PLUGIN = Plugin(
    name="shadow",
    about="Logs what another recall profile would have shown for the questions that were asked. Off unless set.",
    settings=(Setting("shadow_profile", "", "Shadow profile: the one that `vade shadow` compares with. Empty: none."),),
    verbs=rows_in("vademecum.plugins.shadow.verbs", "VERBS"),
    words="shadow",
    menu={"Look": "shadow"},
    examples="""
shadow: shadow --profile swarm
shadow: shadow --profile swarm --limit 200
""",
)
