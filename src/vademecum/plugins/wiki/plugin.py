"""What this plugin adds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vademecum.plugin import Plugin

if TYPE_CHECKING:
    from vademecum.entrypoints.verbs.table import Verb


def _verbs() -> "Sequence[Verb]":
    from vademecum.plugins.wiki.verbs import VERBS

    return VERBS


PLUGIN = Plugin(
    name="wiki",
    about="Pages made of sources, and events of a workflow in layers.",
    verbs=_verbs,
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
