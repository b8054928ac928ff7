"""Told is not used: what a session took up of what it was told is counted when it is read, and only that keeps a memory young."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from vademecum.domain.host import HookEvent
from vademecum.inject.cool_down import resting

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
ORDER = "Point the staging checks of the kettle service at its port."


@pytest.fixture
def kettle(memory):
    """A memory that holds something about the kettle service among others; gives its URI."""
    for row in range(12):
        memory.notes.save("fact", f"Plant {row}", f"The plant in row {row} needs water and light.")
    return memory.notes.save(
        "fact", "Port of the kettle service", "The kettle service listens on port 4417 of machine Harbour."
    ).memory.uri


@pytest.fixture
def session(memory, clock, tmp_path):
    """Goes through a session: its prompt, what the agent is told, what it answers, its end. Gives what was told of memory."""

    def gone_through(name, prompt, *answers):
        path = tmp_path / f"{name}.jsonl"
        event = HookEvent("plain", "prompt", "E", name, prompt=prompt, transcript=str(path))
        memory.sessions.record(HookEvent("plain", "start", "E", name, transcript=str(path)))
        told = memory.recall.deliver(event).text.partition("## Memory")[2]
        said = [("user", prompt, clock.now() - timedelta(seconds=1))]
        said += [("assistant", answer, clock.now() + timedelta(seconds=5)) for answer in answers]
        lines = [{"type": "session", "id": name, "time": clock.now().isoformat()}]
        lines += [
            {"id": f"{name}{n}", "speaker": who, "text": text, "time": at.isoformat()} for n, (who, text, at) in enumerate(said)
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        clock.advance(timedelta(minutes=5))
        memory.sessions.record(HookEvent("plain", "end", "E", name, transcript=str(path)))
        memory.sessions.process_due()
        return told

    return gone_through


def test_taken_up(memory, kettle, session):
    """The agent's next words hold what only memory told it."""
    assert "4417" in session("a", ORDER, "The staging checks now go to port 4417 of Harbour.")
    use = memory.context.state.usage.of([kettle])[kettle]
    assert (use.shown, use.used) == (1, 1)
    assert memory.context.state.usage.unused("", [kettle]) == {}


def test_not_taken_up(memory, kettle, session):
    """Words of the prompt that come again in the answer show nothing."""
    assert "4417" in session("a", ORDER, "I pointed the staging checks of the kettle service at its port, as you asked.")
    assert memory.context.state.usage.of([kettle])[kettle].used == 0
    assert memory.context.state.usage.unused("", [kettle])[kettle].times == 1


def test_taken_up_late(memory, kettle, session, clock):
    """What a start told is for the whole session: it is taken up by what is said long after. What a prompt told is for that prompt."""
    memory.context.state.shown.record("session://plain/a", [kettle], clock.now() - timedelta(minutes=1))
    talk = [f"Row {number} is watered." for number in range(20)]
    session("a", "Water all rows, please.", *talk, "The checks go to port 4417 of machine Harbour now.")
    assert memory.context.state.usage.of([kettle])[kettle].used == 1
    assert "4417" in session("b", ORDER, *talk, "The checks go to port 4417 of machine Harbour now.")
    assert memory.context.state.usage.of([kettle])[kettle].used == 1


def test_rests_in_its_project(kettle, session, clock):
    """What was told and not taken up is not pushed again within the week, but answers who asks; then it may come again."""
    assert "4417" in session("a", ORDER, "Done.")
    clock.advance(timedelta(days=1))
    assert "4417" not in session("b", ORDER, "Done.")
    assert "4417" in session("c", "Which port does the kettle service listen on?", "Done.")
    clock.advance(timedelta(days=30))
    assert "4417" in session("d", ORDER, "Done.")


def test_a_question_is_always_answered(kettle, session):
    """The same question gets the same answer in every session, however often it was asked and never taken up."""
    assert all(
        "4417" in session(f"s{number}", "Which port does the kettle service listen on?", "Done.") for number in range(10)
    )


def test_conversations_do_not_rest(memory, session, tmp_path):
    """What was said once answers the same question in every session; a conversation never rests."""
    talk = tmp_path / "talk.jsonl"
    lines = [{"type": "session", "id": "talk"}, {"id": "t1", "role": "user", "text": "The spare kiln stands behind the mill."}]
    talk.write_text("".join(json.dumps(line) + "\n" for line in lines))
    memory.maintenance.capture((str(talk),))
    answers = [session(f"s{number}", "Where does the spare kiln stand?", "Done.") for number in range(5)]
    assert all("behind the mill" in answer for answer in answers)
    keys = ["session://plain/talk"]
    memory.context.state.usage.note("told", keys, memory.context.clock.now())
    items = list(memory.context.index.items(keys).values())
    assert (
        resting(memory.context.state.usage, "", "Move the spare kiln to the yard.", items, memory.context.clock.now()) == set()
    )


def test_what_is_used_is_told_again(kettle, session, clock):
    """What was taken up is told in the next session that needs it."""
    assert "4417" in session("a", ORDER, "The staging checks now go to port 4417 of Harbour.")
    clock.advance(timedelta(days=1))
    assert "4417" in session("b", ORDER, "Done.")


def test_corrections_do_not_rest(memory, clock):
    """What the person had to correct is told whenever it fits, until it is heeded; and what is pinned."""
    notes, usage = memory.notes, memory.context.state.usage
    kept = [notes.save("correction", "Checks", "The checks go through the Harbour proxy.").memory.uri]
    kept += [notes.save("fact", "Port", "The kettle service listens on port 4417.").memory.uri]
    notes.edit(kept[1], properties={"pin": True})
    other = notes.save("fact", "Machine", "The kettle service runs on machine Harbour.").memory.uri
    usage.note("told", [*kept, other], clock.now())
    items = list(memory.context.index.items([*kept, other]).values())
    assert resting(usage, "", ORDER, items, clock.now()) == {other}
