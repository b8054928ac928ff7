"""Parse a note: bytes -> Memory or Document. Parsing is tolerant and never writes; it reports every guess.

A file that a person made by hand has no id. Its id is derived from its place and time, the same at every reading, so that the
memory can be recalled at once; the id is written into the file only by a journaled repair.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from msgspec import Struct

from vademecum.domain import wiki
from vademecum.domain.action import LEVELS
from vademecum.domain.errors import InvalidInput
from vademecum.domain.ids import ALPHABET, ENTROPY_BYTES, id_time_ms, is_id, make_id
from vademecum.domain.item import Confidence, Edge, Status
from vademecum.domain.kinds import KINDS, resolve_kind
from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.memory import (  # fmt: skip
    CONFIDENCES,
    PROPERTY_ORDER,
    RELATIONS,
    STATUSES,
    TRUSTS,
    VISIBILITIES,
    Document,
    Memory,
    Space,
)
from vademecum.domain.payload import text_by_mark
from vademecum.domain.relations import MENTION
from vademecum.domain.uris import is_external
from vademecum.vault.evidence import Known, texts, together
from vademecum.vault.files import etag_of
from vademecum.vault.frontmatter import Frontmatter, Value, read
from vademecum.vault.markup import inline_tags, keys_named, link_targets, links, mentions
from vademecum.vault.own_dates import own_dates
from vademecum.vault.places import in_one_form, said_by_path, stem
from vademecum.vault.scan import CANVAS, EPOCH

_HEADING = late_pattern(r"#{1,6}[ \t]+([^\r\n]+?)[ \t]*#*[ \t]*(?:[\r\n]|\Z)")
#: What may stand above the heading that names a note: comments, pictures, embeds, fields, tags, a table of contents.
_ABOVE = late_pattern(
    r"(?:\s+|%%.*?%%|<!--.*?-->|!\[\[[^\]\n]*\]\]|!\[[^\]\n]*\]\([^)\n]*\)|\[toc\]|#[^\s#]+|[^\W\d][\w -]{0,40}::[^\n]*)*+",
    re.DOTALL | re.IGNORECASE,
)
#: A title that a template was to fill in.
_UNFILLED = late_pattern(r"<%.*%>|\{\{.*\}\}")
#: A field at the head of a note: "tags:: a, b" (Logseq, Dataview); below its heading also "Created: March 4, 2026" (Notion).
_FIELD = late_pattern(r"[ \t]*(?:[-*][ \t]+)?(?P<name>[^\W\d][\w -]{0,40}?)[ \t]*(?P<sign>::?)(?:[ \t]+(?P<value>\S.*))?$")
_UNDERLINED = late_pattern(r"([^\s\-*+>|#=`].{0,80}?)[ \t]*(?:\r\n|\n|\r)={3,}[ \t]*(?:[\r\n]|\Z)")
_SHOWN_ONLY_IN_EXTRA = frozenset({"superseded_at", "superseded_reason"})
_FIELDS = frozenset(PROPERTY_ORDER) - _SHOWN_ONLY_IN_EXTRA
_TIMES = ("created", "said", "valid_from", "valid_until", "superseded_at")
#: Number of lines that are searched for fields at the head of a note.
MAX_HEAD_FIELDS = 20
#: Parts of an id, or of two that a merge mixed.
_SPOILED_ID = late_pattern(rf"(?!.{{26}}\Z)[{ALPHABET}]{{15,}}")
#: Properties of the person's notes that are read whatever the case of their names.
_READ = frozenset({"title", "tags", "tag", "aliases", "alias", "description", "summary"})
_TRUE = frozenset({"true", "yes", "on", "1"})

Word = TypeVar("Word", bound=str)


class Reading(Struct, frozen=True):
    """A memory read from a file.

    Attributes:
        repairs: properties missing in the file, with their proper values.
        complaints: problems of the file, as sentences.
        editable: whether this program can change its properties.
    """

    memory: Memory
    repairs: Mapping[str, Value]
    complaints: tuple[str, ...]
    editable: bool


class Identity(Struct, frozen=True):
    """The identity of a memory's file.

    Attributes:
        text, body: of the file, with and without frontmatter. lacks_id: the id was generated.
        editable: whether this program can change its properties.
        impossible: properties with values of an invalid form, by name.
    """

    id: str
    status: Status
    text: str
    body: str
    lacks_id: bool
    editable: bool
    impossible: Mapping[str, str]


def text_of(raw: bytes) -> str:
    """Return the text of a memory's file.

    Raises:
        InvalidInput: it is not UTF-8, so that rewriting it could lose something.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"The file is not UTF-8 (byte {error.start}).", "Save it as UTF-8 in an editor.") from error


def read_memory(
    raw: bytes, space: Space, path: str, modified: datetime, known_of: Callable[[str], Known] = lambda identity: {}
) -> Reading:
    """Return the memory in a file of `space`.

    Args:
        path: POSIX, relative to the space's root. modified: of the file; aware, UTC.
        known_of: memory id -> its evidence in the journals. Properties in the note take precedence.

    Raises:
        InvalidInput: the file is not UTF-8.
    """
    front = read(text_of(raw))
    keys = _Said(front)
    kind_by_path, status_by_path, group, always = said_by_path(path)
    kind, facet = _kind(keys.text("kind") or _wiki_kind(keys, path), kind_by_path)
    identity, repairs = _identity(keys, space, path, modified)
    known = known_of(identity)
    keys.know(known)
    created = keys.time("created") or (EPOCH + timedelta(milliseconds=id_time_ms(identity)))
    if not keys.text("kind"):
        repairs["kind"] = kind
    if not keys.text("created"):
        repairs["created"] = created
    in_group = dict(zip(("group", "name"), group.split("/")[:2], strict=False))
    memory = Memory(
        id=identity, kind=kind, title=keys.text("title") or title_of(front.body, path), body=front.body,
        space=space.name, path=path, etag=etag_of(raw), created=created, updated=keys.time("updated") or modified,
        status=_status(keys, status_by_path), facet=keys.text("facet") or facet,
        summary=keys.text("summary"), tags=_tags(keys, front.body), topics=keys.list("topics"), aliases=keys.names("aliases"),
        confidence=keys.word("confidence", CONFIDENCES, _confidence(keys)),
        importance=keys.number("importance", KINDS[kind].importance),
        valid_from=keys.time("valid_from"), valid_until=keys.time("valid_until"), last_confirmed=keys.time("last_confirmed"),
        said=keys.time("said"),
        confirmations=keys.count("confirmations"),
        **{name: tuple(_bare(link) for link in keys.list(name)) for name in RELATIONS},
        source=keys.text("source"), source_interface=keys.text("source_interface"), source_span=keys.text("source_span"),
        agent=keys.text("agent") or (in_group.get("name", "") if in_group.get("group") == "agents" else ""),
        project=keys.text("project") or space.project
        or (in_group.get("name", "") if in_group.get("group") == "projects" else ""),
        branch=keys.text("branch"), profile=keys.text("profile") or "default", visibility=keys.word("visibility", VISIBILITIES, "private"),
        trust=keys.word("trust", TRUSTS, "user"),
        always_load=keys.flag("always_load") if keys.text("always_load") else always,
        priority=keys.count("priority"), pin=keys.flag("pin"),
        when=keys.list("when"), unless=keys.list("unless"), level=keys.word("level", ("", *LEVELS), ""),
        extra={name: value for name, value in {**known, **keys.values}.items() if name not in _FIELDS},
        edges=tuple(dict.fromkeys([*_edges(keys, front), *_outward(keys, front.body), *_keyed(front.body)])), evidence=known,
    )  # fmt: skip
    return Reading(memory, repairs, tuple(keys.complaints), not front.damage and not front.flow)


def read_identity(raw: bytes, space: Space, path: str, modified: datetime, known_of: Callable[[str], Known]) -> Identity:
    """Return the identity and status in a file as :func:`read_memory` does, in half the time."""
    text = text_of(raw)
    front = read(text)
    properties = _Said(front)
    identity, repairs = _identity(properties, space, path, modified)
    properties.know(known_of(identity))
    status = _status(properties, said_by_path(path)[1])
    editable = not front.damage and not front.flow
    return Identity(identity, status, text, front.body, "id" in repairs, editable, impossible_values(front))


def impossible_values(front: Frontmatter) -> dict[str, str]:
    """Return the properties with values of an invalid form, as a character-level merge of a sync tool produces them."""
    properties = _Said(front)
    fields = {name: properties.text(name) for name in _TIMES if properties.text(name) and properties.time(name) is None}
    return fields | ({"id": properties.text("id")} if _SPOILED_ID.fullmatch(properties.text("id")) else {})


def read_document(raw: bytes, space: str, path: str, modified: datetime) -> Document:
    """Return a note of the person's own, with its properties.

    Property names are case-insensitive, and a second frontmatter block supplies properties missing in the first. What is not
    UTF-8, nor has another byte order mark, is read as Windows-1252; the note is never rewritten.
    """
    if path.endswith(CANVAS):
        body = canvas_text(raw)
        name = path.rpartition("/")[2].removesuffix(CANVAS)
        return Document(
            space=space, path=path, title=name, body=body, etag=etag_of(raw), modified=modified, tags=inline_tags(body),
            edges=links(body), begun=own_dates({}, path)[0],
        )  # fmt: skip
    front = read(_text(raw))
    second = second_block(front)
    keys = _Said(front)
    body = second.body if second else front.body
    said = {**head_fields(body), **(second.texts() if second else {}), **keys.texts}
    keys.texts = {name.lower(): value for name, value in said.items()}
    properties = {**(second.values() if second else {}), **keys.values}
    begun, changed = own_dates(said, path)
    title = keys.text("title")
    if not title or _UNFILLED.fullmatch(title):  # a heading of a lower level names a part of the note
        title = stem(path) if _beginning(body).startswith("##") else title_of(body, path)
    return Document(
        space=space, path=path, title=title, body=body, etag=etag_of(raw), modified=modified,
        tags=_tags(keys, body), aliases=keys.names("aliases", "alias"),
        properties={name.lower() if name.lower() in _READ else name: value for name, value in properties.items()},
        edges=tuple(dict.fromkeys([*_edges(keys, front), *(_edges(_Said(second), second) if second else ())])),
        begun=begun, changed=changed,
    )  # fmt: skip


def is_board(raw: bytes) -> bool:
    """Return whether a file is a JSON Canvas."""
    try:
        return isinstance(json.loads(raw), dict)
    except (ValueError, RecursionError):
        return False


def canvas_text(raw: bytes) -> str:
    """Return the texts on a board in file order, labels of groups and arrows included; "" if it is no JSON Canvas."""
    try:
        board = json.loads(raw)
    except (ValueError, RecursionError):
        return ""
    rows = [row for name in ("nodes", "edges") for row in _rows(board, name)]
    result = [row.get(field) for row in rows for field in ("text", "label")]
    return "\n\n".join(text.strip() for text in result if isinstance(text, str) and text.strip())


def _rows(board: object, name: str) -> list[dict[str, object]]:
    rows = board.get(name) if isinstance(board, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def second_block(front: Frontmatter) -> Frontmatter | None:
    """Return the second frontmatter block right below the first one, with the text after it; None if there is none.

    Programs that do not see the first block add theirs there; Obsidian ignores it.
    """
    below = (
        read(front.body.lstrip("\r\n")) if front.head.strip("\ufeff") and front.body.lstrip("\r\n").startswith("---") else None
    )
    return below if below is not None and below.entries and not below.damage else None


def head_fields(body: str) -> dict[str, str]:
    """Return the fields with which a text begins, or which stand below the heading it begins with, up to another line."""
    fields: dict[str, str] = {}
    below = False
    for line in body.strip().split("\n", MAX_HEAD_FIELDS)[:MAX_HEAD_FIELDS]:
        match = _FIELD.match(line.rstrip("\r"))
        if match and (match["sign"] == "::" or below):
            fields.setdefault(match["name"].rstrip(), (match["value"] or "").replace("[[", "").replace("]]", ""))
        elif not below and not fields and _HEADING.match(line):
            below = True
        elif line.strip() or fields:
            break
    if below:
        fields.pop("Title", "")  # the heading is the title
    return fields


def _text(raw: bytes) -> str:
    """Return the text of a note. Single bytes that are damaged in UTF-8 become replacement characters."""
    marked = text_by_mark(raw)
    if marked is not None:
        return marked
    try:
        return raw.decode()
    except UnicodeDecodeError:
        text = raw.decode(errors="replace")
    return text if any(char > "\x7f" and char != "\ufffd" for char in set(text)) else raw.decode("cp1252", "replace")


def title_of(body: str, path: str) -> str:
    """Return the title of a note without a title property: its first heading if it starts with one, else the file name."""
    start = _beginning(body)
    match = _HEADING.match(start) if start.startswith("#") else _UNDERLINED.match(start)
    return match.group(1).strip() if match else stem(path)


def _beginning(body: str) -> str:
    above = _ABOVE.match(body)
    return body[above.end() if above else 0 :][:400]


def _kind(word: str, by_path: str) -> tuple[str, str]:
    """Return the kind and facet; an unknown word becomes the facet."""
    if not word:
        return by_path or "fact", ""
    try:
        kind, facet = resolve_kind(word)
    except KeyError:
        return by_path or "fact", word
    return kind.name, facet or ""


def _wiki_kind(properties: "_Said", path: str) -> str:
    """Return the kind of a wiki page by another tool's property, which may be a folder name; "" for none."""
    word = (properties.text("type") or properties.text("category")) if path.startswith(f"{wiki.FOLDER}/") else ""
    return wiki.KIND_IN.get(word, word)


def _status(properties: "_Said", by_path: Status) -> Status:
    """Return the status. A wiki's word for how complete a page is does not override the status given by its place (HW-20, HW-34)."""
    name = "status" if properties.text("status") else "lifecycle"
    return by_path if properties.text(name).lower() in wiki.MATURITY else properties.word(name, STATUSES, by_path)


def _confidence(properties: "_Said") -> Confidence:
    """Return the confidence for the number that another tool gave a page; "medium" without one."""
    share = properties.number("base_confidence", 0.5)
    return "low" if share < 0.4 else "high" if share >= 0.75 else "medium"


def _identity(said: "_Said", space: Space, path: str, modified: datetime) -> tuple[str, dict[str, Value]]:
    """Return the id, and the properties to add if the file has none. Another system's id becomes an alias."""
    written = said.text("id")
    if is_id(written.upper()):
        return written.upper(), {}
    time = said.time("created") or modified
    time_ms = min(max((time - EPOCH) // timedelta(milliseconds=1), 0), (1 << 48) - 1)
    identity = make_id(time_ms, hashlib.blake2b(f"{space.name}\0{path}".encode(), digest_size=ENTROPY_BYTES).digest())
    repairs: dict[str, Value] = {"id": identity}
    if _SPOILED_ID.fullmatch(written):
        said.complaints.append(f"id is {written!r}, which is not a valid id.")
    elif written and written not in said.names("aliases"):
        repairs["aliases"] = [*said.names("aliases"), written]
    return identity, repairs


def _tags(properties: "_Said", body: str) -> tuple[str, ...]:
    """Return tags of the frontmatter, then those in the text, without duplicates."""
    names = sorted((name for name in properties.texts if name.lower() in ("tags", "tag")), key=str.lower, reverse=True)
    listed = [part for name in names for tag in properties.list(name) for part in tag.replace(",", " ").split()]
    listed = list(map(in_one_form, listed))
    return tuple(dict.fromkeys(tag.removeprefix("#") for tag in [*listed, *(f"#{tag}" for tag in inline_tags(body))] if tag))


def _edges(properties: "_Said", front: Frontmatter) -> tuple[Edge, ...]:
    edges = [Edge(name, _bare(target)) for name in RELATIONS for target in properties.list(name)]
    for name, value in properties.written.items():
        if name not in RELATIONS:
            edges += [Edge(name, target) for target in link_targets(value)]
    return tuple(dict.fromkeys([*edges, *links(front.body)]))


def _outward(properties: "_Said", body: str) -> list[Edge]:
    """Return edges to external targets (web pages, files, threads) named in the text or in the evidence."""
    named = [*properties.list(MENTION), *(mentions(body) if "://" in body else ())]
    return [Edge(MENTION, uri) for uri in named if is_external(uri)]


def _keyed(body: str) -> list[Edge]:
    """Return edges to the memories whose keys the text names (SW-31)."""
    return [Edge(MENTION, key) for key in keys_named(body)]


def _bare(link: str) -> str:
    """Return a link's target without brackets, heading and alias; any other text unchanged."""
    return (link_targets(link) or [link])[0]


class _Said:
    """Typed access to frontmatter values. Values that could not be parsed are added to `complaints`."""

    def __init__(self, front: Frontmatter) -> None:
        self.texts = self.written = front.texts()
        self.values = front.values()
        self.complaints = [front.damage] if front.damage else []

    def know(self, known: Known) -> None:
        """Use evidence for properties that the note does not have."""
        if known:
            self.texts = {**texts(known), **self.texts, **texts(together(self.values, known))}

    def text(self, name: str) -> str:
        value = self.texts.get(name)
        return " ".join(value.split()) if isinstance(value, str) else ""

    def list(self, name: str) -> tuple[str, ...]:
        value = self.texts.get(name)
        items = value if isinstance(value, list) else [value]
        return tuple(item.strip() for item in items if isinstance(item, str) and item.strip())

    def names(self, *properties: str) -> tuple[str, ...]:
        """Return the names in these properties. A text holds several, divided by commas, as Obsidian reads it."""
        result: list[str] = []
        for name in properties:
            value = self.texts.get(name)
            result += re.split(r"[,\n]", value) if isinstance(value, str) else self.list(name)
        return tuple(dict.fromkeys(name.strip() for name in result if name.strip()))

    def word(self, name: str, known: tuple[Word, ...], default: Word) -> Word:
        written = self.text(name).lower()
        for word in known:
            if word == written:
                return word
        if written:
            self.complaints.append(f"{name} is {written!r}, which is not one of {', '.join(known)}; read as {default}.")
        return default

    def time(self, name: str) -> datetime | None:
        written = self.text(name)
        if not written:
            return None
        try:
            time = datetime.fromisoformat(written)
            return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        except (ValueError, OverflowError):
            self.complaints.append(f"{name} is {written!r}, which is not a date (2026-01-31 or 2026-01-31T10:00:00Z).")
            return None

    def number(self, name: str, default: float) -> float:
        """Return a number between 0 and 1."""
        written = self.text(name)
        try:
            number = float(written) if written else default
        except ValueError:
            number = -1.0
        if 0 <= number <= 1:
            return number
        self.complaints.append(f"{name} is {written!r}, which is not a number from 0 to 1; read as {default}.")
        return default

    def count(self, name: str) -> int:
        written = self.text(name)
        if re.fullmatch(r"[-+]?[0-9]{1,9}", written):
            return int(written)
        if written:
            self.complaints.append(f"{name} is {written!r}, which is not a whole number; read as 0.")
        return 0

    def flag(self, name: str) -> bool:
        return self.text(name).lower() in _TRUE
