"""Forget: the one operation that removes bytes (rule 5).

First the tombstone is written, then every copy is removed, then a search proves it. A tombstone identifies what must go by ids
and keyed hashes. If forgetting is interrupted, this device or any other with the vault can finish it from the tombstone, and
nothing forgotten is mined, saved, archived or indexed again. Every step is repeatable.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import (
    MAKE_ROOM,
    Ambiguous,
    FileUnusable,
    InvalidInput,
    Locked,
    NotFound,
    WriteFailed,
    files_explained,
)
from vademecum.domain.forgotten import Beyond, Forgetting, Searched, ToErase, Tombstone
from vademecum.domain.ids import is_id
from vademecum.domain.item import FILED_SOURCES, Item, Passage
from vademecum.domain.memory import RELATIONS, By, Memory
from vademecum.domain.query import Recall, Scope
from vademecum.domain.relations import CONTRADICTS, MAY_REPLACE
from vademecum.guard.forgotten import WORDS_MIN, Forgotten, digests_of, sentences, words_of
from vademecum.guard.records import rewrite_records
from vademecum.index.items import log_key
from vademecum.ingest.discover import is_there, owner_of
from vademecum.maintenance import erase_copies as sweep
from vademecum.maintenance.audit import turns_of
from vademecum.maintenance.last_backup import last_backup
from vademecum.maintenance.rebuild import read_again
from vademecum.sync.embed_backlog import embedded_text
from vademecum.vault.callouts import without_callouts
from vademecum.vault.erasing import AlsoErased
from vademecum.vault.segments import SEGMENT_BYTES

#: List of the tombstones carried out on this device, in full, so that they still apply when an older copy of the vault is
#: restored.
DONE_NAME = "forgotten.json"
#: Minimum letters of a subject; shorter words occur in every text.
WORDS_MIN_CHARS = 3
#: A turn up to this many characters is removed completely with its memory; of a longer one, the sentences about it.
TURN_WHOLE_CHARS = 400
#: A sentence is about a memory if it contains this share of the memory's words.
ABOUT_SHARE = 0.5
#: Bytes written besides copies of databases: a tombstone, a copy of a journal segment, database logs.
SPARE_BYTES = SEGMENT_BYTES + 500_000
_ALL = 1_000_000
_FINISH = "The same command, or vade sync, finishes it then."
T = TypeVar("T")
_TRASHES = (".trash", ".stversions", ".dropbox.cache", ".sync", ".Trash-1000")


class Target(Struct, frozen=True):
    """What a person wants to forget.

    Attributes:
        memories: memories to remove completely.
        ids: ids of memories that exist only in the history.
        sources: URIs from which nothing may be extracted any more; conversations among them are removed completely.
        texts: what they said; searched for at the end.
        everywhere: see :class:`Tombstone`.
        why: reason, for the list.
    """

    memories: tuple[Memory, ...] = ()
    ids: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    everywhere: bool = False
    why: str = ""


def of_memories(context: Context, refs: Sequence[str]) -> Target:
    """Return the target for memories with all versions that they replaced. Memories without a file are found by id.

    Raises:
        NotFound: a reference names no memory.
        Ambiguous: a reference names several.
    """
    waiting, ids = list[Memory](), list[str]()
    for ref in refs:
        try:
            waiting.append(context.vault.get(ref, forgotten=True))
        except NotFound:
            identity = ref.removeprefix("memory://").upper()
            if not is_id(identity) or not context.vault.history.of(identity):
                raise
            ids.append(identity)
    memories = _with_versions(context, waiting) if waiting else ()
    why = "named, or a version before it" if memories else "named"
    return Target(memories, tuple(ids), texts=_texts_of(context, memories, ids), why=why)


def _with_versions(context: Context, waiting: list[Memory]) -> tuple[Memory, ...]:
    """Return memories with everything that they replaced or that replaced them, and every copy of their files."""
    files = tuple(context.vault.files())
    by_id = {memory.id: memory for memory in files}
    chain = dict[str, Memory]()
    while waiting:
        memory = waiting.pop()
        if memory.id not in chain:
            chain[memory.id] = memory
            waiting += [by_id[older] for older in memory.supersedes if older in by_id]
            waiting += [other for other in by_id.values() if memory.id in other.superseded_by]
    return (*chain.values(), *(copy for copy in files if copy.id in chain and copy.path != chain[copy.id].path))


def of_source(context: Context, uri: str) -> Target:
    """Return the target for a source and all memories from it; a conversation is removed completely.

    Raises:
        NotFound: nothing came from it, and no such conversation is known.
        Ambiguous: several conversations have that name.
    """
    keys = context.index.named(uri)
    items = [item for item in context.index.items(keys).values() if item.source == "session"]
    if len(items) > 1:
        raise Ambiguous(uri, [f"{item.key}  {item.title}" for item in items], "conversations")
    source = items[0].key if items else uri
    memories = tuple(memory for memory in context.vault.files() if memory.source == source)
    archived = context.storage.archive.of_session(source) if context.storage.archive else ()
    if not (memories or items or archived):
        raise NotFound(f"No memory was made from {uri}.", "Give the URI of a conversation, note or page: vade sessions list")
    return Target(memories, sources=(source,), texts=_texts_of(context, memories, ()), why=f"came of {source}")


def of_subject(context: Context, words: str) -> Target:
    """Return the target for everything that contains these words in this order.

    Raises:
        InvalidInput: the words are too short to be specific.
    """
    if sum(map(len, words_of(words))) < WORDS_MIN_CHARS and words.isascii():
        raise InvalidInput(f"{words!r} is too short to be forgotten everywhere.", "Name at least three letters.")
    seeker = Forgotten([_tombstone("", "", "x", Target(texts=(words,), everywhere=True))])
    files = tuple(context.vault.files())
    memories = tuple(memory for memory in files if seeker.holds(_said_by(memory)))
    known = {memory.id for memory in memories}
    changes = (change for _, change in context.vault.history.changes())
    sides = ((change.memory, side) for change in changes for side in (change.before, change.after))
    gone = {memory for memory, side in sides if side is not None and side.text and seeker.holds(side.text)} - known - {""}
    living = {memory.id for memory in files}
    return Target(memories, tuple(sorted(gone - living)), texts=(words,), everywhere=True, why=f"holds {words!r}")


def of_answer(context: Context, found: Recall) -> Target:
    """Return the target for the results of a question: complete memories, and the matching passages of conversations.

    Raises:
        NotFound: there are no results.
    """
    keys = {hit.item.key.removeprefix("memory://") for hit in found.hits if hit.item.source == "memory"}
    memories = tuple(memory for memory in context.vault.list() if memory.id in keys)
    texts = [hit.passage.text for hit in found.hits if hit.item.source == "session"]
    if not (memories or texts):
        raise NotFound("Nothing is known about that.", "See what there is with: vade recall ... or vade list")
    return Target(memories, texts=(*_texts_of(context, memories, ()), *texts), why="answers the question")


def plan_or_forget(context: Context, target: Callable[[], Target], *, do: bool, by: By) -> Forgetting:
    """Forget the target, or only report what would be removed. Interrupted operations are completed first.

    Raises:
        NotFound: the target does not exist, and there was nothing to complete.
    """
    completed = complete(context, by=by) if do else ()
    try:
        aim = target()
    except NotFound:
        if not completed:
            raise
        stones = [stone for stone in context.vault.erasure.tombstones() if stone.id in completed]
        return Forgetting(True, completed=completed, proof=prove(context, stones), words_known=False)
    return replace(forget(context, aim, by=by) if do else plan(context, aim), completed=completed)


def plan(context: Context, target: Target) -> Forgetting:
    """Report what forgetting the target would remove. Nothing is changed."""
    seeker = Forgotten([_tombstone("", "", "x", target)])
    ids = _ids(target)
    named = [ToErase(memory.id, memory.title, f"{memory.space}:{memory.path}", target.why) for memory in target.memories]
    named += [ToErase(identity, "", "history only", target.why) for identity in target.ids]
    whole = tuple(uri for uri in target.sources if uri.startswith("session://"))
    quoting = tuple(item.key for item in _quoting(context, seeker) if item.source == "session" and item.key not in whole)
    notes = tuple(_notes(context, seeker))
    return Forgetting(
        done=False,
        memories=tuple(named),
        conversations=whole,
        quoting=quoting,
        derived=tuple(_derived(context, ids, seeker)),
        beyond=_beyond(context, target, notes, (*whole, *quoting)),
        notes=notes,
    )


def forget(context: Context, target: Target, *, by: By) -> Forgetting:
    """Forget the target: remove every copy that we made, list copies out of reach, and search for remains.

    Raises:
        Locked, WriteFailed, FileUnusable: another process or the disk prevents it. The message says whether anything was
            forgotten; the next call completes what was started.
    """
    known = context.vault.erasure.tombstones()
    identity = context.clock.new_id()
    stone = _tombstone(identity, context.clock.now().isoformat(), known[-1].salt if known else identity, target)
    planned = plan(context, target)
    with _failing_with("Nothing was forgotten.", ""):
        _must_have_room(context)
        _with_room(context, lambda: context.vault.erasure.record_tombstone(stone, {memory.space for memory in target.memories}))
    removed = _carry_out(context, stone, by, all_devices=False)
    return replace(planned, done=True, tombstone=identity, removed=removed, proof=_proof(context, _finder(target.texts)))


def _carry_out(context: Context, stone: Tombstone, by: By, *, all_devices: bool) -> dict[str, int]:
    """Carry out a tombstone, if possible also on a full disk. An error says how to finish it."""
    with _failing_with("Forgetting was started and is not finished.", _FINISH):
        return _with_room(context, lambda: carry_out(context, stone, by=by, all_devices=all_devices))


def _with_room(context: Context, act: Callable[[], T]) -> T:
    """Run a repeatable operation; if the disk refuses it, free space by removing files that can be recreated, and retry once.

    Raises:
        WriteFailed, FileUnusable: the disk refuses it again.
    """
    try:
        with files_explained():
            return act()
    except (WriteFailed, FileUnusable):
        _make_room(context)
    with files_explained():
        return act()


def _make_room(context: Context) -> None:
    """Remove files that can be recreated: cached vectors, and copies of the index."""
    context.storage.drop_cache()
    context.index.make_room()


def _must_have_room(context: Context) -> None:
    """Check before anything is done that the disks have enough space; free some if they do not.

    Raises:
        WriteFailed: there is still too little.
    """
    if any(free < needed for _, needed, free in _rooms(context)):
        _make_room(context)
    for folder, needed, free in _rooms(context):
        if free < needed:
            message = f"Forgetting needs {needed / 1e6:.1f} MB on the disk of {folder}, which has {free / 1e6:.1f} MB left."
            raise WriteFailed(message, MAKE_ROOM)


def _rooms(context: Context) -> list[tuple[str, int, int]]:
    """Return (folder, maximum bytes needed, bytes free) for each folder that forgetting writes to.

    Databases are rewritten so that no removed byte remains: the log grows to the size of the database, beside a copy of it.
    """
    data = context.storage.data_dir
    largest = max((path.stat().st_size for path in sweep.files_below(data) if path.suffix == ".db"), default=0)
    needed = [(data, 2 * largest + SPARE_BYTES), *((space.root, SPARE_BYTES) for space in context.vault.spaces)]
    return [(folder, size, shutil.disk_usage(folder).free) for folder, size in needed if folder and Path(folder).is_dir()]


@contextlib.contextmanager
def _failing_with(state: str, hint: str) -> Iterator[None]:
    """Append to an error of the disk or a lock how far forgetting got and how to finish it."""
    try:
        yield
    except (Locked, WriteFailed, FileUnusable) as error:
        raise type(error)(f"{error.message} {state}", f"{error.hint} {hint}".strip()) from error


def complete(context: Context, *, by: By, all_devices: bool = False) -> tuple[str, ...]:
    """Carry out tombstones that this device has not carried out yet: interrupted ones, and those of other devices.

    Args:
        all_devices: see :func:`carry_out`.
    """
    done = frozenset(_noted(Path(context.storage.data_dir)))
    there = context.vault.erasure.tombstones()
    # These vanished from the vault because an older copy of it was restored.
    gone = missing_stones(Path(context.storage.data_dir), there)
    for stone in gone:
        context.vault.erasure.record_tombstone(stone)
    waiting = [*(stone for stone in there if stone.id not in done), *gone]
    for stone in waiting:
        _carry_out(context, stone, by, all_devices=all_devices)
    return tuple(stone.id for stone in waiting)


def prove(context: Context, stones: Iterable[Tombstone]) -> tuple[Searched, ...]:
    """Prove by hashes, in everything readable as text, that words are gone that are themselves no longer known."""
    seeker = Forgotten(stones)
    return _proof(context, lambda data: seeker.holds(data.decode("utf-8", "ignore")))


def part_from(context: Context, identities: Collection[str], *, by: By) -> None:
    """End the conflicts that memories have with others about to be erased: nobody could settle them afterwards."""
    edges = context.index.edges([f"memory://{identity}" for identity in identities])
    against = {edge.target for listed in edges.values() for edge in listed if edge.type in (CONTRADICTS, MAY_REPLACE)}
    still = [key.removeprefix("memory://") for key in context.index.items(sorted(against))]
    context.vault.part([identity for identity in still if identity not in identities], identities, by=by)


def carry_out(context: Context, stone: Tombstone, *, by: By, all_devices: bool = False) -> dict[str, int]:
    """Remove every copy that we made of what a tombstone identifies; return place -> number of removals. Repeatable.

    Args:
        all_devices: also rewrite other devices' journals at once; for a copy of the memory that no other device has.
    """
    seeker = Forgotten([stone])
    whole = frozenset(uri for uri in stone.sources if uri.startswith("session://"))
    keys = {f"memory://{identity}" for identity in stone.memories}
    quoting = _quoting(context, seeker)
    dropped = [*context.index.items([*keys, *whole, *(log_key(uri) for uri in whole)]).values()]
    context.storage.drop_rules()
    removed = {"cached vectors": context.storage.drop_vectors(_vectors_of(context, [*dropped, *quoting], seeker))}
    part_from(context, stone.memories, by=by)
    erased = context.vault.erasure.erase(
        stone.memories, seeker.blank, everywhere=stone.everywhere, also=AlsoErased(stone.sources, all_devices), by=by
    )
    removed |= {"memory files": erased.files, "texts in the vault": erased.rewritten, "journal lines": erased.journal_lines}
    context.indexer.remove([item.key for item in dropped])  # first, so that it is no longer shown even if a later step fails
    removed["files of Vademecum"] = _erase_files(context, seeker, whole)
    if context.storage.archive is not None:
        gone = [record for uri in whole for record in context.storage.archive.of_session(uri)]
        context.storage.archive.drop(gone)
        changed = context.storage.archive.rewrite(lambda data: rewrite_records(data, seeker.blank), seeker.blank)
        context.storage.archive.compact()
        removed["archived transcripts"] = len(gone) + changed
    removed["device state"] = context.state.erase(seeker.holds, {*keys, *stone.memories, *whole})
    removed["logged tool calls"] = context.storage.calls.erase(seeker.holds, whole)
    context.storage.drop_rules()  # again: a helper may have rewritten them in the meantime
    for uri in whole:
        context.storage.markers.change(uri, lambda _: None)
    context.storage.markers.compact()
    context.indexer.remove([item.key for item in quoting])
    removed["indexed items"] = len(dropped) + len(quoting)
    read_again(context, [item.path for item in quoting])
    context.index.compact()
    remember(Path(context.storage.data_dir), [stone])
    return {place: count for place, count in removed.items() if count}


def _ids(target: Target) -> frozenset[str]:
    return frozenset((*(memory.id for memory in target.memories), *target.ids))


def _tombstone(identity: str, time: str, salt: str, target: Target) -> Tombstone:
    digests = digests_of(salt, target.texts, **({"shortest": 1} if target.everywhere else {}))
    return Tombstone(identity, time, salt, tuple(sorted(_ids(target))), target.sources, digests, target.everywhere)


def _said_by(memory: Memory) -> str:
    return "\n".join((memory.title, memory.summary, memory.body, *memory.tags, *memory.topics, *memory.aliases))


def _texts_of(context: Context, memories: Iterable[Memory], ids: Iterable[str]) -> tuple[str, ...]:
    """Return the current and former texts of memories, and of the turns that they were extracted from.

    A short title only names the subject, and other texts may do so; what a memory in conflict quotes is of another one.
    """
    texts: dict[str, None] = {}
    for memory in memories:
        body = without_callouts(memory.body)
        title = memory.title if len(words_of(memory.title)) >= WORDS_MIN or not body.strip() else ""
        texts |= dict.fromkeys((title, memory.summary, body))
        texts |= dict.fromkeys(_heard(context, memory))
    for identity in (*(memory.id for memory in memories), *ids):
        for _, body in context.vault.history.bodies(identity):
            texts[without_callouts(body)] = None
    return tuple(text for text in texts if text.strip())


def _heard(context: Context, memory: Memory) -> list[str]:
    """Return texts of the turns that a memory was extracted from."""
    words = words_of(f"{memory.title} {memory.body}")
    return [text for passage in turns_of(context, memory) for text in _about(passage, words)]


def _about(passage: Passage, words: frozenset[str]) -> list[str]:
    """Return the sentences of a turn about a memory; a short turn completely."""
    if len(passage.text) <= TURN_WHOLE_CHARS:
        return [passage.text]
    return [sentence for sentence in sentences(passage.text) if len(words_of(sentence) & words) >= ABOUT_SHARE * len(words)]


def _quoting(context: Context, seeker: Forgotten) -> list[Item]:
    """Return conversations, and their logs, that contain something forgotten."""
    scope = Scope(sources=("session", "log"), statuses=None)
    items = []
    for item in context.index.select(scope, limit=_ALL):
        if seeker.holds(item.title) or any(seeker.holds(stored.passage.text) for stored in context.index.passages_of(item.key)):
            items.append(item)
    return items


def _derived(context: Context, ids: frozenset[str], seeker: Forgotten) -> Iterable[ToErase]:
    """Yield memories that stay although they derive from or quote the forgotten ones."""
    for memory in context.vault.list():
        if memory.id in ids or memory.kind == "handoff":
            continue
        related = [name for name in RELATIONS if ids.intersection(getattr(memory, name))]
        linked = any(edge.target.removeprefix("memory://") in ids for edge in memory.edges)
        why = (
            f"{related[0]} it"
            if related
            else "links to it"
            if linked
            else "says the same"
            if seeker.holds(_said_by(memory))
            else ""
        )
        if why:
            yield ToErase(memory.id, memory.title, f"{memory.space}:{memory.path}", why)


def _vectors_of(context: Context, items: Iterable[Item], seeker: Forgotten) -> set[str]:
    """Return texts whose cached vectors must be removed.

    These are all passages of removed items and, in quoting conversations, the passages to be changed.
    """
    texts = set()
    for item in items:
        passages = [stored.passage for stored in context.index.passages_of(item.key)]
        texts |= {embedded_text(passage) for passage in passages if item.source in FILED_SOURCES or seeker.holds(passage.text)}
        texts |= set(item.topics)
    return texts


def _erase_files(context: Context, seeker: Forgotten, whole: frozenset[str]) -> int:
    """Remove conversations, forgotten sentences in our text files, and damaged databases; return the number of changes."""
    gone = 0
    for uri in whole:
        with contextlib.suppress(NotFound, InvalidInput):
            Path(context.storage.conversations.get(uri.rpartition("/")[2]).path).unlink(missing_ok=True)
            gone += 1
    for folder in (context.storage.data_dir, context.storage.cache_dir):
        gone += len(sweep.rewrite_texts(folder, seeker.blank)) + sweep.drop_damaged(folder)
    return gone


def missing_stones(data: Path, there: Sequence[Tombstone]) -> list[Tombstone]:
    """Return the tombstones carried out by the device with this data folder, without those in `there`."""
    known = {stone.id for stone in there}
    return [stone for identity, stone in _noted(data).items() if stone is not None and identity not in known]


def remember(data: Path, stones: Iterable[Tombstone]) -> None:
    """Record on disk that the device with this data folder carried out tombstones."""
    noted = {**_noted(data), **{stone.id: stone for stone in stones}}
    data.mkdir(parents=True, exist_ok=True)
    part = (data / DONE_NAME).with_suffix(".new")
    with part.open("wb") as file:
        file.write(msgspec.json.encode([stone or identity for identity, stone in sorted(noted.items())]))
        file.flush()
        os.fsync(file.fileno())
    part.replace(data / DONE_NAME)


def _noted(data: Path) -> dict[str, Tombstone | None]:
    """Return id -> tombstone carried out; None where an earlier version recorded the id only."""
    try:
        result = msgspec.json.decode((data / DONE_NAME).read_bytes(), type=list[str | Tombstone])
    except (OSError, msgspec.DecodeError):
        return {}
    return {entry if isinstance(entry, str) else entry.id: None if isinstance(entry, str) else entry for entry in result}


def _finder(texts: Iterable[str]) -> Callable[[bytes], bool]:
    """Return a function that searches bytes for the texts' sentences; short sentences only when a text has no longer ones."""
    phrases: list[str] = []
    for text in texts:
        parts = [part.strip(" -*#>`_.\t") for part in sentences(text)]
        phrases += [part for part in parts if len(words_of(part)) > 3] or [" ".join(parts)]
    pattern = sweep.pattern_of(phrases)
    return (lambda data: pattern.search(data) is not None) if pattern else (lambda data: False)


def _proof(context: Context, holds: Callable[[bytes], bool]) -> tuple[Searched, ...]:
    """Search the bytes of all of our files."""
    read = context.storage.bytes_of
    searches = [sweep.search_folder(f"memories ({space.name})", space.root, read, holds) for space in context.vault.spaces]
    searches.append(sweep.search_folder("device data", context.storage.data_dir, read, holds))
    if not Path(context.storage.cache_dir).is_relative_to(context.storage.data_dir or "/nowhere"):
        searches.append(sweep.search_folder("cache", context.storage.cache_dir, read, holds))
    if context.storage.archive is not None:
        searches.append(sweep.search_archive(context.storage.archive, holds))
    return tuple(searches)


def _beyond(context: Context, target: Target, notes: Iterable[str], conversations: Iterable[str]) -> tuple[Beyond, ...]:
    """Return copies that are not ours or out of our reach."""
    beyonds = [*_transcripts(context, conversations), *(Beyond(f"your own note {path}, which you can edit") for path in notes)]
    for space in context.vault.spaces:
        root = Path(space.root)
        paths = [memory.path for memory in target.memories if memory.space == space.name]
        repository = next((place for place in (root, *root.parents) if (place / ".git").exists()), None)
        if repository is not None:
            within = root.relative_to(repository)
            names = " ".join(f"--path '{(within / path).as_posix()}'" for path in paths) or f"--path '{within.as_posix()}'"
            beyonds.append(Beyond(f"git history of {repository}", f"git -C '{repository}' filter-repo --invert-paths {names}"))
        for place in dict.fromkeys((root, *root.parents)):
            beyonds += [
                Beyond(f"trash of a sync tool: {place / name}", f"rm -r '{place / name}'")
                for name in _TRASHES
                if (place / name).is_dir()
            ]
    if backup := last_backup(context):
        beyonds.append(Beyond(f"backups made before, the last of them {backup.file}: make a new one and delete the older"))
    beyonds.append(Beyond("backups of this computer, and copies that a sync service keeps on its servers: delete them there"))
    beyonds.append(Beyond("your shell's history, when you typed the words", "history -d, or edit the shell's history file"))
    return tuple(beyonds)


def _transcripts(context: Context, conversations: Iterable[str]) -> Iterable[Beyond]:
    """Yield transcripts of hosts. We never write to them, and no longer read the forgotten parts."""
    own = Path(context.storage.data_dir) if context.storage.data_dir else None
    for item in context.index.items(list(conversations)).values():
        path = Path(owner_of(item.path))
        if str(path) != item.path and is_there(item.path):
            yield Beyond(f"{path}, where the host keeps {item.key}: delete it with the host")
        elif path.is_file() and not (own and path.is_relative_to(own)):
            yield Beyond(f"the host's own transcript of {item.key}", f"rm '{path}'")


def _notes(context: Context, seeker: Forgotten) -> Iterable[str]:
    """Yield paths of the person's own notes that contain it; only the person may change them."""
    for item in context.index.select(Scope(sources=("document",), statuses=None), limit=_ALL):
        if any(seeker.holds(stored.passage.text) for stored in context.index.passages_of(item.key)):
            yield item.path
