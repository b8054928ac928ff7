"""Notes that memories are taken from: marked by a memory of kind `source`, read again when they changed.

The mark is a memory like any other, so it is journaled, undone and synced. The note itself stays the person's: only with
their consent does it get `memory-source: true` in its frontmatter. Written or taken out there by hand, it marks and unmarks too.

What a note was clipped from the web (its frontmatter names the page) is not the person's word: what it says waits for theirs.
"""

import re
from dataclasses import replace
from pathlib import Path

from vademecum.capture.mine import ONLY_IF_CHANGED, mine
from vademecum.guard.gate import cleanse, inspect
from vademecum.model.errors import InvalidInput, NotFound, Refused, WriteFailed
from vademecum.model.memory import SOURCE_FLAG, By, Document, Draft, Memory, Trust
from vademecum.model.query import Scope
from vademecum.model.reports import Saved, SourceNote
from vademecum.model.session import Session, Turn
from vademecum.upkeep.keep import changed, keep
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.propose import route
from vademecum.vault.files import etag_of
from vademecum.vault.frontmatter import set_properties
from vademecum.vault.note import text_of
from vademecum.vault.scan import SourceFile

#: A note is read up to here.
NOTE_MAX_CHARS = 16_000
#: Properties of the mark: the note's etag when it was last read; whether the note said itself that it is a source.
READ, FLAGGED = "read_etag", "flagged"
#: Property of the note, with consent.
FLAG = SOURCE_FLAG
#: Properties by which clippers name the page that a note came from.
_CLIPPED = ("source", "url", "clipped_from", "origin")
SCHEME = "vault://"
MARKS_MAX = 1_000
_PARAGRAPHS = re.compile(r"\n\s*\n")


def mark(parts: Parts, note: str, *, write_frontmatter: bool, by: By) -> SourceNote:
    """Take memories from a note of the person's, now and whenever it changes.

    Raises:
        NotFound: no such note. InvalidInput: it is a memory, or not Markdown. Refused: memory is switched off.
    """
    document, file = _document(parts, note)
    known = _mark_of(parts, document.path)
    if known is None:
        title = f"Source: {document.title}"
        properties = {"source": SCHEME + document.path, "importance": 0.3}
        kept = keep(parts, Draft("source", title, f"Memories are taken from [[{document.path.removesuffix('.md')}]].\n",
                                 properties=properties), by=by, unique=True)  # fmt: skip
        if kept.memory is None:
            raise Refused("The guard does not let this note be marked.")
        known = kept.memory
    told = _flagged(parts, file, True, by) if write_frontmatter else ""
    return replace(_read(parts, known, by), note=told)


def _follow_flags(parts: Parts, by: By) -> None:
    """Mark the notes that say by hand that they are sources, and unmark those that said so and no longer do."""
    flagged = parts.index.select(Scope(sources=("document",), statuses=None, tags=(FLAG,)), limit=MARKS_MAX)
    known = {one.source.removeprefix(SCHEME): one for one in _marks(parts)}
    for item in flagged:
        if item.path not in known:
            mark(parts, item.path, write_frontmatter=False, by=by)
    for path, one in known.items():
        if one.extra.get(FLAGGED) is True and not _says_so(parts, path):
            changed(parts, parts.vault.archive(one.id, "the note says no longer that it is a source", by=by))


def _says_so(parts: Parts, path: str) -> bool:
    """Whether the note has the flag; one that cannot be read now is not taken for unmarked."""
    try:
        return _document(parts, path)[0].properties.get(FLAG) is True
    except (NotFound, InvalidInput):
        return True


def unmark(parts: Parts, note: str, *, clear_frontmatter: bool, by: By) -> SourceNote:
    """Take nothing more from a note. What was taken stays.

    Raises:
        NotFound: the note is not marked.
    """
    path = note.removeprefix(SCHEME)
    known = _mark_of(parts, path)
    if known is None:
        path = _document(parts, note)[0].path
        known = _mark_of(parts, path)
    if known is None:
        raise NotFound(f"{note} is no source of memories.", "See which are: vade sources")
    gone = changed(parts, parts.vault.archive(known.id, "no longer a source", by=by))
    told = ""
    if clear_frontmatter:
        try:
            told = _flagged(parts, _document(parts, path)[1], False, by)
        except NotFound:
            told = "The note itself is gone."
    return SourceNote(path, gone.id, dirty=False, note=told)


def listed(parts: Parts, *, only_dirty: bool = False) -> tuple[SourceNote, ...]:
    """The marked notes in path order; dirty ones changed since they were read, or are gone."""
    found = [_state(parts, one) for one in _marks(parts)]
    return tuple(sorted((one for one in found if one.dirty or not only_dirty), key=lambda one: one.path))


def read_dirty(parts: Parts, *, by: By) -> tuple[SourceNote, ...]:
    """Read every marked note that changed, those that the person marked by hand among them."""
    _follow_flags(parts, by)
    dirty = [one for one in _marks(parts) if (state := _state(parts, one)).dirty and not state.note]
    return tuple(_read(parts, one, by) for one in dirty)


def _marks(parts: Parts) -> list[Memory]:
    items = parts.index.select(Scope(sources=("memory",), kinds=("source",), statuses=("active",)), limit=MARKS_MAX)
    return [parts.vault.get(item.key) for item in items if item.origin.startswith(SCHEME)]


def _mark_of(parts: Parts, path: str) -> Memory | None:
    return next((one for one in _marks(parts) if one.source == SCHEME + path), None)


def _state(parts: Parts, known: Memory) -> SourceNote:
    path = known.source.removeprefix(SCHEME)
    try:
        etag = _document(parts, path)[0].etag
    except (NotFound, InvalidInput) as error:
        return SourceNote(path, known.id, dirty=True, note=error.message)
    return SourceNote(path, known.id, dirty=known.extra.get(READ) != etag)


def _read(parts: Parts, known: Memory, by: By) -> SourceNote:
    """Mine a note and remember which state of it was read."""
    path = known.source.removeprefix(SCHEME)
    document, _ = _document(parts, path)
    clipped = any(str(document.properties.get(name, "")).startswith(("http://", "https://")) for name in _CLIPPED)
    turns = tuple(
        Turn(str(number), "user", text, time=document.modified)
        for number, text in enumerate(said_in(document.body[:NOTE_MAX_CHARS], clipped=clipped), 1)
    )
    session = Session("vault", path, path, turns, title=document.title)
    saved: tuple[Saved, ...] = tuple(
        route(parts, replace(one, source=known.source, trust="external" if clipped else one.trust), "note")
        for one in mine(session)
        if one.pattern != ONLY_IF_CHANGED
    )
    flagged = document.properties.get(FLAG) is True
    if (known.extra.get(READ), known.extra.get(FLAGGED) is True) != (document.etag, flagged):
        changed(parts, parts.vault.edit(known.id, properties={READ: document.etag, FLAGGED: flagged or None}, by=by))
    return SourceNote(path, known.id, dirty=False, saved=saved)


def said_in(text: str, *, clipped: bool) -> list[str]:
    """Paragraphs of a note that say something and give no orders to an agent; secrets are replaced."""
    trust: Trust = "external" if clipped else "extracted"
    clean = (cleanse(part.strip()) for part in _PARAGRAPHS.split(text))
    return [part for part in clean if part and inspect(part, trust=trust, interface="note").action != "quarantine"]


def _document(parts: Parts, note: str) -> tuple[Document, Path]:
    """The note that a path, title or URI names, and its file."""
    wanted = note.removeprefix(SCHEME)
    if "." in wanted.rpartition("/")[2] and not wanted.endswith(".md"):
        raise InvalidInput(f"{wanted} is not Markdown.", "Only notes that end in .md can be sources.")
    items = parts.index.items(parts.index.named(wanted))
    documents = [item for item in items.values() if item.source == "document"]
    item = next((one for one in documents if one.path in (wanted, f"{wanted}.md")), documents[0] if documents else None)
    if item is None:
        if items:
            raise InvalidInput(f"{wanted} is a memory itself.", "Only notes that you wrote can be sources.")
        raise NotFound(f"There is no note {wanted} in the vault.", "Give its path in the vault, or first: vade sync")
    opened = parts.vault.open(SourceFile(item.space, item.path, "document", item.stat))
    if not isinstance(opened, Document):
        raise NotFound(f"The note {item.path} cannot be read any more.", "First: vade sync")
    root = next(space.documents_root for space in parts.vault.spaces if space.name == item.space)
    return opened, Path(root) / item.path


def _flagged(parts: Parts, file: Path, wanted: bool, by: By) -> str:
    """Set or clear the flag in the note itself; "" or why it was left as it is."""
    try:
        text = text_of(file.read_bytes())
        fresh = set_properties(text, {FLAG: True if wanted else None})
        if fresh != text:
            parts.vault.write_outside(
                file, fresh, etag=etag_of(text.encode()), rationale="Mark it as a source of memories.", by=by
            )
    except (Refused, InvalidInput, WriteFailed) as error:
        return f"The note itself was not changed: {error.message}"
    return ""
