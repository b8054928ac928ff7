"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="styles",
    about="How to talk with you, by context.",
    verbs=rows_in("vademecum.plugins.styles.verbs", "VERBS"),
    words="style",
    first_words={"style": "How to talk with you, by context: list, add, update, remove."},
    menu={"Capture": "style"},
    examples="""
style list: style list
style list: style list email
style add: style add email "Short and friendly."
style add: style add review "Name the fault, then the fix." --importance 0.8
style update: style update 8ZSWGM5N --description "Short and formal."
style update: style update 8ZSWGM5N --importance 0.5
style remove: style remove 8ZSWGM5N
style remove: style remove 8ZSWGM5N --json
""",
)
