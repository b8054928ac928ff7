"""A prompt that asks for something to be kept tells the agent how, in five languages; any other prompt says nothing of it."""

from datetime import timedelta

import pytest

from vademecum.domain.host import HookEvent
from vademecum.inject import at_prompt
from vademecum.inject.render import ASKED_TO_KEEP, KEEPING

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


def test_same_words_ask_once(memory):
    """The same rule asks the agent once in a session, another rule again, and the same one in another session; the words are repeated."""
    first, second = "From now on, sort the invoices by date.", "From now on, sort the offers by name."
    said = [
        told(memory, prompt, session)
        for prompt, session in ((first, "a"), (f"Again: {first}", "a"), (second, "a"), (first, "b"))
    ]
    assert [ASKED_TO_KEEP in text for text in said] == [True, False, True, True]
    assert f'"{first}"' in said[0]


def test_a_host_that_hears_nothing(memory):
    """Where a host has no use for an answer at a prompt, nothing is asked, and nothing counts as asked."""
    event = HookEvent("claude-code", "prompt", "UserPromptSubmit", "c", prompt=ASKS[0], heard=False)
    assert ASKED_TO_KEEP not in memory.recall.deliver(event).text
    assert ASKED_TO_KEEP in told(memory, f"Again: {ASKS[0]}", "c")


def test_first_prompts_on_a_busy_machine(memory, clock, monkeypatch):
    """While the patterns of what may be saved are not compiled and the answer took long, nobody waits for them to be compiled."""
    monkeypatch.setattr(at_prompt, "are_compiled", lambda: False)
    asked, at_once = at_prompt.shown_at_prompt, told(memory, ASKS[0], "a")

    def slow(*given):
        clock.advance(timedelta(seconds=1))
        return asked(*given)

    monkeypatch.setattr(at_prompt, "shown_at_prompt", slow)
    assert [ASKED_TO_KEEP in text for text in (at_once, told(memory, ASKS[0], "b"))] == [True, False]
