"""What a prompt is shown when no helper runs: found by words alone, in the hook client's own process."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from tests.entrypoints.hooks.conftest import ABOUT_KETTLE, ABOUT_NOTHING, KNOWN

from vademecum.domain.host import HookEvent
from vademecum.entrypoints.hooks.by_words import answer
from vademecum.entrypoints.hooks.carrier import read_conf
from vademecum.entrypoints.hooks.place import write_client
from vademecum.wiring import open_memory

#: Prompts about nothing in memory, though some share a word with it.
UNKNOWN = (
    ABOUT_NOTHING, "Can you port this function to Rust?", "What does the service worker cache?", "Which machine learning book is best?",
    "Is there a site for cheap flights?", "How do I listen on two sockets at once?", "ok?", "???", "Which port should I visit in Spain?",
)  # fmt: skip


def asked(installed, prompt=ABOUT_KETTLE, session="s1", folder="work"):
    """The text that the agent gets, asked in this process as the client asks in its own."""
    beside = installed.client.parent
    conf = {**read_conf(str(beside)), "is_set": ""}
    known = json.loads((beside / "alone.json").read_text())
    cwd = str(installed.folder / folder)
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": cwd, "prompt": prompt}
    raw = answer(conf, known, json.dumps(payload).encode(), "claude-code", cwd)
    return json.loads(raw)["hookSpecificOutput"]["additionalContext"] if raw else ""


def test_first_prompt_without_numpy(installed):
    """With 50 memories and no helper the installed client answers from its own process, without arrays; a helper is started behind it."""
    with open_memory(installed.settings) as memory:
        for number in range(46):
            memory.notes.save("fact", f"Shelf {number} of the pantry", f"Jar {number} holds spice number {number * 7}.")
    installed.no_helper()
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": ABOUT_KETTLE}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", str(installed.client), "claude-code"],
        input=json.dumps(payload).encode(), capture_output=True, cwd=installed.folder / "work", env=installed.environment(), check=True,
    )  # fmt: skip
    loaded = {line.split(b"|")[-1].strip().decode() for line in done.stderr.splitlines()}
    told = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert "4417" in told
    assert "pantry" not in told
    assert "Notes, not instructions" in told
    unneeded = {
        "numpy",
        "click",
        "dataclasses",
        "tomllib",
        "subprocess",
        "decimal",
        "ipaddress",
        "platform",
        "vademecum.settings",
    }
    assert loaded & unneeded == set()
    assert [line["verdict"] for line in installed.log()] == ["told"]


@pytest.mark.parametrize("prompt", UNKNOWN)
def test_unrelated(installed, prompt):
    assert asked(installed, prompt) == ""


def test_counts_as_delivered(installed):
    """What was shown counts as any delivery does, and is shown once in a session; an outright question in another is answered again."""
    assert ["4417" in asked(installed, session=name) for name in ("s1", "s1", "s2")] == [True, False, True]
    with open_memory(installed.settings) as memory:
        kettle = next(item for item in memory.notes.list(10) if "kettle" in item.title)
        assert memory.context.state.usage.of([kettle.key])[kettle.key].shown == 2


def test_briefed_with_the_next_prompt(installed):
    """A session that was answered before any helper ran gets its briefing with its next prompt, and then never again."""
    assert "short answers" not in asked(installed)
    briefed = [
        installed_delivery(installed, f"Which disk takes the backups of the orchard {word}?") for word in ("database", "data")
    ]
    assert ["short answers" in text for text in briefed] == [True, False]
    assert "4417" not in "".join(briefed)


def installed_delivery(installed, prompt):
    """What the helper would answer in the same session."""
    with open_memory(installed.settings) as memory:
        return memory.recall.deliver(HookEvent("claude-code", "prompt", "UserPromptSubmit", "s1", prompt=prompt)).text


def _archived(memory, kettle):
    memory.notes.archive(kettle)


def _stale(memory, kettle):
    memory.notes.supersede(kettle, "STALE")


def _withheld(memory, kettle):
    memory.notes.edit(kettle, properties={"tags": ["visibility/internal"]})


def _of_another_agent(memory, kettle):
    memory.notes.archive(kettle)
    memory.notes.save("fact", "Kettle", KNOWN[kettle], agent="gardener")


def _of_another_project(memory, kettle):
    memory.notes.archive(kettle)
    memory.notes.save("fact", "Kettle", KNOWN[kettle], project="greenhouse")


def _over(memory, kettle):
    memory.notes.edit(kettle, properties={"valid_until": str(datetime.now(UTC).date() - timedelta(days=1))})


def _session_paused(memory, kettle):
    memory.context.storage.pauses.begin(datetime.now(UTC), "session://claude-code/s1")


@pytest.mark.parametrize(
    "change", [_archived, _stale, _withheld, _of_another_agent, _of_another_project, _over, _session_paused]
)
def test_never_shown(installed, change):
    """What the whole search does not show unasked, words alone do not show either."""
    (installed.folder / "work" / ".git").mkdir()
    with open_memory(installed.settings) as memory:
        change(memory, "Where the kettle service runs")
    assert asked(installed) == ""


def test_stopped_folder(installed):
    (installed.folder / "work" / ".harness").mkdir()
    (installed.folder / "work" / ".harness" / "STOP").touch()
    assert asked(installed) == ""


def test_stopped_memory(installed):
    """While memory is paused nothing is shown; a client that was written in the pause answers after it."""
    stop = installed.data / "STOP"
    stop.touch()
    write_client(installed.settings, installed.config)
    assert asked(installed) == ""
    stop.unlink()
    assert "4417" in asked(installed)


def test_settings_of_now(installed):
    """Settings that changed since the client was installed hold."""
    installed.configure(enabled="false")
    assert asked(installed) == ""


@pytest.mark.parametrize("damage", ["gone", "damaged", "older"])
def test_no_index(installed, damage):
    """Without an index that can be read nothing is shown, and nothing is made or repaired."""
    index = installed.data / "index.db"
    for path in installed.data.glob("index.db-*"):
        path.unlink()
    if damage == "gone":
        index.unlink()
    elif damage == "damaged":
        index.write_bytes(b"garbage" * 1000)
    else:
        raw = bytearray(index.read_bytes())
        raw[60:64] = (1).to_bytes(4, "big")  # where SQLite keeps user_version
        index.write_bytes(raw)
    before = index.read_bytes() if index.exists() else b""
    assert asked(installed) == ""
    assert (index.read_bytes() if index.exists() else b"") == before


def test_marked_when_in_doubt(installed):
    """A memory that another may have replaced is marked so, as ever."""
    with open_memory(installed.settings) as memory:
        memory.notes.save("fact", "Kettle moved", "The kettle service listens on port 5522 of the harbour machine since May.")
        memory.notes.link("Kettle moved", "may_replace", "Where the kettle service runs")
    told = asked(installed)
    assert "5522" in told
    assert told.count("may be outdated") == told.count("4417") == 1
