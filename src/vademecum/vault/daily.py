"""A day's note: blocks that we wrote, among whatever the person writes. Pure: texts in, texts out.

The note is the person's. A block is ours only as long as it says exactly what we wrote, which the sidecar knows by a hash; one
that was edited, or taken out, is left alone for good. What stands between blocks, and behind a blank line after one, is never
touched. Blocks are known by the id of their session, never by what they say (X-29).
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
from vademecum.vault.frontmatter import Value, read, render, set_properties
from vademecum.vault.places import DAILY

KEY_CHARS = 8
#: Fields of a sidecar's line by which its block is known.
_MARKS = ("uri", "key", "lines", "hash")

_HEADING = re.compile(r" {0,3}#{1,2}(?:[ \t]|$)")
_OURS = re.compile(r"## (?P<time>\d\d:\d\d) \| (?P<key>[\w.-]+) \| ")
_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NOT_KEY = re.compile(r"[^\w.-]+", re.ASCII)


class _Place(Struct, frozen=True):
    """Lines of a note that belong to one heading of ours, from `start` to before `stop`."""

    key: str
    time: str
    start: int
    stop: int


class _Row(Struct, frozen=True):
    """A line of the sidecar: as it stands, and what it says when it is one of ours."""

    line: str
    facts: dict[str, Any] | None = None

    @property
    def session(self) -> str:
        return str(self.facts["uri"]) if self.facts else ""


def note_path(day: date) -> str:
    """Return where a day's note stands, relative to the personal space."""
    return f"{DAILY}/{day.isoformat()}.md"


def sidecar_path(day: date) -> str:
    """Return where the JSON lines of a day's note stand."""
    return f"{DAILY}/{day.isoformat()}.jsonl"


def put_away_path(path: str) -> str:
    """Return where a file of a day stands once it was put away for its age, relative to the personal space."""
    return f"{DAILY}/archive/{path.removeprefix(DAILY + '/')}"


def merged(note: str | None, sidecar: str | None, day: date, blocks: Sequence[Block]) -> tuple[str | None, str | None]:
    """Return the note and its sidecar with these blocks in them; both as they were when there is nothing to do.

    Args:
        note, sidecar: as they stand, None for none.
    """
    before = list(_rows(sidecar or ""))
    text, rows = note, before
    for block in sorted(blocks, key=lambda other_block: (other_block.time, other_block.session)):
        text, rows = _with(text, rows, day, block)
    if text is None or (text == note and rows == before):
        return note, sidecar
    if text != note:
        known = {row.session for row in before if row.facts and row.facts.get("coe_signal")}
        incident = any(block.incident and block.session not in known for block in blocks)
        text = _counted(text, _number_of_ours(text, rows), incident=incident)
    return text, _joined(rows)


def sessions_in(note: str, sidecar: str) -> int:
    """Return how many blocks of ours a note holds, edited ones included."""
    return _number_of_ours(note, list(_rows(sidecar)))


def _number_of_ours(note: str, rows: Sequence[_Row]) -> int:
    return len(_keys(rows) & {place.key for place in _places(_lines(note))})


def own_words(note: str, sidecar: str) -> str:
    """Return what the person wrote into a note: its text without frontmatter and without the blocks of sessions, edited ones included."""
    rest, _ = without(note, sidecar, [row.session for row in _rows(sidecar) if row.facts])
    return read(rest).body


def is_undistilled(note: str) -> bool:
    """Return whether a note says that nobody has taken memories from it yet."""
    return read(note).values().get("distilled") is False


def distilled(note: str) -> str:
    """Return the note saying that memories were taken from it; as it is, when it no longer says the contrary."""
    return set_properties(note, {"distilled": True}) if is_undistilled(note) else note


def rows_of(sidecar: str) -> tuple[dict[str, Any], ...]:
    """Return what the lines of a sidecar say, in their order."""
    return tuple(row.facts for row in _rows(sidecar) if row.facts is not None)


def without(note: str, sidecar: str, sessions: Collection[str]) -> tuple[str, str]:
    """Return both without anything of these sessions, for forgetting; an edited block goes up to the next heading.

    A block that the sidecar does not know, as in a conflict copy, goes by the beginning of the session's id.
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
    """Return a sidecar with `blank` made of every text in it, except for what we know blocks by."""
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
    """Return the note and the rows with one block."""
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
        return note, rows  # the person took it out
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
    """Return whether a block says what we wrote. What the person put behind it stands behind a blank line."""
    count = _count(ours)
    behind = lines[place.start + count : place.stop]
    written = "".join(lines[place.start : place.start + count]).replace("\r\n", "\n")
    return 0 < count <= place.stop - place.start and _hash(written) == ours["hash"] and not (behind and behind[0].strip())


def _count(ours: dict[str, Any]) -> int:
    count = ours.get("lines")
    return count if isinstance(count, int) else 0


def _inserted(note: str | None, day: date, time: str, fresh: str) -> str:
    """Return the note with a new block, before the first of ours that is later, else at the end."""
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
    """Return the note with its flags brought up to date. A flag that the person made something else of, or took out, stays so."""
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
    """Yield blocks under headings of ours, in order; each ends at the next heading of the first or second level."""
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
    """Return lines with their ends. Only a newline ends one: other characters that may end lines can stand within the person's."""
    return _LINE.findall(text)


def _rows(sidecar: str) -> Iterator[_Row]:
    """Yield lines of a sidecar. One that we did not write, or that cannot be read, is kept as it is."""
    for line in _lines(sidecar):
        try:
            facts = json.loads(line)
        except (ValueError, RecursionError):
            facts = None
        ours = isinstance(facts, dict) and isinstance(facts.get("uri"), str) and isinstance(facts.get("key"), str)
        yield _Row(line, facts if ours else None)


def _joined(rows: Sequence[_Row]) -> str:
    """Return the sidecar of these lines; one that lacked its end and is no longer the last gets one."""
    lines = [row.line for row in rows]
    return "".join([line if line.endswith("\n") else line + "\n" for line in lines[:-1]] + lines[-1:])


def _row(facts: dict[str, Any]) -> _Row:
    return _Row(json.dumps(facts, ensure_ascii=False) + "\n", facts)


def _keys(rows: Sequence[_Row]) -> frozenset[str]:
    return frozenset(str(row.facts["key"]) for row in rows if row.facts)


def _key(session: str, taken: Collection[str]) -> str:
    """Return the first characters of a session's id, by which commands find it; when another session of the day has them, its last."""
    plain = _NOT_KEY.sub("-", session.rpartition("/")[2])
    hashed = _hash(session)[:KEY_CHARS]
    candidates = (plain[:KEY_CHARS], plain[-KEY_CHARS:], hashed)
    return next((key for key in candidates if key.strip("-.") and key not in taken), hashed)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
