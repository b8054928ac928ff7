"""Prompts that a person can start from their host."""

from collections.abc import Callable, Mapping
from functools import cache

from msgspec import Struct

from vademecum.api import Vademecum
from vademecum.domain.memory import By
from vademecum.entrypoints.mcp import data
from vademecum.plugin import named

REVIEWED_AT_ONCE = 20


class Prompt(Struct, frozen=True):
    """One prompt; `text` composes it from the memory, for whoever acts."""

    name: str
    title: str
    meaning: str
    text: Callable[[Vademecum, By], str]


def _review(memory: Vademecum, by: By) -> str:
    waiting = memory.notes.list(REVIEWED_AT_ONCE, status=("inbox",), by=by)
    if not waiting:
        return "The memory inbox is empty. Tell me so."
    listed = data.items_text(data.items(waiting, memory.now()))
    return (
        "Go through the memory inbox with me, a few at a time. Show each proposal in one line and ask: approve or reject? "
        f"Do nothing I have not said. Use review_inbox (by use_verb where it is not listed) with the ref.\n\n{listed}"
    )


PROMPTS = (Prompt("review", "Review the inbox", "Work through what waits in the memory inbox.", _review),)


@cache
def all_prompts() -> Mapping[str, Prompt]:
    """Return our prompts, then those of the installed plugins, by name."""
    rows = (*PROMPTS, *named("prompts", PROMPTS, lambda prompt: prompt.name))
    return {prompt.name: prompt for prompt in rows}
