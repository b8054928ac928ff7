"""Below a host's folder only the places where that host keeps conversations are read, whatever other files look like and by whatever
way they are reached (X-23, X-37)."""

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vademecum.domain.host import HookEvent
from vademecum.domain.lifecycle import noted
from vademecum.domain.query import Scope
from vademecum.sessions.lifecycle import process

RULE = "Never feed the bees with honey, that is my rule."

#: Files that hosts write which are no conversations, below the home folder.
NO_CONVERSATIONS = (
    ".claude/projects/-srv-hive/5c/tool-results/b1.txt",
    ".claude/projects/-srv-hive/5c/tool-results/b1.jsonl",
    ".claude/projects/-srv-hive/5c/artifacts/page.jsonl",
    ".claude/projects/-srv-hive/memory/notes.md",
    ".claude/file-history/5c/a.jsonl",
    ".claude/debug/run.txt",
    ".claude/history.jsonl",
    ".cursor/projects/srv-hive/agent-tools/1.txt",
    ".cursor/projects/srv-hive/terminals/1.txt",
    ".cursor/projects/srv-hive/uploads/talk.jsonl",
    ".codex/history.jsonl",
    ".codex/memories/raw.md",
    ".gemini/tmp/hive/tool-outputs/shell.txt",
    ".gemini/tmp/hive/logs.json",
    ".copilot/session-state/s1/files/talk.jsonl",
    ".factory/artifacts/talk.jsonl",
    ".kiro/sessions/1a2b/sess_1/snapshots/3c/talk.jsonl",
)


@pytest.fixture(autouse=True)
def person(tmp_path, monkeypatch):
    """The person's home folder, empty."""
    place = tmp_path / "person"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return place


def planted(path: Path, session="5c000000-0000-4000-8000-000000000099", words=RULE) -> Path:
    """Write what looks like a conversation of Claude Code in which the person states a rule."""
    line = {
        "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/srv/hive", "sessionId": session, "type": "user",
        "uuid": f"5d{session[2:]}", "timestamp": "2026-03-01T09:00:00.000Z", "message": {"role": "user", "content": words},
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return path


def known(memory):
    """(sessions, memories) that there are."""
    index = memory.context.index
    sessions = [item.key for item in index.select(Scope(sources=("session",)))]
    memories = [item.title for item in index.select(Scope(sources=("memory",), statuses=None))]
    return sessions, memories


def by_place(memory, person, file):
    memory.maintenance.capture((str(person / Path(*file.relative_to(person).parts[:2])),))


def by_root(memory, person, file):
    memory.maintenance.capture((str(person / file.relative_to(person).parts[0]),))


def by_home(memory, person, file):
    memory.maintenance.capture((str(person),))


def by_name(memory, person, file):
    report = memory.maintenance.capture((str(file),))
    assert [problem.path for problem in report.problems] == [str(file)]
    assert "no conversation" in report.problems[0].message or "not read as a conversation" in report.problems[0].message


def by_link(memory, person, file):
    link = person / "elsewhere" / "talk.jsonl"
    link.parent.mkdir()
    link.symlink_to(file)
    memory.maintenance.capture((str(link.parent),))
    memory.maintenance.capture((str(link),))


def by_linked_folder(memory, person, file):
    link = person / "elsewhere"
    link.symlink_to(file.parent)
    memory.maintenance.capture((f"{link}{os.sep}",))
    memory.maintenance.capture((str(link / file.name),))


def by_hook(memory, person, file):
    event = HookEvent(
        "claude-code", "end", "SessionEnd", "5c000000-0000-4000-8000-000000000099", "/srv/hive", transcript=str(file)
    )
    process(memory.context, noted(None, event, datetime(2026, 3, 1, tzinfo=UTC)), [])


WAYS = (by_place, by_root, by_home, by_name, by_link, by_linked_folder, by_hook)


@pytest.mark.parametrize("way", WAYS)
def test_no_conversation_by_any_way(memory, person, way):
    """Files that hosts write beside their conversations are never read as one, by whatever way they are reached."""
    for file in NO_CONVERSATIONS:
        planted(person / file)
        way(memory, person, person / file)
        assert known(memory) == ([], []), file
        shutil.rmtree(person)
        person.mkdir()


@pytest.mark.parametrize("file", [file for file in NO_CONVERSATIONS if file.count("/") > 2 and "/artifacts/t" not in file])
def test_no_conversation_in_a_copy(memory, person, file):
    """A copy of a host's folder, such as a backup of another machine, is read as the folder itself."""
    planted(person / "backup" / file)
    memory.maintenance.capture((str(person / "backup"),))
    assert known(memory) == ([], [])


def test_printed_text_in_a_generic_folder(memory, person):
    """What a tool printed is no conversation in a folder that the person named either."""
    planted(person / "talks" / "5c" / "tool-results" / "b1.jsonl")
    memory.maintenance.capture((str(person / "talks"),))
    assert known(memory) == ([], [])


def test_moved_folder_of_a_host(memory, person, monkeypatch):
    """Where a variable moves the host's folder, its places move with it."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(person / "c"))
    planted(person / "c" / "projects" / "p" / "5c" / "tool-results" / "b1.txt")
    planted(person / "c" / "paste-cache" / "b1.txt")
    memory.maintenance.capture((str(person / "c"),))
    assert known(memory) == ([], [])
    planted(person / "c" / "projects" / "p" / "5c.jsonl")
    memory.maintenance.capture((str(person / "c"),))
    assert len(known(memory)[0]) == 1


def test_format_follows_from_the_place(memory, person):
    """In a host's place only that host's format is read: turns of another one there are no conversation."""
    place = person / ".claude" / "projects" / "p" / "talk.jsonl"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"role": "user", "text": RULE}) + "\n", encoding="utf-8")
    memory.maintenance.capture((str(person / ".claude" / "projects"),))
    assert known(memory) == ([], [])


def test_conversations_and_named_files_are_read(memory, person):
    """Conversations of hosts, and any file or folder of the person's own, are read as before."""
    planted(person / ".claude" / "projects" / "-srv-hive" / "a.jsonl", "5c000000-0000-4000-8000-000000000001")
    planted(person / "talks" / "b.txt", "5c000000-0000-4000-8000-000000000002", "Never open the hive at noon, that is my rule.")
    memory.maintenance.capture((str(person / ".claude" / "projects"), str(person / "talks")))
    sessions, memories = known(memory)
    assert len(sessions) == len(memories) == 2


@pytest.mark.parametrize(
    "file",
    [
        ".claude/projects/-srv-hive/5c/subagents/agent-a1.jsonl",
        ".claude/projects/-srv-hive/5c/subagents/workflows/w1/agent-a1.jsonl",
        ".claude/projects/-srv-hive/agent-a1.jsonl",
        "talks/5c/subagents/a1.jsonl",
    ],
)
def test_sub_agents_by_their_folder(memory, person, file):
    """What lies in a folder of sub-agents is a side conversation whatever its records say: kept, and nothing of it is learnt."""
    planted(person / file)
    memory.maintenance.capture((str(person),))
    sessions, memories = known(memory)
    assert (len(sessions), memories) == (1, [])
