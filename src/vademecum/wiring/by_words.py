"""Settings -> what a hook without a helper answers with. Nothing is imported that other doors need."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from msgspec import Struct

from vademecum.adapters.clock import SystemClock, local_time
from vademecum.adapters.pauses import FilePauses
from vademecum.domain.backup import DEVICE_NAME

if TYPE_CHECKING:
    from vademecum.inject.context import RecallContext
    from vademecum.recall.by_words import Words
    from vademecum.settings import Settings


class WordsOnly(Struct, frozen=True):
    """What answering by words needs of the settings.

    Attributes:
        on: memory is on. personal: personal data is taken out. allowed: what the guard lets through.
        wrong: what is wrong with the settings, a sentence each. known_by: host -> the fields that its payloads are known by.
        measures: lots are drawn for what is shown, which takes a helper.
    """

    home: str
    data_dir: str
    on: bool
    measures: bool
    prompt_limit: int
    personal: bool
    allowed: tuple[str, ...]
    wrong: tuple[str, ...]
    known_by: dict[str, tuple[str, ...]]


def words_only(settings: Settings) -> WordsOnly:
    """Return what answering by words needs of the settings."""
    from vademecum.adapters.hosts import known_by

    return WordsOnly(
        settings.home,
        settings.data_dir,
        settings.enabled,
        settings.measure_benefit,
        settings.prompt_limit,
        settings.personal_data == "redact",
        settings.guard_allow,
        settings.wrong,
        known_by(),
    )


class ByWords(NamedTuple):
    """An open memory without a helper: what questions work with, and its index once more, as words are looked up in it."""

    recall: RecallContext
    words: Words


def printed_to(known: WordsOnly, session: str) -> frozenset[str] | None:
    """Return the keys of what the client printed to a session and nobody else knows yet; None: the session was given nothing at its
    start."""
    from vademecum.adapters.ready_briefings import ReadyBriefings

    return ReadyBriefings(Path(known.data_dir) / "ready", "").printed_to(session)


def open_by_words(known: WordsOnly, folder: str) -> ByWords | None:
    """Return the memory of these settings, opened for reading; None: there is none, or no index of it yet.

    Args:
        folder: where the work goes on; "": nobody knows.
    """
    data = Path(known.data_dir)
    if not (data / "index.db").is_file() or not known.home or not Path(known.home).is_dir():
        return None
    from vademecum.adapters.projects import Signs
    from vademecum.adapters.stores.device_file import NAME
    from vademecum.adapters.stores.sqlite.word_rows import WordRows
    from vademecum.adapters.stores.state import SqliteState
    from vademecum.context.context import Choices, Context, Models, Outside, Storage
    from vademecum.domain.guarding import PERSONAL, Policy
    from vademecum.domain.places import place_named
    from vademecum.guard import Guard
    from vademecum.inject.context import RecallContext
    from vademecum.inject.limits import Limits
    from vademecum.wiring.projects import KNOWN_NAME, FolderProjects

    index = WordRows(data / "index.db")
    projects = FolderProjects(known.home, Signs(str(place_named("~")), lambda: _word_in(data / DEVICE_NAME), data / KNOWN_NAME))
    context = Context(
        open_vault=_not_here,
        index=index,  # type: ignore[arg-type]
        state=SqliteState(data / NAME),
        storage=Storage(
            open_conversations=_not_here,
            open_markers=_not_here,
            open_extractions=_not_here,
            open_ledger=_not_here,
            open_calls=_not_here,
            pauses=FilePauses(data / "pauses.jsonl", [Path(place) / "STOP" for place in (known.data_dir, known.home)]),
            bytes_of=_not_here,
        ),
        models=Models(None, _not_here),
        outside=Outside(_not_here, _not_here, _not_here, projects=projects),
        guard=Guard(Policy(frozenset(PERSONAL) if known.personal else frozenset(), frozenset(known.allowed))),
        clock=SystemClock(),
        open_indexer=_not_here,
        choices=Choices(switched_on=known.on, measure_benefit=known.measures),
        local_time=local_time,
        folder=folder,
    )
    recall = RecallContext(
        context,
        Limits(prompt_limit=known.prompt_limit),
        project=projects.slug_of(folder) if folder else "",
        folder=projects.name_of(folder) if folder else "",
        former=_not_here,
        documents=tuple,
        code=_not_here,
        open_searcher=_not_here,
    )
    return ByWords(recall, index)


def _not_here(*_: object) -> NoReturn:
    """Stand for what answering by words does not use."""
    raise NotImplementedError("a hook without a helper does not use this")


def _word_in(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError):
        return ""
