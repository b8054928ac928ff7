"""`measure_benefit`: what would be told is left out of one session by lot, and what that session needed all the same is counted."""

import json
from datetime import timedelta

import pytest

from vademecum.domain.host import HookEvent
from vademecum.domain.memory import By
from vademecum.domain.query import Query
from vademecum.entrypoints.verbs.person import benefit_text

ORDER = "Point the staging checks of the kettle service at its port."
TEXT = "The kettle service listens on port 4417 of machine Harbour."
AGAIN = "The kettle service listens on port 4417 of Harbour."


@pytest.fixture
def memory(opened):
    """A memory that is measured, with something about the kettle service among others."""
    found = opened(measure_benefit=True)
    for row in range(12):
        found.notes.save("event", f"Plant {row}", f"The plant in row {row} needs water and light.")
    return found


@pytest.fixture
def kettle(memory):
    return memory.notes.save("event", "Port of the kettle service", TEXT).memory.uri


@pytest.fixture
def session(memory, clock, tmp_path):
    """Goes through a session: its prompt, what the agent is told, what is said then, its end. Gives what was told."""

    def gone_through(name, *said, prompt=ORDER):
        path = tmp_path / f"{name}.jsonl"
        memory.sessions.record(HookEvent("plain", "start", "E", name, transcript=str(path)))
        told = memory.recall.deliver(HookEvent("plain", "prompt", "E", name, prompt=prompt, transcript=str(path))).text
        turns = [("user", prompt, clock.now() - timedelta(seconds=1))]
        turns += [(who, text, clock.now() + timedelta(seconds=5 + n)) for n, (who, text) in enumerate(said)]
        lines = [{"type": "session", "id": name, "time": clock.now().isoformat()}]
        lines += [
            {"id": f"{name}{n}", "speaker": who, "text": text, "time": at.isoformat()}
            for n, (who, text, at) in enumerate(turns)
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        clock.advance(timedelta(days=60))  # what was told and not used rests for so long at most
        memory.sessions.record(HookEvent("plain", "end", "E", name, transcript=str(path)))
        memory.sessions.process_due()
        return told

    return gone_through


@pytest.fixture
def both(session):
    """Goes through sessions alike, until the memory was told in one and left out of another; gives their names by which it was."""

    def found(*said):
        names = {}
        for n in range(60):
            names["4417" in session(f"s{n}", *said)] = f"s{n}"
            if len(names) == 2:
                return names
        raise AssertionError("one of five is left out")

    return found


def needed(memory):
    return {(lot.session.rpartition("/")[2], lot.delivered): lot.needed for lot in memory.context.state.lots.all()}


def test_left_out_of_all_of_its_session(memory, kettle, both, clock):
    """X-47: what was left out at one prompt is left out at the next of that session and of its briefing, though it is asked for."""
    name = both()[False]
    for cause, prompt in (("prompt", "Which port does the kettle service listen on?"), ("start", "")):
        event = HookEvent("plain", cause, "E", name, prompt=prompt, cause="compact" if cause == "start" else "")
        assert "4417" not in memory.recall.deliver(event).text
        clock.advance(timedelta(minutes=5))


def test_told_to_who_asks(memory, kettle, both):
    """What an agent asks for itself is never held back."""
    name = both()[False]
    asked = Query("Which port does the kettle service listen on?", session=f"session://plain/{name}")
    assert "4417" in memory.recall.bundle(asked).text


def test_said_again(memory, kettle, both):
    """A session whose person says the memory again needed it, told or not: who counts does not know which."""
    names = both(("assistant", "Done."), ("user", AGAIN))
    assert needed(memory)[names[True], True] == needed(memory)[names[False], False] == "said again"


@pytest.mark.parametrize(
    ("turns", "need"),
    [
        ([("assistant", "Which port is that?"), ("user", AGAIN)], "asked for"),
        ([("assistant", "Done."), ("user", f"No, {AGAIN}")], "corrected"),
        ([("assistant", "Done."), ("user", "Thanks, the service looks fine.")], ""),
        ([("assistant", AGAIN), ("user", "Good.")], ""),
        ([("assistant", "Done."), ("user", "Does the kettle service write logs to the cellar disk or to the harbour?")], ""),
    ],
)
def test_how_it_was_needed(memory, kettle, session, turns, need):
    """Only the person's own words count, and only such that say what the memory says."""
    session("s", *turns)
    assert set(needed(memory).values()) == {need}


def test_counted_once(memory, kettle, session):
    """What is said twice in one session is one event, and what comes of it later changes nothing."""
    session("s", ("assistant", "Done."), ("user", AGAIN), ("assistant", "Which port?"), ("user", AGAIN))
    memory.sessions.process_due()
    assert memory.person.benefit().events == 1


def test_left_out_does_not_confirm(memory, kettle, both):
    """What is said again in a session that it was left out of is no confirmation: leaving out must not make a memory stronger."""
    names = both()
    by = By("agent", "mcp")
    for told, confirmed in ((False, 0), (True, 1)):
        source = {"source": f"session://plain/{names[told]}"}
        memory.notes.save("event", "Port of the kettle service", TEXT, by=by, **source)
        assert memory.notes.get(kettle).confirmations == confirmed


@pytest.mark.parametrize(
    ("kind", "title", "text", "more"),
    [
        ("identity", "Nuts", "Lea is allergic to nuts and carries a pen for it.", {}),
        ("identity", "Nüsse", "Lea ist allergisch gegen Nüsse, das Notfallset liegt im Rucksack.", {}),
        ("preference", "Main", "Never push to main of the kettle service.", {}),
        ("preference", "Briefly", "Answer in short sentences about kettles.", {"always_load": True}),
    ],
)
def test_never_left_out(memory, clock, kind, title, text, more):
    """What guards somebody from harm and what is always told is told in every session."""
    memory.notes.save(kind, title, text, **more)
    for n in range(25):
        assert text in memory.recall.deliver(HookEvent("plain", "start", "E", f"s{n}", cause="startup")).text
        clock.advance(timedelta(minutes=1))
    assert all(memory.notes.get(lot.key).title != title for lot in memory.context.state.lots.all())


def test_corrected_twice_is_never_left_out(memory, clock):
    """A correction may be left out until it was confirmed twice."""
    known = memory.notes.save("correction", "Metric units", "Give temperatures in degrees Celsius.").memory

    def sessions_with_it(begin):
        told = 0
        for n in range(25):
            told += "Celsius" in memory.recall.deliver(HookEvent("plain", "start", "E", f"{begin}{n}", cause="startup")).text
            clock.advance(timedelta(minutes=1))
        return told

    assert sessions_with_it("a") < 25
    memory.notes.confirm(known.id)
    memory.notes.confirm(known.id)
    assert sessions_with_it("b") == 25


def test_off_until_asked_for(opened, clock):
    """Without the setting nothing is left out, and `vade benefit` says how to find out."""
    memory = opened()
    memory.notes.save("fact", "Port of the kettle service", TEXT)
    event = HookEvent("plain", "prompt", "E", "s", prompt="Which port does the kettle service listen on?")
    assert "4417" in memory.recall.deliver(event).text
    assert memory.context.state.lots.all() == ()
    assert "vade settings set measure_benefit true" in benefit_text(memory.person.benefit())


def test_asked_once(opened, clock):
    """After four weeks of being told things the person is asked once whether they want to know if it helps."""
    memory = opened()
    memory.notes.save("preference", "Briefly", "Answer in short sentences.")

    def notice(name):
        return memory.recall.deliver(HookEvent("plain", "start", "E", name, cause="startup")).notice

    assert "vade benefit" not in notice("first")
    clock.advance(timedelta(days=29))
    assert "vade benefit" in notice("second")
    for day in range(40):
        clock.advance(timedelta(days=1))
        assert "vade benefit" not in notice(f"later{day}")


def test_not_yet_enough(memory, kettle, both):
    """A few events are told as too few, with how many it takes."""
    both(("assistant", "Done."), ("user", AGAIN))
    told = benefit_text(memory.person.benefit())
    assert "left out 1 times on purpose" in told or "shown 1 times" in told
    assert "Not yet enough to tell" in told


def test_forgotten(memory, kettle, session):
    """What is forgotten for good is gone from the lots as well."""
    session("s")
    memory.notes.forget(kettle, yes=True)
    assert memory.context.state.lots.all() == ()
