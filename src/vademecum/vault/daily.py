"""Daily notes: blocks written by this program among the person's own text. Pure functions on texts.

The note belongs to the person. A block belongs to the program only while it is exactly as written, which a hash in the sidecar
tells; an edited or removed block is never written again. Text between blocks, or after a blank line below one, is never
touched. Blocks are identified by their session's id, never by their text (X-29).
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.daily import Block
from vademecum.domain.errors import InvalidInput
from vademecum.domain.late_pattern import late_pattern
from vademecum.vault.frontmatter import Value, read, render, set_properties
from vademecum.vault.places import DAILY

KEY_CHARS = 8
#: Fields of a sidecar line that identify its block.
_MARKS = ("uri", "key", "lines", "hash")

_HEADING = late_pattern(r" {0,3}#{1,2}(?:[ \t]|$)")
_OURS = late_pattern(r"## (?P<time>\d\d:\d\d) \| (?P<key>[\w.-]+) \| ")
_FENCE = late_pattern(r"[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
_LINE = late_pattern(r"[^\n]*\n|[^\n]+")
_NOT_KEY = late_pattern(r"[^\w.-]+", re.ASCII)


class _Place(Struct, frozen=True):
    """Lines of a note below one of our headings, from `start` to before `stop`."""

    key: str
    time: str
    start: int
    stop: int


class _Row(Struct, frozen=True):
    """A line of the sidecar: its text, and its parsed content if we wrote it."""

    line: str
    facts: dict[str, Any] | None = None

    @property
    def session(self) -> str:
        return str(self.facts["uri"]) if self.facts else ""


def note_path(day: date) -> str:
    """Return the path of a day's note, relative to the personal space."""
    return f"{DAILY}/{day.isoformat()}.md"


def sidecar_path(day: date) -> str:
    """Return the path of the sidecar (JSON lines) of a day's note."""
    return f"{DAILY}/{day.isoformat()}.jsonl"


def put_away_path(path: str) -> str:
    """Return the path of a daily file after archiving, relative to the personal space."""
    return f"{DAILY}/archive/{path.removeprefix(DAILY + '/')}"


def merged(note: str | None, sidecar: str | None, day: date, blocks: Sequence[Block]) -> tuple[str | None, str | None]:
    """Return the note and its sidecar with these blocks; both unchanged if there is nothing to do.

    Args:
        note, sidecar: current texts, None for none.
    """
    before = list(_rows(sidecar or ""))
    text, rows = note, before
    for block in sorted(blocks, key=lambda written: (written.time, written.session)):
        text, rows = _with(text, rows, day, block)
    if text is None or (text == note and rows == before):
        return note, sidecar
    if text != note:
        known = {row.session for row in before if row.facts and row.facts.get("coe_signal")}
        incident = any(block.incident and block.session not in known for block in blocks)
        text = _counted(text, _number_of_ours(text, rows), incident=incident)
    return text, _joined(rows)


def sessions_in(note: str, sidecar: str) -> int:
    """Return the number of our blocks in a note, edited ones included."""
    return _number_of_ours(note, list(_rows(sidecar)))


def _number_of_ours(note: str, rows: Sequence[_Row]) -> int:
    return len(_keys(rows) & {place.key for place in _places(_lines(note))})


def own_words(note: str, sidecar: str) -> str:
    """Return the person's own text in a note: without frontmatter and without session blocks, edited ones included."""
    rest, _ = without(note, sidecar, [row.session for row in _rows(sidecar) if row.facts])
    return read(rest).body


def is_undistilled(note: str) -> bool:
    """Return whether a note is marked as not yet read for memories."""
    return read(note).values().get("distilled") is False


def distilled(note: str) -> str:
    """Return the note marked as read for memories; unchanged if it is not marked as unread."""
    return set_properties(note, {"distilled": True}) if is_undistilled(note) else note


def rows_of(sidecar: str) -> tuple[dict[str, Any], ...]:
    """Return the parsed lines of a sidecar, in order."""
    return tuple(row.facts for row in _rows(sidecar) if row.facts is not None)


def without(note: str, sidecar: str, sessions: Collection[str]) -> tuple[str, str]:
    """Return note and sidecar without these sessions, for forgetting. An edited block is removed up to the next heading.

    A block missing in the sidecar, as in a conflict copy, is identified by the beginning of the session's id.
    """
    rows = list(_rows(sidecar))
    others = {str(row.facts["key"]) for row in rows if row.facts and row.session not in sessions}
    gone: dict[str, dict[str, Any]] = {key: {} for key in (_key(session, ()) for session in sessions) if key not in others}
    gone |= {str(row.facts["key"]): row.facts for row in rows if row.facts and row.session in sessions}
    lines = _lines(note)
    for place in reversed(list(_places(lines))):
        if place.key in gone:
            facts = gone[place.key]
            del lines[place.start : place.start + _count(facts) if _says(lines, place, facts) else place.stop]
    return "".join(lines), _joined([row for row in rows if row.session not in sessions])


def blanked_rows(sidecar: str, blank: Callable[[str], str]) -> str:
    """Return a sidecar with `blank` applied to every text, except the fields that identify blocks."""
    rows = [_blanked(row, blank) for row in _rows(sidecar)]
    return _joined(rows)


def _blanked(row: _Row, blank: Callable[[str], str]) -> _Row:
    if row.facts is None:
        return replace(row, line=blank(row.line))
    fresh = {name: value if name in _MARKS else _made(value, blank) for name, value in row.facts.items()}
    return row if fresh == row.facts else _row(fresh)


def _made(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_made(entry, change) for entry in value]
    return {name: _made(entry, change) for name, entry in value.items()} if isinstance(value, dict) else value


def _with(note: str | None, rows: list[_Row], day: date, block: Block) -> tuple[str | None, list[_Row]]:
    """Return the note and the rows with one block added or updated."""
    number = next((number for number, row in enumerate(rows) if row.session == block.session), None)
    known = rows[number].facts if number is not None else None
    key = str(known["key"]) if known else _key(block.session, _keys(rows))
    fresh = f"## {block.time} | {key} | {block.title}\n\n{block.body.strip()}\n"
    ours = {"uri": block.session, "key": key, "lines": fresh.count("\n"), "hash": _hash(fresh)}
    lines = _lines(note or "")
    place = next((place for place in _places(lines) if place.key == key), None)
    if known is None and place is None:
        return _inserted(note, day, block.time, fresh), [*rows, _row({**block.facts, **ours})]
    if place is None:
        return note, rows  # the person removed it
    untouched = _says(lines, place, known or ours)
    if untouched:
        newline = "\r\n" if lines[place.start].endswith("\r\n") else "\n"
        lines[place.start : place.start + _count(known or ours)] = [fresh.replace("\n", newline)]
    kept = ours if untouched else {name: (known or {}).get(name, "") for name in ours} | {"uri": block.session, "key": key}
    row = _row({**(known or {}), **block.facts, **kept})
    if number is None:
        return "".join(lines), [*rows, row]
    return "".join(lines), [*rows[:number], row if row.facts != known else rows[number], *rows[number + 1 :]]


def _says(lines: list[str], place: _Place, ours: dict[str, Any]) -> bool:
    """Return whether a block is unchanged. The person's text below it must follow a blank line."""
    count = _count(ours)
    behind = lines[place.start + count : place.stop]
    written = "".join(lines[place.start : place.start + count]).replace("\r\n", "\n")
    return 0 < count <= place.stop - place.start and _hash(written) == ours["hash"] and not (behind and behind[0].strip())


def _count(ours: dict[str, Any]) -> int:
    count = ours.get("lines")
    return count if isinstance(count, int) else 0


def _inserted(note: str | None, day: date, time: str, fresh: str) -> str:
    """Return the note with a new block, before our first block with a later time, else at the end."""
    text = _new_note(day) if note is None else note
    lines = _lines(text)
    newline = "\r\n" if any(line.endswith("\r\n") for line in lines) else "\n"
    later = next((place.start for place in _places(lines) if place.time > time), len(lines))
    before, after = "".join(lines[:later]), "".join(lines[later:])
    if before and not before.endswith("\n"):
        before += newline
    gap = newline if before and not before.endswith(("\n\n", "\n\r\n")) else ""
    return before + gap + fresh.replace("\n", newline) + (newline if after else "") + after


def _new_note(day: date) -> str:
    properties: dict[str, Value] = {"date": day, "sessions_count": 0, "distilled": False, "has_coe": False}
    return render(properties) + f"\n# {day.isoformat()}\n"


def _counted(text: str, sessions: int, *, incident: bool) -> str:
    """Return the note with its flags updated. A flag that the person changed or removed stays so."""
    fields = read(text).values()
    changes: dict[str, Value] = {}
    count = fields.get("sessions_count")
    if isinstance(count, int) and not isinstance(count, bool) and count != sessions:
        changes["sessions_count"] = sessions
    if incident and fields.get("has_coe") is False:
        changes["has_coe"] = True
    if not changes:
        return text
    try:
        return set_properties(text, changes)
    except InvalidInput:
        return text


def _places(lines: Sequence[str]) -> Iterator[_Place]:
    """Yield blocks below our headings, in order. Each ends at the next heading of the first or second level."""
    mark, current = "", None
    for number, line in enumerate(lines):
        plain = line.rstrip("\r\n")
        fence = _FENCE.match(plain)
        if mark:
            if fence and fence["mark"].startswith(mark) and not fence["info"].strip():
                mark = ""
            continue
        if fence and not (fence["mark"][0] == "`" and "`" in fence["info"]):
            mark = fence["mark"]
        elif _HEADING.match(plain):
            if current is not None:
                yield replace(current, stop=number)
            ours = _OURS.match(plain)
            current = _Place(ours["key"], ours["time"], number, number) if ours else None
    if current is not None:
        yield replace(current, stop=len(lines))


def _lines(text: str) -> list[str]:
    """Return lines with their endings. Only a newline ends a line: other line-breaking characters may be part of the person's text."""
    return _LINE.findall(text)


def _rows(sidecar: str) -> Iterator[_Row]:
    """Yield lines of a sidecar. One that we did not write, or that cannot be parsed, is kept unchanged."""
    for line in _lines(sidecar):
        try:
            facts = json.loads(line)
        except (ValueError, RecursionError):
            facts = None
        ours = isinstance(facts, dict) and isinstance(facts.get("uri"), str) and isinstance(facts.get("key"), str)
        yield _Row(line, facts if ours else None)


def _joined(rows: Sequence[_Row]) -> str:
    """Return the text of a sidecar. A line without an ending that is no longer the last one gets one."""
    lines = [row.line for row in rows]
    return "".join([line if line.endswith("\n") else line + "\n" for line in lines[:-1]] + lines[-1:])


def _row(facts: dict[str, Any]) -> _Row:
    return _Row(json.dumps(facts, ensure_ascii=False) + "\n", facts)


def _keys(rows: Sequence[_Row]) -> frozenset[str]:
    return frozenset(str(row.facts["key"]) for row in rows if row.facts)


def _key(session: str, taken: Collection[str]) -> str:
    """Return a key for a session, by which commands find it: the first characters of its id.

    If another session of the day has that key: the last characters, or else a hash.
    """
    plain = _NOT_KEY.sub("-", session.rpartition("/")[2])
    hashed = _hash(session)[:KEY_CHARS]
    candidates = (plain[:KEY_CHARS], plain[-KEY_CHARS:], hashed)
    return next((key for key in candidates if key.strip("-.") and key not in taken), hashed)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
