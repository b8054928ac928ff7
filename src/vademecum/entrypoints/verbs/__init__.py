"""All verbs: command line, MCP and HTTP are made from this one table, so a verb that is added to a group appears in all of them.

The table is put together when it is first asked for: by then a plugin, whose verbs are rows of it, can import what rows are made of.
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
