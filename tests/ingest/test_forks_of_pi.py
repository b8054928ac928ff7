"""A fork that its host names as one is a copy like any other: its turns stand once, and what was laid on its parent holds."""

import json

from vademecum.domain.query import Scope

PARENT, FORK = (f"b1000000-0000-7000-8000-0000000000e{number}" for number in (1, 2))
SAID = ("Let us begin.", "Begun.", "Always polish the copper rail.", "Polished.", "And never polish the tin lid.", "Noted.")


def write(folder, session, count, **head):
    """Write a session of pi with the first turns of the talk."""
    folder.mkdir(exist_ok=True)
    lines = [
        {"type": "session", "version": 3, "id": session, "timestamp": "2026-02-01T08:00:00Z", "cwd": "/srv/larder", **head}
    ]
    for number, text in enumerate(SAID[:count]):
        message = {"role": "assistant" if number % 2 else "user", "content": [{"type": "text", "text": text}]}
        time = f"2026-02-01T08:{number:02d}:00Z"
        lines.append(
            {"type": "message", "id": f"a{number}", "parentId": f"a{number - 1}", "timestamp": time, "message": message}
        )
    path = folder / f"2026-02-01T08-00-00-000Z_{session}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_fork_of_an_excluded_session(memory, tmp_path):
    """Nothing is learnt from a fork of a session from which the person wants nothing learnt, also of what was said in the fork."""
    folder = tmp_path / "--srv-larder--"
    parent = write(folder, PARENT, 2)
    memory.maintenance.capture((str(folder),))
    memory.sessions.exclude(f"session://pi/{PARENT}")
    write(folder, PARENT, 4)
    write(folder, FORK, 6, parentSession=str(parent))
    memory.maintenance.capture((str(folder),))
    assert not memory.context.index.select(Scope(sources=("memory",), statuses=None))
    assert f"session://pi/{FORK}" in memory.context.storage.pauses.excluded()


def test_turns_of_a_fork_stand_once(memory, tmp_path):
    """The turns that a fork begins with are its parent's."""
    folder = tmp_path / "--srv-larder--"
    parent = write(folder, PARENT, 4)
    write(folder, FORK, 6, parentSession=str(parent))
    memory.maintenance.capture((str(folder),))
    own = [one.passage.text for one in memory.context.index.passages_of(f"session://pi/{FORK}")]
    assert own == list(SAID[4:])
