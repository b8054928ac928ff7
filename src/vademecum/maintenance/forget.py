"""Forget: the one operation that removes bytes (rule 5). First the tombstone, then every copy, then a search that proves it.

The tombstone names what goes as ids and keyed hashes, so a forgetting that was killed is completed from it, by this device or any
other that the vault reaches, and nothing that was forgotten is mined, kept, archived or indexed again. Every step may be repeated.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from vademecum.guard.forgotten import Forgotten, digests_of, sentences, words_of
from vademecum.guard.records import rewrite_records
from vademecum.ingest.discover import is_there, owner_of
from vademecum.maintenance import erase_copies as sweep
from vademecum.maintenance.audit import turns_of
from vademecum.maintenance.last_backup import last_backup
from vademecum.maintenance.rebuild import read_again
from vademecum.sync.embed_backlog import embedded_text
from vademecum.vault.erasing import AlsoErased
from vademecum.vault.segments import SEGMENT_BYTES

#: Device-local list of the tombstones that were carried out here, whole, so that they hold when an older copy of the vault is put back.
DONE_NAME = "forgotten.json"
#: Shortest words that may be named, in letters: shorter ones stand in every text.
WORDS_MIN_CHARS = 3
#: A turn up to this long goes whole with the memory it gave; of a longer one the sentences that speak of it.
TURN_WHOLE_CHARS = 400
#: A sentence speaks of a memory when it has this share of the memory's words.
ABOUT_SHARE = 0.5
#: What forgetting writes on a disk beside copies of databases: a tombstone, a copy of a journal's segment, logs of databases.
SPARE_BYTES = SEGMENT_BYTES + 500_000
_ALL = 1_000_000
_FINISH = "The same command, or vade sync, finishes it then."
T = TypeVar("T")
_TRASHES = (".trash", ".stversions", ".dropbox.cache", ".sync", ".Trash-1000")


class Target(Struct, frozen=True):
    """What a person asked to be forgotten.

    Attributes:
        memories: whole. ids: of memories whose file is gone but whose history is not.
        sources: URIs of which nothing may be taken any more; those of conversations go whole.
        texts: what they said; searched for at the end. everywhere: see :class:`Tombstone`. why: for the list.
    """

    memories: tuple[Memory, ...] = ()
    ids: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    everywhere: bool = False
    why: str = ""


def of_memories(context: Context, refs: Sequence[str]) -> Target:
    """Return memories with the older versions that they replaced, also those whose files are gone, by their ids.

    Raises:
        NotFound, Ambiguous.
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
    """Return memories and all that they replaced or that replaced them, with every copy of their files."""
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
    """Return a source and all memories that came of it; a conversation goes whole.

    Raises:
        NotFound: nothing came of it and no such conversation is known.
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
    """Return everything that holds these very words, in this order.

    Raises:
        InvalidInput: the words are so short that every text holds them.
    """
    if sum(map(len, words_of(words))) < WORDS_MIN_CHARS and words.isascii():
        raise InvalidInput(f"{words!r} is too short to be forgotten everywhere.", "Name at least three letters.")
    seeker = Forgotten([_tombstone("", "", "x", Target(texts=(words,), everywhere=True))])
    files = tuple(context.vault.files())
    memories = tuple(memory for memory in files if seeker.holds(_said_by(memory)))
    known = {memory.id for memory in memories}
    gone = {change.memory for record, change in context.vault.history.changes() if _change_holds(change, seeker)} - known - {""}
    living = {memory.id for memory in files}
    return Target(memories, tuple(sorted(gone - living)), texts=(words,), everywhere=True, why=f"holds {words!r}")


def of_answer(context: Context, found: Recall) -> Target:
    """Return what a question finds: memories whole, of conversations what was said there.

    Raises:
        NotFound: it finds nothing.
    """
    keys = {hit.item.key.removeprefix("memory://") for hit in found.hits if hit.item.source == "memory"}
    memories = tuple(memory for memory in context.vault.list() if memory.id in keys)
    texts = [hit.passage.text for hit in found.hits if hit.item.source == "session"]
    if not (memories or texts):
        raise NotFound("Nothing is known about that.", "See what there is with: vade recall ... or vade list")
    return Target(memories, texts=(*_texts_of(context, memories, ()), *texts), why="answers the question")


def plan_or_forget(context: Context, target: Callable[[], Target], *, do: bool, by: By) -> Forgetting:
    """Forget what `target` names, or only say what would go. What an earlier forgetting was killed in is completed first.

    Raises:
        NotFound: nothing bears that name, and nothing was to be completed.
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
    """Plan what forgetting the target will do. Nothing is changed."""
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
    """Forget the target: every copy that we made goes, those out of reach are listed, and a search shows what is left.

    Raises:
        Locked, WriteFailed, FileUnusable: another process or the disk is in the way. The message says whether anything was forgotten;
            what was begun is completed by the next call.
    """
    known = context.vault.erasure.tombstones()
    identity = context.clock.new_id()
    stone = _tombstone(identity, context.clock.now().isoformat(), known[-1].salt if known else identity, target)
    planned = plan(context, target)
    with _told_that("Nothing was forgotten.", ""):
        _must_have_room(context)
        _with_room(context, lambda: context.vault.erasure.record_tombstone(stone, {memory.space for memory in target.memories}))
    removed = _carry_out(context, stone, by, all_devices=False)
    return replace(planned, done=True, tombstone=identity, removed=removed, proof=_proof(context, _finder(target.texts)))


def _carry_out(context: Context, stone: Tombstone, by: By, *, all_devices: bool) -> dict[str, int]:
    """Carry out a tombstone, also where the disk is full if that can be; an error says how it is finished."""
    with _told_that("Forgetting was started and is not finished.", _FINISH):
        return _with_room(context, lambda: carry_out(context, stone, by=by, all_devices=all_devices))


def _with_room(context: Context, act: Callable[[], T]) -> T:
    """Do something that may be repeated; where the disk refuses it, once more after files that can be made again have made room.

    Raises:
        WriteFailed, FileUnusable: the disk refuses it nevertheless.
    """
    try:
        with files_explained():
            return act()
    except (WriteFailed, FileUnusable):
        _make_room(context)
    with files_explained():
        return act()


def _make_room(context: Context) -> None:
    """Remove files that can be made again: cached vectors, and copies of the index."""
    context.storage.drop_cache()
    context.index.make_room()


def _must_have_room(context: Context) -> None:
    """Refuse, before anything is done, what the disk has no room for, after what can be made again has made room.

    Raises:
        WriteFailed: there is not enough.
    """
    if any(free < needed for _, needed, free in _rooms(context)):
        _make_room(context)
    for folder, needed, free in _rooms(context):
        if free < needed:
            message = f"Forgetting needs {needed / 1e6:.1f} MB on the disk of {folder}, which has {free / 1e6:.1f} MB left."
            raise WriteFailed(message, MAKE_ROOM)


def _rooms(context: Context) -> list[tuple[str, int, int]]:
    """Return folders in which forgetting writes: (folder, bytes that it needs at most, bytes that the disk has left).

    A database is written anew, so that no byte of what went remains: its log grows to its size beside a copy of it.
    """
    data = context.storage.data_dir
    largest = max((path.stat().st_size for path in sweep.files_below(data) if path.suffix == ".db"), default=0)
    needed = [(data, 2 * largest + SPARE_BYTES), *((space.root, SPARE_BYTES) for space in context.vault.spaces)]
    return [(folder, size, shutil.disk_usage(folder).free) for folder, size in needed if folder and Path(folder).is_dir()]


@contextlib.contextmanager
def _told_that(state: str, hint: str) -> Iterator[None]:
    """Say behind an error of the disk, or of another process, how far the forgetting is and how it is finished."""
    try:
        yield
    except (Locked, WriteFailed, FileUnusable) as error:
        raise type(error)(f"{error.message} {state}", f"{error.hint} {hint}".strip()) from error


def complete(context: Context, *, by: By, all_devices: bool = False) -> tuple[str, ...]:
    """Carry out the tombstones that this device has not: of a forgetting that was killed, or that was asked for elsewhere.

    Args:
        all_devices: as in :func:`carry_out`.
    """
    done = _done(context)
    there = context.vault.erasure.tombstones()
    gone = missing_stones(Path(context.storage.data_dir), there)  # an older copy of the vault was put back
    for stone in gone:
        context.vault.erasure.record_tombstone(stone)
    waiting = [*(stone for stone in there if stone.id not in done), *gone]
    for stone in waiting:
        _carry_out(context, stone, by, all_devices=all_devices)
    return tuple(stone.id for stone in waiting)


def prove(context: Context, stones: Iterable[Tombstone]) -> tuple[Searched, ...]:
    """Prove by hashes, in everything that can be read as text, that words are gone which are no longer known."""
    seeker = Forgotten(stones)
    return _proof(context, lambda data: seeker.holds(data.decode("utf-8", "ignore")))


def carry_out(context: Context, stone: Tombstone, *, by: By, all_devices: bool = False) -> dict[str, int]:
    """Remove every copy that we made of what a tombstone stands for; how many things went from where. May be repeated.

    Args:
        all_devices: also out of other devices' journals at once, in a copy of the memory that no other device has yet.
    """
    seeker = Forgotten([stone])
    whole = frozenset(uri for uri in stone.sources if uri.startswith("session://"))
    keys = {f"memory://{identity}" for identity in stone.memories}
    quoting = _quoting(context, seeker)
    dropped = [*context.index.items([*keys, *whole, *(_log_of(uri) for uri in whole)]).values()]
    context.storage.drop_rules()
    removed = {"cached vectors": context.storage.drop_vectors(_vectors_of(context, [*dropped, *quoting], seeker))}
    erased = context.vault.erasure.erase(
        stone.memories, seeker.blank, everywhere=stone.everywhere, also=AlsoErased(stone.sources, all_devices), by=by
    )
    removed |= {"memory files": erased.files, "texts in the vault": erased.rewritten, "journal lines": erased.journal_lines}
    context.indexer.remove([item.key for item in dropped])  # it is told no more, whatever fails behind this
    removed["files of Vademecum"] = _erase_files(context, seeker, whole)
    if context.storage.archive is not None:
        gone = [record for uri in whole for record in context.storage.archive.of_session(uri)]
        context.storage.archive.drop(gone)
        changed = context.storage.archive.rewrite(lambda data: rewrite_records(data, seeker.blank), seeker.blank)
        context.storage.archive.compact()
        removed["archived transcripts"] = len(gone) + changed
    removed["device state"] = context.state.erase(seeker.holds, {*keys, *stone.memories, *whole})
    removed["logged tool calls"] = context.storage.calls.erase(seeker.holds, whole)
    context.storage.drop_rules()  # a helper may have written them anew meanwhile, from what is gone now
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


def _change_holds(change: "object", seeker: Forgotten) -> bool:
    texts = [side.text for side in (change.before, change.after) if side is not None and side.text]  # type: ignore[attr-defined]
    return any(seeker.holds(text) for text in texts)


def _texts_of(context: Context, memories: Iterable[Memory], ids: Iterable[str]) -> tuple[str, ...]:
    """Return what memories say and said, and what was said in the conversations that they were taken from."""
    texts: dict[str, None] = {}
    for memory in memories:
        texts |= dict.fromkeys((memory.title, memory.summary, memory.body))
        texts |= dict.fromkeys(_heard(context, memory))
    for identity in (*(memory.id for memory in memories), *ids):
        for _, body in context.vault.history.bodies(identity):
            texts[body] = None
    return tuple(text for text in texts if text.strip())


def _heard(context: Context, memory: Memory) -> list[str]:
    """Return what was said in the turns that a memory was taken from."""
    words = words_of(f"{memory.title} {memory.body}")
    return [text for passage in turns_of(context, memory) for text in _about(passage, words)]


def _about(passage: Passage, words: frozenset[str]) -> list[str]:
    """Return the sentences of what was said that speak of it; all of a short turn."""
    if len(passage.text) <= TURN_WHOLE_CHARS:
        return [passage.text]
    return [sentence for sentence in sentences(passage.text) if len(words_of(sentence) & words) >= ABOUT_SHARE * len(words)]


def _quoting(context: Context, seeker: Forgotten) -> list[Item]:
    """Return conversations, and the logs beside them, in which something forgotten is said."""
    scope = Scope(sources=("session", "log"), statuses=None)
    items = []
    for item in context.index.select(scope, limit=_ALL):
        if seeker.holds(item.title) or any(seeker.holds(stored.passage.text) for stored in context.index.passages_of(item.key)):
            items.append(item)
    return items


def _derived(context: Context, ids: frozenset[str], seeker: Forgotten) -> Iterable[ToErase]:
    """Yield memories that stay, and came of the forgotten ones or quote them."""
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


def _log_of(uri: str) -> str:
    return f"log://{uri.removeprefix('session://')}"


def _vectors_of(context: Context, items: Iterable[Item], seeker: Forgotten) -> set[str]:
    """Return texts whose vectors may be cached: of what goes whole all, of conversations that lose sentences those."""
    texts = set()
    for item in items:
        passages = [stored.passage for stored in context.index.passages_of(item.key)]
        texts |= {embedded_text(passage) for passage in passages if item.source in FILED_SOURCES or seeker.holds(passage.text)}
        texts |= set(item.topics)
    return texts


def _erase_files(context: Context, seeker: Forgotten, whole: frozenset[str]) -> int:
    """Return conversations that go whole, sentences of everything else that is text, and databases that nobody can change any more."""
    gone = 0
    for uri in whole:
        with contextlib.suppress(NotFound, InvalidInput):
            Path(context.storage.conversations.get(uri.rpartition("/")[2]).path).unlink(missing_ok=True)
            gone += 1
    for folder in (context.storage.data_dir, context.storage.cache_dir):
        gone += len(sweep.rewrite_texts(folder, seeker.blank)) + sweep.drop_damaged(folder)
    return gone


def missing_stones(data: Path, there: Sequence[Tombstone]) -> list[Tombstone]:
    """Return the tombstones that the device whose data lie there has carried out, without those that are there."""
    known = {stone.id for stone in there}
    return [stone for identity, stone in _noted(data).items() if stone is not None and identity not in known]


def remember(data: Path, stones: Iterable[Tombstone]) -> None:
    """Note that tombstones were carried out by the device whose data lie there; after return it is on disk."""
    noted = {**_noted(data), **{stone.id: stone for stone in stones}}
    data.mkdir(parents=True, exist_ok=True)
    part = (data / DONE_NAME).with_suffix(".new")
    with part.open("wb") as file:
        file.write(msgspec.json.encode([stone or identity for identity, stone in sorted(noted.items())]))
        file.flush()
        os.fsync(file.fileno())
    part.replace(data / DONE_NAME)


def _noted(data: Path) -> dict[str, Tombstone | None]:
    """Return the tombstones that were carried out, by id; None for one of which earlier versions noted no more."""
    try:
        result = msgspec.json.decode((data / DONE_NAME).read_bytes(), type=list[str | Tombstone])
    except (OSError, msgspec.DecodeError):
        return {}
    return {entry if isinstance(entry, str) else entry.id: None if isinstance(entry, str) else entry for entry in result}


def _done(context: Context) -> frozenset[str]:
    return frozenset(_noted(Path(context.storage.data_dir)))


def _finder(texts: Iterable[str]) -> Callable[[bytes], bool]:
    """Compile a pattern of the texts' sentences for bytes; short ones only when a text has no other."""
    phrases: list[str] = []
    for text in texts:
        parts = [part.strip(" -*#>`_.\t") for part in sentences(text)]
        phrases += [part for part in parts if len(words_of(part)) > 3] or [" ".join(parts)]
    pattern = sweep.pattern_of(phrases)
    return (lambda data: pattern.search(data) is not None) if pattern else (lambda data: False)


def _proof(context: Context, holds: Callable[[bytes], bool]) -> tuple[Searched, ...]:
    """Search the bytes of every file of ours."""
    read = context.storage.bytes_of
    searches = [sweep.search_folder(f"memories ({space.name})", space.root, read, holds) for space in context.vault.spaces]
    searches.append(sweep.search_folder("device data", context.storage.data_dir, read, holds))
    if not Path(context.storage.cache_dir).is_relative_to(context.storage.data_dir or "/nowhere"):
        searches.append(sweep.search_folder("cache", context.storage.cache_dir, read, holds))
    if context.storage.archive is not None:
        searches.append(sweep.search_archive(context.storage.archive, holds))
    return tuple(searches)


def _beyond(context: Context, target: Target, notes: Iterable[str], conversations: Iterable[str]) -> tuple[Beyond, ...]:
    """Return copies that are not ours, or that we cannot reach."""
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
    """Yield files of hosts; we never write to them, and read nothing of this out of them any more."""
    own = Path(context.storage.data_dir) if context.storage.data_dir else None
    for item in context.index.items(list(conversations)).values():
        path = Path(owner_of(item.path))
        if str(path) != item.path and is_there(item.path):
            yield Beyond(f"{path}, where the host keeps {item.key}: delete it with the host")
        elif path.is_file() and not (own and path.is_relative_to(own)):
            yield Beyond(f"the host's own transcript of {item.key}", f"rm '{path}'")


def _notes(context: Context, seeker: Forgotten) -> Iterable[str]:
    """Yield paths of notes that the person wrote; they are theirs."""
    for item in context.index.select(Scope(sources=("document",), statuses=None), limit=_ALL):
        if any(seeker.holds(stored.passage.text) for stored in context.index.passages_of(item.key)):
            yield item.path
