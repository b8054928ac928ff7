"""The interview as an MCP prompt, which an agent conducts."""

from vademecum.domain.memory import By
from vademecum.plugin_api.mcp import REVIEWED_AT_ONCE, Prompt, data
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugins.onboard import interview
from vademecum.plugins.onboard.questions import ONBOARDING


def _onboarding(memory: Vademecum, by: By) -> str:
    known = memory.notes.list(REVIEWED_AT_ONCE, kind=("identity", "preference", "style"), by=by)
    items_text = data.items_text(data.items(known, memory.now())) if known else "Nothing is known about me yet."
    state = interview.state(memory.context)
    asks = "\n".join(
        f"- {row.question.asks} (kind {row.question.kind}, tag {ONBOARDING}{row.question.key})"
        for row in state
        if not row.answers
    )
    if not asks:
        return f"My memory asked all it wanted to know about me. Tell me so, and what it knows:\n\n{items_text}"
    return (
        "Help my memory to know me. Ask these, one at a time and each one skippable; do not ask what is known. Save each answer "
        f"with save_to_memory, in my words, with the kind and tag named, and as quote what I typed.\n{asks}\n\n{items_text}"
    )


PROMPTS = (
    Prompt("onboarding", "Get to know me", "A few questions, so that every tool knows how to work with me.", _onboarding),
)
