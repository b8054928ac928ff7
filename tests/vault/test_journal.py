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


def _lines(path):
    """The head of a segment and the lines of its records."""
    raw = path.read_bytes()
    head = raw[: raw.index(b"{")]
    return head, raw[len(head) :].splitlines(keepends=True)


@pytest.mark.parametrize("number", [0, 2, 4])
@pytest.mark.parametrize("kept", [1, 20, -3])
def test_line_that_was_cut_in_its_middle(tmp_path, number, kept):
    """X-51: a record of which only the beginning is left, before others, is damage, with an end of line or glued to the next one."""
    journal = Journal(tmp_path, "laptop")
    journal.append(*[_record(one) for one in range(1, 7)])
    path = journal.files()[0]
    head, lines = _lines(path)
    for end in (b"\n", b""):
        path.write_bytes(head + b"".join([*lines[:number], lines[number][:kept] + end, *lines[number + 1 :]]))
        assert len(list(journal.damage())) == 1


def test_last_line_that_is_being_written(tmp_path):
    """The beginning of a record at the very end is no damage: its writer is at it or died. A closed one is, until the next record has the
    number that it would have had.
    """
    journal = Journal(tmp_path, "laptop")
    journal.append(*[_record(one) for one in range(1, 7)])
    path = journal.files()[0]
    head, lines = _lines(path)
    path.write_bytes(head + b"".join([*lines[:5], lines[5][:30]]))
    assert list(journal.damage()) == []
    path.write_bytes(head + b"".join([*lines[:5], lines[5][:30], b"\n"]))
    assert len(list(journal.damage())) == 1
    journal.append(_record(7))
    assert list(journal.damage()) == []


@pytest.mark.parametrize(
    "cut", [lambda lines: lines[:-1], lambda lines: [*lines[:-1], lines[-1][:40]], lambda lines: lines[:1]]
)
@pytest.mark.parametrize("device", ["laptop", "desktop"])
def test_end_that_is_missing(open_vault, root, draft, tmp_path, cut, device):
    """X-51: a journal whose last records were here and are gone is told of, whoever wrote it, also when a line was cut in its middle; and
    still after this device wrote more, under another name.
    """
    names = iter(["laptop-2"])
    vault = open_vault(new_device=lambda: next(names))
    other = open_vault(device="desktop", lock_dir=tmp_path / "other locks")
    for title in ("Kettle", "Pot", "Lamp"):
        vault.save(draft(title))
        other.save(draft(f"{title} there"))
    vault.reconcile()
    assert vault.journal_damage() == ()
    path = next((root / "_journal" / device).glob("*.md"))
    head, lines = _lines(path)
    path.write_bytes(head + b"".join(cut(lines)))
    for title in ("More", "Still more"):
        told = [
            (problem.path, problem.message) for problem in vault.journal_damage() if "end of this journal" in problem.message
        ]
        assert [path for path, _ in told] == [str(path.parent)]
        vault.save(draft(title))
        vault.reconcile()
