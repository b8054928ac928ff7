"""All verbs. Command line, MCP and HTTP are generated from this table, so a verb added to a group appears in all of them.

The table is built with its first use: by then a plugin that adds verbs can import the classes that rows are made of. A command needs the
rows of its first word only (:func:`vademecum.entrypoints.verbs.by_word.verbs_of`).
"""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vademecum.entrypoints.verbs.every import FIRST_WORDS, OWN, USUAL, VERBS, verb_named

__all__ = ["FIRST_WORDS", "OWN", "USUAL", "VERBS", "WORDS", "verb_named"]

#: Module of this package -> first words of the verbs in it. The table of all has the modules in this order.
WORDS: Mapping[str, str] = {
    "notes": "save show list edit evolve supersede settle archive restore move tag link links confirm history undo forget",
    "recall": "recall search bundle briefing questions topics why",
    "actions": "rule",
    "browse": "list log why",
    "projects": "project",
    "inbox": "inbox review review-all",
    "sessions": "sessions handoff",
    "conversations": "save-conversation conversations mark",
    "person": "benefit observe log sources",
    "llm": "reader",
    "jobs": "jobs compact process",
    "maintenance": "status capture sync rebuild guard",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(name)
    return getattr(importlib.import_module("vademecum.entrypoints.verbs.every"), name)
