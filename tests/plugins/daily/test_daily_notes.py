"""The note of a day: written when sessions end, the person's to edit, and renewed only where it is still ours."""

import json
import os
import re
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from vademecum.adapters.repositories.git import commits_between
from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import HookEvent
from vademecum.domain.memory import By
from vademecum.plugins.daily.notes import daily, key_uses

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)

FIELDS = {
    "session_id", "timestamp", "session_start", "message_count", "title", "topics", "decisions", "files_modified", "open_questions",
    "deliverables", "key_outputs", "lessons", "rejected_approaches", "corrections", "process_reflection", "signal_driven_actions",
    "continue_from", "validation_status", "coe_signal", "coe_topic", "git_commits",
}  # fmt: skip


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    """Days end at midnight of the machine's own time; here that is UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def talk(tmp_path):
    """Writes, or goes on with, a Codex transcript; gives its path. Each entry: (role or tool, text), a minute after the one before."""
    folder = tmp_path / "talk"
    folder.mkdir()

    def written(name, *said, start=START, cwd=""):
        path = folder / f"rollout-{name}.jsonl"
        lines = []
        if not path.exists():
            lines.append({"type": "session_meta", "timestamp": start.isoformat(), "payload": {"id": name, "cwd": cwd}})
        for number, (role, text) in enumerate(said, 1):
            moment = (start + timedelta(minutes=number)).isoformat()
            if role in ("user", "agent"):
                lines.append(
                    {"type": "event_msg", "timestamp": moment, "payload": {"type": f"{role}_message", "message": text}}
                )
            else:
                call = {
                    "type": "function_call",
                    "name": "exec_command",
                    "call_id": f"c{number}",
                    "arguments": json.dumps({"cmd": role}),
                }
                answer = {"type": "function_call_output", "call_id": f"c{number}", "output": text}
                lines += [{"type": "response_item", "timestamp": moment, "payload": one} for one in (call, answer)]
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        os.utime(path, (start.timestamp(), start.timestamp()))
        return str(path)

    return written


def end(memory, name, path, at=None):
    memory.sessions.record(HookEvent("codex", "start", "E", name, transcript=path), at)
    memory.sessions.record(HookEvent("codex", "end", "E", name, transcript=path), at)
    return memory.sessions.process_due()


def write_more(memory, text):
    """What the person writes at the end of the day's note."""
    path = Path(daily(memory.context, "2026-03-02").path)
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


ASKED = (
    ("user", "Please move the shop to SQLite. Customers report that the old store loses orders."),
    ("pytest -q", "12 passed in 0.4s"),
    ("agent", "Moved the shop to SQLite. I gave up on the JSON store, because it locks. See https://example.org/shop/pull/7"),
    ("user", "No, don't keep the old table. We decided to use one table for orders, because it is simpler."),
    (
        "agent",
        "Dropped the old table. In hindsight the move should have been one commit. The index is not yet built. Next step: build the index.",
    ),
)


def test_from_session_to_note(memory, talk):
    """Every section tells what was said, and the sidecar has every field."""
    report = end(memory, "0a1b2c3d-aaaa", talk("0a1b2c3d-aaaa", *ASKED))
    assert [day.isoformat() for day in report.sessions[0].days] == ["2026-03-02"]
    note = daily(memory.context, "2026-03-02")
    assert note.sessions == 1 and note.path.endswith("_daily/2026-03-02.md")
    assert "## 09:01 | 0a1b2c3d | Please move the shop to SQLite" in note.text
    for heading, said in {
        "Delivered": "Moved the shop to SQLite", "Outputs": "https://example.org/shop/pull/7", "Decisions": "one table for orders",
        "Rejected": "gave up on the JSON store", "Corrections": "don't keep the old table", "Signal-Driven": "Customers report",
        "Process Reflection": "In hindsight", "Validation": "tests: passed", "Open": "not yet built", "Next": "build the index",
    }.items():  # fmt: skip
        section = note.text.partition(f"### {heading}\n")[2].partition("\n### ")[0]
        assert said in section, heading
    (facts,) = note.sidecar
    assert facts.keys() >= FIELDS
    assert (
        facts["session_id"] == "0a1b2c3d-aaaa" and facts["message_count"] == 4 and facts["continue_from"] == "build the index."
    )
    assert "shop" not in facts["topics"] and "table" in facts["topics"]


def test_links_to_its_handoff(memory, talk, home):
    """The block leads to the session's handoff, a file that is there. Obsidian shows the way back."""
    (handoff,) = [one.handoff for one in end(memory, "a", talk("a", *ASKED)).sessions]
    note = daily(memory.context, "2026-03-02")
    to_handoff = re.search(r"\[\[(_handoffs/[^|\]]+)\|handoff\]\]", note.text)[1]
    assert (home / f"{to_handoff}.md").read_text() == (home / memory.notes.get(handoff).path).read_text()


def test_no_memory(memory, talk):
    """The note is no memory: nothing is indexed or adopted of it, and it does not get in the way of undoing."""
    saved = memory.notes.save("fact", "Kettle", "Descale monthly.")
    end(memory, "a", talk("a", *ASKED))
    before = daily(memory.context, "2026-03-02").text
    memory.maintenance.sync()
    assert not [item for item in memory.notes.list(limit=100) if "_daily" in item.path]
    assert daily(memory.context, "2026-03-02").text == before
    for handoff in [one for one in memory.context.vault.list() if one.kind == "handoff"]:
        memory.notes.undo(handoff.id)
    memory.notes.undo(saved.memory.id)
    assert "daily" in {record.op for record, _ in memory.context.vault.history.changes()}
    assert before not in "".join(
        side.text or "" for _, one in memory.context.vault.history.changes() for side in (one.before, one.after) if side
    )


def test_grown_session(memory, talk, clock):
    """A session that grew renews its block; the person's own words stay, and an edited block stays whole."""
    end(memory, "a", talk("a", *ASKED))
    clock.advance(HOUR)
    end(memory, "b", talk("b", *((who, f"{text} Once more.") for who, text in ASKED), start=START + HOUR))
    path = Path(daily(memory.context, "2026-03-02").path)
    note = path.read_text(encoding="utf-8").replace("Moved the shop", "MOVED the shop", 1)
    note = note.replace("\n## 10:01", "\nMy own thought.\n\n## 10:01")
    path.write_text(note, encoding="utf-8")
    clock.advance(2 * HOUR)
    more = (("user", "Rename the table to purchases."), ("agent", "Renamed the table to purchases."))
    for name, start in (("a", 2 * HOUR), ("b", 2 * HOUR + timedelta(minutes=30))):
        end(memory, name, talk(name, *more, start=START + start))
    after = daily(memory.context, "2026-03-02").text
    assert after.startswith(note[: note.index("## 10:01")])
    assert after.count("Renamed the table to purchases.") == 1 and after.count("My own thought.") == 1


def test_again_changes_nothing(memory, talk, clock):
    """Processing the same session again writes nothing."""
    path = talk("a", *ASKED)
    end(memory, "a", path)
    note = Path(daily(memory.context, "2026-03-02").path)
    before = note.stat()
    clock.advance(HOUR)
    assert end(memory, "a", path).sessions[0].days == ()
    assert note.stat() == before


def test_over_midnight(memory, talk, clock):
    """What was said on two days stands in two notes, each with its own."""
    path = talk("a", *ASKED)
    path = talk("a", ("user", "Now rename the table to purchases."), ("agent", "Renamed the table."), start=START + 20 * HOUR)
    clock.advance(24 * HOUR)
    assert len(end(memory, "a", path).sessions[0].days) == 2
    first, second = daily(memory.context, "2026-03-02").text, daily(memory.context, "2026-03-03").text
    assert "SQLite" in first and "Renamed" not in first
    assert "Renamed the table." in second and "not yet built" not in second


def test_resumed_under_another_id(memory, tmp_path):
    """Turns that a host copied into the file of a resumed session stand in the block of the first one only."""
    said = (
        *(text for role, text in ASKED if role in ("user", "agent")),
        "Rename the table to purchases now.",
        "Renamed the table.",
    )
    paths = []
    for name, count in (("first", 4), ("second", 6)):
        lines = [
            {
                "type": "assistant" if number % 2 else "user",
                "uuid": f"00000000-0000-4000-8000-{number:012d}",
                "sessionId": name,
                "isSidechain": False,
                "timestamp": (START + timedelta(minutes=number)).isoformat(),
                "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}
                if number % 2
                else {"role": "user", "content": text},
            }
            for number, text in enumerate(said[:count])
        ]
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        os.utime(paths[-1], (START.timestamp(), START.timestamp()))
    memory.maintenance.capture(tuple(map(str, paths)))
    for name, path in zip(("first", "second"), paths, strict=True):
        memory.sessions.record(HookEvent("claude-code", "end", "E", name, transcript=str(path)))
    memory.sessions.process_due()
    note = daily(memory.context, "2026-03-02")
    assert note.text.count("Moved the shop to SQLite") == 1
    assert {row["session_id"]: row["message_count"] for row in note.sidecar} == {"first": 4, "second": 2}


def test_short_session(memory, talk):
    """A session that was only looked into is in no note."""
    end(memory, "a", talk("a", ("user", "What time is it over there?"), ("agent", "I cannot know that.")))
    assert daily(memory.context, "2026-03-02").text == ""


def test_secrets_and_private(memory, talk):
    """Neither a secret nor what stands between <private> marks enters the note or its sidecar."""
    key = "ghp_" + "a1B2" * 9
    said = (
        ("user", f"Deploy the shop with {key} please."), ("agent", f"Deployed the shop with {key} as you said."),
        ("user", "<private>My number is 4711.</private> Now check the logs."),
        ("agent", "Checked the logs, nothing is left. Next step: rest."),
    )  # fmt: skip
    end(memory, "a", talk("a", *said))
    note = daily(memory.context, "2026-03-02")
    assert "Deployed the shop" in note.text
    for secret in (key, "4711"):
        assert secret not in note.text and secret not in json.dumps(note.sidecar)


def test_incident_flag(memory, talk):
    """A session that tells of an outage raises the day's flag and says what it was about."""
    end(
        memory,
        "a",
        talk("a", *ASKED, ("user", "The root cause of the outage was the missing lock, remember that."), ("agent", "Noted.")),
    )
    note = daily(memory.context, "2026-03-02")
    assert "has_coe: true" in note.text and "root cause of the outage" in note.sidecar[0]["coe_topic"]
    assert "distilled: false" in note.text and "sessions_count: 1" in note.text


@pytest.mark.parametrize("what", [("session://codex/a", "source"), ("move the shop to SQLite", "subject")])
def test_forgotten(memory, talk, what):
    """What the person has forgotten goes from the note and its sidecar too, and does not come back."""
    path = talk("a", *ASKED)
    end(memory, "a", path)
    write_more(memory, "\n## Mine\n\nI had tea.\n")
    done = memory.notes.forget(*what, yes=True, by=By("user", "cli"))
    assert not [place for place in done.proof if place.found]
    left = daily(memory.context, "2026-03-02")
    assert "move the shop to SQLite" not in left.text + json.dumps(left.sidecar) and "I had tea." in left.text
    memory.sessions.record(HookEvent("codex", "end", "E", "a", transcript=path))
    memory.sessions.process_due()
    left = daily(memory.context, "2026-03-02")
    assert "move the shop to SQLite" not in left.text + json.dumps(left.sidecar)


def git(folder, *words, at=START):
    date = at.isoformat()
    env = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@y", "-C", str(folder), *words],
        check=True,
        env=env,
        capture_output=True,
    )


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q")
    for number, name in ((-60, "Before"), (3, "Move the shop"), (300, "Much later")):
        git(folder, "commit", "-q", "--allow-empty", "-m", name, at=START + timedelta(minutes=number))
    return folder


def test_commits_of_the_session(memory, talk, repository):
    """What was committed while the session went on is its git activity; what came before or much later is not."""
    end(memory, "a", talk("a", *ASKED, cwd=str(repository)))
    (facts,) = daily(memory.context, "2026-03-02").sidecar
    assert [one["subject"] for one in facts["git_commits"]] == ["Move the shop"]
    assert "### Git activity\n\n- `" in daily(memory.context, "2026-03-02").text


def test_without_git(tmp_path, monkeypatch, repository):
    """Neither a folder that is no repository nor a machine without git is an error."""
    span = (START - HOUR, START + HOUR)
    assert commits_between(str(tmp_path / "none"), *span) == () and commits_between("", *span) == ()
    assert [one.subject for one in commits_between(str(repository), *span)] == ["Before", "Move the shop"]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commits_between(str(repository), *span) == ()


def test_hostile_repository(tmp_path, repository):
    """A repository's own configuration makes git run nothing: the folder's name comes from a transcript."""
    trace = tmp_path / "ran"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {trace}\n")
    script.chmod(0o755)
    for name in ("core.pager", "core.fsmonitor", "gpg.program", "core.sshCommand", "diff.external"):
        git(repository, "config", name, str(script))
    git(repository, "config", "log.showSignature", "true")
    assert commits_between(str(repository), START - 2 * HOUR, START + HOUR)
    assert not trace.exists()


def test_days_by_name(memory, clock):
    """Today, yesterday and a date; anything else is refused with what to give."""
    assert [daily(memory.context, day).day.isoformat() for day in ("", "Yesterday", "2026-02-28")] == [
        "2026-03-02",
        "2026-03-01",
        "2026-02-28",
    ]
    with pytest.raises(InvalidInput):
        daily(memory.context, "someday")


def test_key_uses(memory, talk, clock):
    """Keys are counted in the notes of the last seven days."""
    end(memory, "a", talk("a", *ASKED))
    write_more(memory, "\n## Mine\n\nAs [KD07] says, and [KD07] again; see [LL03], not [link].\n")
    assert key_uses(memory.context) == {"KD07": 2, "LL03": 1}
    clock.advance(timedelta(days=6))
    assert key_uses(memory.context) == {"KD07": 2, "LL03": 1}
    clock.advance(timedelta(days=1))
    assert key_uses(memory.context) == {}


def test_unreadable_note(memory, talk):
    """A note that is not UTF-8 is left alone; the session fails aloud and is tried again."""
    path = Path(daily(memory.context, "2026-03-02").path)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\xfe mine")
    (done,) = end(memory, "a", talk("a", *ASKED)).sessions
    assert done.stage == "failed" and "UTF-8" in done.error
    assert path.read_bytes() == b"\xff\xfe mine"
