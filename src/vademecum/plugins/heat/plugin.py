"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="heat",
    about="Which memories are used, and which to load at every session start.",
    verbs=rows_in("vademecum.plugins.heat.verbs", "VERBS"),
    words="heat",
    menu={"Correct": "heat"},
    examples="""
heat: heat
heat: heat --apply
""",
)
