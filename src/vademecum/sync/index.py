"""Update the index from the files: scan, plan, read changed files, write their items, and embed them.

The person's manual changes in the memory folder are journaled before they are indexed. A file that cannot be read is reported,
and the others are processed.
"""

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.errors import Locked, Problem, Refused, VaultEmptied, VaultMissing, WriteFailed
from vademecum.domain.item import Fingerprint
from vademecum.domain.memory import Document, Memory
from vademecum.index.items import LOGS, SESSIONS, etag_in
from vademecum.sync.behind import caught_up, is_behind
from vademecum.sync.edits import file_of, is_edited, memories_among
from vademecum.sync.embed_backlog import remember_labels, try_refine
from vademecum.vault.journal import Record
from vademecum.vault.merge import BY_SYNC
from vademecum.vault.places import JOURNAL
from vademecum.vault.reconcile import FEWEST_TO_DOUBT
from vademecum.vault.scan import Listing, SourceFile, scan_documents, together
from vademecum.vault.seen import Known

#: (space, sort, path) of a file. `sort` is "memory" or "document".
Place = tuple[str, str, str]

#: Number of files read and written between two commits.
BATCH = 500
#: Seconds that a quick sync spends on embeddings; the rest is left to `refine`.
REFINED_AT_ONCE_S = 0.25

#: The file belongs to the person and is not changed.
_REDACTED = (
    "It holds what looks like a secret, personal data that you chose to redact, or hidden characters; they are not indexed."
)

_BY_HAND = {
    "adopt": "new note", "edit": "edited", "move": "moved", "delete": "deleted", "repair": "given an id", "merge": "merged",
}  # fmt: skip


class SyncReport(Struct, frozen=True):
    """Result of a sync.

    Attributes:
        added, changed, dropped, same: numbers of files.
        by_hand: the person's edits, moves and deletions, as sentences.
        merged: paths of files written, or moved away, because several devices changed them.
        vectors: passages embedded now; waiting: passages still without a vector of the chosen model.
        ms: milliseconds.
    """

    added: int = 0
    changed: int = 0
    dropped: int = 0
    same: int = 0
    by_hand: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    vectors: int = 0
    waiting: int = 0
    ms: float = 0.0


class Plan(Struct, frozen=True):
    """The changes to apply.

    Attributes:
        read: places that are new or changed, in order.
        gone: item keys whose file is missing, or will be read again. Reading may restore a key at the same or another place (a moved
            memory keeps its key), so delete only keys that reading does not restore.
        added, changed, same: number of files.
    """

    read: tuple[Place, ...]
    gone: tuple[str, ...]
    added: int
    changed: int
    same: int


class Drift(Struct, frozen=True):
    """Difference between index and files: numbers of files that are new, changed, or gone."""

    added: int = 0
    changed: int = 0
    gone: int = 0


@dataclass(slots=True)
class _Tally:
    """Counts and messages of a running sync."""

    added: int = 0
    changed: int = 0
    dropped: int = 0
    same: int = 0
    by_hand: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)


def follow(context: Context, *, confirm_loss: bool = False, quick: bool = False) -> SyncReport:
    """Bring the index up to date with every space.

    Args:
        confirm_loss: accept that most notes are gone.
        quick: leave most embeddings for later.

    Raises:
        Refused: memory is switched off; a sync may write a note's id.
        VaultEmptied: most notes vanished at once and `confirm_loss` is not set. The index is unchanged.
        VaultMissing: a space's folder does not exist.
    """
    context.must_be_enabled("nothing was indexed")
    start = context.clock.elapsed_s()
    tally = _Tally()
    with caught_up(context):
        _follow_files(context, confirm_loss, tally)
    if not context.state.cursors.all() and not context.index.is_complete():
        with contextlib.suppress(Locked, WriteFailed):
            context.index.note_complete()  # there are no conversations to read again
    seconds = REFINED_AT_ONCE_S if quick else None
    vectors, missing = try_refine(context.index, context.models.embedder, context.clock, context.progress, seconds=seconds)
    if not quick:
        remember_labels(context.models.embedder, tally.labels)
    drop_former_vectors(context)
    tally.problems += [Problem("vectors", missing)] if missing else []
    return SyncReport(
        added=tally.added,
        changed=tally.changed,
        dropped=tally.dropped,
        same=tally.same,
        by_hand=tuple(tally.by_hand),
        merged=tuple(tally.merged),
        problems=tuple(dict.fromkeys(tally.problems)),
        vectors=vectors,
        waiting=context.indexer.waiting(),
        ms=(context.clock.elapsed_s() - start) * 1000,
    )


def catch_up(context: Context) -> None:
    """Sync if the index lacks something that was written, unless it is locked or cannot be written now."""
    if is_behind(context) and context.enabled:
        with contextlib.suppress(Locked, WriteFailed, VaultEmptied, VaultMissing):
            if not context.index.is_held():
                follow(context, quick=True)


def follow_edits(context: Context, keys: Sequence[str]) -> bool:
    """Sync every space if the file of one of these memories differs from the index. Returns whether that was done.

    It is not done while memory is off, or if the spaces cannot be synced now: the next sync reports that.
    """
    if context.enabled and is_edited(context, keys):
        with contextlib.suppress(Locked, Refused, VaultEmptied, VaultMissing, WriteFailed):
            follow(context, quick=True)
            return True
    return False


def places_to_watch(context: Context, keys: Sequence[str]) -> tuple[str, ...]:
    """Return the files of these memories, and the folders in which a person creates others; a folder ends with a slash."""
    files = [file_of(context, item) for item in memories_among(context, keys)]
    groups = [group for space in context.vault.spaces for group in _folders_in(Path(space.root))]
    below = [folder for group in groups if not group.name.startswith("_") for folder in _folders_in(group)]
    folders = dict.fromkeys((*groups, *below, *(file.parent for file in files)))
    return (*map(str, files), *(f"{folder}/" for folder in folders))


def _folders_in(folder: Path) -> list[Path]:
    """Return the direct subfolders, except hidden ones and the journal, which change without the person."""
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", JOURNAL)))


def drift(context: Context) -> Drift:
    """Compare the index with the files, without changes. Only memory files that differ from the known state are read.

    Raises:
        VaultMissing: a space's folder does not exist. VaultEmptied: most notes vanished at once.
    """
    known = {key: mark for key, mark in context.index.fingerprints().items() if mark.space not in (SESSIONS, LOGS)}
    seen = context.vault.compare(_known_memories(known))
    documents = _documents(context)
    hidden = _hidden(context, known, seen.unread, documents)
    steps = plan({(file.space, file.sort, file.path): file.stat for file in (*seen.files, *documents.files)}, known, hidden)
    places = {place_of(key, known[key]) for key in steps.gone}
    _must_not_be_emptied(context, known, [key for key in steps.gone if place_of(key, known[key]) not in steps.read], False)
    return Drift(steps.added, steps.changed, len(places - set(steps.read)))


def drop_former_vectors(context: Context) -> None:
    """Delete vectors of other models once every passage has one of the chosen model (X-45)."""
    if context.models.embedder is None or context.indexer.waiting():
        return
    for model in context.index.stats().vectors:
        if model != context.models.embedder.model_id:
            context.index.drop_vectors(model)


def _follow_files(context: Context, confirm_loss: bool, tally: _Tally) -> None:
    known = {key: mark for key, mark in context.index.fingerprints().items() if mark.space not in (SESSIONS, LOGS)}
    noticed = context.vault.reconcile(_known_memories(known), confirm_loss=confirm_loss)
    documents = _documents(context)
    tally.by_hand += [_line_of(record) for record in noticed.records if record.interface != BY_SYNC.interface]
    tally.merged += [_place_of(record) for record in noticed.records if record.interface == BY_SYNC.interface]
    tally.problems += [*noticed.problems, *documents.problems, *context.vault.other_versions()]
    if damage := context.vault.journal_damage():
        tally.problems += damage
        if context.enabled:
            context.vault.record_anew()
    files: dict[Place, SourceFile] = {(file.space, file.sort, file.path): file for file in (*noticed.files, *documents.files)}
    steps = plan({place: file.stat for place, file in files.items()}, known, _hidden(context, known, noticed.unread, documents))
    vanished = [key for key in steps.gone if place_of(key, known[key]) not in files]
    _must_not_be_emptied(context, known, vanished, confirm_loss)
    # before any file is read: changes during the sync are left for the next one
    recorded_since_noted = context.vault.recorded_since_noted()
    arrived = _put(context, [files.pop(place) for place in steps.read], steps.gone, tally)
    _follow_journals(context, known, files, recorded_since_noted, tally)
    tally.added, tally.changed, tally.dropped, tally.same = (
        steps.added,
        steps.changed,
        len([key for key in vanished if key not in arrived]),
        steps.same,
    )


def _follow_journals(
    context: Context,
    known: dict[str, Fingerprint],
    unchanged: dict[Place, SourceFile],
    since: tuple[set[str], Callable[[], None]],
    tally: _Tally,
) -> None:
    """Index journal changes of memories whose files are unchanged, such as a confirmation on another device.

    Args:
        since: ids of memories with new journal records, and a function that marks these as processed.
    """
    names, note = since
    keys = sorted({f"memory://{identity}" for identity in names} & known.keys())
    digests = {unchanged[place]: known[key].digest for key in keys if (place := place_of(key, known[key])) in unchanged}
    read = _read(context, digests, tally)
    fresh = [(memory, file.stat) for file, memory in read if context.indexer.item_of(memory).digest != digests[file]]
    if fresh:
        context.indexer.put_notes(fresh)
    note()


def plan(seen: Mapping[Place, str], known: Mapping[str, Fingerprint], hidden: Collection[str] = ()) -> Plan:
    """Compare files with the index.

    Args:
        seen: place -> stat of every existing file.
        known: item key -> fingerprint, memories and documents only.
        hidden: keys whose folder could not be read: they do not count as gone.
    """
    places = {key: place_of(key, mark) for key, mark in known.items()}
    stats = {place: mark.stat for place, mark in zip(places.values(), known.values(), strict=True)}
    read = {place for place, stat in seen.items() if stats.get(place) != stat}
    touched = read | (stats.keys() - seen.keys())
    gone = [key for key, place in places.items() if place in touched and key not in hidden] if touched else []
    added = len(read - stats.keys())
    return Plan(tuple(sorted(read)), tuple(sorted(gone)), added, len(read) - added, len(seen) - len(read))


def place_of(key: str, mark: Fingerprint) -> Place:
    """Return the place of an item's file."""
    return (mark.space, key.split("://", 1)[0], mark.path)


def _hidden(context: Context, known: dict[str, Fingerprint], unread: Sequence[tuple[str, str]], documents: Listing) -> set[str]:
    """Return keys of items whose files could not be read."""
    places = [*unread, *((space.name, folder) for space in context.vault.spaces for folder in documents.unread)]
    return {key for space, folder in places for key, mark in known.items() if _within(mark, space, folder)}


def _documents(context: Context) -> Listing:
    """Return notes of the vaults around the spaces."""
    spaces = context.vault.spaces
    return together([scan_documents(space, spaces) for space in spaces if space.documents_root])


def _known_memories(known: dict[str, Fingerprint]) -> dict[str, Known] | None:
    """Return the indexed state of memories, by id; None if there is none, so that the journals are used."""
    memories = {
        key.removeprefix("memory://"): Known(mark.space, mark.path, mark.stat, etag_in(mark.digest))
        for key, mark in known.items()
        if key.startswith("memory://")
    }
    return memories or None


def _within(mark: Fingerprint, space: str, folder: str) -> bool:
    return mark.space == space and (not folder or mark.path.startswith(folder))


def _must_not_be_emptied(context: Context, known: dict[str, Fingerprint], gone: Sequence[str], confirmed: bool) -> None:
    """Refuse to drop most of the person's own notes at once (X-41). The vault checks the memories."""
    documents = sum(key.startswith("document://") for key in known)
    lost = sum(key.startswith("document://") for key in gone)
    if not confirmed and documents >= FEWEST_TO_DOUBT and lost * 2 > documents:
        raise VaultEmptied(context.vault.spaces[0].documents_root or context.vault.spaces[0].root, documents, documents - lost)


def _put(context: Context, files: Sequence[SourceFile], gone: Sequence[str], tally: _Tally) -> set[str]:
    """Read files and index them, and drop items that are gone. Returns the keys of indexed items.

    Drops are in the same call as the last batch: a renamed note keeps its vectors if its old and new key are in one call. A key
    in both is kept.
    """
    arrived: set[str] = set()
    for first in range(0, max(len(files), 1), BATCH):
        read = _read(context, files[first : first + BATCH], tally)
        dropped = [key for key in gone if key not in arrived] if first + BATCH >= len(files) else ()
        done = context.indexer.put_notes([(note, file.stat) for file, note in read], dropped)
        arrived.update(put.key for put in done)
        for (file, _), indexed in zip(read, done, strict=True):
            tally.labels.update(indexed.topics)
            if indexed.redacted:
                tally.problems.append(Problem(file.path, _REDACTED))
        context.progress("Reading notes", min(first + BATCH, len(files)), len(files))
    return arrived


def _read(context: Context, files: Collection[SourceFile], tally: _Tally) -> list[tuple[SourceFile, Memory | Document]]:
    """Return the content of files. Unreadable and forgotten ones are left out and reported."""
    read = list(zip(files, context.vault.open_all(files), strict=True))
    tally.problems += [note for _, note in read if isinstance(note, Problem)]
    return [(file, note) for file, note in read if not isinstance(note, Problem)]


def _line_of(record: Record) -> str:
    before = record.changes[0].before
    moved = f"{before.path} -> " if record.op == "move" and before else ""
    return f"{_BY_HAND.get(record.op, record.op)}: {moved}{_place_of(record)}"


def _place_of(record: Record) -> str:
    """Return the current or last path of a record's file."""
    change = record.changes[0]
    after = change.after or change.before
    return after.path if after else change.memory
