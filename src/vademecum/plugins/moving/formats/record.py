"""Input and output of the formats: a file, a record, a format."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from msgspec import Struct

from vademecum.domain.errors import Problem
from vademecum.domain.item import Status, Trust
from vademecum.domain.memory import SUMMARY_MAX_CHARS, Memory
from vademecum.language.text import brief
from vademecum.plugin_api.vault import frontmatter
from vademecum.plugins.moving.formats.properties import Properties, properties_of, with_end


class Given(Struct, frozen=True, dict=True):
    """A file to read.

    Attributes:
        path: POSIX, relative to the path that the person named; "" for pasted text.
        is_named: the file itself was named, or the text pasted.
        root: absolute folder to which `path` is relative; "" for files that came with the call or in an archive.
    """

    path: str
    text: str
    is_named: bool = False
    root: str = ""

    @property
    def name(self) -> str:
        """Name of the file without folders."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """Name of its folder; "" for none."""
        return self.path.rpartition("/")[0].rpartition("/")[2]

    @cached_property
    def note(self) -> frontmatter.Frontmatter:
        """The file parsed as a note. A block of properties without an end is read up to the first other line."""
        return frontmatter.read(with_end(self.text))

    @property
    def place(self) -> str:
        """Absolute POSIX path if known, else `path`."""
        return f"{self.root}/{self.path}" if self.root else self.path

    @cached_property
    def properties(self) -> dict[str, Any]:
        """Properties of the note."""
        return self._head.values

    @property
    def unread(self) -> tuple[tuple[int, str], ...]:
        """(line, name) of the note's properties that could not be read."""
        return self._head.unread

    @cached_property
    def _head(self) -> Properties:
        return properties_of(self.note)

    @cached_property
    def data(self) -> Any:
        """The file parsed as JSON; None if it is not JSON."""
        return self._parsed[0]

    @cached_property
    def fault(self) -> str:
        """Why the file is not JSON, with the line; "" if it is."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[Any, str]:
        try:
            return json.loads(self.text.removeprefix("\ufeff"), strict=False), ""
        except json.JSONDecodeError as error:
            return None, f"line {error.lineno}: {error.msg}"
        except (ValueError, RecursionError) as error:
            return None, str(error)

    @cached_property
    def lines(self) -> tuple[tuple[int, Any, str], ...]:
        """(number, value, why it is not JSON) of each non-empty line, parsed as JSON."""
        pairs: list[tuple[int, Any, str]] = []
        for number, line in enumerate(self.text.splitlines(), 1):
            if line.strip():
                given = Given("", line)
                pairs.append((number, given.data, given.fault))
        return tuple(pairs)


class Record(Struct, frozen=True):
    """One entry of another memory.

    Attributes:
        kind: one of our kinds, or another system's word; an unknown one is saved as facet.
        fallback: used if `kind` is unknown.
        key: its id in that memory, by which a changed text is recognised as the same entry; "" for none.
        line: in its file, from 1; 0: unknown.
        at: when it was said or written.
        since: start of its validity, if the other memory has it.
        source: URI instead of the one made of format, key and text.
        properties: further properties of its note, flat.
        superseded_by: key, name or title of the entry that replaced it; "" for none.
    """

    path: str
    text: str
    title: str = ""
    kind: str = ""
    fallback: str = "fact"
    key: str = ""
    line: int = 0
    at: datetime | None = None
    since: datetime | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    project: str = ""
    agent: str = ""
    status: Status = "active"
    always_load: bool = False
    source: str = ""
    properties: Mapping[str, object] = {}
    superseded_by: str = ""


#: Names under which programs keep the text of a value that is an object.
_TEXT_NAMES = ("text", "content", "value", "memory", "name")

Read = Callable[[Sequence[Given]], Iterable[Record | Problem]]


class Format(Struct, frozen=True):
    """A format of another memory. Each module of this package defines one or a few.

    Attributes:
        name: as typed.
        meaning: description.
        fits: whether a file has this format, by its content.
        read: returns the records of its files in order, and problems with line and reason.
        trust: of its content.
        cuts: its texts are split, so the original is saved beside the records.
        write: returns (path, text) of the files for some memories; None: read only.
        beside: names of files, with `*`, that belong to the format if they are beside a file that fits.
        takes: names of files that belong to the format in its folders, even if a later format would fit them too.
        of_repository: its content is about the repository around its file, and is saved for that project.
        holds: fields of a memory that it can represent besides title and text.
    """

    name: str
    meaning: str
    fits: Callable[[Given], bool]
    read: Read
    trust: Trust = "agent"
    cuts: bool = False
    write: Callable[[Sequence[Memory]], Iterator[tuple[str, str]]] | None = None
    beside: frozenset[str] = frozenset()
    takes: frozenset[str] = frozenset()
    of_repository: bool = False
    holds: frozenset[str] = frozenset()


def moment(value: object) -> datetime | None:
    """Return a time written by another program, as an aware datetime; None if it is none.

    Accepts ISO 8601, and seconds or milliseconds since 1970. A day, or a time without a zone, is local time of this machine.
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        fromisoformat = datetime.fromisoformat(str(value).strip()) if value else None
        return fromisoformat.astimezone(UTC) if fromisoformat and fromisoformat.tzinfo is None else fromisoformat
    except (ValueError, OverflowError, OSError):
        return None


def text_in(value: object) -> str:
    """Return the text of a JSON value: a text or number as it is, the texts of a list as lines; "" for a value of another form."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, Mapping):
        return next((text for name in _TEXT_NAMES if (text := text_in(value.get(name)))), "")
    if isinstance(value, list | tuple):
        return "\n".join(text for item in value if (text := text_in(item)))
    return ""


def entries_in(value: object) -> list[Any]:
    """Return the items of a list; another value is its own only item, null and "" are none."""
    return list(value) if isinstance(value, list | tuple) else [value] if value not in (None, "") else []


def with_description(description: object, body: str) -> tuple[str, dict[str, object]]:
    """Return the text of an entry and its summary. A description longer than a summary, or without a text, is part of the text."""
    words_of = " ".join(text_in(description).split())
    if not words_of:
        return body, {}
    whole = (
        body
        if body.strip() and len(words_of) <= SUMMARY_MAX_CHARS
        else f"{text_in(description).strip()}\n\n{body}".strip() + "\n"
    )
    return whole, {"summary": brief(words_of, SUMMARY_MAX_CHARS)}


def words(value: object) -> tuple[str, ...]:
    """Return the texts of a list, or of one text; commas separate further ones."""
    items = value if isinstance(value, list | tuple) else [value] if isinstance(value, str) else ()
    return tuple(word.strip() for item in items for word in str(item).split(",") if word.strip())
