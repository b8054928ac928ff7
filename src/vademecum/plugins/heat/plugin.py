"""What this plugin adds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vademecum.plugin import Plugin

if TYPE_CHECKING:
    from vademecum.entrypoints.verbs.table import Verb


def _verbs() -> "Sequence[Verb]":
    from vademecum.plugins.heat.verbs import VERBS

    return VERBS


PLUGIN = Plugin(
    name="heat",
    about="Which memories are used, and which to load at every session start.",
    verbs=_verbs,
    menu={"Correct": "heat"},
    examples="""
heat: heat
heat: heat --apply
""",
)
