"""Settings -> memory: the only module that knows which adapters exist. Heavy ones are imported when they are chosen."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum import recall
from vademecum.adapters.clock import ShiftedClock, SystemClock, local_time, new_token
from vademecum.adapters.log import HookLog
from vademecum.adapters.pauses import FilePauses
from vademecum.adapters.private_folder import private_folder
from vademecum.adapters.projects import folder_slug, project_at
from vademecum.adapters.spool import Spool
from vademecum.model.errors import EmbedderUnavailable, IndexDamaged, InvalidInput, UnknownWord, VaultMissing
from vademecum.model.guarding import Policy
from vademecum.model.host import Programs
from vademecum.model.memory import Space
from vademecum.model.places import place_named
from vademecum.settings import environment_of_model, host_folders, socket_path, stop_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from threading import Event

    from vademecum.adapters.hosts.installing import Installer
    from vademecum.adapters.watching import Moment
    from vademecum.capture.conversations import Conversations
    from vademecum.memory import Vademecum
    from vademecum.model.daily import Commit
    from vademecum.model.host import Reach
    from vademecum.model.llm import Limits
    from vademecum.model.ports import (
        LLM,
        Archive,
        Clock,
        Embedder,
        Extractions,
        Hands,
        Host,
        Index,
        Ledger,
        Markers,
        TranscriptFormat,
        TranscriptLibrary,
        Web,
        Witness,
    )
    from vademecum.model.reports import AuditLine, Rows
    from vademecum.recall.questions import Questions
    from vademecum.settings import Settings
    from vademecum.upkeep.parts import Parts, Progress
    from vademecum.vault.consent import Ask
    from vademecum.vault.find import Lookup
    from vademecum.vault.store import Vault

HOME_NAME = "Vademecum"
TOKEN_NAME = "token"
VECTORS_NAME = "vectors.db"


def open_memory(
    settings: Settings,
    *,
    progress: Progress | None = None,
    clock: Clock | None = None,
    ask: Ask | None = None,
    folder: Path | None = None,
    beside: Vademecum | None = None,
    light: bool = False,
) -> Vademecum:
    """The memory that the settings describe; the folder of the personal space is made when its parent exists.

    Args:
        ask: asks the person whether a file outside the memory may be written; None: nobody is there to ask.
        folder: where the work goes on; the project it lies in is the one that questions are about.
        beside: an open memory of the same settings whose index, state and embedder are used; closing that one closes both.
        light: for a process that tells something once: nothing is loaded that it does not need.

    Raises:
        InvalidInput: no home is set. VaultMissing: the folder around it is not there.
    """
    spaces = spaces_of(settings, folder)
    if beside:
        vault_at = partial(_vault, settings, spaces, beside.parts.index, beside.parts.clock, ask)
        return _memory(settings, replace(beside.parts, open_vault=vault_at), folder)
    state_dir = private_folder(Path(settings.data_dir))
    clock = clock or SystemClock()
    embedder, quick, missing = _embedders(settings)
    from vademecum.adapters.stores import sqlite
    from vademecum.adapters.stores.state import SqliteState
    from vademecum.upkeep.parts import Parts, no_progress

    state = state_dir / "state.db"
    index: Index = (sqlite.LightIndex if light else sqlite.SqliteIndex)(state_dir / "index.db")
    parts = Parts(
        open_vault=partial(_vault, settings, spaces, index, clock, ask),
        index=index,
        state=SqliteState(state),
        clock=clock,
        embedder=embedder,
        quick=quick,
        open_formats=_formats,
        open_questions=cache(_questions),
        open_conversations=lambda: _conversations(state_dir),
        auto_interfaces=settings.auto_interfaces,
        open_libraries=_libraries,
        missing=missing,
        transcripts=settings.transcripts,
        min_turns=settings.min_turns,
        review_mode=settings.review_mode,
        switched_on=settings.enabled,
        pauses=pauses_of(settings),
        project_of=_project_of,
        progress=progress or no_progress,
        open_markers=cache(partial(_markers, state_dir / "sessions.db")),
        open_extractions=partial(_extractions, state),
        open_ledger=partial(_ledger, state),
        llm_name="" if settings.llm == "none" else settings.llm,
        llm_mark=_mark_of(settings) if settings.llm != "none" else "",
        llm_auto=settings.llm_auto,
        llm_daily=(settings.llm_daily_input_tokens, settings.llm_daily_output_tokens),
        open_llm=partial(_llm, settings, clock),
        open_witness=_witness,
        open_hands=partial(_hands, settings),
        background_share=settings.background_percent / 100,
        archive=None if light else _archive(settings),
        archive_days=settings.archive_days,
        handoff_form=settings.handoff_form,
        transcript_tags=settings.transcript_tags,
        queue=Spool(state_dir / "queue"),
        open_hosts=_hosts,
        guess_host=_guess_host,
        checkpoints=str(state_dir / "checkpoints"),
        stop_folder=settings.home,
        silence_s=settings.silence_minutes * 60,
        local_time=local_time,
        commits=_commits,
        helper=partial(ask_helper, settings, "status"),
        web=_web(settings, clock),
        data_dir=str(state_dir),
        cache_dir=settings.cache_dir,
        policy=policy_of(settings),
        guard_log=HookLog(state_dir / "log", "guard"),
        compactions=HookLog(state_dir / "log", "compact"),
        drop_vectors=partial(_drop_vectors, Path(settings.cache_dir)),
        ask_sql=partial(_ask_sql, state_dir, clock),
    )
    return _memory(settings, parts, folder)


def _markers(path: Path) -> Markers:
    from vademecum.adapters.stores.markers import SqliteMarkers

    return SqliteMarkers(path)


def _extractions(state: Path) -> Extractions:
    from vademecum.adapters.stores.extractions import SqliteExtractions

    return SqliteExtractions(state)


def _ledger(state: Path) -> Ledger:
    from vademecum.adapters.stores.extractions import SqliteLedger

    return SqliteLedger(state)


def _witness(folder: str) -> Witness:
    from vademecum.adapters.repository import Repository

    return Repository(Path(folder or "/nowhere"))


def _hands(settings: Settings, size: int) -> Hands:
    from vademecum.adapters.hands import hands_for

    return hands_for(size, settings.second_process_mb * 1_000_000)


def _llm(settings: Settings, clock: Clock, ledger: Ledger) -> LLM | None:
    """The language model of the settings, within the day's limits.

    Raises:
        InvalidInput: there is no such model.
    """
    from vademecum.adapters.llms import Options, create
    from vademecum.adapters.llms.keys import key_from
    from vademecum.adapters.llms.metered import metered

    options = Options(
        url=settings.llm_url,
        api_key=(lambda: settings.llm_key)
        if settings.llm_key or not settings.llm_key_command
        else key_from(settings.llm_key_command),
        timeout_s=settings.llm_timeout_s,
        sleep=time.sleep,
        metered=metered(settings.llm, ledger, clock, _limits(settings)),
        environment=environment_of_model(),
    )
    return create(settings.llm, options)


def _limits(settings: Settings) -> Limits:
    from vademecum.model.llm import Limits

    return Limits(
        settings.llm_daily_input_tokens, settings.llm_daily_output_tokens, settings.llm_input_price, settings.llm_output_price
    )


def _mark_of(settings: Settings) -> str:
    """Changes when the person does something about a model that refuses. Of the key 32 bits of a hash."""
    limits = (str(settings.llm_daily_input_tokens), str(settings.llm_daily_output_tokens))
    import hashlib

    said = "\n".join((settings.llm, settings.llm_url, settings.llm_key, settings.llm_key_command, *limits))
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=4).hexdigest()


def _ask_sql(
    folder: Path, clock: Clock, statement: str, audit: Callable[[], Iterable[AuditLine]], most_rows: int, most_s: float
) -> Rows:
    from vademecum.adapters.stores.sqlite.views import ask_views

    return ask_views(folder, audit, clock.elapsed_s, statement, most_rows=most_rows, most_s=most_s)


def _memory(settings: Settings, parts: Parts, folder: Path | None) -> Vademecum:
    from vademecum.memory import Vademecum

    project = _project_of(str(folder)) if folder else ""
    return Vademecum(
        parts,
        default_profile=settings.profile,
        recall_limit=settings.recall_limit,
        recall_tokens=settings.recall_tokens,
        briefing_tokens=settings.briefing_tokens,
        prompt_limit=settings.prompt_limit,
        prompt_tokens=settings.prompt_tokens,
        prompt_deadline_s=settings.prompt_deadline_ms / 1000 or None,
        holdout_percent=settings.holdout_percent,
        project=project,
        folder=folder_slug(str(folder)) if folder else "",
        substitute=_substitute,
        former=partial(_former, settings),
    )


def _vault(settings: Settings, spaces: Sequence[Space], index: Index, clock: Clock, ask: Ask | None) -> Vault:
    from vademecum.vault.consent import Consent
    from vademecum.vault.places import slugify
    from vademecum.vault.store import Vault

    mode = "auto" if settings.consent == "interactive" and not ask else settings.consent
    return Vault(
        spaces,
        device=slugify(settings.device) or "device",
        lock_dir=Path(settings.data_dir) / "locks",
        clock=clock,
        lookup=_lookup(index),
        consent=Consent(mode, ask),
    )


def _conversations(state_dir: Path) -> Conversations:
    from vademecum.capture.conversations import Conversations

    return Conversations(state_dir / "conversations", state_dir / "pending-conversations")


def _questions() -> Questions:
    return recall.questions.Questions()


def _formats() -> Sequence[TranscriptFormat]:
    from vademecum.adapters.transcripts import FORMATS

    return FORMATS


def _archive(settings: Settings) -> Archive | None:
    if not settings.archive:
        return None
    from vademecum.adapters.stores.archive import SqliteArchive

    return SqliteArchive(Path(settings.data_dir) / "archive.db", cap_bytes=settings.archive_mb * 1_000_000)


def _libraries() -> Sequence[TranscriptLibrary]:
    from vademecum.adapters.transcripts import LIBRARIES

    return LIBRARIES


def _web(settings: Settings, clock: Clock) -> Web | None:
    if not settings.research:
        return None
    from vademecum.adapters.web.http import HttpWeb

    return HttpWeb(settings.research_search, clock.elapsed_s, settings.research_hosts)


def judge_outside(text: str) -> tuple[str, frozenset[str]]:
    """What the guard does with a text from outside, and the kinds of what it finds there."""
    from vademecum.guard.gate import inspect

    verdict = inspect(text, trust="external")
    return verdict.action, frozenset(finding.kind for finding in verdict.findings)


def policy_of(settings: Settings) -> Policy:
    """What the settings decide about the guard.

    Raises:
        InvalidInput: the allow-list that they name cannot be read.
    """
    listed: list[str] = []
    if settings.guard_allow_file:
        path = place_named(settings.guard_allow_file)
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(
                f"The allow-list {path} cannot be read: {error}.", "Correct the setting guard_allow_file."
            ) from error
        listed = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    personal = frozenset(settings.personal_classes) if settings.personal_data == "redact" else frozenset()
    return Policy(personal, frozenset((*settings.guard_allow, *listed)))


def _drop_vectors(cache: Path, texts: Iterable[str]) -> int:
    from vademecum.adapters.embedders.cached import drop_texts

    return drop_texts(cache / VECTORS_NAME, texts)


def _substitute() -> Index:
    from vademecum.adapters.stores.memory import MemoryIndex

    return MemoryIndex()


@lru_cache(maxsize=2)
def _former(settings: Settings, model_id: str) -> Embedder | None:
    """The embedder with that model id, as it was chosen before; None when it cannot be had any more."""
    from vademecum.adapters.embedders import Options, create, name_of

    try:
        return create(name_of(model_id), Options(url=settings.embedder_url, api_key=settings.embedder_key))
    except (EmbedderUnavailable, UnknownWord):
        return None


def _commits(folder: str, since: datetime, until: datetime) -> Sequence[Commit]:
    from vademecum.adapters.git import commits_between

    return commits_between(folder, since, until)


def _hosts() -> Mapping[str, Host]:
    from vademecum.adapters.hosts import HOSTS

    return HOSTS


def _guess_host(payload: Mapping[str, object]) -> str:
    from vademecum.adapters.hosts import guess

    return guess(payload)


class HookParts(NamedTuple):
    """What answers the hooks of hosts: the hosts by name, who writes a payload ("" when unclear), the log, the queue of capture."""

    hosts: Mapping[str, Host]
    guess: Callable[[Mapping[str, object]], str]
    log: HookLog
    queue: Spool
    clock: Clock


def hook_parts(settings: Settings) -> HookParts:
    """What answers hooks, over the folders of the settings."""
    from vademecum.adapters.hosts import HOSTS, guess

    data = Path(settings.data_dir)
    return HookParts(HOSTS, guess, HookLog(data / "log"), Spool(data / "queue"), SystemClock())


def access_token(settings: Settings) -> str:
    """The secret that programs show at the HTTP door; made at first start, in a file that only the person may read."""
    from vademecum.adapters.secret_file import kept_secret

    return kept_secret(Path(settings.data_dir) / TOKEN_NAME, new_token)


def changes_of(
    settings: Settings, stop: Event, *, debounce_s: float = 30.0, idle_s: float = 180.0, look_every_s: float
) -> Iterator[Moment]:
    """Moments at which there is something to do in the folders that the settings name, until `stop` is set."""
    from vademecum.adapters.watching import changes

    folders = [Path(space.root) for space in spaces_of(settings)]
    folders += [Path(place) for place in (settings.vault, *settings.transcripts) if place]
    elapsed = SystemClock().elapsed_s
    yield from changes(folders, stop, elapsed, debounce_s=debounce_s, idle_s=idle_s, look_every_s=look_every_s)


def _lookup(index: Index) -> Lookup:
    """Where a memory may stand that somebody names. What the index says is checked against the file by the vault."""

    def places(reference: str) -> list[tuple[str, str]]:
        try:
            items = index.items(index.named(reference))
        except IndexDamaged:
            return []
        return [(item.space, item.path) for item in items.values() if item.source == "memory"]

    return places


def ask_helper(settings: Settings, what: str) -> dict[str, Any] | None:
    """What the helper answers to "status" or "stop"; None when there is none."""
    from vademecum.adapters.helper_line import ask

    return ask(socket_path(settings), what)


def system_clock() -> Clock:
    """The machine's clock."""
    return SystemClock()


class Target(NamedTuple):
    """What can be installed: how a person calls it, for whom, and what remains to be done by hand afterwards."""

    title: str
    reaches: tuple[Reach, ...]
    next_step: str = ""


def install_targets() -> dict[str, Target]:
    """By name; hosts first."""
    from vademecum.adapters.hosts import HOSTS
    from vademecum.adapters.hosts.pieces import PIECES

    hosts = {name: Target(host.title, ("user", "project"), host.next_step) for name, host in HOSTS.items()}
    return hosts | {name: Target(what, ("project",)) for name, (what, _) in PIECES.items()}


def installer(settings: Settings, *, mcp: bool = True) -> Installer:
    """What registers us with the hosts of this machine."""
    from vademecum.adapters.hosts import wants
    from vademecum.adapters.hosts.installing import Installer

    client = Path(settings.data_dir) / "hook" / "client.py"
    folders = host_folders()
    programs = Programs(sys.executable, str(client), folders.windows)
    return Installer(Path(settings.data_dir), wants(folders, programs, mcp=mcp))


def project_root(folder: Path) -> Path:
    """The root of the project that a folder lies in, or the folder itself."""
    found = project_at(folder)
    return found.root if found else folder


def clock_at(moment: datetime) -> Clock:
    """A clock that starts at `moment` (aware) instead of now."""
    return ShiftedClock(moment)


def pauses_of(settings: Settings) -> FilePauses:
    """The pauses of this device."""
    return FilePauses(Path(settings.data_dir) / "pauses.jsonl", stop_files(settings))


def spaces_of(settings: Settings, folder: Path | None = None) -> tuple[Space, ...]:
    """The personal space first, then that of the project `folder` lies in, then those of other projects.

    Raises:
        InvalidInput: no home is set. VaultMissing: the folder that should hold it is not there.
    """
    if not settings.home:
        raise InvalidInput(
            "There is no memory yet.", "Create one with: vade init FOLDER (inside your Obsidian vault, or anywhere)"
        )
    home = Path(settings.home)
    if not home.parent.is_dir():
        raise VaultMissing(str(home))
    home.mkdir(exist_ok=True)
    personal = Space("personal", str(home), settings.vault)
    return (personal, *_project_spaces(settings, folder))


def _project_spaces(settings: Settings, folder: Path | None) -> list[Space]:
    """Spaces of the project that `folder` lies in and of those the settings name, each once."""
    found = [project_at(Path(place)) for place in (folder, *settings.projects) if place]
    spaces = {one.slug: one for one in found if one is not None and one.memories is not None}
    return [Space(slug, str(one.memories), project=slug) for slug, one in spaces.items()]


def _project_of(folder: str) -> str:
    """Slug of the project that a folder lies in; "" for none."""
    found = project_at(Path(folder)) if folder else None
    return found.slug if found else ""


def _embedders(settings: Settings) -> tuple[Embedder | None, Embedder | None, tuple[str, ...]]:
    """(the embedder, the quick one, why one is missing)."""
    nobody = "meaning: no embedder is chosen (setting `embedder`)"
    if settings.embedder == settings.quick_embedder == "none":
        return None, None, (nobody,)
    from vademecum.adapters.embedders import Options, create_late

    cache = Path(settings.cache_dir)
    options = Options(notes=cache / "weights.json", url=settings.embedder_url, api_key=settings.embedder_key)

    missing: list[str] = []

    def made(name: str) -> Embedder | None:
        try:
            return create_late(name, options)
        except EmbedderUnavailable as error:
            missing.append(f"meaning: {error.message} {error.hint}".strip())
            return None

    embedder = made(settings.embedder)
    if embedder is not None:
        from vademecum.adapters.embedders.cached import Cached

        embedder = Cached(embedder, cache / VECTORS_NAME)
    quick = made(settings.quick_embedder) if embedder is None or embedder.model_id != settings.quick_embedder else None
    if embedder is None and not missing:
        missing.append(nobody)
    return embedder, quick, tuple(missing)
