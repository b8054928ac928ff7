"""Builds an open memory from settings, for a project."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from vademecum.adapters.clock import SystemClock, local_time
from vademecum.adapters.device.private_files import private_folder
from vademecum.adapters.repositories.projects import documents_in
from vademecum.domain.errors import IndexDamaged, files_explained
from vademecum.domain.guarding import Policy
from vademecum.domain.item import FILED_SOURCES
from vademecum.domain.late_pattern import compile_late_patterns
from vademecum.domain.memory import Space
from vademecum.guard import Guard
from vademecum.plugin import added, spaces_of_plugins
from vademecum.settings import claim_data, plugin_rows
from vademecum.wiring.configured import policy_of
from vademecum.wiring.late import late
from vademecum.wiring.models import daily_tokens, former_embedder, models_of
from vademecum.wiring.outside import code_history, outside_of
from vademecum.wiring.projects import projects_of
from vademecum.wiring.spaces import spaces_of
from vademecum.wiring.stores import (
    device_id,
    former_device,
    new_device_id,
    pauses_of,
    ready_briefings,
    storage_of,
    substitute_index,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vademecum.api import Vademecum
    from vademecum.context.context import Choices, Context
    from vademecum.inject.context import RecallContext
    from vademecum.inject.limits import Limits as AnswerLimits
    from vademecum.ports.clock import Clock
    from vademecum.ports.index import Index
    from vademecum.ports.progress import Progress
    from vademecum.recall.pipeline import Searcher
    from vademecum.settings import Settings
    from vademecum.sync.index_writer import IndexWriter
    from vademecum.vault.consent import Ask
    from vademecum.vault.find import Lookup
    from vademecum.vault.following import Linking
    from vademecum.vault.store import Vault


def open_memory(
    settings: Settings,
    *,
    progress: Progress | None = None,
    clock: Clock | None = None,
    ask: Ask | None = None,
    folder: Path | None = None,
    beside: Context | None = None,
) -> Vademecum:
    """Open the memory of these settings. Its folder must exist: `vade init` creates it.

    Args:
        ask: asks the person whether a file outside the memory may be written; None: nobody can be asked.
        folder: the working folder, which decides the current project.
        beside: an open context of the same settings, whose index and models are shared; closing the memory closes it too.

    Raises:
        InvalidInput: no home is set. VaultMissing: the home is not there.
    """
    context = beside or open_context(settings, progress=progress, clock=clock, ask=ask, folder=folder)
    if beside:
        spaces = tuple(spaces_of(settings, folder))
        context = replace(beside, open_vault=partial(_vault, settings, spaces, ask), folder=str(folder or ""), spaces=spaces)
    from vademecum.api import Vademecum

    return Vademecum(open_recall(settings, context, folder), substitute_index)


def open_recall(settings: Settings, context: Context, folder: Path | None) -> RecallContext:
    """Return the context for questions and hooks, for the project of a folder."""
    from vademecum.inject.context import RecallContext

    projects = projects_of(settings)
    return RecallContext(
        replace(context, folder=str(folder or "")),
        _answer_limits(settings),
        project=projects.slug_of(str(folder)) if folder else "",
        folder=projects.name_of(str(folder)) if folder else "",
        former=partial(former_embedder, settings),
        documents=partial(documents_in, folder),
        code=partial(code_history, folder),
        open_searcher=_searcher,
    )


def _searcher(recall: RecallContext) -> Searcher:
    from vademecum.recall.pipeline import Searcher

    context, state = recall.context, recall.context.state
    return Searcher(
        context.index,
        context.clock,
        context.models.embedder,
        state.usage.of,
        context.models.missing,
        recall.former,
        state.topic_locks.get,
        context.models.open_questions(),
    )


def load_everything() -> None:
    """Import what :func:`open_recall` and :func:`open_context` import later. May be called from any thread."""
    import vademecum.adapters.stores.device_file
    import vademecum.adapters.stores.sqlite.store
    import vademecum.adapters.stores.state
    import vademecum.api
    import vademecum.context.context
    import vademecum.sessions.lookup  # noqa: F401


def load_before_forks() -> None:
    """Import and compile what most commands need, in the process from which they are forked."""
    load_everything()
    import merge3  # noqa: F401
    import platformdirs  # noqa: F401
    from filelock import FileLock  # noqa: F401

    import vademecum.adapters.device.private_files
    import vademecum.adapters.embedders.cached
    import vademecum.adapters.embedders.late
    import vademecum.adapters.embedders.use
    import vademecum.adapters.stores.sqlite.late
    import vademecum.adapters.stores.sqlite.vectors
    import vademecum.api.notes
    import vademecum.api.recall
    import vademecum.vault.store  # noqa: F401

    for part in ("places", "embedders"):  # of which each command's settings consist
        added(part)
    Guard(Policy()).load()
    compile_late_patterns()


def open_context(
    settings: Settings,
    *,
    progress: Progress | None = None,
    clock: Clock | None = None,
    ask: Ask | None = None,
    folder: Path | None = None,
) -> Context:
    """Return the context of all use cases; arguments and errors as of :func:`open_memory`."""
    spaces = spaces_of(settings, folder)
    with files_explained():
        state_dir = private_folder(Path(settings.data_dir))
        claim_data(settings)
    clock = clock or SystemClock()
    from vademecum.adapters.stores.device_file import NAME as DEVICE_NAME
    from vademecum.adapters.stores.sqlite.late import late_index
    from vademecum.adapters.stores.state import SqliteState
    from vademecum.context.context import Context
    from vademecum.ports.progress import no_progress

    changed = ready_briefings(settings).take_away
    index = late_index(
        state_dir / "index.db", late("adapters.stores.sqlite.store", "SqliteIndex", state_dir / "index.db", changed)
    )
    storage = storage_of(settings, state_dir, clock)
    return Context(
        open_vault=partial(_vault, settings, spaces, ask),
        index=index,
        state=SqliteState(state_dir / DEVICE_NAME, changed),
        storage=storage,
        models=models_of(settings, storage, clock),
        outside=outside_of(settings, clock),
        guard=Guard(policy_of(settings)),
        clock=clock,
        open_indexer=_indexer,
        choices=_choices(settings),
        folder=str(folder or ""),
        spaces=tuple(spaces),
        progress=progress or no_progress,
        local_time=local_time,
        rebuild_index=partial(late("maintenance.rebuild", "rebuild"), quick=True),
    )


def _choices(settings: Settings) -> Choices:
    from vademecum.context.context import Choices

    return Choices(
        switched_on=settings.enabled,
        wrong_settings=settings.wrong,
        transcripts=settings.transcripts,
        auto_interfaces=settings.auto_interfaces,
        review_mode=settings.review_mode,
        git_commit=settings.git_commit,
        section_caps=settings.section_caps,
        archive_days=settings.archive_days,
        handoff_form=settings.handoff_form,
        transcript_tags=settings.transcript_tags,
        llm_auto=settings.llm_auto,
        llm_daily=daily_tokens(settings),
        llm_exclude=settings.llm_exclude,
        reader_undecided="llm" not in dict(settings.origins),
        measure_benefit=settings.measure_benefit,
        benefit_undecided="measure_benefit" not in dict(settings.origins),
        of_plugins={row.name: settings.value(row.name) for row in plugin_rows()},
    )


def _indexer(context: Context) -> IndexWriter:
    from vademecum.sync.index_writer import IndexWriter

    return IndexWriter(context.index, context.guard, context.models.embedder)


#: Share of a hook's deadline for the search; the rest is for start and transfer.
PROMPT_SHARE = 0.5


def _answer_limits(settings: Settings) -> AnswerLimits:
    """Return the limits of answers, briefings and prompts from the settings."""
    from vademecum.inject.limits import Limits as AnswerLimits

    return AnswerLimits(
        profile=settings.profile,
        briefing_tokens=settings.briefing_tokens,
        prompt_limit=settings.prompt_limit,
        prompt_deadline_s=settings.hook_deadline_ms / 1000 * PROMPT_SHARE,
    )


def _vault(settings: Settings, spaces: Sequence[Space], ask: Ask | None, context: Context) -> Vault:
    """Return the vault of a context. Each of its operations updates the index."""
    from vademecum.context.tombstones import of_stones
    from vademecum.sync.index_writer import index_written
    from vademecum.vault.consent import Consent
    from vademecum.vault.store import Vault, VaultIndex
    from vademecum.vault.writer import Device

    spaces = (*spaces, *spaces_of_plugins(settings))
    mode = "auto" if settings.consent == "interactive" and not ask else settings.consent
    return Vault(
        spaces,
        Device(
            name=device_id(settings),
            former=former_device(settings),
            new_name=lambda: new_device_id(settings),
            lock_dir=Path(settings.data_dir) / "locks",
            clock=context.clock,
            enabled=lambda: settings.enabled and pauses_of(settings).stopped_at() is None,
        ),
        index=VaultIndex(_lookup(context.index), _linking(context.index), partial(index_written, context)),
        consent=Consent(mode, ask),
        recogniser=lambda stones: of_stones(stones).is_all_of,
    )


def _lookup(index: Index) -> Lookup:
    """Return the lookup of memories by reference in the index. The vault checks each result against the file."""

    def places(reference: str) -> list[tuple[str, str]]:
        try:
            items = index.items(index.named(reference))
        except IndexDamaged:
            return []
        return [(item.space, item.path) for item in items.values() if item.source in FILED_SOURCES]

    return places


def _linking(index: Index) -> Linking:
    """Return which memories may link to a memory, from the index; None if that is damaged."""

    def places(identity: str) -> list[tuple[str, str]] | None:
        try:
            key = f"memory://{identity}"
            near = [edge.target for edge in index.edges([key]).get(key, ())]
            return [(item.space, item.path) for item in index.items(near).values() if item.source in FILED_SOURCES]
        except IndexDamaged:
            return None

    return places


#: How many memories of the index are looked for in a folder that may be the moved one.
_LOOKED_FOR = 200


def is_moved(before: Settings, home: Path) -> bool:
    """Return whether a folder is the moved memory: the configured folder is gone, and most indexed memories are in this one."""
    if not before.home or Path(before.home).is_dir() or not home.is_dir() or Path(before.home) == home:
        return False
    if not (Path(before.data_dir) / "index.db").exists():
        return False
    with open_memory(dataclasses.replace(before, home=str(home), vault="", projects=(), wrong=())) as memory:
        known = memory.notes.list(_LOOKED_FOR, space=("personal",))
    return bool(known) and 2 * sum((home / item.path).is_file() for item in known) >= len(known)
