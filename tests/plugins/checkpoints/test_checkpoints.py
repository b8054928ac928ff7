"""Checkpoints: the last fifty messages of a chat, for a week, and never an internal one."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vademecum.domain.errors import InvalidInput, NotFound
from vademecum.plugins.checkpoints.checkpoints import messages_of, recoverable, recovered, sync_checkpoints
from vademecum.plugins.checkpoints.verbs import close, save

ANY_JSON = st.recursive(st.none() | st.booleans() | st.text(), st.lists)
TOKEN = "ghp_" + "a8Kd93kLmQ02xPz7RtYw5VbN1cXe6UfGh4Js"


def said(*texts, **more):
    return json.dumps([{"role": "user" if n % 2 == 0 else "agent", "text": text, **more} for n, text in enumerate(texts)])


def texts(found):
    return [message.text for message in found.messages]


def test_kept_and_recovered(memory):
    """Chat and model come back with the last fifty messages, in order."""
    save(memory, "Dev Bot", said(*(f"m{n}" for n in range(70))), chat="chat_1", model="m-9")
    found = recovered(memory.context, "dev bot")
    assert texts(found) == [f"m{n}" for n in range(20, 70)]
    assert (found.agent, found.chat, found.model) == ("Dev Bot", "chat_1", "m-9")


def test_a_week(memory, clock):
    """After seven days nothing is recovered, a minute before everything."""
    save(memory, "dev", said("one"))
    clock.advance(timedelta(days=7, minutes=-1))
    assert texts(recovered(memory.context, "dev")) == ["one"]
    clock.advance(timedelta(minutes=1))
    with pytest.raises(NotFound):
        recovered(memory.context, "dev")


def test_internal_never_leaves(memory, tmp_path, home):
    """An internal message reaches no checkpoint, no handoff, and no file at all (IN-06)."""
    messages = json.dumps([{"role": "user", "text": "build it"}, {"role": "agent", "text": "whisper", "internal": True}])
    save(memory, "dev", messages)
    close(memory, "dev", messages)
    memory.close()
    held = b"".join(file.read_bytes() for root in (home, tmp_path / "data") for file in root.rglob("*") if file.is_file())
    assert b"build it" in held and b"whisper" not in held


def test_secrets(memory, tmp_path):
    """A secret in a message does not reach the disk."""
    save(memory, "dev", said(f"use {TOKEN}"))
    assert TOKEN not in (tmp_path / "data" / "checkpoints" / "dev.json").read_text()
    assert "[REDACTED:" in texts(recovered(memory.context, "dev"))[0]


def test_every_chat_to_resume(memory, clock):
    """IN-01: a host can ask under which id each agent's chat goes on; what is older than a week is not told."""
    save(memory, "old", said("a"), chat="chat_0")
    clock.advance(timedelta(days=6))
    save(memory, "dev", said("b"), chat="chat_2")
    save(memory, "bmad-master", said("c"), chat="chat_1")
    clock.advance(timedelta(days=2))
    assert {one.agent: one.chat for one in recoverable(memory.context)} == {"bmad-master": "chat_1", "dev": "chat_2"}


def test_sleep(memory):
    """Closing a chat keeps its checkpoint and leaves a handoff: the summary, or the last six messages of 200 characters."""
    told = close(memory, "dev", said("a"), summary="The import works. Next: deploy.")
    assert told.memory.kind == "handoff" and told.memory.body == "The import works. Next: deploy.\n"
    assert set(told.memory.tags) == {"auto-handoff", "session-close"} and told.memory.agent == "dev"
    without = close(memory, "dev", said(*(f"message {n} " + "x" * 300 for n in range(9)))).memory
    lines = without.body.strip().splitlines()
    assert len(lines) == 6 and lines[0].startswith("- agent: message 3") and max(map(len, lines)) <= 200 + len("- agent: ")
    assert len(recovered(memory.context, "dev").messages) == 9
    close(memory, "dev", summary="Closed without its messages.")
    assert len(recovered(memory.context, "dev").messages) == 9, "what was kept before stays"
    with pytest.raises(InvalidInput):
        close(memory, "nobody")


def test_sleep_mines(memory):
    """IN-43: the whole chat is mined, also what the checkpoint no longer holds; what is internal is not."""
    rule = "We decided to keep orders in SQLite, because it is one file."
    hidden = {"role": "user", "text": "We decided to sell the shop, because it is old.", "internal": True}
    messages = [{"role": "user", "text": rule}, hidden, *json.loads(said(*(f"message {n}" for n in range(60))))]
    told = close(memory, "dev", json.dumps(messages), chat="c1")
    mined = [one for one in memory.context.vault.list() if "auto-extract" in one.tags]
    assert [(one.kind, one.source, set(one.tags)) for one in mined] == [
        ("decision", "session://dev/c1", {"auto-extract", "session-close"})
    ]
    assert "SQLite" in mined[0].body and told.note == "Memories proposed from what was said: 1"
    assert "sell the shop" not in "".join(one.body for one in memory.context.vault.list())
    assert close(memory, "dev", json.dumps(messages), chat="c1").note == ""


def test_sync(memory, tmp_path):
    """Newer conversations become checkpoints; older ones only when forced; bad files stop nothing."""
    folder = tmp_path / "conversations"
    folder.mkdir()
    moment = "2026-03-02T08:00:00.123456Z"
    (folder / "dev.json").write_text(json.dumps({"agentId": "dev", "savedAt": moment, "messages": json.loads(said("one"))}))
    (folder / "ms.json").write_text(json.dumps({"savedAt": 1772438400000, "messages": json.loads(said("two"))}))
    (folder / "mtime.json").write_text(json.dumps({"messages": []}))
    os.utime(folder / "mtime.json", (1772438400, 1772438400))
    (folder / "bad.json").write_text("{half")
    (folder / "odd.json").write_text("[1]")
    first = sync_checkpoints(memory.context, str(folder))
    assert first.written == ("dev", "ms", "mtime") and len(first.problems) == 2
    assert recovered(memory.context, "ms").saved == datetime(2026, 3, 2, 8, tzinfo=UTC)
    again = sync_checkpoints(memory.context, str(folder))
    assert (again.written, again.unchanged) == ((), 3)
    assert len(sync_checkpoints(memory.context, str(folder), force=True).written) == 3
    with pytest.raises(InvalidInput):
        sync_checkpoints(memory.context, str(tmp_path / "nowhere"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
@given(content=st.binary(max_size=60) | ANY_JSON.map(lambda value: json.dumps(value).encode()))
def test_corrupt(memory, tmp_path, content):
    """Whatever a checkpoint's file holds, recovering it raises nothing but "there is none"."""
    place = tmp_path / "data" / "checkpoints"
    place.mkdir(parents=True, exist_ok=True)
    (place / "dev.json").write_bytes(content)
    with pytest.raises(NotFound):
        recovered(memory.context, "dev")


@pytest.mark.parametrize("text", ["{}", "nonsense", "[1]", '[{"role": "user"}]', '{"messages": 3}'])
def test_no_messages(text):
    """What is no list of messages is refused with an example of one."""
    with pytest.raises(InvalidInput) as caught:
        messages_of(text)
    assert "role" in caught.value.hint
