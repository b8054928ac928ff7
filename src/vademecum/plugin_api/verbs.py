"""Verbs: rows and parameters, and text output for a person. Texts of verbs of the core are imported with their first use."""

import importlib
from typing import TYPE_CHECKING

from vademecum.entrypoints.arguments import BadArgument, checked, parse_date
from vademecum.entrypoints.recall_text import chosen, clearly_behind, why_text
from vademecum.entrypoints.text import (
    age_of,
    counted,
    day,
    describe,
    done,
    edited_text,
    error_text,
    found_by,
    memory_text,
    nothing_known,
    saved_text,
    snippet,
)
from vademecum.entrypoints.verbs.verb import REQUIRED, Param, Verb, ref_param

if TYPE_CHECKING:
    from vademecum.entrypoints.decisions import decision_lines, foreseen_lines
    from vademecum.entrypoints.screens.keyboard import QUIT, Keyboard
    from vademecum.entrypoints.verbs.maintenance import views_text
    from vademecum.entrypoints.verbs.person import benefit_text

#: Exported name -> its module, for those that are imported with their first use.
_WHERE = {
    "QUIT": "screens.keyboard",
    "benefit_text": "verbs.person",
    "Keyboard": "screens.keyboard",
    "decision_lines": "decisions",
    "foreseen_lines": "decisions",
    "views_text": "verbs.maintenance",
}


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"vademecum.entrypoints.{_WHERE[name]}"), name)
