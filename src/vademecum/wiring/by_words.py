"""Builds what a hook needs to answer without a helper. It imports nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from msgspec import Struct

from vademecum.adapters.clock import SystemClock, local_time
from vademecum.adapters.device.pauses import FilePauses
from vademecum.domain.backup import DEVICE_NAME

if TYPE_CHECKING:
    from vademecum.inject.context import RecallContext
    from vademecum.recall.by_words import Words
    from vademecum.settings import Settings


class WordsOnly(Struct, frozen=True):
    """The settings needed to answer by words.

    Attributes:
        on: memory is switched on, unless there is a file STOP, which the client looks for. personal: personal data is redacted.
        allowed: allow-list of the guard.
        wrong: problems of the settings, a sentence each. known_by: host -> fields by which its payloads are recognised.
        measures: benefit is measured with a holdout, which needs a helper.
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
    """Return the settings needed to answer by words."""
    from vademecum.adapters.hosts.all_hosts import known_by

    return WordsOnly(
        settings.home,
        settings.data_dir,
        settings.enabled_without_stop,
        settings.measure_benefit,
        settings.prompt_limit,
        settings.personal_data == "redact",
        settings.guard_allow,
        settings.wrong,
        known_by(),
    )


class ByWords(NamedTuple):
    """An open memory without a helper: the context of questions, and its index for search by words."""

    recall: RecallContext
    words: Words


def printed_to(known: WordsOnly, session: str) -> frozenset[str] | None:
    """Return the keys that the client printed at the start of a session and that the helper has not recorded yet; None if it printed
    nothing."""
    from vademecum.adapters.device.ready_briefings import ReadyBriefings

    return ReadyBriefings(Path(known.data_dir) / "ready", "").printed_to(session)


def open_by_words(known: WordsOnly, folder: str) -> ByWords | None:
    """Open the memory for reading; None if there is none, or no index yet.

    Args:
        folder: the working folder; "" if unknown.
    """
    data = Path(known.data_dir)
    if not (data / "index.db").is_file() or not known.home or not Path(known.home).is_dir():
        return None
    from vademecum.adapters.repositories.projects import Signs
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
    projects = FolderProjects(
        known.home, Signs(str(place_named("~")), lambda: _word_in(data / DEVICE_NAME), data / KNOWN_NAME), SystemClock()
    )
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
    """Placeholder for what answering by words does not use."""
    raise NotImplementedError("a hook without a helper does not use this")


def _word_in(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError):
        return ""
