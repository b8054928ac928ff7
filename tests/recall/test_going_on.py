"""A prompt of work goes on with a conversation: one that stands out and was held lately, and one place of each."""

import json
from datetime import datetime, timedelta

import numpy as np
import pytest

from vademecum.domain.item import Item
from vademecum.domain.query import Query
from vademecum.recall.continuation import goes_on_here
from vademecum.recall.features import Evidence
from vademecum.recall.numbers import AGREED_FEWEST

DAY = datetime.fromisoformat("2026-01-05T09:00:00+00:00")
ORDER = "I want to go on with the lantern catalogue. Please prepare the next page with the brass lanterns and their prices."

ASKS = "How much is the brass lantern on the first page?"


@pytest.fixture
def held(memory, tmp_path):
    """Captures one conversation a day: name -> turns of (speaker, text)."""

    def capture(talks):
        for day, (name, turns) in enumerate(talks.items()):
            rows = [{"type": "session", "id": name, "time": (DAY + timedelta(days=day * 10)).isoformat()}]
            rows += [{"id": f"{name}:{row}", "speaker": who, "text": text} for row, (who, text) in enumerate(turns)]
            (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        memory.maintenance.capture((str(tmp_path),), mine=False)
        memory.maintenance.refine()

    return capture


def asked(memory, prompt):
    return memory.recall.ask(Query(prompt, unasked=True, limit=5))


def plants(count):
    return {
        f"p{row}": [("user", f"We looked at plant {row} in the garden."), ("user", f"Plant {row} got water.")]
        for row in range(count)
    }


def catalogue(name):
    return [
        ("user", f"The {name} lantern catalogue has brass lanterns on its first page, with prices below."),
        ("user", f"In the {name} catalogue each page of lanterns holds six brass ones and their prices."),
        ("user", f"The {name} lantern page ends with the address of the shop."),
    ]


def test_one_place_of_each_conversation(memory, held):
    """A prompt that goes on with work gets the best place of each conversation, rather than neighbours of one."""
    held(plants(6) | {"north": catalogue("north"), "south": catalogue("south")})
    keys = [hit.item.key for hit in asked(memory, ORDER).hits]
    assert len(keys) >= 2 and len({*keys[:2]}) == 2


@pytest.mark.parametrize("names", ["north", "north south east west hill coast"], ids=["one", "six"])
def test_turns_of_a_conversation_share_a_line_while_there_is_room(memory, held, names):
    """Who asks in a prompt of work is told more turns than lines of the only conversation, and the best turn of each of six."""
    held(plants(6) | {name: catalogue(name) for name in names.split()})
    hits = asked(memory, f"I want to go on with the lantern catalogue and its brass lanterns. {ASKS}").hits
    assert hits and any(hit.more for hit in hits) is (names == "north")


@pytest.mark.parametrize(("first", "opens"), [(False, True), (True, False)], ids=["lately", "long ago"])
def test_what_was_held_lately(memory, held, first, opens):
    """The same words open where they were said last, and not where other conversations came since, which touch the subject too."""
    talk = {"north": catalogue("north")[:1]}
    others = {
        f"p{row}": [("user", f"The page about plant {row} is next. I want brass pots for plant {row}.")] for row in range(8)
    }
    held(talk | others if first else others | talk)
    assert bool(asked(memory, ORDER).hits) is opens


def evidence(sessions, nearest):
    """One turn for each session: the first ones share most words with the prompt, those in `nearest` are near it in meaning."""
    rows = range(sessions)
    nothing = np.zeros(sessions, np.float32)
    return Evidence(
        tuple((f"session://plain/s{row:02}", 0) for row in rows), tuple(rows), {}, np.ones(sessions, np.bool_),
        np.array([2.0 if row in nearest else 0.0 for row in rows], np.float32), np.zeros(sessions, np.int64), nothing, nothing,
        np.zeros(sessions, np.int64), np.arange(sessions, 0, -1, dtype=np.float32), nothing,
    )  # fmt: skip


@pytest.mark.parametrize(("sessions", "adds"), [(30, True), (AGREED_FEWEST - 1, False)], ids=["many", "few"])
def test_words_and_meaning_agree(sessions, adds):
    """A prompt goes on with a memory more likely if the same sessions share its words and its meaning; of few sessions any do."""
    keys = [f"session://plain/s{row:02}" for row in range(sessions)]
    items = {key: Item(key, "session", "", "", "", "", "", "session", updated=DAY) for key in keys}
    same, others = (goes_on_here(evidence(sessions, rows), items) for rows in (range(10), range(sessions - 10, sessions)))
    assert (same > others + 2) is adds


def test_questions_are_not_held_to_it(memory, held):
    """A question is answered however long ago it was said."""
    held({"north": catalogue("north")} | plants(8))
    assert asked(memory, "Which lanterns are on the first page of the north catalogue?").hits
