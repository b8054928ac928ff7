"""Update the index from the files: scan, plan, read changed files, write their items, and embed them.

The person's manual changes in the memory folder are journaled before they are indexed. A file that cannot be read is reported,
and the others are processed.
"""

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.errors import Locked, Problem, Refused, VaultEmptied, VaultMissing, WriteFailed
from vademecum.domain.item import Fingerprint
from vademecum.domain.memory import Document, Memory
from vademecum.index.items import etag_in
from vademecum.ports.index import Index
from vademecum.sync.behind import caught_up, is_behind
from vademecum.sync.edits import file_of, is_edited, memories_among
from vademecum.sync.embed_backlog import remember_labels, try_refine
from vademecum.vault.journal import Record
from vademecum.vault.known import KnownFiles, other_than
from vademecum.vault.merge import BY_SYNC
from vademecum.vault.places import JOURNAL
from vademecum.vault.reconcile import FEWEST_TO_DOUBT
from vademecum.vault.scan import Listing, SourceFile, Stats, stats_of_documents, together

Sort = Literal["memory", "document"]
#: Space, sort and path of a file.
Place = tuple[str, Sort, str]

#: Beginnings of the keys of items.
_MEMORY, _DOCUMENT = "memory://", "document://"
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


class Indexed(Struct, frozen=True):
    """What the index has of files.

    Attributes:
        marks: sort -> item key -> fingerprint. files: sort -> the files of these items, by the memory's id or the document's key.
    """

    marks: Mapping[Sort, Mapping[str, Fingerprint]]
    files: Mapping[Sort, KnownFiles]

    @property
    def memories(self) -> KnownFiles | None:
        """The files of memories; None if there is none, so that the journals are used."""
        return self.files["memory"] if self.marks["memory"] else None

    def place(self, key: str) -> Place:
        """Return the place of an item's file."""
        sort: Sort = "memory" if key in self.marks["memory"] else "document"
        mark = self.marks[sort][key]
        return (mark.space, sort, mark.path)

    def within(self, space: str, folder: str) -> set[str]:
        """Return the keys of items in a folder of a space, or of the file there; of the whole space if it is ""."""
        marks = ((key, mark) for some in self.marks.values() for key, mark in some.items())
        return {key for key, mark in marks if mark.space == space and (not folder or mark.path.startswith(folder))}


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
    known = indexed(context.index)
    seen = context.vault.compare(known.memories)
    stats, documents = _documents(context)
    steps = plan({"memory": seen.files, "document": stats}, known, _hidden(context, known, seen.unread, documents))
    places = {known.place(key) for key in steps.gone}
    _must_not_be_emptied(context, known, [key for key in steps.gone if known.place(key) not in steps.read], False)
    return Drift(steps.added, steps.changed, len(places - set(steps.read)))


def drop_former_vectors(context: Context) -> None:
    """Delete vectors of other models once every passage has one of the chosen model (X-45)."""
    if context.models.embedder is None or context.indexer.waiting():
        return
    for model in context.index.stats().vectors:
        if model != context.models.embedder.model_id:
            context.index.drop_vectors(model)


def _follow_files(context: Context, confirm_loss: bool, tally: _Tally) -> None:
    known = indexed(context.index)
    noticed = context.vault.reconcile(known.memories, confirm_loss=confirm_loss)
    stats, documents = _documents(context)
    tally.by_hand += [_line_of(record) for record in noticed.records if record.interface != BY_SYNC.interface]
    tally.merged += [_place_of(record) for record in noticed.records if record.interface == BY_SYNC.interface]
    tally.problems += [*noticed.problems, *documents.problems, *context.vault.other_versions()]
    if damage := context.vault.journal_damage():
        tally.problems += damage
        if context.enabled:
            context.vault.record_anew()
    files: dict[Sort, Stats] = {"memory": noticed.files, "document": stats}
    steps = plan(files, known, _hidden(context, known, noticed.unread, documents))
    vanished = [key for key in steps.gone if not _stat_at(files, known.place(key))]
    _must_not_be_emptied(context, known, vanished, confirm_loss)
    # before any file is read: changes during the sync are left for the next one
    recorded_since_noted = context.vault.recorded_since_noted()
    read = [SourceFile(space, path, sort, files[sort][space, path]) for space, sort, path in steps.read]
    arrived = _put(context, read, steps.gone, tally)
    for file in read:
        del files[file.sort][file.space, file.path]
    _follow_journals(context, known.marks["memory"], noticed.files, recorded_since_noted, tally)
    tally.added, tally.changed, tally.dropped, tally.same = (
        steps.added,
        steps.changed,
        len([key for key in vanished if key not in arrived]),
        steps.same,
    )


def _follow_journals(
    context: Context,
    known: Mapping[str, Fingerprint],
    unchanged: Stats,
    since: tuple[set[str], Callable[[], None]],
    tally: _Tally,
) -> None:
    """Index journal changes of memories whose files are unchanged, such as a confirmation on another device.

    Args:
        since: ids of memories with new journal records, and a function that marks these as processed.
    """
    names, note = since
    keys = sorted({_MEMORY + identity for identity in names} & known.keys())
    marks = [known[key] for key in keys]
    digests = {
        SourceFile(mark.space, mark.path, "memory", stat): mark.digest
        for mark in marks
        if (stat := unchanged.get((mark.space, mark.path)))
    }
    read = _read(context, digests, tally)
    fresh = [(memory, file.stat) for file, memory in read if context.indexer.item_of(memory).digest != digests[file]]
    if fresh:
        context.indexer.put_notes(fresh)
    note()


def indexed(index: Index) -> Indexed:
    """Return what the index has of files."""
    return indexed_as(index.fingerprints(begins=_MEMORY), index.fingerprints(begins=_DOCUMENT))


def indexed_as(memories: Mapping[str, Fingerprint], documents: Mapping[str, Fingerprint]) -> Indexed:
    """Return what an index has that has these fingerprints of memories and documents, by key."""
    ids = [key.removeprefix(_MEMORY) for key in memories]
    files: dict[Sort, KnownFiles] = {
        "memory": _files(ids, memories, lambda identity: etag_in(memories[_MEMORY + identity].digest)),
        "document": _files(list(documents), documents, lambda key: ""),
    }
    return Indexed({"memory": memories, "document": documents}, files)


def _files(ids: Sequence[str], marks: Mapping[str, Fingerprint], etag_of: Callable[[str], str]) -> KnownFiles:
    places = [(mark.space, mark.path) for mark in marks.values()]
    return KnownFiles(ids, places, [mark.stat for mark in marks.values()], etag_of)


def plan(seen: Mapping[Sort, Stats], known: Indexed, hidden: Collection[str] = ()) -> Plan:
    """Compare files with the index.

    Args:
        seen: sort -> stats of all existing files.
        hidden: keys whose folder could not be read: they do not count as gone.
    """
    read, gone, added, count = list[Place](), list[str](), 0, 0
    for sort, stats in seen.items():
        was = known.files[sort].stats
        other = other_than(stats, was)
        read += [(space, sort, path) for space, path in other]
        touched = known.files[sort].at({*other, *(was.keys() - stats.keys())})
        gone += [_MEMORY + name if sort == "memory" else name for name in touched]
        added += sum(place not in was for place in other)
        count += len(stats)
    gone = [key for key in gone if key not in hidden]
    return Plan(tuple(sorted(read)), tuple(sorted(gone)), added, len(read) - added, count - len(read))


def _stat_at(files: Mapping[Sort, Stats], place: Place) -> str:
    """Return the stat of a file; "" if it is not there."""
    space, sort, path = place
    return files[sort].get((space, path), "")


def _hidden(context: Context, known: Indexed, unread: Sequence[tuple[str, str]], documents: Listing) -> set[str]:
    """Return keys of items whose files could not be read."""
    places = [*unread, *((space.name, folder) for space in context.vault.spaces for folder in documents.unread)]
    return {key for space, folder in places for key in known.within(space, folder)}


def _documents(context: Context) -> tuple[Stats, Listing]:
    """Return stats of the notes in the vaults around the spaces, and what else was seen there."""
    spaces = context.vault.spaces
    found = [stats_of_documents(space, spaces) for space in spaces if space.documents_root]
    return {place: stat for stats, _ in found for place, stat in stats.items()}, together([listing for _, listing in found])


def _must_not_be_emptied(context: Context, known: Indexed, gone: Sequence[str], confirmed: bool) -> None:
    """Refuse to drop most of the person's own notes at once (X-41). The vault checks the memories."""
    documents = len(known.marks["document"])
    lost = sum(key.startswith(_DOCUMENT) for key in gone)
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
