"""A prompt that asks for something to be kept tells the agent how, in five languages; any other prompt says nothing of it."""

import pytest

from vademecum.compose.render import ASKED_TO_KEEP, KEEPING
from vademecum.domain.host import HookEvent

ASKS = (
    "From now on, run the linter before each commit.",
    "Never push to main without asking again, please.",
    "Ab jetzt immer auf Deutsch antworten.",
    "A partir de agora usa sempre tabs.",
    "A partir de ahora responde siempre en español.",
    "请记住，以后提交前先运行测试。",
)
OTHERS = ("Fix the failing test in the parser.", "Commit and push.", "What does this function do from now to then?")


def told(memory, prompt, session):
    event = HookEvent("claude-code", "prompt", "UserPromptSubmit", session, prompt=prompt)
    return memory.recall.deliver(event).text


@pytest.mark.parametrize("prompt", ASKS)
def test_told_how_to_keep_it(memory, prompt):
    """The agent reads in the hook's answer that the words ask for it, and which tool does it."""
    assert ASKED_TO_KEEP in told(memory, prompt, "s1")


@pytest.mark.parametrize("prompt", OTHERS)
def test_other_prompts_get_no_word_of_it(memory, prompt):
    """Work of the moment is no reason to keep anything."""
    assert ASKED_TO_KEEP not in told(memory, prompt, "s2")


def test_briefing_says_how(memory):
    """A briefing carries one line on the tool that keeps what was agreed."""
    memory.notes.save("preference", "Tabs", "Use tabs.")
    event = HookEvent("claude-code", "start", "SessionStart", "s3", cause="startup")
    assert KEEPING in memory.recall.deliver(event).text
