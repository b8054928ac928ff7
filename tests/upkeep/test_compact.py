"""IN-32, IN-39: tidying up removes what nobody can recover, gives space back, and loses no memory and no word."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from vademecum.model.errors import NotFound, Refused
from vademecum.model.query import Query

SAID = json.dumps([{"role": "user", "text": "Where is the lamp?"}])


def test_checkpoints(memory, clock, tmp_path):
    """Those older than a week and those that cannot be read go; one that can still be recovered stays."""
    folder = Path(memory.parts.checkpoints)
    memory.checkpoint("old", SAID)
    clock.advance(timedelta(days=6))
    memory.checkpoint("young", SAID)
    (folder / "torn.json").write_text('{"agentId": "torn", "mess')
    clock.advance(timedelta(days=1))
    assert memory.last_compaction() is None
    assert memory.compact().checkpoints == 2
    assert [path.stem for path in folder.iterdir()] == ["young"]
    assert memory.recover("young").messages
    with pytest.raises(NotFound):
        memory.recover("old")
    assert memory.last_compaction()["checkpoints"] == 2
    assert memory.compact().checkpoints == 0


def test_nothing_is_lost(memory, tmp_path, told):
    """The index gives space back, and every answer, search and transcript is what it was."""
    talk = tmp_path / "talk.jsonl"
    talk.write_text(
        "".join(json.dumps({"speaker": "user", "text": f"The lamp {n} hangs in room {n}."}) + "\n" for n in range(60))
    )
    for number in range(40):
        memory.save("fact", f"Lamp {number}", f"Lamp {number} is lit by candle {number}. " + "wax " * 200)
    for number in range(30):
        memory.archive(f"Lamp {number}")
    memory.capture((str(talk),))

    def answers():
        found = memory.search_sessions("lamp 7 hangs", limit=3)
        return (
            told(memory, "candle 35"),
            [hit.passage.text for hit in found.hits],
            len(memory.list(limit=99, status=("archived",))),
        )

    before = answers()
    done = memory.compact()
    assert answers() == before
    assert done.index_bytes <= done.bytes_before
    assert memory.recall(Query("candle 39")).hits


def test_switched_off(memory, home):
    (home / "STOP").touch()
    with pytest.raises(Refused, match="compacted"):
        memory.compact()
