"""Source notes: notes from which memories are extracted, marked by a memory of kind `source`, and read again after changes.

The mark is a normal memory, so it is journaled, undoable and synced. The note itself belongs to the person: only with their consent is
`memory-source: true` added to its frontmatter. Adding or removing that line by hand marks and unmarks the note as well.

Memories follow the note: one whose text is no longer in the note is replaced by the text in its place, or waits for the person.

The content of a web clipping (its frontmatter names the page) is not the person's own word, so it waits for their approval.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, NotFound, Refused, WriteFailed
from vademecum.domain.item import Trust
from vademecum.domain.memory import BY_PERSON, SOURCE_FLAG, By, Document, Draft, Memory
from vademecum.domain.query import Scope
from vademecum.domain.saved import Saved
from vademecum.domain.session import Candidate, Session, Turn
from vademecum.extract.mine import mine
from vademecum.index.items import plain_text
from vademecum.reconcile.compare import compare
from vademecum.vault.callouts import without_callouts
from vademecum.vault.files import etag_of
from vademecum.vault.frontmatter import set_properties
from vademecum.vault.note import text_of
from vademecum.vault.scan import SourceFile
from vademecum.write.candidates import BY_EXTRACTION, NOTE_SCHEME, route
from vademecum.write.gate import keep, sources_of

#: Maximum number of characters read of a note.
NOTE_MAX_CHARS = 16_000
#: Properties of the mark: the note's etag when it was last read; whether the note itself had the flag.
READ, FLAGGED = "read_etag", "flagged"
#: Property added to the note, with consent.
FLAG = SOURCE_FLAG
#: Property of a memory whose text is no longer in its note. After the person approves it, it is not questioned again.
LEFT = "left_source"
#: Maximum number of memories searched for those from a note.
LOOKED_THROUGH = 100_000
#: Properties in which web clippers store the address of the page.
_CLIPPED = ("source", "url", "clipped_from", "origin")
SCHEME = NOTE_SCHEME
MARKS_MAX = 1_000
_PARAGRAPHS = re.compile(r"\n\s*\n")


class SourceNote(Struct, frozen=True):
    """A note from which memories are extracted.

    Attributes:
        path: in the vault around the memory. id: of the memory that marks it.
        dirty: it has changed since it was read, or is gone.
        saved: results of this reading. note: what could not be done, or "".
    """

    path: str
    id: str
    dirty: bool
    saved: tuple[Saved, ...] = ()
    note: str = ""


def mark(context: Context, note: str, write_frontmatter: bool = True, *, by: By = BY_PERSON) -> SourceNote:
    """Extract memories from a note of the person's, now and after each change.

    Raises:
        NotFound: no such note. InvalidInput: it is a memory, or not Markdown. Refused: memory is switched off.
    """
    document, file = _document(context, note)
    known = _mark_of(context, document.path)
    if known is None:
        title = f"Source: {document.title}"
        properties = {"source": SCHEME + document.path, "importance": 0.3}
        kept = keep(context, Draft("source", title, f"Memories are taken from [[{document.path.removesuffix('.md')}]].\n",
                                 properties=properties), by=by, unique=True)  # fmt: skip
        if kept.memory is None:
            raise Refused("The guard refuses to mark this note.")
        known = kept.memory
    flagged = _flagged(context, file, True, by) if write_frontmatter else ""
    return replace(_read(context, known, by), note=flagged)


def _follow_flags(context: Context, by: By) -> None:
    """Mark notes to which the person added the flag, and unmark those from which it was removed."""
    flagged = context.index.select(Scope(sources=("document",), statuses=None, tags=(FLAG,)), limit=MARKS_MAX)
    known = {other.source.removeprefix(SCHEME): other for other in _marks(context)}
    for item in flagged:
        if item.path not in known:
            mark(context, item.path, write_frontmatter=False, by=by)
    for path, memory in known.items():
        if memory.extra.get(FLAGGED) is True and not _says_so(context, path):
            context.vault.archive(memory.id, "the note says no longer that it is a source", by=by)


def _says_so(context: Context, path: str) -> bool:
    """Return whether the note has the flag; True if it cannot be read now."""
    try:
        return _document(context, path)[0].properties.get(FLAG) is True
    except (NotFound, InvalidInput):
        return True


def unmark(context: Context, note: str, *, clear_frontmatter: bool, by: By) -> SourceNote:
    """Stop extracting memories from a note. Existing ones stay.

    Raises:
        NotFound: the note is not marked.
    """
    path = note.removeprefix(SCHEME)
    known = _mark_of(context, path)
    if known is None:
        path = _document(context, note)[0].path
        known = _mark_of(context, path)
    if known is None:
        raise NotFound(f"{note} is not a source of memories.", "See which are: vade sources")
    gone = context.vault.archive(known.id, "no longer a source", by=by)
    flagged = ""
    if clear_frontmatter:
        try:
            flagged = _flagged(context, _document(context, path)[1], False, by)
        except NotFound:
            flagged = "The note itself is gone."
    return SourceNote(path, gone.id, dirty=False, note=flagged)


def listed(context: Context, only_dirty: bool = False) -> tuple[SourceNote, ...]:
    """Return the marked notes in path order; dirty ones have changed since they were read, or are gone."""
    notes = [_state(context, memory) for memory in _marks(context)]
    return tuple(sorted((note for note in notes if note.dirty or not only_dirty), key=lambda note: note.path))


def read_dirty(context: Context, *, by: By) -> tuple[SourceNote, ...]:
    """Read every marked note that changed, including those that the person marked by hand."""
    _follow_flags(context, by)
    dirty = [memory for memory in _marks(context) if (state := _state(context, memory)).dirty and not state.note]
    return tuple(_read(context, memory, by) for memory in dirty)


def _marks(context: Context) -> list[Memory]:
    items = context.index.select(Scope(sources=("memory",), kinds=("source",), statuses=("active",)), limit=MARKS_MAX)
    return [context.vault.get(item.key) for item in items if item.origin.startswith(SCHEME)]


def _mark_of(context: Context, path: str) -> Memory | None:
    return next((memory for memory in _marks(context) if memory.source == SCHEME + path), None)


def _state(context: Context, known: Memory) -> SourceNote:
    path = known.source.removeprefix(SCHEME)
    try:
        etag = _document(context, path)[0].etag
    except (NotFound, InvalidInput) as error:
        return SourceNote(path, known.id, dirty=True, note=error.message)
    return SourceNote(path, known.id, dirty=known.extra.get(READ) != etag)


def _read(context: Context, known: Memory, by: By) -> SourceNote:
    """Extract from a note and save the etag that was read."""
    path = known.source.removeprefix(SCHEME)
    document, _ = _document(context, path)
    clipped = any(str(document.properties.get(name, "")).startswith(("http://", "https://")) for name in _CLIPPED)
    turns = tuple(
        Turn(str(number), "user", text, time=document.modified)
        for number, text in enumerate(said_in(context, document.body[:NOTE_MAX_CHARS], clipped=clipped), 1)
    )
    session = Session("vault", path, path, turns, title=document.title)
    candidates = [
        replace(candidate, source=known.source, trust="external" if clipped else candidate.trust) for candidate in mine(session)
    ]
    saved = _followed(context, known.source, candidates, "\n".join(turn.text for turn in turns))
    flagged = document.properties.get(FLAG) is True
    if (known.extra.get(READ), known.extra.get(FLAGGED) is True) != (document.etag, flagged):
        context.vault.edit(known.id, properties={READ: document.etag, FLAGGED: flagged or None}, by=by)
    return SourceNote(path, known.id, dirty=False, saved=saved)


def _followed(context: Context, source: str, candidates: Sequence[Candidate], text: str) -> tuple[Saved, ...]:
    """Route the note's current statements. Memories no longer in the note are replaced by the text in their place, else they wait.

    Args:
        text: complete text of the note.
    """
    gone = _gone(context, source, text)
    saved = []
    for candidate in candidates:
        older = _former(candidate, gone)
        saved.append(route(context, replace(candidate, relation="update", target=older.id) if older else candidate, "note"))
        if older and (saved[-1].action == "inbox" or older.id in saved[-1].replaced):
            gone.remove(older)
    return (*saved, *(_put_in_question(context, memory) for memory in gone))


def _gone(context: Context, source: str, text: str) -> list[Memory]:
    """Return unedited memories that came only from this note and are no longer in its text."""
    entry = plain_text(text)
    items = context.index.select(Scope(sources=("memory",), statuses=("active", "inbox")), limit=LOOKED_THROUGH)
    memories = []
    for item in items:
        if item.origin != source or item.kind == "source":
            continue
        memory = context.vault.get(item.key)
        texts = [plain_text(without_callouts(body)) for _, body in context.vault.history.bodies(memory.id)]
        others = set(sources_of(memory)) - {source}
        if texts and texts[0] == texts[-1] and texts[0] not in entry and not others and not memory.extra.get(LEFT):
            memories.append(memory)
    return memories


def _former(candidate: Candidate, gone: Sequence[Memory]) -> Memory | None:
    """Return the memory that the candidate replaces; None for none.

    Of the comparable memories it is the one with the most words in common.
    """
    alike = [
        (compare(memory.body, candidate.text), memory)
        for memory in gone
        if memory.kind == candidate.kind and memory.status == "active"
    ]
    fitting = [(comparison.overlap, memory.id, memory) for comparison, memory in alike if comparison.relation != "other"]
    return max(fitting)[2] if fitting else None


def _put_in_question(context: Context, memory: Memory) -> Saved:
    """Set a memory that is no longer in its note to pending; archive one that was pending already."""
    if memory.status == "inbox":
        return Saved("dropped", context.vault.archive(memory.id, "its note no longer says it", by=BY_EXTRACTION))
    values = {
        "status": "inbox",
        "mining_route": "review",
        "mining_rationale": "source.gone: its note no longer says it; approve it if it holds all the same, else reject it",
        LEFT: True,
    }
    waiting = context.vault.edit(memory.id, properties=values, by=BY_EXTRACTION)
    return Saved("inbox", waiting, note="Its note no longer says it.")


def said_in(context: Context, text: str, *, clipped: bool) -> list[str]:
    """Return paragraphs of a note, without empty ones and those that instruct agents; secrets are replaced."""
    trust: Trust = "external" if clipped else "extracted"
    clean = (context.guard.clean(part.strip()) for part in _PARAGRAPHS.split(text))
    return [part for part in clean if part and context.guard.judge(part, trust=trust, interface="note").action != "quarantine"]


def _document(context: Context, note: str) -> tuple[Document, Path]:
    """Return the note that a path, title or URI names, and its file."""
    wanted = note.removeprefix(SCHEME)
    if "." in wanted.rpartition("/")[2] and not wanted.endswith(".md"):
        raise InvalidInput(f"{wanted} is not Markdown.", "Only notes that end in .md can be sources.")
    items = context.index.items(context.index.named(wanted))
    documents = [item for item in items.values() if item.source == "document" and item.path.endswith(".md")]
    item = next(
        (document for document in documents if document.path in (wanted, f"{wanted}.md")), documents[0] if documents else None
    )
    if item is None:
        if any(item.source == "document" for item in items.values()):
            raise InvalidInput(f"{wanted} is not Markdown.", "Only notes that end in .md can be sources.")
        if items:
            raise InvalidInput(f"{wanted} is a memory itself.", "Only notes that you wrote can be sources.")
        raise NotFound(f"There is no note {wanted} in the vault.", "Give its path in the vault, or first: vade sync")
    opened = context.vault.open(SourceFile(item.space, item.path, "document", item.stat))
    if not isinstance(opened, Document):
        raise NotFound(f"The note {item.path} cannot be read any more.", "First: vade sync")
    root = next(space.documents_root for space in context.vault.spaces if space.name == item.space)
    return opened, Path(root) / item.path


def _flagged(context: Context, file: Path, wanted: bool, by: By) -> str:
    """Set or clear the flag in the note itself. Returns "" or the reason why the note was not changed."""
    try:
        text = text_of(file.read_bytes())
        fresh = set_properties(text, {FLAG: True if wanted else None})
        if fresh != text:
            context.vault.pages.write(
                file, fresh, etag=etag_of(text.encode()), rationale="Mark it as a source of memories.", by=by
            )
    except (Refused, InvalidInput, WriteFailed) as error:
        return f"The note itself was not changed: {error.message}"
    return ""
