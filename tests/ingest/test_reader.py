"""Reading a transcript that grows, is rewritten, or goes away."""

import json
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.adapters.transcripts.plain import Plain
from vademecum.domain.errors import Problem
from vademecum.domain.session import Cursor
from vademecum.ingest import reader as reading
from vademecum.ingest.reader import read, steps_of


def turn(text: str) -> bytes:
    return json.dumps({"role": "user", "text": text}).encode() + b"\n"


def texts(result) -> list[str]:
    return [turn.text for turn in result.parsed.session.turns]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def test_grown(path):
    """X-10: a transcript that grew is read on from where the last reading stopped."""
    path.write_bytes(turn("one"))
    first = read(path, Plain())
    path.write_bytes(turn("one") + turn("two"))
    second = read(path, Plain(), first.parsed.cursor)
    assert (texts(first), texts(second)) == (["one"], ["two"])
    assert not second.restarted
    assert texts(read(path, Plain(), second.parsed.cursor)) == []


def test_unfinished_line(path):
    """X-10: a last line that is still being written waits; one that only lacks its newline does not."""
    path.write_bytes(turn("one") + turn("two")[:-5])
    first = read(path, Plain())
    assert texts(first) == ["one"]
    path.write_bytes(turn("one") + turn("two")[:-1])
    second = read(path, Plain(), first.parsed.cursor)
    assert texts(second) == ["two"]
    path.write_bytes(turn("one") + turn("two") + turn("three"))
    assert texts(read(path, Plain(), second.parsed.cursor)) == ["three"]


@pytest.mark.parametrize("rewritten", [turn("ONE") + turn("two"), turn("o"), b""])
def test_rewritten(path, rewritten):
    """A file that was rewritten or cut is noticed and read from its beginning."""
    path.write_bytes(turn("one"))
    first = read(path, Plain())
    path.write_bytes(rewritten)
    second = read(path, Plain(), first.parsed.cursor)
    assert second.restarted
    assert texts(second) == texts(read(path, Plain()))


def test_vanished(path):
    """A file that vanished is a problem of that file, not an error of the run."""
    problem = read(path, Plain())
    assert isinstance(problem, Problem)
    assert problem.path == str(path)
    assert isinstance(reading.head(path), Problem)
    assert isinstance(read(path.parent, Plain()), Problem)


def test_head(path):
    """The beginning of a file ends with a whole line, unless its first line is longer than that."""
    path.write_bytes(turn("x" * 40_000) * 3)
    assert reading.head(path) == turn("x" * 40_000)
    path.write_bytes(turn("x" * 100_000))
    assert len(reading.head(path)) == reading.HEAD_BYTES


def test_too_long(path, monkeypatch):
    """A record beyond the limit is passed over and counted, so that memory stays bounded."""
    monkeypatch.setattr(reading, "RECORD_MAX_BYTES", 1000)
    data = turn("one") + turn("x" * 9000) + turn("two")
    steps = list(steps_of(BytesIO(data), Plain(), Cursor(), "/t", chunk_bytes=300))
    assert [text for step in steps for text in texts(step)] == ["one", "two"]
    assert sum(step.parsed.broken for step in steps) == 1
    assert steps[-1].parsed.cursor.offset == len(data)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 400), max_size=12), st.integers(1, 300))
def test_any_chunks(lengths, chunk_bytes):
    """The size of the chunks changes neither what is read nor where reading goes on."""
    data = b"".join(turn("é" * length) for length in lengths)
    whole = list(steps_of(BytesIO(data), Plain(), Cursor(), "/t"))
    steps = list(steps_of(BytesIO(data), Plain(), Cursor(), "/t", chunk_bytes=chunk_bytes))
    assert [text for step in steps for text in texts(step)] == [text for step in whole for text in texts(step)]
    assert steps[-1].parsed.cursor == whole[-1].parsed.cursor


def test_every_step_resumes():
    """A reading that is killed goes on from any step without losing or doubling a turn."""
    data = b"".join(turn(str(number)) for number in range(50))
    steps = list(steps_of(BytesIO(data), Plain(), Cursor(), "/t", chunk_bytes=100))
    for done in range(1, len(steps)):
        rest = list(steps_of(BytesIO(data), Plain(), steps[done - 1].parsed.cursor, "/t"))
        assert not rest[0].restarted
        said = [text for step in steps[:done] + rest for text in texts(step)]
        assert said == [str(number) for number in range(50)]


class Counted(BytesIO):
    """Counts what is read of it."""

    taken = 0

    def read(self, size=-1):
        data = super().read(size)
        self.taken += len(data)
        return data


def last(data: bytes, cursor: Cursor = Cursor()):  # noqa: B008 -- frozen
    """(turns, cursor, whether it was read from its beginning, bytes taken) of a reading."""
    file = Counted(data)
    steps = list(steps_of(file, Plain(), cursor, "/t.jsonl"))
    turns = [turn.text for step in steps for turn in step.parsed.session.turns]
    return turns, steps[-1].parsed.cursor, steps[0].restarted, file.taken


LONG = b"".join(turn(f"{number} " + "x" * 10_000) for number in range(1000))  # 10 MB


def test_long_growth_is_cheap():
    """A transcript of ten megabytes that grew by a turn is read on from its end, and little of the rest is looked at."""
    turns, cursor, _, _ = last(LONG)
    assert len(turns) == 1000
    more, after, restarted, taken = last(LONG + turn("new"), cursor)
    assert (more, restarted) == (["new"], False)
    assert taken < 4_000_000
    assert after.offset == len(LONG) + len(turn("new"))


@cache
def long_cursor() -> Cursor:
    return last(LONG)[1]


@given(st.integers(0, len(LONG) - 1), st.sampled_from(["in", "out"]))
@settings(max_examples=5, deadline=None)
def test_long_rewritten(place, way):
    """Wherever something is put into ten megabytes, or taken out, it is noticed; what was read goes on counting otherwise."""
    place = LONG.rfind(b"\n", 0, place) + 1
    cursor = long_cursor()
    changed = (
        LONG[:place] + turn("put in") + LONG[place:] if way == "in" else LONG[:place] + LONG[LONG.find(b"\n", place) + 1 :]
    )
    turns, _, restarted, _ = last(changed + turn("new"), cursor)
    assert restarted
    assert len(turns) == (1002 if way == "in" else 1000)


def test_long_overwritten_at_an_end():
    """Words overwritten by as many others near either end of a long transcript are noticed."""
    cursor = long_cursor()
    for place in (100, len(LONG) - 5000):
        changed = LONG[:place] + b"y" * 50 + LONG[place + 50 :]
        assert last(changed + turn("new"), cursor)[2]


def test_cursor_of_a_whole_hash():
    """A cursor from when long transcripts were hashed whole is gone on from."""
    cursor = long_cursor()
    former = Cursor(cursor.offset, reading.prefix_hash(BytesIO(LONG), len(LONG), sampled=False), cursor.carry)
    turns, after, restarted, _ = last(LONG + turn("new"), former)
    assert (turns, restarted) == (["new"], False)
    assert after.prefix_hash.startswith("~")


def test_a_torn_document_is_named(memory, tmp_path):
    """A document that a crash left without its end is named, and read when it is whole again."""
    path = tmp_path / "chats" / "session-1.json"
    path.parent.mkdir()
    message = {"id": "m1", "timestamp": "2026-02-20T10:00:00Z", "type": "user", "content": "Label the jars"}
    text = json.dumps({"sessionId": "g1", "projectHash": "ab", "messages": [message]}, indent=2)
    path.write_text(text[:-20], encoding="utf-8")
    (problem,) = memory.maintenance.capture((str(path),)).problems
    assert (problem.path, "complete" in problem.message) == (str(path), True)
    path.write_text(text, encoding="utf-8")
    report = memory.maintenance.capture((str(path),))
    assert ([dict(session.turns) for session in report.sessions], report.problems) == ([{"user": 1}], ())
