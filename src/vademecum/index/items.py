"""Convert a memory, document or session into an item with searchable passages, each with its heading and speaker."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from msgspec.structs import replace

from vademecum.domain.branches import branch_in
from vademecum.domain.item import Attributes, Item, Passage, Touch
from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.memory import SOURCE_FLAG, Document, Memory
from vademecum.domain.session import SPOKEN, THREAD, Session, Turn
from vademecum.index.chunks import chunk_note, split_text
from vademecum.language.checkboxes import is_ticked_off
from vademecum.language.line_search import line_at, lines_holding
from vademecum.language.readable import without_comments
from vademecum.language.text import one_line

#: Spaces of sessions and of their tool logs, which are in no folder of memories.
SESSIONS, LOGS = "sessions", "logs"
#: Maximum characters indexed of one tool call or output, and of several in one passage.
SHOWN_MAX_CHARS, SHOWN_TOGETHER_CHARS = 600, 1000
#: Signs of an error in lower case: words that are enough by themselves, and codes that depend on the rest of the line.
_ERROR_WORDS = (
    "error", "exception", "fail", "fatal", "denied", "refused", "not found", "cannot", "can't", "no such", "undefined", "unexpected",
    "invalid", "timeout", "time out", "timedout", "timed out", "panic", "traceback", "abort", "segfault",
)  # fmt: skip
_ERROR_CODE = late_pattern(r"e\d{3}")
_STATUS = late_pattern(r"[45]\d\d(?!\w)")
_TELLS_STATUS = late_pattern(
    # only explicit status codes; the line numbers before the contents of a file are none
    r"(?:http\S*|status|code|response|responded|returned|got|[-=]>)\W{0,4}\b[45]\d\d\b"
    r"|\b[45]\d\d (?:bad|unauth|forbid|not |method|request|conflict|gone|unproc|too |payload|internal|service|gateway|error|server|client)"
    r"|\b(?:get|post|put|patch|delete|head) \S{1,200}.{0,40}\b[45]\d\d\b"
)

#: Lower-case mapping of ASCII, the alphabet of these words.
_SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)

#: Kinds that count as resolved once all their boxes are ticked, whatever status the file has.
TICKED = frozenset({"task", "plan"})
#: Callout in which a disputed memory names the contradicting one, whose words are not its own.
_CONTRADICTION = late_pattern(r"^> \[!contradiction\].*\n?(?:^>.*(?:\n|\Z))*", re.MULTILINE)
_MARKUP = late_pattern(r"[*_`#>\[\]()!|-]+")
#: Properties that describe a note in a sentence; the first one present is used.
_DESCRIPTIONS = ("description", "summary")
#: Hexadecimal digits of the digest, and of the etag before it.
_DIGEST_CHARS, _ETAG_CHARS = 24, 32
#: Maximum passages of a turn, and how many of them are its end. A longer one has a pasted file, whose beginning says what it is; what
#: the person says about it stands above or below.
PIECES_OF_A_TURN, LAST_PIECES = 60, 6


def memory_item(memory: Memory, stat: str) -> Item:
    """Return the item of a memory. Title, tags and topics are in the heading of every passage, so that each passage shows its subject."""
    handoff = memory.kind == "handoff" and memory.status != "inbox"  # the inbox is for the person
    attributes: dict[str, Any] = {name: getattr(memory, name) for name in Attributes.__struct_fields__}
    attributes["branch"] = str(branch_in(memory.branch) or "")
    if memory.status == "active" and memory.kind in TICKED and is_ticked_off(memory.body):
        attributes["status"] = "resolved"
    return Item(
        key=memory.uri,
        source="handoff" if handoff else "memory",
        space=memory.space,
        path=memory.path,
        title=memory.title,
        stat=stat,
        digest=memory.etag + _digest(memory.space, memory.path, json.dumps(dict(memory.evidence), sort_keys=True)),
        kind=memory.kind,
        host=memory.source_interface,
        origin=memory.source,
        created=memory.created,
        updated=memory.valid_from or memory.updated if handoff else memory.shown_at,  # the time when its session ended
        **attributes,
        passages=_with_summary(
            memory,
            _note_passages(
                memory.title, _CONTRADICTION.sub(_blank, memory.body), (*memory.tags, *memory.topics, *memory.aliases)
            ),
        ),
    )


def etag_in(digest: str) -> str:
    """Return the etag of the memory text that an item with this digest was built from; "" if it contains none."""
    etag = digest[:-_DIGEST_CHARS]
    return etag if len(etag) == _ETAG_CHARS else ""


def document_item(document: Document, stat: str) -> Item:
    """Return the item of a note that the person wrote. Every passage is found by the note's title, tags, aliases and file name."""
    name = document.path.rpartition("/")[2].rpartition(".")[0]
    file_name = () if name.casefold() in document.title.casefold() else (name,)
    return Item(
        key=f"document://{document.space}/{document.path}",
        source="document",
        space=document.space,
        path=document.path,
        title=document.title,
        stat=stat,
        digest=_digest(document.etag, document.space, document.path),
        kind="document",
        tags=(*document.tags, SOURCE_FLAG) if document.properties.get(SOURCE_FLAG) is True else document.tags,
        aliases=document.aliases,
        created=document.begun or document.changed or document.modified,
        updated=document.changed or document.begun or document.modified,
        edges=document.edges,
        passages=_note_passages(
            document.title,
            without_comments(document.body),
            (*document.tags, *document.aliases, *file_name),
            _described(document),
        ),
    )


def _with_summary(memory: Memory, passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """Append the summary of a memory as a passage, if it says more than title and text."""
    text = one_line(f"{memory.title} {memory.body}")
    if not memory.summary or one_line(memory.summary) in text:
        return passages
    return (*passages, Passage(" ".join(memory.summary.split()), len(passages), heading=memory.title, ref="1"))


def _described(document: Document) -> str:
    """Return the description in a note's frontmatter; "" if there is none."""
    result = (document.properties.get(name) for name in _DESCRIPTIONS)
    return next((" ".join(text.split()) for text in result if isinstance(text, str) and text.strip()), "")


def session_item(session: Session, stat: str) -> Item:
    """Return the item of a session: a passage per spoken turn, long ones split. Tool output is not included."""
    passages: list[Passage] = []
    spoken = [turn for turn in session.turns if turn.role in SPOKEN]
    for number, turn in enumerate(spoken):
        passages += _turn_passages(turn, number)
    return Item(
        key=session.uri,
        source="session",
        space=SESSIONS,
        path=session.path,
        title=session.title or session.id,
        stat=stat,
        digest=_digest(session.uri, stat, str(len(passages))),
        kind="session",
        tags=(*_threads(session.turns), *session.tags),
        project=session.project,
        folder=session.cwd,
        host=session.host,
        trust="user",
        created=session.started,
        updated=session.ended or session.started,
        passages=tuple(passages),
        touches=tuple(_touches(session.turns)),
    )


def items_of(session: Session, stat: str) -> tuple[Item, Item]:
    """Return the items of a session: its speech, and its tool log."""
    return session_item(session, stat), log_item(session, stat)


def log_key(session: str) -> str:
    """Return the key of a session's tool log."""
    return f"log://{session.removeprefix('session://')}"


def log_item(session: Session, stat: str) -> Item:
    """Return the item of a session's tool log: complete command lines, and the lines of the output that report errors.

    It is separate from the session's speech, so that commands and errors can be found without being taken for speech. The complete
    output is in the archive.
    """
    passages = tuple(
        Passage("\n".join(texts), number, speaker="tool", ref=first.ref, time=first.time, role="tool")
        for number, (first, texts) in enumerate(_runs(session.turns))
    )
    item = session_item(session, stat)
    key = log_key(item.key)
    touches = tuple(replace(touch, ref="") for touch in item.touches)
    return replace(item, key=key, source="log", space=LOGS, kind="log", passages=passages, touches=touches)


def _runs(turns: Sequence[Turn]) -> Iterator[tuple[Turn, list[str]]]:
    """Yield (first turn, texts) for passages of the tools used between two spoken turns.

    Several share a passage, because one passage for each would cost several times its text.
    """
    first: Turn | None = None
    texts: list[str] = []
    for turn in turns:
        text = _shown(turn) if turn.role == "tool" else ""
        over = sum(map(len, texts)) + len(text) > SHOWN_TOGETHER_CHARS
        if first is not None and (over or turn.role in SPOKEN):
            yield first, texts
            first, texts = None, []
        if text:
            first = first or turn
            texts.append(text)
    if first is not None:
        yield first, texts


def _shown(turn: Turn) -> str:
    """Return the indexed part of a tool turn; "" for nothing."""
    if turn.tools:
        return turn.text[:SHOWN_MAX_CHARS]
    text = "\n".join(dict.fromkeys(_error_lines(turn.text)))
    return text if len(text) <= SHOWN_MAX_CHARS else text[: SHOWN_MAX_CHARS // 2] + "\n…\n" + text[-SHOWN_MAX_CHARS // 2 :]


def _error_lines(text: str) -> Iterator[str]:
    """Yield the lines that report an error, in order, stripped."""
    text = "\n".join(text.splitlines())
    small = text.lower()
    if len(small) != len(text):  # a letter whose lower case is two characters would shift the positions after it
        small = text.translate(_SMALL)
    starts = set(lines_holding(small, _ERROR_WORDS))
    for match in _ERROR_CODE.finditer(small):
        starts.add(small.rfind("\n", 0, match.start()) + 1)
    for match in _STATUS.finditer(small):
        start = small.rfind("\n", 0, match.start()) + 1
        if start not in starts and _TELLS_STATUS.search(line_at(small, start)):
            starts.add(start)
    yield from (line_at(text, start).strip() for start in sorted(starts))


def _touches(turns: Sequence[Turn]) -> Iterator[Touch]:
    """Yield tool uses and touched files, each with the number of the spoken turn before it."""
    number = -1
    for turn in turns:
        number += turn.role in SPOKEN
        for tool in turn.tools:
            for file in turn.files or ("",):
                yield Touch(tool, file, max(number, 0), turn.time, turn.ref)


def _threads(turns: Iterable[Turn]) -> tuple[str, ...]:
    """Return the threads that a session says it belongs to."""
    return tuple(dict.fromkeys(result for turn in turns if turn.role in SPOKEN for result in THREAD.findall(turn.text)))


def plain_text(text: str) -> str:
    """Return a text without markup, case and extra spaces; memories with equal results are duplicates."""
    return one_line(_MARKUP.sub(" ", text))


def _blank(comment: re.Match[str]) -> str:
    """Replace a comment by its line ends, so that the following lines keep their numbers."""
    return "\n" * comment[0].count("\n")


def _turn_passages(turn: Turn, number: int) -> list[Passage]:
    aside = turn.speaker if turn.speaker in ("program", "document") else "sub-agent" if turn.sidechain else ""
    role = "agent" if turn.role == "user" and not turn.is_persons and turn.speaker != "document" else turn.role
    text = f"{turn.question}\n{turn.text}" if turn.question else turn.text
    pieces = split_text(text)
    if len(pieces) > PIECES_OF_A_TURN:
        pieces = [*pieces[: PIECES_OF_A_TURN - LAST_PIECES], *pieces[-LAST_PIECES:]]
    return [
        Passage(piece, number, speaker=aside or turn.name or role, ref=turn.ref, time=turn.time, role=role) for piece in pieces
    ]


def _note_passages(title: str, body: str, words: tuple[str, ...], described: str = "") -> tuple[Passage, ...]:
    """Return the passages of a note, its description first; only the title if it has no text."""
    about = " ".join(dict.fromkeys((title, *words)))
    first = (Passage(described, 0, heading=about, ref="1"),) if described else ()
    chunks = chunk_note(body)
    if not chunks:
        return first or (Passage(title, 0, heading=" ".join(words), ref="1"),)
    return first + tuple(
        Passage(chunk.text, number, heading=_heading(about, title, chunk.heading), ref=str(chunk.line))
        for number, chunk in enumerate(chunks, len(first))
    )


def _heading(about: str, title: str, heading: str) -> str:
    """Return title, tags and the section's path, without repeating the title."""
    rest = heading.removeprefix(title).removeprefix(" / ")
    return f"{about} / {rest}" if rest else about


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=_DIGEST_CHARS // 2).hexdigest()
