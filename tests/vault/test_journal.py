"""The journal: append-only lines that survive torn ends, bad text and several devices."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.ids import make_id
from vademecum.vault.journal import Change, Journal, Record, Version, from_line, to_line

THEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
anything = st.text(alphabet=st.characters(), max_size=80)
versions = st.none() | st.builds(Version, space=anything, path=anything, etag=anything, text=anything)


def _record(number, memory="M", device="laptop", text="x"):
    after = Version("personal", "a.md", str(number), text)
    return Record(make_id(number, b"0" * 10), THEN, "edit", "user", "cli", device, (Change(memory, None, after),))


@given(st.lists(st.builds(Change, memory=anything, before=versions, after=versions), max_size=3), anything)
def test_lines_round_trip(changes, reason):
    """X-49: a record comes back as it was, whatever text is in it, half characters included, and is one line."""
    record = Record(make_id(1, b"0" * 10), THEN, "edit", "agent", "mcp", "laptop", tuple(changes), reason)
    line = to_line(record)
    assert line.count(b"\n") == 1
    assert from_line(line) == record


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b"null", b'{"v":1}', b"\xff", b'{"id":"x","time":"no"}', b"[" * 10_000])
def test_torn_lines(line):
    """A line that is no record is passed over."""
    assert from_line(line) is None


def test_never_glued(tmp_path):
    """A torn last line is closed before the next record, and costs only itself."""
    journal = Journal(tmp_path, "laptop")
    journal.append(_record(1))
    path = journal.files()[0]
    path.write_bytes(path.read_bytes() + to_line(_record(2))[:20])
    journal.append(_record(3))
    assert [record.changes[0].after.etag for record in journal.records()] == ["1", "3"]


def test_taken_back(tmp_path):
    """What an operation that failed had appended is gone to the byte."""
    journal = Journal(tmp_path, "laptop")
    journal.append(_record(1))
    before = journal.files()[0].read_bytes()
    journal.append(_record(2), _record(3))()
    assert journal.files()[0].read_bytes() == before


def test_devices_together(tmp_path):
    """Each device appends to its own files; history is all of them in order of time."""
    laptop, desktop = Journal(tmp_path, "laptop"), Journal(tmp_path, "desktop")
    laptop.append(_record(1))
    desktop.append(_record(2, device="desktop"))
    laptop.append(_record(3, text="long " * 300_000))
    assert [record.device for record in desktop.records()] == ["laptop", "desktop", "laptop"]
    assert [record.device for record in desktop.newest_first()] == ["laptop", "desktop", "laptop"]
    assert laptop.holds_last(_record(3).id)
    assert len(laptop.files()) == 3


def test_latest_of_each(tmp_path):
    """The last known file of a memory is found from the end, for few or for all."""
    journal = Journal(tmp_path, "laptop")
    journal.append(*[_record(number, f"M{number % 3}") for number in range(1, 30)])
    assert {change.memory: change.after.etag for _, change in journal.latest(None)} == {"M0": "27", "M1": "28", "M2": "29"}
    assert {change.memory: change.after.etag for _, change in journal.latest({"M1", "gone"})} == {"M1": "28"}
    assert list(journal.latest(set())) == []


@pytest.mark.parametrize(("cut", "told"), [((1,), "1 line"), ((0, 1), "2 lines"), ((2, 4), "2 lines"), ((), "")])
def test_lines_that_were_cut_out_are_missed(tmp_path, cut, told):
    """X-51: a journal out of which whole lines were cut is told of, though each line that is left can be read."""
    journal = Journal(tmp_path, "laptop")
    for number in range(1, 7):
        journal.append(_record(number))
    path = journal.files()[0]
    raw = path.read_bytes()
    head = raw[: raw.index(b"{")]
    lines = raw[len(head) :].split(b"\n")
    path.write_bytes(head + b"\n".join(line for number, line in enumerate(lines) if number not in cut))
    found = [text for _, text in journal.damage()]
    assert [text.partition(" of this journal")[0] for text in found] == ([told] if told else [])
