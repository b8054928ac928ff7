"""Parser state between two reads of a growing transcript: the session's fields and the turns already seen.

It is stored as JSON inside the cursor, so that reading in parts gives exactly the same turns as reading everything at once.
"""

import hashlib
import json
import re
from base64 import b64encode
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from vademecum.domain.project import folder_slug
from vademecum.domain.session import Session, Turn
from vademecum.language.sentences import handed_over_plan

#: Longest title, in characters.
TITLE_MAX_CHARS = 80

#: Sources of a title, best first. Summaries come last, since hosts are known to write those of other sessions.
TITLE_SOURCES = ("given", "host", "prompt", "summary")

#: Length of a turn's mark in characters (48 bits): a collision within one session needs about ten million turns.
_MARK_CHARS = 8

#: Last instant at which a clock that was never set can stand, in any time zone.
_ZERO = datetime(1970, 1, 2, tzinfo=UTC)
#: Parts of a second in which a number since 1970 may be, and seconds before any time that is meant (1973).
_UNITS, _TOO_EARLY_S = (10**9, 10**6, 10**3), 10**8
_NUMBER = re.compile(r"\d{9,19}(?:\.\d+)?")
_GAPS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
#: Characters that would break a line in which a name is shown, or control a terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(slots=True)
class Carry:
    """The session's fields so far.

    Attributes:
        id: of the session; `id_is_sure` once a line of the conversation itself contained it.
        titles: source (one of TITLE_SOURCES) -> title.
        started, ended: ISO times of the first and last turn, or "".
        seen: marks of the turns seen so far, joined.
        folders: working folder -> number of turns said there.
        own: further state of the format.
    """

    id: str = ""
    id_is_sure: bool = False
    cwd: str = ""
    branch: str = ""
    project: str = ""
    titles: dict[str, str] = field(default_factory=dict)
    started: str = ""
    ended: str = ""
    seen: str = ""
    folders: dict[str, int] = field(default_factory=dict)
    own: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, text: str) -> "Carry":
        """Parse the output of :meth:`dump`; return a new one for anything else."""
        try:
            known = json.loads(text) if text else {}
            return cls(**{name: value for name, value in known.items() if name in cls.__slots__})
        except (ValueError, AttributeError):
            return cls()

    def dump(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    def entitle(self, source: str, text: str) -> None:
        """Set the title of a source: the latest for "given" and "host", the first for "prompt" and "summary"."""
        title = shorten(_headline(text), TITLE_MAX_CHARS)
        if title and (source in ("given", "host") or source not in self.titles):
            self.titles[source] = title

    def date(self, turn: Turn) -> None:
        """Extend the session's time span and its working folders by the turn."""
        if turn.cwd:
            self.folders[turn.cwd] = self.folders.get(turn.cwd, 0) + 1
        if turn.time is None:
            return
        time = turn.time.isoformat()
        self.started = min(self.started or time, time)
        self.ended = max(self.ended, time)

    def session(self, host: str, path: str, turns: tuple[Turn, ...]) -> Session:
        """Return the session with the fields known so far and the new turns."""
        title = next((self.titles[source] for source in TITLE_SOURCES if source in self.titles), "")
        return Session(
            host=host,
            id=_CONTROL.sub("\ufffd", self.id or stem(path)),
            is_named_by_file=not self.id,
            path=path,
            turns=turns,
            project=self.project or folder_slug(self.cwd),
            cwd=self.cwd,
            branch=self.branch,
            title=title,
            started=parse_time(self.started),
            ended=parse_time(self.ended),
            folders=tuple(self.folders.items()),
        )


class Seen:
    """Set of names that were seen, across reads."""

    def __init__(self, carry: Carry) -> None:
        self._carry = carry
        text = carry.seen
        self._marks = {text[i : i + _MARK_CHARS] for i in range(0, len(text), _MARK_CHARS)}
        self._new: list[str] = []

    def add(self, name: str) -> bool:
        """Return whether `name` is new, and mark it as seen."""
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).digest()
        mark = b64encode(digest).decode("ascii")
        if mark in self._marks:
            return False
        self._marks.add(mark)
        self._new.append(mark)
        return True

    def add_numbered(self, name: str) -> str:
        """Return `name` if it is new, else with the first number appended that makes it new; mark the result as seen."""
        number, numbered = 1, name
        while not self.add(numbered):
            number += 1
            numbered = f"{name}~{number}"
        return numbered

    def save(self) -> None:
        """Add the newly seen names to the carry."""
        self._carry.seen += "".join(self._new)
        self._new.clear()


def parse_time(value: object) -> datetime | None:
    """Return ISO text, or a number since 1970 in seconds, milli-, micro- or nanoseconds, as an aware UTC time; None for other values.

    A number may be written as text. The zeros of clocks (1970-01-01, 0001-01-01), with which programs write that they know no
    time, are other values too.
    """
    try:
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = float(value)
        if isinstance(value, str) and value:
            time = datetime.fromisoformat(value)
            time = (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            unit = next((unit for unit in _UNITS if value > unit * _TOO_EARLY_S), 1)
            time = datetime.fromtimestamp(value / unit, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return time if time > _ZERO else None


def _headline(text: str) -> str:
    """Return the first non-empty line, without Markdown markers; of a plan that was handed over, its own."""
    plan = handed_over_plan(text)
    text = text[slice(*plan)] if plan else text
    lines = (line.strip(" #*>-\t") for line in text.split("\n"))
    return next((line for line in lines if line), "").removeprefix("Plan:").strip()


def shorten(text: str, max_chars: int) -> str:
    """Return `text` on one line, at most `max_chars` long, cut between words if possible."""
    line = _GAPS.sub(" ", text).strip()
    if len(line) <= max_chars:
        return line
    head = line[: max_chars - 1]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:.") + "…"


def stem(path: str) -> str:
    """Return the file name without folder and extension."""
    name = re.split(r"[/\\]", path)[-1]
    return name.rpartition(".")[0] or name
