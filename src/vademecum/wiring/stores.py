"""Builds the stores of this device: databases, queues, logs."""

from __future__ import annotations

import contextlib
import zlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.adapters.clock import new_mark, new_token
from vademecum.adapters.device.event_queue import Spool
from vademecum.adapters.device.log import HookLog
from vademecum.adapters.device.pauses import FilePauses
from vademecum.adapters.device.ready_briefings import ReadyBriefings
from vademecum.adapters.stores.file_bytes import chunks_of
from vademecum.domain.backup import BEFORE_NAME, DEVICE_NAME
from vademecum.settings import stop_files
from vademecum.wiring.late import late

if TYPE_CHECKING:
    from collections.abc import Callable

    from vademecum.context.context import Storage
    from vademecum.ports.archive import Archive
    from vademecum.ports.call_log import CallLog
    from vademecum.ports.clock import Clock
    from vademecum.ports.index import Index
    from vademecum.settings import Settings


TOKEN_NAME = "token"
VECTORS_NAME = "vectors.db"
#: Most characters of the host name in a device id.
DEVICE_NAME_CHARS = 40


def ready_briefings(settings: Settings) -> ReadyBriefings:
    """Return the prepared briefings, which are valid only for these settings."""
    policy = f"{zlib.crc32(repr(settings).encode('utf-8', 'replace')):08x}"
    return ReadyBriefings(Path(settings.data_dir) / "ready", policy)


def storage_of(settings: Settings, folder: Path, clock: Clock) -> Storage:
    """Return the stores below `folder`, each opened with its first use."""
    from vademecum.adapters.stores.device_file import NAME as DEVICE_NAME
    from vademecum.context.context import Storage

    device, vectors = folder / DEVICE_NAME, Path(settings.cache_dir) / VECTORS_NAME
    return Storage(
        open_conversations=late(
            "adapters.stores.conversation_files",
            "ConversationFiles",
            folder / "conversations",
            folder / "pending-conversations",
        ),
        open_markers=late("adapters.stores.markers", "SqliteMarkers", device),
        open_extractions=late("adapters.stores.extractions", "SqliteExtractions", device),
        open_ledger=late("adapters.stores.extractions", "SqliteLedger", device),
        open_calls=partial(_calls, folder, ready_briefings(settings).take_away),
        pauses=pauses_of(settings),
        bytes_of=chunks_of,
        open_archive=partial(_archive, settings),
        queue=Spool(folder / "queue"),
        checkpoints=str(folder / "checkpoints"),
        data_dir=str(folder),
        cache_dir=settings.cache_dir,
        drop_rules=ready_briefings(settings).drop_rules,
        drop_vectors=late("adapters.embedders.cached", "drop_texts", vectors),
        drop_cache=late("adapters.embedders.cached", "drop_file", vectors),
        guard_log=HookLog(folder / "log", "guard"),
        compactions=HookLog(folder / "log", "compact"),
        hook_log=HookLog(folder / "log"),
    )


def _calls(folder: Path, changed: Callable[[], None]) -> CallLog:
    from vademecum.adapters.stores.call_log import NAME, SqliteCallLog

    return SqliteCallLog(folder / NAME, changed)


def _archive(settings: Settings) -> Archive | None:
    if not settings.archive:
        return None
    from vademecum.adapters.stores.archive import SqliteArchive

    return SqliteArchive(Path(settings.data_dir) / "archive.db", cap_bytes=settings.archive_mb * 1_000_000)


def substitute_index() -> Index:
    """Return an empty index in memory."""

    from vademecum.adapters.stores.sqlite.snapshot import IN_MEMORY
    from vademecum.adapters.stores.sqlite.store import SqliteIndex

    return SqliteIndex(IN_MEMORY)


def access_token(settings: Settings) -> str:
    """Return the token for HTTP, created at first use in a file that only the person may read."""
    from vademecum.adapters.device.private_files import kept_secret

    return kept_secret(Path(settings.data_dir) / TOKEN_NAME, new_token)


def pauses_of(settings: Settings) -> FilePauses:
    """Return the pauses of this device."""
    ready = ready_briefings(settings)

    def changed() -> None:
        ready.take_away()
        ready.drop_rules()  # a paused session is shown nothing from now on

    return FilePauses(Path(settings.data_dir) / "pauses.jsonl", stop_files(settings), changed)


def new_device_id(settings: Settings) -> str:
    """Create and store a new device id."""
    (Path(settings.data_dir) / DEVICE_NAME).unlink(missing_ok=True)
    return device_id(settings)


def device_id(settings: Settings) -> str:
    """Return the device id, used in journals: the host name at first use with a random suffix, because host names are not unique."""
    from vademecum.adapters.device.private_files import kept_word
    from vademecum.vault.places import slugify

    path, name = Path(settings.data_dir) / DEVICE_NAME, slugify(settings.device)[:DEVICE_NAME_CHARS].strip("-")
    kept = kept_word(path, lambda: f"{name}-{new_mark()}")
    if slugify(kept) != kept:  # damaged; journals under the old id stay and are still read
        path.unlink()
        return device_id(settings)
    return kept


def former_device(settings: Settings) -> str:
    """Return the former device id: that of the backup that was restored here, else the bare host name."""
    from vademecum.vault.places import slugify

    with contextlib.suppress(OSError, UnicodeError):
        return slugify((Path(settings.data_dir) / BEFORE_NAME).read_text(encoding="utf-8", errors="replace").strip())
    return slugify(settings.device)
