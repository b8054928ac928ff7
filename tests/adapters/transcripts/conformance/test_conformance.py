"""Every format of transcripts gives the speaker, call, outcome, session, folder and time that its records state."""

from datetime import datetime

import pytest
from tests.adapters.transcripts.conformance.case import Case
from tests.adapters.transcripts.conformance.cases import CASES

from vademecum.adapters.transcripts import formats
from vademecum.domain.session import Cursor, Turn
from vademecum.ports.transcripts import Parsed, TranscriptFormat

BY_NAME = {type(one).__name__: one for one in formats()}
#: Formats whose cases are still to be written. A new format never goes here: it brings its cases.
WITHOUT_CASES: set[str] = set()


def parsed(form: TranscriptFormat, data: bytes, path: str) -> Parsed:
    return form.parse(data[: form.complete(data)], Cursor(), path)


def told(turn: Turn, fields: list[str]) -> dict[str, object]:
    """Return those fields of a turn as a case writes them."""
    values = {name: getattr(turn, name) for name in fields}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


@pytest.mark.parametrize("name", BY_NAME)
def test_record(name: str) -> None:
    """X-23: a kind of record gives exactly the turns, the session and the unknown kinds that its case states."""
    for case in CASES:
        if case.format == name:
            check_record(case)


def check_record(case: Case) -> None:
    data = case.data
    recognised = next((one for one in formats() if one.recognises(data, case.path)), None)
    assert type(recognised).__name__ == case.format
    found = parsed(BY_NAME[case.format], data, case.path)
    expected = [dict(one) for one in case.turns]
    heard = list(found.session.turns)
    assert [(turn.speaker, turn.text) for turn in heard] == [(one["speaker"], one["text"]) for one in expected]
    for turn, one in zip(heard, expected, strict=True):
        assert told(turn, list(one)) == one
    assert {name: getattr(found.session, name) for name in case.session} == dict(case.session)
    assert tuple(sorted(found.unknown)) == tuple(sorted(case.unknown))
    assert found.broken == 0
    assert len({turn.ref for turn in heard}) == len(heard)


@pytest.mark.parametrize("name", [name for name, form in BY_NAME.items() if not form.whole])
def test_record_read_as_it_grows(name: str) -> None:
    """A file that is read line by line as it grows gives the same turns as one that is read at once."""
    form = BY_NAME[name]
    for case in (one for one in CASES if one.format == name and not isinstance(one.records, bytes)):
        cursor, turns = Cursor(), []
        for line in case.data.splitlines(keepends=True):
            got = form.parse(line, cursor, case.path)
            turns += got.session.turns
            cursor = got.cursor
        assert turns == list(parsed(form, case.data, case.path).session.turns), case.name


def test_names_are_unique() -> None:
    """No two cases of a format and version have the same name."""
    names = [case.name for case in CASES]
    assert sorted(set(names)) == sorted(names)


def test_every_format_has_cases() -> None:
    """A format without a case is one that nobody can say of who speaks in its records."""
    covered = {case.format for case in CASES}
    assert set(BY_NAME) - covered == WITHOUT_CASES
