"""Prompts that a person can start from their host: work through the inbox, and get to know each other."""

from collections.abc import Callable

from msgspec import Struct

from vademecum.api import Vademecum
from vademecum.domain.memory import By
from vademecum.entrypoints.mcp import data
from vademecum.plugins.onboard.questions import ONBOARDING

REVIEWED_AT_ONCE = 20


class Prompt(Struct, frozen=True):
    """One prompt; `text` makes it from the memory as it is, for whoever acts."""

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


def _onboarding(memory: Vademecum, by: By) -> str:
    known = memory.notes.list(REVIEWED_AT_ONCE, kind=("identity", "preference", "style"), by=by)
    told = data.items_text(data.items(known, memory.now())) if known else "Nothing is known about me yet."
    state = memory.person.onboarding()
    asks = "\n".join(
        f"- {one.question.asks} (kind {one.question.kind}, tag {ONBOARDING}{one.question.key})"
        for one in state
        if not one.answers
    )
    if not asks:
        return f"My memory asked all it wanted to know about me. Tell me so, and what it knows:\n\n{told}"
    return (
        "Help my memory to know me. Ask these, one at a time and each one skippable; do not ask what is known. Save each answer "
        f"with save_to_memory, in my words, with the kind and tag named, and as quote what I typed.\n{asks}\n\n{told}"
    )


PROMPTS = {
    "review": Prompt("Review the inbox", "Work through what waits in the memory inbox.", _review),
    "onboarding": Prompt("Get to know me", "A few questions, so that every tool knows how to work with me.", _onboarding),
}
