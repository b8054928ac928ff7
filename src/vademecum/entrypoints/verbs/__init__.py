"""All verbs. Command line, MCP and HTTP are generated from this table, so a verb added to a group appears in all of them.

The table is built with its first use: by then a plugin that adds verbs can import the classes that rows are made of.
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
