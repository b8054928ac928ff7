"""Make the index follow the files: scan, plan, read what changed, put it in, and give it quick vectors.

What the person did by hand in the memory folder is journaled as theirs before it is indexed. A file that cannot be read is
reported and the rest goes on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from vademecum.guard.gate import cleanse
from vademecum.index.items import LOGS, SESSIONS, document_item, memory_item
from vademecum.index.sync import Place, place_of, plan
from vademecum.model.errors import Problem, Refused, VaultEmptied
from vademecum.model.item import Fingerprint, Item
from vademecum.model.memory import Memory
from vademecum.model.reports import Drift, SyncReport
from vademecum.upkeep.forgotten import forgotten
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.refine import remember_labels, try_refine
from vademecum.vault.journal import Record
from vademecum.vault.reconcile import FEWEST_TO_DOUBT, Known
from vademecum.vault.scan import Listing, SourceFile, scan_documents, stat_text

#: Files read and put in between two commits.
BATCH = 500
#: Seconds that a write or a quick sync spends on finer vectors; the rest waits for `refine`.
REFINED_AT_ONCE_S = 0.25
#: With more passages waiting than this, a write leaves them all for later: a thousand transcripts bring thousands of memories, and
#: none of them may wait for what the others brought. The quick vectors are there.
REFINED_AT_ONCE = 64

_BY_HAND = {"adopt": "new note", "edit": "edited", "move": "moved", "delete": "deleted", "repair": "given an id"}


@dataclass(slots=True)
class _Tally:
    """What a sync met."""

    added: int = 0
    changed: int = 0
    dropped: int = 0
    same: int = 0
    by_hand: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)


def follow(parts: Parts, *, confirm_loss: bool = False, quick: bool = False) -> SyncReport:
    """Bring the index up to date with every space.

    Args:
        confirm_loss: believe that most notes are really gone.
        quick: leave the finer vectors for later.

    Raises:
        Refused: memory is switched off; following may give a note its id, which is writing.
        VaultEmptied: most notes vanished at once and `confirm_loss` is not set. The index is left as it was.
        VaultMissing: a space's folder is not there.
    """
    if not parts.enabled:
        raise Refused("Memory is switched off; nothing was followed.", "Switch it on with: vade resume, or enabled = true")
    start = parts.clock.elapsed_s()
    tally = _Tally()
    _follow_files(parts, confirm_loss, tally)
    _, missing_quick = try_refine(parts.index, parts.quick, parts.clock, parts.progress)
    seconds = REFINED_AT_ONCE_S if quick else None
    vectors, missing = try_refine(parts.index, parts.embedder, parts.clock, parts.progress, seconds=seconds)
    if not quick:
        remember_labels(parts.embedder, tally.labels)
    drop_former_vectors(parts)
    tally.problems += [Problem("vectors", sentence) for sentence in dict.fromkeys((missing_quick, missing)) if sentence]
    return SyncReport(
        added=tally.added,
        changed=tally.changed,
        dropped=tally.dropped,
        same=tally.same,
        by_hand=tuple(tally.by_hand),
        problems=tuple(dict.fromkeys(tally.problems)),
        vectors=vectors,
        waiting=waiting(parts),
        ms=(parts.clock.elapsed_s() - start) * 1000,
    )


def drift(parts: Parts) -> Drift:
    """How far the index is behind the files. Nothing is read but names and times, nothing is changed.

    Raises:
        VaultMissing: a space's folder is not there.
    """
    known = {key: mark for key, mark in parts.index.fingerprints().items() if mark.space not in (SESSIONS, LOGS)}
    steps = plan({_place(file): file.stat for file in parts.vault.scan().files}, known)
    places = {place_of(key, known[key]) for key in steps.gone}
    return Drift(steps.added, steps.changed, len(places - set(steps.read)))


def waiting(parts: Parts) -> int:
    """Passages that have no vector of the chosen model yet."""
    if parts.embedder is None:
        return 0
    stats = parts.index.stats()
    return max(0, stats.passages - stats.vectors.get(parts.embedder.model_id, 0))


def drop_former_vectors(parts: Parts) -> None:
    """Forget vectors of models that are no longer chosen, once every passage has one of the model that is (X-45)."""
    if parts.embedder is None or waiting(parts):
        return
    chosen = [model.model_id for model in (parts.embedder, parts.quick) if model]
    for model in parts.index.stats().vectors:
        if model not in chosen:
            parts.index.drop_vectors(model)


def index_memories(parts: Parts, memories: Iterable[Memory], gone: Iterable[str] = ()) -> None:
    """Put memories that were just written into the index, with vectors, so that the next question finds them: the finer ones unless
    there is much else that has none."""
    written = tuple(memories)
    parts.index.apply([memory_item(memory, _stat(parts, memory)) for memory in written], gone)
    try_refine(parts.index, parts.quick, parts.clock, parts.progress)
    if waiting(parts) > REFINED_AT_ONCE:
        return
    try_refine(parts.index, parts.embedder, parts.clock, parts.progress, seconds=REFINED_AT_ONCE_S)
    remember_labels(parts.embedder, (topic for memory in written for topic in memory.topics))


def _follow_files(parts: Parts, confirm_loss: bool, tally: _Tally) -> None:
    known = {key: mark for key, mark in parts.index.fingerprints().items() if mark.space not in (SESSIONS, LOGS)}
    noticed = parts.vault.reconcile(_known_memories(known), confirm_loss=confirm_loss)
    documents = _documents(parts)
    tally.by_hand += [_told(record) for record in noticed.records]
    tally.problems += [*noticed.problems, *documents.problems]
    files = {_place(file): file for file in (*noticed.files, *documents.files)}
    unread = [*noticed.unread, *((space.name, folder) for space in parts.vault.spaces for folder in documents.unread)]
    hidden = {key for space, folder in unread for key, mark in known.items() if _within(mark, space, folder)}
    steps = plan({place: file.stat for place, file in files.items()}, known, hidden)
    vanished = [key for key in steps.gone if place_of(key, known[key]) not in files]
    _must_not_be_emptied(parts, known, vanished, confirm_loss)
    arrived = _put(parts, [files[place] for place in steps.read], steps.gone, tally)
    tally.added, tally.changed, tally.dropped, tally.same = (
        steps.added,
        steps.changed,
        len([key for key in vanished if key not in arrived]),
        steps.same,
    )


def _documents(parts: Parts) -> Listing:
    """Notes of the vaults around the spaces."""
    found = [scan_documents(space, parts.vault.spaces) for space in parts.vault.spaces if space.documents_root]
    return Listing(
        tuple(file for listing in found for file in listing.files),
        tuple(folder for listing in found for folder in listing.unread),
        tuple(problem for listing in found for problem in listing.problems),
    )


def _stat(parts: Parts, memory: Memory) -> str:
    """Stat of a memory's file, as a scan would give it; "" when it has just gone."""
    root = next(space.root for space in parts.vault.spaces if space.name == memory.space)
    try:
        return stat_text((Path(root) / memory.path).stat())
    except FileNotFoundError:
        return ""


def _known_memories(known: dict[str, Fingerprint]) -> dict[str, Known] | None:
    """What the index knows of memories, by id; None when it knows none, so that the journals are asked."""
    memories = {
        key.removeprefix("memory://"): Known(mark.space, mark.path, mark.stat)
        for key, mark in known.items()
        if key.startswith("memory://")
    }
    return memories or None


def _place(file: SourceFile) -> Place:
    return (file.space, file.sort, file.path)


def _within(mark: Fingerprint, space: str, folder: str) -> bool:
    return mark.space == space and (not folder or mark.path.startswith(folder))


def _must_not_be_emptied(parts: Parts, known: dict[str, Fingerprint], gone: Sequence[str], confirmed: bool) -> None:
    """X-41 for the person's own notes; the memories are looked after by the vault."""
    documents = sum(key.startswith("document://") for key in known)
    lost = sum(key.startswith("document://") for key in gone)
    if not confirmed and documents >= FEWEST_TO_DOUBT and lost * 2 > documents:
        raise VaultEmptied(parts.vault.spaces[0].documents_root or parts.vault.spaces[0].root, documents, documents - lost)


def _put(parts: Parts, files: Sequence[SourceFile], gone: Sequence[str], tally: _Tally) -> set[str]:
    """Read files and put them in, and drop what did not come back; keys of what arrived.

    The drops go with the last batch: a renamed note keeps its vectors when old and new key come in one call.
    """
    arrived: set[str] = set()
    for first in range(0, max(len(files), 1), BATCH):
        items = [item for file in files[first : first + BATCH] if (item := _item(parts, file, tally)) is not None]
        arrived.update(item.key for item in items)
        is_last = first + BATCH >= len(files)
        parts.index.apply(items, [key for key in gone if key not in arrived] if is_last else ())
        parts.progress("notes", min(first + BATCH, len(files)), len(files))
    return arrived


def _item(parts: Parts, file: SourceFile, tally: _Tally) -> Item | None:
    read = parts.vault.open(file)
    if isinstance(read, Problem):
        tally.problems.append(read)
        return None
    if isinstance(read, Memory) and read.id in forgotten(parts).memories:
        tally.problems.append(
            Problem(file.path, f"It was forgotten and came back; it is not told. Remove it: vade forget {read.id}")
        )
        return None
    item = memory_item(read, file.stat) if isinstance(read, Memory) else document_item(read, file.stat)
    tally.labels.update(item.topics)
    return _guarded(item, file, tally)


def _guarded(item: Item, file: SourceFile, tally: _Tally) -> Item:
    """The item without secrets that the person typed into the note: they are neither searched nor told (X-21, X-37).

    The file is the person's and stays as it is.
    """
    passages = tuple(replace(one, text=cleanse(one.text), heading=cleanse(one.heading)) for one in item.passages)
    if passages == item.passages:
        return item
    tally.problems.append(Problem(file.path, "It holds what looks like a secret or hidden characters; they are not indexed."))
    return replace(item, passages=passages, title=cleanse(item.title))


def _told(record: Record) -> str:
    change = record.changes[0]
    after = change.after or change.before
    moved = f"{change.before.path} -> " if record.op == "move" and change.before else ""
    return f"{_BY_HAND.get(record.op, record.op)}: {moved}{after.path if after else change.memory}"
