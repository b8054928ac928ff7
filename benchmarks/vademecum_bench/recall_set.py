"""The recall-set format: sessions and questions with gold answers, one JSON object per line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from vademecum.domain.errors import InvalidInput


class SetSession(Struct, frozen=True):
    """One conversation of a scope. `turns` are dicts with id, speaker and text; `time` is ISO 8601 or None."""

    scope: str
    id: str
    time: str | None
    turns: tuple[dict[str, Any], ...]


class SetQuery(Struct, frozen=True):
    """One question. Only the first `visible` sessions of its scope existed when it was asked; None: all."""

    scope: str
    id: str
    text: str
    category: str
    gold_turns: frozenset[str]
    gold_sessions: frozenset[str]
    visible: int | None


class RecallSet(Struct, frozen=True):
    """A file of the format. Sessions of a scope are in order of time."""

    path: str
    sessions: tuple[SetSession, ...]
    queries: tuple[SetQuery, ...]

    @property
    def scopes(self) -> tuple[str, ...]:
        """Return the names of the scopes, in the order of the file."""
        return tuple(dict.fromkeys(session.scope for session in self.sessions))


def read_recall_set(path: Path) -> RecallSet:
    """Read the set in a file.

    Raises:
        InvalidInput: the file cannot be read, or a line is invalid; the message names the line.
    """
    sessions: list[SetSession] = []
    queries: list[SetQuery] = []
    for number, row in _rows(path):
        try:
            if row["type"] == "session":
                sessions.append(SetSession(row["scope"], str(row["id"]), row.get("time"), tuple(row["turns"])))
            elif row["type"] == "query":
                queries.append(_query(row))
        except (KeyError, TypeError) as error:
            raise InvalidInput(
                f"{path}:{number} is not of the recall-set format: {error!r}.", "See docs/benchmarks.md."
            ) from error
    return RecallSet(str(path), tuple(sessions), tuple(queries))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, json.loads(line)
    except OSError as error:
        raise InvalidInput(f"Cannot read {path}: {error.strerror}.") from error
    except ValueError as error:
        raise InvalidInput(f"{path} is not JSON Lines: {error}.") from error


def _query(row: dict[str, Any]) -> SetQuery:
    return SetQuery(
        scope=row["scope"],
        id=str(row["id"]),
        text=row["text"],
        category=row.get("category") or "",
        gold_turns=frozenset(str(ref) for ref in row.get("gold_turns") or ()),
        gold_sessions=frozenset(str(ref) for ref in row.get("gold_sessions") or ()),
        visible=row.get("visible_sessions"),
    )
