"""IN-32, IN-39: tidying up removes what nobody can recover, gives space back, and loses no memory and no word."""

import json

import pytest

from vademecum.domain.errors import Refused
from vademecum.domain.query import Query


def test_nothing_is_lost(memory, tmp_path, told):
    """The index gives space back, and every answer, search and transcript is what it was."""
    talk = tmp_path / "talk.jsonl"
    talk.write_text(
        "".join(json.dumps({"speaker": "user", "text": f"The lamp {n} hangs in room {n}."}) + "\n" for n in range(60))
    )
    for number in range(40):
        memory.notes.save("fact", f"Lamp {number}", f"Lamp {number} is lit by candle {number}. " + "wax " * 200)
    for number in range(30):
        memory.notes.archive(f"Lamp {number}")
    memory.maintenance.capture((str(talk),))

    def answers():
        found = memory.sessions.search("lamp 7 hangs", limit=3)
        return (
            told(memory, "candle 35"),
            [hit.passage.text for hit in found.hits],
            len(memory.notes.list(limit=99, status=("archived",))),
        )

    before = answers()
    done = memory.maintenance.compact()
    assert answers() == before
    assert done.index_bytes <= done.bytes_before
    assert memory.recall.ask(Query("candle 39")).hits


def test_switched_off(memory, home):
    (home / "STOP").touch()
    with pytest.raises(Refused, match="compacted"):
        memory.maintenance.compact()
