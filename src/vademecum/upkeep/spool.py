"""Events that hooks leave as files when nobody answers them: nothing is lost, whoever was down.

One file is one event, `{"host", "cwd", "at", "payload"}`; its name sorts by time. It is taken away only after what it tells was
noted, so a reader that is killed reads it again, and reading an event twice changes nothing.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from vademecum.model.errors import InvalidInput, Problem
from vademecum.model.host import HookEvent
from vademecum.model.ports import Host

#: Files that nobody can read are put aside here, where `vade status` counts them.
ASIDE = "unreadable"


@dataclass(frozen=True, slots=True)
class Waiting:
    """An event that waits. Call :func:`taken` when what it tells is noted."""

    path: Path
    event: HookEvent
    at: datetime


def put(queue: Path, name: str, host: str, cwd: str, at: datetime, payload: Mapping[str, object]) -> Path:
    """Leave an event for later; whole or not at all, and on disk when the call returns.

    Args:
        name: sorts by time and is given once, such as an id.

    Raises:
        OSError: the disk refuses.
    """
    queue.mkdir(parents=True, exist_ok=True)
    path = queue / f"{name}.json"
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", errors="replace") as file:
        json.dump({"host": host, "cwd": cwd, "at": at.isoformat(), "payload": payload}, file)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    return path


def waiting(queue: Path, hosts: Iterable[Host], problems: list[Problem]) -> Iterator[Waiting]:
    """Events in the order in which they were left. A file that cannot be understood is put aside and told as a problem."""
    by_name = {host.name: host for host in hosts}
    for path in sorted(queue.glob("*.json")) if queue.is_dir() else ():
        try:
            yield _read(path, by_name)
        except FileNotFoundError:
            continue  # another reader took it
        except (ValueError, KeyError, TypeError, InvalidInput) as error:
            problems.append(Problem(str(path), f"This event cannot be understood and was put aside: {_said(error)}"))
            _put_aside(path)
        except OSError as error:
            problems.append(Problem(str(path), f"This event cannot be read now: {error.strerror or error}."))


def taken(waited: Waiting) -> None:
    """What the event tells is noted; it need not be read again."""
    waited.path.unlink(missing_ok=True)


def aside(queue: Path) -> int:
    """How many files were put aside."""
    return sum(1 for _ in (queue / ASIDE).glob("*.json")) if queue.is_dir() else 0


def _read(path: Path, hosts: Mapping[str, Host]) -> Waiting:
    told = json.loads(path.read_text(encoding="utf-8"))
    at = datetime.fromisoformat(told["at"])
    host = hosts.get(told["host"])
    if host is None:
        raise InvalidInput(f"no host {told['host']!r} is known")
    return Waiting(path, host.read(told["payload"], told.get("cwd") or ""), at if at.tzinfo else at.replace(tzinfo=UTC))


def _said(error: Exception) -> str:
    return error.message if isinstance(error, InvalidInput) else f"{type(error).__name__}: {error}"


def _put_aside(path: Path) -> None:
    """Keep a file that we do not understand where it is not met again; a newer version may."""
    there = path.parent / ASIDE
    there.mkdir(exist_ok=True)
    path.replace(there / path.name)
