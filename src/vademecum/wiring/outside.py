"""Builds the connections to the outside: transcripts, repositories, web, hosts, clock."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from vademecum.adapters.clock import ShiftedClock, SystemClock
from vademecum.domain.errors import InvalidInput
from vademecum.domain.places import standing_above
from vademecum.guard import Guard
from vademecum.settings import environment, socket_path
from vademecum.wiring.configured import policy_of
from vademecum.wiring.late import late
from vademecum.wiring.projects import projects_of
from vademecum.wiring.spaces import spaces_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from threading import Event

    from vademecum.adapters.watching import Moment
    from vademecum.context.context import Outside
    from vademecum.domain.session import Session
    from vademecum.ports.clock import Clock
    from vademecum.ports.line import Line, Listen
    from vademecum.ports.repository import Branches, CodeHistory, Repository
    from vademecum.ports.transcripts import PlaceRule, TranscriptFormat, TranscriptLibrary
    from vademecum.ports.web import Web
    from vademecum.ports.worker import Worker
    from vademecum.settings import Settings


#: Bytes of transcripts from which a second process is used for reading, if there are two processors.
SECOND_PROCESS_BYTES = 20_000_000


def outside_of(settings: Settings, clock: Clock) -> Outside:
    """Return the connections to the outside that the settings allow."""
    from vademecum.context.context import Outside

    return Outside(
        open_formats=_formats,
        open_worker=_worker,
        open_repository=_repository,
        open_libraries=_libraries,
        open_places=_places,
        open_hosts=late("adapters.hosts.all_hosts", "hosts"),
        guess_host=late("adapters.hosts.all_hosts", "guess"),
        web=_web(settings, clock),
        open_code=_open_code,
        commits=late("adapters.repositories.git", "commits_between"),
        docs=late("adapters.repositories.docs", "docs_of"),
        branches=_branches,
        projects=projects_of(settings),
        helper=partial(ask_helper, settings, "status"),
    )


def _repository(folder: str) -> Repository:
    from vademecum.adapters.repositories.git import GitRepository

    return GitRepository(Path(folder or "/nowhere"))


def code_history(folder: Path | None, seconds: float) -> CodeHistory | None:
    """Return the code history of a folder's repository, with a timeout for git in seconds; None without a folder."""
    if folder is None:
        return None
    from vademecum.adapters.repositories.git import GitHistory

    return GitHistory(folder, _time_left(seconds))


def _branches(folder: str, seconds: float) -> Branches | None:
    if not folder:
        return None
    from vademecum.adapters.repositories.branches import GitBranches

    return GitBranches(Path(folder), _time_left(seconds))


def _time_left(seconds: float) -> Callable[[], float]:
    elapsed = SystemClock().elapsed_s
    until_s = elapsed() + seconds
    return lambda: until_s - elapsed()


def _open_code(folder: str, seconds: float) -> CodeHistory | None:
    return code_history(Path(folder), seconds) if folder else None


def _worker(size: int) -> Worker:
    from vademecum.adapters.worker_process import worker_for

    return worker_for(size, SECOND_PROCESS_BYTES)


def _formats() -> Sequence[TranscriptFormat]:
    from vademecum.adapters.transcripts import formats
    from vademecum.adapters.transcripts.placed import PlacedFormat

    place_of = _places()
    return tuple(PlacedFormat(transcript_format, place_of) for transcript_format in formats())


def _libraries() -> Sequence[TranscriptLibrary]:
    from vademecum.adapters.transcripts import libraries
    from vademecum.adapters.transcripts.placed import PlacedLibrary

    place_of = _places()
    return tuple(PlacedLibrary(library, place_of) for library in libraries())


def _places() -> Callable[[str], PlaceRule]:
    from vademecum.adapters.hosts.places import PlaceRules

    return PlaceRules(environment(), sys.platform)


def _web(settings: Settings, clock: Clock) -> Web | None:
    if not settings.research:
        return None
    from urllib.parse import urlsplit

    from vademecum.adapters.web.http import HttpWeb

    own_host = urlsplit(settings.research_search).hostname
    return HttpWeb(settings.research_search, clock.elapsed_s, (own_host,) if own_host else ())


def parse_transcript(settings: Settings, path: Path) -> Session:
    """Parse a transcript, without secrets.

    Raises:
        InvalidInput: it cannot be read, or its format is unknown.
    """
    from vademecum.domain.errors import Problem
    from vademecum.ingest.discover import form_of
    from vademecum.ingest.reader import Reading, head, read

    start = head(path)
    known = None if isinstance(start, Problem) else form_of(_formats(), start, path)
    found = read(path, known) if known else start
    if not isinstance(found, Reading):
        why = found.message if isinstance(found, Problem) else "No known host writes such files."
        raise InvalidInput(f"{path} cannot be read. {why}", "Name a transcript; see which there are: vade sessions list")
    session, guard = found.parsed.session, Guard(policy_of(settings))
    texts = guard.clean_all([turn.text for turn in session.turns])
    return replace(session, turns=tuple(replace(turn, text=text) for turn, text in zip(session.turns, texts, strict=True)))


def changes_of(
    settings: Settings, stop: Event, *, debounce_s: float = 30.0, idle_s: float = 180.0, look_every_s: float
) -> Iterator[Moment]:
    """Yield at each change in the configured folders, until `stop` is set."""
    from vademecum.adapters.watching import changes

    folders = [Path(space.root) for space in spaces_of(settings)]
    folders += [standing_above(place) for place in (settings.vault, *settings.transcripts) if place]
    elapsed = SystemClock().elapsed_s
    yield from changes(folders, stop, elapsed, debounce_s=debounce_s, idle_s=idle_s, look_every_s=look_every_s)


def ask_helper(settings: Settings, what: str) -> dict[str, Any] | None:
    """Return the answer of the helper to "status" or "stop"; None if no helper runs."""
    from vademecum.adapters.line import ask

    return ask(socket_path(settings), what)


def line_to(place: str) -> Line:
    """Connect to the helper at a path. Raises OSError if none listens."""
    from vademecum.adapters.line import connect

    return connect(place)


def listen_by() -> Listen:
    """Return how the helper is reached on this system: by socket or named pipe."""
    if sys.platform == "win32":
        from vademecum.adapters.line.pipe_server import listen
    else:
        from vademecum.adapters.line.unix_socket import listen
    return listen


def system_clock() -> Clock:
    """Return the system clock."""
    return SystemClock()


def clock_at(moment: datetime) -> Clock:
    """Return a clock that starts at `moment` (aware) instead of now."""
    return ShiftedClock(moment)
