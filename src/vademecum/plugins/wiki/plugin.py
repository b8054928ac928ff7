"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="wiki",
    about="Pages made of sources, and events of a workflow in layers.",
    verbs=rows_in("vademecum.plugins.wiki.verbs", "VERBS"),
    words="ingest event require fold",
    menu={"Capture": "ingest", "Correct": "fold", "Connect": "event require"},
    examples="""
ingest: ingest article.md
ingest: ingest article.md --project webapp
event: event session_start
event: event plan_approved --payload @event.json
require: require procedure "How to restore the database"
require: require decision "Staging" --project webapp
fold: fold
fold: fold --yes
""",
)
