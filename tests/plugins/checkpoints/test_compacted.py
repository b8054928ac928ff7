"""IN-32, IN-33: cleaning up removes checkpoints that nobody can recover, and shortens long chats without losing what they taught."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from vademecum.domain.errors import NotFound
from vademecum.plugins.checkpoints.checkpoints import recovered
from vademecum.plugins.checkpoints.verbs import save

SAID = json.dumps([{"role": "user", "text": "Where is the lamp?"}])


def test_checkpoints(memory, clock, tmp_path):
    """Those older than a week and those that cannot be read go; one that can still be recovered stays."""
    folder = Path(memory.context.storage.checkpoints)
    save(memory, "old", SAID)
    clock.advance(timedelta(days=6))
    save(memory, "young", SAID)
    (folder / "torn.json").write_text('{"agentId": "torn", "mess')
    clock.advance(timedelta(days=1))
    assert memory.maintenance.last_compaction() is None
    assert memory.maintenance.compact().counts["checkpoints"] == 2
    assert [path.stem for path in folder.iterdir()] == ["young"]
    assert recovered(memory.context, "young").messages
    with pytest.raises(NotFound):
        recovered(memory.context, "old")
    assert memory.maintenance.last_compaction()["checkpoints"] == 2
    assert memory.maintenance.compact().counts["checkpoints"] == 0


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
    save(memory, "copilot", long_chat(30), chat="c1")
    done = memory.maintenance.compact()
    assert (done.counts["trimmed"], memory.maintenance.compact().counts["trimmed"]) == (1, 0)
    left = recovered(memory.context, "copilot").messages
    assert (len(left), left[0].text) == (20, "Message number 10 about the lamp.")
    kinds = ("decision", "lesson", "handoff")
    found = {item.kind: memory.notes.get(item.key) for item in memory.notes.list(kind=kinds, status=("active", "inbox"))}
    assert found.keys() == set(kinds)
    assert set(found["decision"].tags) >= {"compacted", "auto-extract"}
    assert set(found["handoff"].tags) >= {"compacted", "auto-handoff"}
    assert [line[-1] for line in found["handoff"].body.replace(" about the lamp.", "").splitlines()] == ["5", "7", "9"]


def test_in33_goes_on(memory):
    """IN-33: a chat that grew is shortened again: what was mined is not mined or confirmed again, the handoff gives way to a newer one."""
    save(memory, "copilot", long_chat(30), chat="c1")
    memory.maintenance.compact()
    save(memory, "copilot", long_chat(40), chat="c1")
    assert memory.maintenance.compact().counts["trimmed"] == 1
    (decision,) = memory.notes.list(kind=("decision",), status=("active", "inbox"))
    assert memory.notes.get(decision.key).confirmations == 0
    (handoff,) = memory.notes.list(kind=("handoff",), status=("active",))
    assert "Message number 19" in memory.notes.get(handoff.key).body


def test_in33_short_or_torn(memory):
    """IN-33: twenty messages are left as they are, and a file that cannot be read keeps no other waiting."""
    folder = Path(memory.context.storage.checkpoints)
    save(memory, "a", long_chat(20))
    save(memory, "z", long_chat(21))
    (folder / "b.json").write_text('{"agentId": "b", "messages": [1], "savedAt": "2099-01-01T00:00:00Z"}')
    before = (folder / "a.json").read_bytes()
    assert memory.maintenance.compact().counts["trimmed"] == 1
    assert (folder / "a.json").read_bytes() == before


def test_in33_caps(memory):
    """IN-33: at most ten decisions come from one shortening."""
    tools = "Postgres Redis Kafka Postfix Minio Loki Restic Trac Excel Mealie Latex Osmium Beets Calibre".split()
    things = "orders invoices parcels mails photos logs backups tickets prices recipes letters maps songs books".split()
    said = [f"We decided to use {tool} for the {thing}." for tool, thing in zip(tools, things, strict=True)]
    save(memory, "a", json.dumps([{"role": "user", "text": text} for text in (*said, *["Hello."] * 20)]))
    memory.maintenance.compact()
    assert len(memory.notes.list(kind=("decision",), status=("active", "inbox"))) == 10
