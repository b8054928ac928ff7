"""What a format must remember between two reads of a growing transcript: the session's header and which turns it has seen.

It travels as JSON inside the cursor, so that reading on gives exactly what reading the whole would have given.
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

#: Longest title, in characters.
TITLE_MAX_CHARS = 80

#: Where a title may come from, best first. Summaries come last: hosts are known to write those of other sessions.
TITLE_SOURCES = ("given", "host", "prompt", "summary")

#: A turn's mark is eight characters; two turns of one session sharing it would need about ten million of them.
_MARK_CHARS = 8

_GAPS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
#: What would break a line in which a name is shown, or steer a terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(slots=True)
class Carry:
    """Header of the session so far.

    Attributes:
        id: of the session; `id_is_sure` once a line of the conversation itself gave it.
        titles: source (one of TITLE_SOURCES) -> title.
        started, ended: ISO times of the first and last turn, or "".
        seen: marks of the turns met so far, joined.
        turns: how many turns were given out. folders: working folder -> how many of them were said there.
        own: what only this format needs.
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
    turns: int = 0
    folders: dict[str, int] = field(default_factory=dict)
    own: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, text: str) -> "Carry":
        """Read what :meth:`dump` wrote; a fresh one for anything else."""
        try:
            return cls(**json.loads(text)) if text else cls()
        except (ValueError, TypeError):
            return cls()

    def dump(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    def entitle(self, source: str, text: str) -> None:
        """Take a title from `source`: a host's title may change, a prompt's or a summary's is the first one."""
        title = shorten(_headline(text), TITLE_MAX_CHARS)
        if title and (source in ("given", "host") or source not in self.titles):
            self.titles[source] = title

    def date(self, turn: Turn) -> None:
        """Let the session's span, and the folders it was worked in, cover the turn."""
        if turn.cwd:
            self.folders[turn.cwd] = self.folders.get(turn.cwd, 0) + 1
        if turn.time is None:
            return
        time = turn.time.isoformat()
        self.started = min(self.started or time, time)
        self.ended = max(self.ended, time)

    def session(self, host: str, path: str, turns: tuple[Turn, ...]) -> Session:
        """Return the header as far as known, around the new turns."""
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
    """Which names were met before, across reads."""

    def __init__(self, carry: Carry) -> None:
        self._carry = carry
        text = carry.seen
        self._marks = {text[i : i + _MARK_CHARS] for i in range(0, len(text), _MARK_CHARS)}
        self._new: list[str] = []

    def add(self, name: str) -> bool:
        """Return whether `name` is new; from now on it is not."""
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).digest()
        mark = b64encode(digest).decode("ascii")
        if mark in self._marks:
            return False
        self._marks.add(mark)
        self._new.append(mark)
        return True

    def add_numbered(self, name: str) -> str:
        """Return `name` when it is new, else the name with the first number behind it that is; from now on it is met."""
        number, numbered = 1, name
        while not self.add(numbered):
            number += 1
            numbered = f"{name}~{number}"
        return numbered

    def save(self) -> None:
        """Write what was met back into the carry."""
        self._carry.seen += "".join(self._new)
        self._new.clear()


def parse_time(value: object) -> datetime | None:
    """Return ISO text, or seconds or milliseconds since 1970, as an aware UTC time; None when it is neither."""
    try:
        if isinstance(value, str) and value:
            time = datetime.fromisoformat(value)
            return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _headline(text: str) -> str:
    """Return the first line that says something, without Markdown's marks and the words with which a host hands over a plan."""
    lines = (line.strip(" #*>-\t") for line in text.split("\n"))
    texts = (line for line in lines if line and line.lower() != "implement the following plan:")
    return next(texts, "").removeprefix("Plan:").strip()


def shorten(text: str, max_chars: int) -> str:
    """Return `text` on one line, at most `max_chars` long, cut between words where it has any."""
    line = _GAPS.sub(" ", text).strip()
    if len(line) <= max_chars:
        return line
    head = line[: max_chars - 1]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:.") + "…"


def stem(path: str) -> str:
    """Return the file name without folder and extension."""
    name = re.split(r"[/\\]", path)[-1]
    return name.rpartition(".")[0] or name
