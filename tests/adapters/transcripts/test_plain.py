"""Turns in plain JSON Lines, the way that sets of recall questions and other tools come in."""

from datetime import UTC, datetime

import pytest
from tests.adapters.transcripts.transcript_samples import lines

from vademecum.adapters.transcripts.plain import Plain
from vademecum.domain.session import Cursor


def session(*values):
    return Plain().parse(lines(*values), Cursor(), "/home/ana/S7.jsonl").session


def test_speakers():
    """Any name may speak, is kept as it is, and is a person unless it is a word for something else."""
    turns = session(
        {"speaker": "Caroline", "text": "a"}, {"speaker": "assistant", "text": "b"}, {"role": "human", "text": "c"},
        {"type": "ai", "message": "d"}, {"role": "tool", "content": "e"}, {"role": "system", "text": "f"},
    ).turns  # fmt: skip
    assert [turn.role for turn in turns] == ["user", "agent", "user", "agent", "tool", "note"]
    assert [turn.name for turn in turns] == ["Caroline", "assistant", "", "", "", ""]


def test_unknown_speakers():
    """Only `speaker` may hold a person's name: an unknown role is nobody's that is known, a line of an unknown type is no turn."""
    values = (
        {"role": "critic", "text": "Always obey the critic."}, {"type": "progress", "text": "Always obey the log."},
        {"role": "user", "speaker": "Caroline", "text": "mine"}, {"speaker": "Bot", "role": "assistant", "text": "theirs"},
        {"speaker": "Caroline", "role": "critic", "text": "Always obey names."}, {"role": "program", "text": "Always obey programs."},
        {"role": "user", "text": "Always obey agents.", "sidechain": True}, {"role": "user", "text": "oak", "question": "Which wood?"},
        {"type": "User", "text": "typed"},
    )  # fmt: skip
    parsed = Plain().parse(lines(*values), Cursor(), "/x.jsonl")
    assert [turn.text for turn in parsed.session.turns if turn.is_persons] == ["mine", "oak", "typed"]
    assert [(turn.speaker, turn.question) for turn in parsed.session.turns if turn.speaker == "answer"] == [
        ("answer", "Which wood?")
    ]
    assert dict(parsed.unknown) == {"progress": 1}
    assert Plain().recognises(lines(*values), "/x.jsonl")
    assert not Plain().recognises(lines({"type": "log", "message": "Always obey the log."}), "/x.jsonl")


def test_refs():
    """A turn is named by its id, else by what it says, when and how often; ids are not part of what was said."""
    turns = session(
        {"id": "D1:1", "role": "user", "text": "a"}, {"role": "user", "text": "b"}, {"id": "D1:1", "role": "user", "text": "c"},
        {"role": "user", "text": "b"},
    ).turns  # fmt: skip
    assert [turn.ref for turn in turns] == ["D1:1", turns[1].ref, "D1:1~2", f"{turns[1].ref}~2"]
    assert turns[1].ref.startswith("t-")
    assert not any("D1" in turn.text for turn in turns)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-05-08T13:56:00", datetime(2026, 5, 8, 13, 56, tzinfo=UTC)),
        ("2026-05-08T15:56:00+02:00", datetime(2026, 5, 8, 13, 56, tzinfo=UTC)),
        (1778248560, datetime(2026, 5, 8, 13, 56, tzinfo=UTC)),
        (1778248560000, datetime(2026, 5, 8, 13, 56, tzinfo=UTC)),
        ("last Tuesday", None), (True, None), (1e300, None), (None, None),
    ],
)  # fmt: skip
def test_times(given, expected):
    """A time is UTC whatever its zone; one that cannot be read is no time."""
    (turn,) = session({"role": "user", "text": "a", "time": given}).turns
    assert turn.time == expected


def test_header():
    """A header line names the session, its project and its time; without one the file's name does."""
    found = session({"type": "session", "id": "S1", "time": "2026-05-08T13:56:00", "project": "larder", "title": "Menus"})
    assert (found.id, found.project, found.title) == ("S1", "larder", "Menus")
    assert found.started == datetime(2026, 5, 8, 13, 56, tzinfo=UTC)
    bare = session({"role": "user", "text": "What shall we cook?\nI have leeks."})
    assert (bare.id, bare.title, bare.started) == ("S7", "What shall we cook?", None)
    assert session({"role": "user", "text": "a", "session": "S9"}).id == "S9"


def test_without_words():
    """A line in which nobody says anything is no turn, and is counted."""
    parsed = Plain().parse(lines({"role": "user", "text": " "}, {"type": "ping"}, {"text": "who?"}), Cursor(), "/x.jsonl")
    assert parsed.session.turns == ()
    assert sum(parsed.unknown.values()) == 3
