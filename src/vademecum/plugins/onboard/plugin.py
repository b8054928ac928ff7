"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="onboard",
    about="An interview: a few questions, so that every tool knows how to work with you.",
    verbs=rows_in("vademecum.plugins.onboard.verbs", "VERBS"),
    words="onboard",
    menu={"Capture": "onboard"},
    examples="""
onboard: onboard
onboard: onboard name Robin
""",
    prompts=rows_in("vademecum.plugins.onboard.prompts", "PROMPTS"),
)
