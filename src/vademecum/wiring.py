"""Settings -> memory: the only module that knows which adapters exist. Heavy ones are imported when they are chosen."""

from datetime import datetime
from pathlib import Path

from vademecum.adapters.clock import ShiftedClock, SystemClock
from vademecum.adapters.stores.state import SqliteState
from vademecum.memory import Vademecum
from vademecum.model.errors import EmbedderUnavailable, IndexDamaged, InvalidInput, VaultMissing
from vademecum.model.memory import Space
from vademecum.model.ports import Clock, Embedder, Index
from vademecum.settings import Settings
from vademecum.upkeep.parts import Parts, Progress, no_progress
from vademecum.vault.find import Lookup
from vademecum.vault.places import slugify
from vademecum.vault.store import Vault

#: Folders that hold a project's memories, looked for from the working folder upwards.
PROJECT_FOLDERS = (".vademecum",)
HOME_NAME = "Vademecum"


def open_memory(settings: Settings, *, progress: Progress = no_progress, clock: Clock | None = None) -> Vademecum:
    """The memory that the settings describe; the folder of the personal space is made when its parent exists.

    Raises:
        InvalidInput: no home is set. VaultMissing: the folder around it is not there.
    """
    spaces = spaces_of(settings)
    state_dir = Path(settings.data_dir)
    clock = clock or SystemClock()
    embedder, quick, missing = _embedders(settings)
    from vademecum.adapters.stores.sqlite import SqliteIndex
    from vademecum.adapters.transcripts import FORMATS

    index = SqliteIndex(state_dir / "index.db")
    parts = Parts(
        vault=Vault(
            spaces,
            device=slugify(settings.device) or "device",
            lock_dir=state_dir / "locks",
            clock=clock,
            lookup=_lookup(index),
        ),
        index=index,
        state=SqliteState(state_dir / "state.db"),
        clock=clock,
        embedder=embedder,
        quick=quick,
        formats=FORMATS,
        missing=missing,
        transcripts=settings.transcripts,
        min_turns=settings.min_turns,
        enabled=settings.enabled,
        progress=progress,
    )
    project = spaces[1].project if len(spaces) > 1 else ""
    return Vademecum(
        parts,
        default_profile=settings.profile,
        briefing_tokens=settings.briefing_tokens,
        project=project,
        substitute=_substitute,
    )


def _substitute() -> Index:
    from vademecum.adapters.stores.memory import MemoryIndex

    return MemoryIndex()


def _lookup(index: Index) -> Lookup:
    """Where a memory may stand that somebody names. What the index says is checked against the file by the vault."""

    def places(reference: str) -> list[tuple[str, str]]:
        try:
            items = index.items(index.named(reference))
        except IndexDamaged:
            return []
        return [(item.space, item.path) for item in items.values() if item.source == "memory"]

    return places


def clock_at(moment: datetime) -> Clock:
    """A clock that starts at `moment` (aware) instead of now."""
    return ShiftedClock(moment)


def spaces_of(settings: Settings) -> tuple[Space, ...]:
    """The personal space first, then those of projects.

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
    folders = [Path(path) for path in settings.projects]
    return (personal, *(Space(_slug(folder), str(folder), project=_slug(folder)) for folder in folders if folder.is_dir()))


def _slug(folder: Path) -> str:
    return folder.parent.name.lower() if folder.name in PROJECT_FOLDERS else folder.name.lower()


def _embedders(settings: Settings) -> tuple[Embedder | None, Embedder | None, tuple[str, ...]]:
    """(the embedder, the quick one, why one is missing)."""
    from vademecum.adapters.embedders import Options, create
    from vademecum.adapters.embedders.cached import Cached

    options = Options(url=settings.embedder_url, api_key=settings.embedder_key)

    missing: list[str] = []

    def made(name: str) -> Embedder | None:
        try:
            return create(name, options)
        except EmbedderUnavailable as error:
            missing.append(f"meaning: {error.message} {error.hint}".strip())
            return None

    embedder = made(settings.embedder)
    if embedder is not None:
        embedder = Cached(embedder, Path(settings.cache_dir) / "vectors.db")
    quick = made(settings.quick_embedder) if embedder is None or embedder.model_id != settings.quick_embedder else None
    if embedder is None and not missing:
        missing.append("meaning: no embedder is chosen (setting `embedder`)")
    return embedder, quick, tuple(missing)
