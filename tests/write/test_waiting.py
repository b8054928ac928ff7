"""How many guesses may wait, for how long, and that they are told nowhere before the person said yes."""

import json
from datetime import timedelta

import pytest

from vademecum.domain.host import HookEvent
from vademecum.write.waiting import likeliest_first

#: What only suggests: each would wait.
GUESSES = [f"Let's go with {name} for the {part}." for name, part in (
    ("Litestream", "backups"), ("Caddy", "proxy"), ("Typesense", "search"), ("Valkey", "cache"), ("Ansible", "servers"),
)]  # fmt: skip
ORDER = "From now on, answer in Portuguese."


@pytest.fixture
def talk(tmp_path, memory):
    """Captures a conversation of these sentences, each followed by an answer; gives the report."""

    def captured(name, *texts):
        lines = [{"type": "session", "id": name, "time": "2026-03-01T09:00:00Z"}]
        for number, text in enumerate(texts):
            lines += [
                {"id": f"u{number}", "speaker": "user", "text": text},
                {"id": f"a{number}", "speaker": "assistant", "text": f"All right, number {number}."},
            ]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return memory.maintenance.capture((str(path),))

    return captured


def waiting(memory):
    return [one.title for one in memory.notes.list(status=("inbox",))]


def test_every_guess_waits(memory, talk):
    """Every guess of a conversation waits, also on a day with many, and is shown in an order of its own; none is dropped."""
    talk("one", *GUESSES, ORDER)
    assert len(waiting(memory)) == len(GUESSES)
    talk("two", *(text.replace("go with", "switch to") for text in reversed(GUESSES)))
    assert len(waiting(memory)) == 2 * len(GUESSES)
    assert [one.title for one in memory.notes.list(status=("active",))] == ["From now on, answer in Portuguese"]


def test_ideas_beside_other_statements_all_wait(memory, talk):
    """MV-55: five ideas wait, also of a conversation that says much else."""
    ideas = [
        "Maybe we should add a rate limiter at some point.", "We could try a bloom filter for the crawler one day.",
        "TODO later: rotate the signing keys.", "It would be nice to have a dark theme eventually.",
        "Someday I want to write a plugin for Helix.",
    ]  # fmt: skip
    talk("one", *ideas)
    alone = {item.title for item in memory.notes.list(status=("inbox",), kind=("idea",))}
    talk("two", *GUESSES, *(text.replace("go with", "switch to") for text in GUESSES), ORDER, *ideas)
    assert len(alone) >= 4
    assert {item.title for item in memory.notes.list(50, status=("inbox",), kind=("idea",))} == alone


def test_the_likeliest_is_shown_first(memory):
    """The inbox shows first what is surer and matters more, whatever came last."""
    for number, (confidence, importance) in enumerate((("high", 0.9), ("low", 0.9), ("high", 0.2), ("medium", 0.5))):
        memory.notes.save("fact", f"Proposal {number}", status="inbox", confidence=confidence, importance=importance)
    shown = likeliest_first(memory.notes.list(status=("inbox",)))
    assert [item.title for item in shown] == ["Proposal 0", "Proposal 2", "Proposal 3", "Proposal 1"]


def test_standing_orders_count_in_a_conversation_of_any_length(memory, talk):
    """One sentence is a conversation too: what is said outright is kept, and nothing is guessed of it."""
    talk("one", ORDER)
    talk("two", GUESSES[0])
    assert [one.title for one in memory.notes.list()] == ["From now on, answer in Portuguese"]


def test_what_waits_is_told_once_to_the_person_and_never_to_the_agent(memory, talk):
    """The line at the next start says that something waits; neither briefing nor prompt tells what."""
    talk("one", ORDER, GUESSES[0], "good", "thanks")
    start = memory.recall.deliver(HookEvent("claude-code", "start", "SessionStart", "s1", "/work"))
    assert "1 waits (vade review)" in start.notice
    assert "Litestream" not in start.text
    asked = HookEvent("claude-code", "prompt", "UserPromptSubmit", "s1", "/work", prompt="How do we make Litestream backups?")
    told = memory.recall.deliver(asked).text
    assert "user said" in told  # the conversation may be told, the guess that was made of it may not
    assert ", inbox," not in told


def test_nothing_expires(memory, talk, clock):
    """What nobody answered waits on, however long: nothing goes that the person did not decide about."""
    talk("one", ORDER, *GUESSES[:2])
    clock.advance(timedelta(days=90))
    memory.jobs.run()
    assert len(waiting(memory)) == 2


def test_sw44_spoken_corrections_become_a_proposed_rule(memory, talk):
    """F11: what a person corrects is a correction without a command; said again in another conversation a rule is proposed."""
    said = "No, that's wrong, don't use print; use the logger instead of print."
    talk("one", said, "good", "thanks")
    talk("two", "good", said, "thanks")
    (kept,) = [memory.notes.get(item.key.removeprefix("memory://")) for item in memory.notes.list(status=("active",))]
    assert (kept.kind, kept.facet) == ("lesson", "correction")
    assert waiting(memory) == [f"Standing rule: {kept.title}"]


def test_sw45_above_the_soft_cap(memory, talk):
    """SW-45: with more than 20,000 tokens of what is worked with, unsure guesses are no longer proposed and the status says so; what is
    said outright is kept all the same, and nothing is put away.
    """
    for number in range(10):
        memory.notes.save("lesson", f"Shelf {number}", f"Shelf {number} bends. " * 600)
    talk("one", ORDER, *GUESSES)
    assert waiting(memory) == []
    assert "From now on, answer in Portuguese" in [one.title for one in memory.notes.list()]
    assert len(memory.notes.list(kind=("lesson",))) == 10
    assert [said for said in memory.maintenance.status().degraded if "uncertain guesses are not proposed" in said]
