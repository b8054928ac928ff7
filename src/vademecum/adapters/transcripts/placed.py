"""Formats and libraries that read a host's folder only where the host stores conversations (X-23)."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from msgspec.structs import replace

from vademecum.domain.session import Cursor
from vademecum.ports.transcripts import Member, Parsed, PlaceRule, TranscriptFormat, TranscriptLibrary

PlaceOf = Callable[[str], PlaceRule]


class PlacedFormat:
    """A format that reads a file only if its location allows it, and marks turns of side conversations as a sub-agent's."""

    def __init__(self, form: TranscriptFormat, place_of: PlaceOf) -> None:
        self._form, self._place_of = form, place_of

    @cached_property
    def name(self) -> str:
        """Name of the host."""
        return self._form.name

    @cached_property
    def whole(self) -> bool:
        """Whether the host rewrites the complete file."""
        return self._form.whole

    def recognises(self, head: bytes, path: str) -> bool:
        """Return whether the location allows this format and the content matches it."""
        return _may_read(self._place_of(path), self.name) and self._form.recognises(head, path)

    def complete(self, data: bytes) -> int:
        """Return the number of bytes that can be parsed now."""
        return self._form.complete(data)

    def parse(self, data: bytes, cursor: Cursor, path: str) -> Parsed:
        """Return new turns, and the cursor after them."""
        parsed = self._form.parse(data, cursor, path)
        if self._place_of(path).verdict != "side":
            return parsed
        turns = tuple(turn if turn.sidechain else replace(turn, sidechain=True) for turn in parsed.session.turns)
        return replace(parsed, session=replace(parsed.session, turns=turns))


class PlacedLibrary:
    """A type of library that is opened only if its location allows it."""

    def __init__(self, library: TranscriptLibrary, place_of: PlaceOf) -> None:
        self._library, self._place_of = library, place_of

    @cached_property
    def name(self) -> str:
        """Name of the type of file."""
        return self._library.name

    def recognises(self, head: bytes, path: str) -> bool:
        """Return whether the location allows such a file and the content matches.

        Raises:
            OSError: it seems to match, but cannot be read.
        """
        rule = self._place_of(path)
        return (
            (self.name in PACKED or _may_read(rule, self.name))
            and rule.verdict != "never"
            and self._library.recognises(head, path)
        )

    def members(self, path: str) -> Sequence[Member]:
        """Return the transcripts in it."""
        return self._library.members(path)

    def read(self, path: str, names: Sequence[str]) -> Iterable[tuple[str, bytes]]:
        """Return (name, bytes) of these transcripts."""
        return self._library.read(path, names)


#: Libraries that only unpack: the format of the content decides.
PACKED = frozenset({"zstd", "encoded"})


def _may_read(rule: PlaceRule, name: str) -> bool:
    return rule.verdict != "never" and (not rule.formats or name in rule.formats)
