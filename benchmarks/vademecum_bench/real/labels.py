"""Labels of real sessions: what a good assistant would have saved, according to a reader. One JSON object per line."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.session import Session


class Expected(Struct, frozen=True):
    """Something that should be saved.

    Attributes:
        kinds: other acceptable kinds.
        turns: refs of the turns that contain it.
        explicit: the person stated it outright; otherwise it follows from the context.
        said_by: "user", "agent" or "both".
        title: in 3 to 8 words.
        repeats: path and id of the same in an earlier session, None if it is new.
        same_as, replaces: "<path>#<id>" of things in the person's earlier sessions that say the same, or are outdated by it.
    """

    id: str
    kind: str
    statement: str
    kinds: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    said_by: str = "user"
    explicit: bool = False
    same_as: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    title: str = ""
    repeats: dict[str, str] | None = None


class Allowed(Struct, frozen=True):
    """Something that is neither required nor wrong."""

    quotes: tuple[str, ...]


class Tempting(Struct, frozen=True):
    """A line that reads like a memory but is none."""

    quote: str


class HandedOver(Struct, frozen=True):
    """What the next session should be shown."""

    asked: str = ""
    done: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    next: str = ""


class Label(Struct, frozen=True):
    """Labels of one session.

    Attributes:
        path: of its transcript, below the folder of transcripts.
        time: of its first turn, ISO 8601.
        pasted: refs of the person's turns that are mainly material by others. human_turns: of the person, about.
    """

    path: str
    person: str
    time: str
    expect: tuple[Expected, ...] = ()
    allow: tuple[Allowed, ...] = ()
    pasted: frozenset[str] = frozenset()
    tempting: tuple[Tempting, ...] = ()
    handoff: HandedOver = HandedOver()


def read_labels(file: Path, transcripts: Path, person: str = "") -> tuple[list[Label], int]:
    """Return (labels by person and time, number of labels left out because their transcript is missing).

    Args:
        person: only persons whose name contains this.

    Raises:
        InvalidInput: a line is no label.
    """
    try:
        rows = [msgspec.json.decode(line, type=Label) for line in file.read_bytes().splitlines() if line.strip()]
    except msgspec.DecodeError as error:
        raise InvalidInput(f"{file} holds a line that is no label: {error}") from error
    wanted = sorted((one for one in rows if person in one.person), key=lambda one: (one.person, one.time))
    there = [one for one in wanted if (transcripts / one.path).is_file()]
    return there, len(wanted) - len(there)


def by_person(labels: Sequence[Label]) -> list[tuple[str, list[Label]]]:
    """Return (person, labels) for the result of :func:`read_labels`."""
    return [(person, list(some)) for person, some in groupby(labels, key=lambda one: one.person)]


def with_refs_of(label: Label, session: Session) -> Label:
    """Return the label with the session's current refs in place of "@<offset>".

    A label refers to a turn without a host id by its byte offset, so that it does not depend on our naming of turns.
    """
    refs = {f"@{turn.start}": turn.ref for turn in session.turns}
    expected = tuple(replace(one, turns=tuple(refs.get(turn, turn) for turn in one.turns)) for one in label.expect)
    return replace(label, expect=expected, pasted=frozenset(refs.get(turn, turn) for turn in label.pasted))
