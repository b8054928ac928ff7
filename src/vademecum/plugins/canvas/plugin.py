"""What this plugin adds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vademecum.plugin import Plugin

if TYPE_CHECKING:
    from vademecum.entrypoints.verbs.table import Verb


def _verbs() -> "Sequence[Verb]":
    from vademecum.plugins.canvas.verbs import VERBS

    return VERBS


PLUGIN = Plugin(
    name="canvas",
    about="How a memory came about, as a drawing for Obsidian.",
    verbs=_verbs,
    menu={"Look": "canvas"},
    examples="""
canvas: canvas "Redis port"
canvas: canvas 8ZSWGM5N --limit 10
""",
)
