"""A prompt of work goes on with a conversation: one that stands out and was held lately, and one place of each."""

import json
from datetime import datetime, timedelta

import pytest

from vademecum.domain.query import Query

DAY = datetime.fromisoformat("2026-01-05T09:00:00+00:00")
ORDER = "I want to go on with the lantern catalogue. Please prepare the next page with the brass lanterns and their prices."


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


@pytest.mark.parametrize(("first", "opens"), [(False, True), (True, False)], ids=["lately", "long ago"])
def test_what_was_held_lately(memory, held, first, opens):
    """The same words open where they were said last, and not where other conversations came since, which touch the subject too."""
    talk = {"north": catalogue("north")[:1]}
    others = {
        f"p{row}": [("user", f"The page about plant {row} is next. I want brass pots for plant {row}.")] for row in range(8)
    }
    held(talk | others if first else others | talk)
    assert bool(asked(memory, ORDER).hits) is opens


def test_questions_are_not_held_to_it(memory, held):
    """A question is answered however long ago it was said."""
    held({"north": catalogue("north")} | plants(8))
    assert asked(memory, "Which lanterns are on the first page of the north catalogue?").hits
