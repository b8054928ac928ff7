"""All verbs: a verb is a row in the module of its group, and `table.py` lists the groups.

The table is built with its first use: by then a plugin that adds verbs can import the classes that rows are made of. A command needs the
rows of its first word only (:func:`vademecum.entrypoints.verbs.by_word.verbs_of`).
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vademecum.entrypoints.verbs.every import FIRST_WORDS, OWN, USUAL, VERBS, verb_named

__all__ = ["FIRST_WORDS", "OWN", "USUAL", "VERBS", "verb_named"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(name)
    return getattr(importlib.import_module("vademecum.entrypoints.verbs.every"), name)
