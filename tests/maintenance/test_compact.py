"""IN-32, IN-39: tidying up removes what nobody can recover, gives space back, and loses no memory and no word."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from vademecum.domain.errors import NotFound, Refused
from vademecum.domain.query import Query

SAID = json.dumps([{"role": "user", "text": "Where is the lamp?"}])


def test_checkpoints(memory, clock, tmp_path):
    """Those older than a week and those that cannot be read go; one that can still be recovered stays."""
    folder = Path(memory.context.storage.checkpoints)
    memory.checkpoints.save("old", SAID)
    clock.advance(timedelta(days=6))
    memory.checkpoints.save("young", SAID)
    (folder / "torn.json").write_text('{"agentId": "torn", "mess')
    clock.advance(timedelta(days=1))
    assert memory.maintenance.last_compaction() is None
    assert memory.maintenance.compact().checkpoints == 2
    assert [path.stem for path in folder.iterdir()] == ["young"]
    assert memory.checkpoints.recover("young").messages
    with pytest.raises(NotFound):
        memory.checkpoints.recover("old")
    assert memory.maintenance.last_compaction()["checkpoints"] == 2
    assert memory.maintenance.compact().checkpoints == 0


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


def long_chat(count, first=0):
    """So many messages, the agent's every second; some of the earliest teach something."""
    taught = {
        0: "We decided to use PostgreSQL for the orders, because it locks rows.",
        2: "Lesson learned: never run the migration while the importer is running.",
    }
    said = [
        {"role": "agent" if number % 2 else "user", "text": taught.get(number, f"Message number {number} about the lamp.")}
        for number in range(first, first + count)
    ]
    return json.dumps(said)


def test_in33_long_chat(memory):
    """IN-33: of a chat with more than 20 messages the older part is mined and handed over, the last 20 stay to be recovered."""
    memory.checkpoints.save("copilot", long_chat(30), chat="c1")
    done = memory.maintenance.compact()
    assert (done.trimmed, memory.maintenance.compact().trimmed) == (1, 0)
    left = memory.checkpoints.recover("copilot").messages
    assert (len(left), left[0].text) == (20, "Message number 10 about the lamp.")
    kinds = ("decision", "lesson", "handoff")
    found = {item.kind: memory.notes.get(item.key) for item in memory.notes.list(kind=kinds, status=("active", "inbox"))}
    assert found.keys() == set(kinds)
    assert set(found["decision"].tags) >= {"compacted", "auto-extract"}
    assert set(found["handoff"].tags) >= {"compacted", "auto-handoff"}
    assert [line[-1] for line in found["handoff"].body.replace(" about the lamp.", "").splitlines()] == ["5", "7", "9"]


def test_in33_goes_on(memory):
    """IN-33: a chat that grew is shortened again: what was mined is not mined or confirmed again, the handoff gives way to a newer one."""
    memory.checkpoints.save("copilot", long_chat(30), chat="c1")
    memory.maintenance.compact()
    memory.checkpoints.save("copilot", long_chat(40), chat="c1")
    assert memory.maintenance.compact().trimmed == 1
    (decision,) = memory.notes.list(kind=("decision",), status=("active", "inbox"))
    assert memory.notes.get(decision.key).confirmations == 0
    (handoff,) = memory.notes.list(kind=("handoff",), status=("active",))
    assert "Message number 19" in memory.notes.get(handoff.key).body


def test_in33_short_or_torn(memory):
    """IN-33: twenty messages are left as they are, and a file that cannot be read keeps no other waiting."""
    folder = Path(memory.context.storage.checkpoints)
    memory.checkpoints.save("a", long_chat(20))
    memory.checkpoints.save("z", long_chat(21))
    (folder / "b.json").write_text('{"agentId": "b", "messages": [1], "savedAt": "2099-01-01T00:00:00Z"}')
    before = (folder / "a.json").read_bytes()
    assert memory.maintenance.compact().trimmed == 1
    assert (folder / "a.json").read_bytes() == before


def test_in33_caps(memory):
    """IN-33: at most ten decisions come from one shortening."""
    tools = "Postgres Redis Kafka Postfix Minio Loki Restic Trac Excel Mealie Latex Osmium Beets Calibre".split()
    things = "orders invoices parcels mails photos logs backups tickets prices recipes letters maps songs books".split()
    said = [f"We decided to use {tool} for the {thing}." for tool, thing in zip(tools, things, strict=True)]
    memory.checkpoints.save("a", json.dumps([{"role": "user", "text": text} for text in (*said, *["Hello."] * 20)]))
    memory.maintenance.compact()
    assert len(memory.notes.list(kind=("decision",), status=("active", "inbox"))) == 10
