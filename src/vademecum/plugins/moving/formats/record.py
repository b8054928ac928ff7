"""What readers of other memories take and give: a file, a record, a format."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from msgspec import Struct

from vademecum.domain.errors import Problem
from vademecum.domain.item import Status, Trust
from vademecum.domain.memory import Memory
from vademecum.plugin_api.vault import frontmatter
from vademecum.plugins.moving.formats.properties import Properties, properties_of


class Given(Struct, frozen=True, dict=True):
    """A file that is to be read.

    Attributes:
        path: POSIX, relative to what was named; "" for text that was pasted. is_named: it was named itself, or pasted.
        root: absolute folder that `path` is relative to; "" for what was handed over or lies in an archive.
    """

    path: str
    text: str
    is_named: bool = False
    root: str = ""

    @property
    def name(self) -> str:
        """Name of the file without its folders."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """Name of the folder that it lies in, "" for none."""
        return self.path.rpartition("/")[0].rpartition("/")[2]

    @cached_property
    def note(self) -> frontmatter.Frontmatter:
        """The file as a note."""
        return frontmatter.read(self.text)

    @property
    def place(self) -> str:
        """Where it lies, as far as that is known: absolute, else as `path`; POSIX."""
        return f"{self.root}/{self.path}" if self.root else self.path

    @cached_property
    def properties(self) -> dict[str, Any]:
        """The note's properties."""
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
        """The file as JSON; None when it is none."""
        return self._parsed[0]

    @cached_property
    def fault(self) -> str:
        """Why the file is no JSON, with the line; "" when it is."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[Any, str]:
        try:
            return json.loads(self.text, strict=False), ""
        except json.JSONDecodeError as error:
            return None, f"line {error.lineno}: {error.msg}"
        except (ValueError, RecursionError) as error:
            return None, str(error)

    @cached_property
    def lines(self) -> tuple[tuple[int, Any, str], ...]:
        """(number, value, why it is no JSON) of each line that is not empty, as JSON."""
        pairs: list[tuple[int, Any, str]] = []
        for number, line in enumerate(self.text.splitlines(), 1):
            if line.strip():
                given = Given("", line)
                pairs.append((number, given.data, given.fault))
        return tuple(pairs)


class Record(Struct, frozen=True):
    """One thing that another memory knows.

    Attributes:
        kind: a kind of ours or another system's word; an unknown one is kept as facet. fallback: the kind when that says nothing.
        key: what that memory calls it, so that a changed text is known as the same thing; "" for none.
        line: where it stands in its file, from 1; 0: unknown. at: when it was said or written.
        since: since when it holds, where the other memory says so.
        source: URI instead of the one made of format, key and words. properties: further ones of its note, flat.
        superseded_by: what that memory calls the one that took its place: its key, name or title; "" for none.
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


Read = Callable[[Sequence[Given]], Iterable[Record | Problem]]


class Format(Struct, frozen=True):
    """How another memory writes down what it knows. One file of this folder is one format.

    Attributes:
        name: as typed. meaning: whose it is. fits: whether a file is of it, by its content.
        read: gives what its files say, in their order, and what of them cannot be read, with line and reason.
        trust: who wrote what it holds. cuts: its texts are taken apart, so that the original is kept beside the records.
        write: gives (path, text) of the files that hold these memories; None: it is only read.
        beside: names of files, with `*`, that are of it where they lie beside one that fits.
        takes: names of files that are of it in a folder of it, although a format that is asked later would read them as well.
        of_repository: what it says is about the repository that its file lies in, and is kept for that project.
        holds: fields of a memory that it can hold, besides title and text.
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
    """Return a time as other programs write it, aware: ISO, or seconds or milliseconds since 1970; None when it is none.

    A day, and a time without a zone, are the person's own, as this machine's clock has them.
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        fromisoformat = datetime.fromisoformat(str(value).strip()) if value else None
        return fromisoformat.astimezone(UTC) if fromisoformat and fromisoformat.tzinfo is None else fromisoformat
    except (ValueError, OverflowError, OSError):
        return None


def words(value: object) -> tuple[str, ...]:
    """Return texts of a list, or of one text; both may have commas between them."""
    items = value if isinstance(value, list | tuple) else [value] if isinstance(value, str) else ()
    return tuple(word.strip() for item in items for word in str(item).split(",") if word.strip())
