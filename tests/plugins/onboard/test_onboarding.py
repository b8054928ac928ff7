"""Getting to know each other: an interview that can be skipped, left, and taken up again."""

import pytest

from vademecum.domain.errors import InvalidInput, UnknownWord
from vademecum.domain.memory import By
from vademecum.entrypoints.mcp.prompts import all_prompts
from vademecum.entrypoints.mcp.tools import all_tools
from vademecum.plugins.onboard import interview
from vademecum.plugins.onboard.questions import QUESTIONS
from vademecum.plugins.onboard.screen import OnboardScreen


class Person:
    """Answers from a list, leaves when it is empty, and remembers what was asked and said."""

    def __init__(self, memory, *answers):
        self.asked, self.told, self.left = [], [], list(answers)
        OnboardScreen(memory, self.ask, self.told.append).run()

    def ask(self, text):
        self.asked.append(text)
        return self.left.pop(0) if self.left else None


def test_interview(memory, told):
    """VO-43: answers become memories of the person's own, which every session is told."""
    Person(memory, "Alex", "German, brief", "Maps and their legends", "Never use puns", "Always cite the source", "")
    kinds = {item.kind: item for item in memory.notes.list()}
    assert set(kinds) == {"identity", "style", "preference"}
    assert {item.trust for item in memory.notes.list()} == {"user"}
    text = memory.recall.briefing().text
    for words in ("called Alex", "German, brief", "Maps and their legends", "Never use puns", "Always cite the source"):
        assert words in text
    assert told(memory, "what shall I call the person", gated=False)[0] == "The person wants to be called Alex"


def test_skipped_and_resumed(memory):
    """VO-43: a skipped question stays open, an answer is kept at once, and what is known is not asked again."""
    first = Person(memory, "", "German")
    assert first.asked == [one.asks for one in QUESTIONS[:3]]
    assert "3 questions are left" in first.told[-1]
    again = Person(memory, "Alex", "q")
    assert again.asked == [QUESTIONS[0].asks, QUESTIONS[2].asks]
    assert [one.question.key for one in interview.state(memory.context) if one.answers] == ["name", "language"]
    Person(memory, "Maps", "Never use puns", "")
    last = Person(memory)
    assert (last.asked, "All questions are answered" in last.told[0]) == ([], True)


def test_answer_changes(memory):
    """VO-43: another answer takes the place of the first, whose text is kept as superseded; the same one is known."""
    (first,) = interview.answer(memory.context, "name", "Alex")
    (same,) = interview.answer(memory.context, "name", "Alex.")
    (second,) = interview.answer(memory.context, "name", "Sascha")
    assert (same.action, second.replaced) == ("confirmed", (first.memory.id,))
    assert memory.notes.get(first.memory.id).status == "superseded"
    assert [title for title, _ in interview.state(memory.context)[0].answers] == ["The person wants to be called Sascha"]
    interview.answer(memory.context, "ways", "Never use puns")
    interview.answer(memory.context, "ways", "Always cite\nNever use puns.")
    assert len(interview.state(memory.context)[3].answers) == 2


def test_onboard_refuses(memory):
    """VO-43: a question that is not asked and an empty answer are errors that say so."""
    with pytest.raises(UnknownWord, match="shoe-size"):
        interview.answer(memory.context, "shoe-size", "43")
    with pytest.raises(InvalidInput, match="no answer"):
        interview.answer(memory.context, "name", "  .")


def test_prompt_asks_what_is_open(memory):
    """VO-43: the prompt of MCP asks the same questions, and an agent that saves as it says closes them.
    Answers that bind agents close theirs when the person approves them, unless the person's typed words are found."""
    interview.answer(memory.context, "name", "Alex")
    text = all_prompts()["onboarding"].text(memory, By("agent", "mcp"))
    assert QUESTIONS[0].asks not in text
    assert "as quote what I typed" in text
    assert all(one.asks in text and f"tag onboarding/{one.key}" in text for one in QUESTIONS[1:])
    for one in QUESTIONS[1:]:
        save = all_tools()["save_to_memory"]
        values = {"body": f"Answer to {one.key}.", "kind": one.kind, "tags": (f"onboarding/{one.key}",)}
        rest = {param.name: param.default for param in save.params if param.name not in values}
        save.run(memory, {**rest, **values}, By("agent", "mcp"))
    waiting = memory.notes.list(status=("inbox",))
    assert {"style", "preference"} <= {item.kind for item in waiting}
    for item in waiting:
        memory.inbox.decide(item.key.removeprefix("memory://"), "approve")
    assert "asked all it wanted" in all_prompts()["onboarding"].text(memory, By("agent", "mcp"))


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Call me Kim.", "Kim"),
        ("I'm Kim", "Kim"),
        ("Ich heiße Kim", "Kim"),
        ("Me llamo Kim", "Kim"),
        ("叫我小金", "小金"),
        ("Imani", "Imani"),
    ],
)
def test_how_people_say_their_name(memory, said, name):
    """What people say in front of their name is no part of it."""
    (kept,) = interview.answer(memory.context, "name", said)
    assert kept.memory.title == f"The person wants to be called {name}"
