"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="lint",
    about="Finds what is wrong in notes, and what could be archived.",
    verbs=rows_in("vademecum.plugins.lint.verbs", "VERBS"),
    words="lint",
    menu={"Maintain": "lint"},
    examples="""
lint: lint
lint: lint --fix
""",
    jobs=rows_in("vademecum.plugins.lint.weekly", "JOBS"),
)
