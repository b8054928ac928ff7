"""Segments of journals: small notes that every sync tool carries."""

from datetime import UTC, datetime

import pytest

from vademecum.domain.ids import make_id
from vademecum.vault import segments
from vademecum.vault.journal import Change, Journal, Record, Version, from_line, to_line

MARCH, APRIL = datetime(2026, 3, 4, tzinfo=UTC), datetime(2026, 4, 5, tzinfo=UTC)


def _record(number, time=MARCH, text="x" * 300):
    after = Version("personal", "a.md", str(number), text)
    return Record(make_id(number, b"0" * 10), time, "edit", "user", "cli", "laptop", (Change("M", None, after),))


@pytest.fixture
def journal(tmp_path, monkeypatch):
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 2000)
    return Journal(tmp_path, "laptop")


def _names(journal):
    return [path.name for path in journal.files()]


def test_closed_when_full(journal):
    """No segment grows beyond the size, whether records come alone or together, and all are read in order."""
    for number in range(1, 9):
        journal.append(_record(number))
    journal.append(*map(_record, range(9, 17)))
    assert len(_names(journal)) > 3
    assert max(path.stat().st_size for path in journal.files()) <= 2000
    assert [int(record.changes[0].after.etag) for record in journal.records()] == list(range(1, 17))
    assert [int(record.changes[0].after.etag) for record in journal.newest_first()] == list(range(16, 0, -1))


def test_month_by_month(journal):
    """A new month begins a segment; a clock that is set back does not."""
    for number, time in enumerate((MARCH, APRIL, MARCH), 1):
        journal.append(_record(number, time))
    assert _names(journal) == ["2026-03-001.md", "2026-04-001.md"]


def test_is_a_note(journal):
    """A segment is Markdown whose lines stand in a code block, and says which format it has."""
    journal.append(_record(1))
    text = journal.files()[0].read_text()
    assert text.startswith("---\njournal: laptop\nformat: 2\n---\n```json\n{")
    assert "\n```" not in text.removeprefix("---\njournal: laptop\nformat: 2\n---\n```json\n")


def test_taken_back_over_segments(journal):
    """Records that were spread over new segments are taken off without a trace."""
    journal.append(_record(1))
    before = {path: path.read_bytes() for path in journal.files()}
    journal.append(*map(_record, range(2, 20)))()
    assert {path: path.read_bytes() for path in journal.files()} == before


def test_last_of_an_empty_segment(journal):
    """When the first record of a segment is taken off, the last one is that of the segment before."""
    for number in range(1, 5):
        journal.append(_record(number))
    newest = journal.files()[-1]
    fifth = next(number for number in range(5, 20) if journal.append(_record(number)) and journal.files()[-1] != newest)
    journal.drop_last(_record(fifth).id)
    assert journal.holds_last(_record(fifth - 1).id)
    journal.append(_record(fifth))
    assert journal.holds_last(_record(fifth).id)
    assert len(journal.records()) == fifth


def test_torn_head(journal):
    """A segment whose head was torn by a crash gets a whole one."""
    journal.append(_record(1))
    path = journal.files()[0]
    path.write_bytes(path.read_bytes()[:10])
    journal.append(_record(2))
    assert path.read_text().startswith("---\njournal: laptop\nformat: 2\n---\n```json\n{")


def test_conflict_copy_of_a_segment(journal):
    """A copy that a sync tool made is read like any other file, and no record comes twice from history."""
    journal.append(_record(1))
    path = journal.files()[0]
    path.with_name("2026-03-001 (conflicted copy desktop 202603041200).md").write_bytes(path.read_bytes() + to_line(_record(2)))
    assert {record.id for record in journal.records()} == {_record(1).id, _record(2).id}
    journal.append(_record(3))
    assert journal.holds_last(_record(3).id)
    assert from_line(path.read_bytes().splitlines()[-1]) == _record(3)


def test_lines_without_numbers_are_valid(journal):
    """Records of before they had numbers are no gap, nor is what is written behind them."""
    journal.append(_record(1))
    path = journal.files()[0]
    path.write_bytes(path.read_bytes() + to_line(_record(2)) + to_line(_record(3)))
    journal.append(_record(4), _record(5))
    assert [*journal.damage()] == []
    assert [record.id for record in journal.records()] == [_record(number).id for number in range(1, 6)]
