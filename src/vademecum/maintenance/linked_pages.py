"""A common form for memories and the person's notes, and resolution of links between them."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cached_property
from mimetypes import guess_type

from msgspec import Struct

from vademecum.domain.item import Edge
from vademecum.domain.kinds import KINDS, was_place_of_memory
from vademecum.domain.memory import RELATIONS, Document, Memory
from vademecum.domain.relations import MENTION
from vademecum.vault.find import Found
from vademecum.vault.markup import without_code
from vademecum.vault.note import Reading
from vademecum.vault.places import original_place, stem

#: Placeholders of templates and programs, and dates such as days to come: no note with that name is expected.
_NOT_YET_A_LINK = re.compile(r"\{\{|<%|\$\{|^\d{4}-(?:W\d\d|\d\d(?:-\d\d)?)$|^\.\.\.$|^…$")
_MARKS_IN_HEADINGS = re.compile(r"[^\w]+")
_HEADING = re.compile(r"^(?:[ \t>]*#{1,6}[ \t]+(?P<marked>.+?)|(?P<underlined>[^\n]+)\n(?:=+|-+))[ \t]*$", re.MULTILINE)
_BLOCK_ID = re.compile(r"(?:^|\s)\^(?P<id>[\w-]+)[ \t]*$", re.MULTILINE)
_FILES = (".pdf", ".canvas", ".base", ".excalidraw")
#: Kinds that describe a moment, not a lasting state.
OF_A_MOMENT = frozenset({"handoff", "event"})


class Page(Struct, frozen=True, dict=True):
    """A memory, or a note of the person.

    Attributes:
        key: key in the index.
        path: path as the person sees it.
        found: the memory; None for a note.
        properties: properties of a note.
    """

    key: str
    path: str
    title: str
    body: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    edges: tuple[Edge, ...]
    found: Found | None = None
    properties: Mapping[str, object] = {}

    @property
    def is_wiki(self) -> bool:
        """Whether it is a page of the wiki."""
        return self.found is not None and KINDS[self.found.memory.kind].home == "wiki"

    @property
    def ref(self) -> str:
        """Id of the memory, or ""."""
        return self.found.memory.id if self.found else ""

    @cached_property
    def prose(self) -> str:
        """Its text with code and comments blanked, so that positions stay valid."""
        return without_code(self.body)

    @cached_property
    def places(self) -> frozenset[str]:
        """Its headings, reduced to letters and digits, and its blocks, as "^id"."""
        starts = (match.start(match.lastgroup or 0) for match in _HEADING.finditer(self.prose))
        # Taken from the body instead of the prose, because code in a heading belongs to it.
        headings = (self.body[start:].partition("\n")[0] for start in starts)
        blocks = (f"^{match['id'].casefold()}" for match in _BLOCK_ID.finditer(self.prose))
        return frozenset([*map(_letters, headings), *blocks])

    def has_place(self, place: str) -> bool:
        """Return whether the page has the heading ("#Care", "#Home#Care") or block ("#^id") that a link names."""
        if place.startswith(("#^", "^")):
            return place.lstrip("#").casefold() in self.places
        return all(_letters(name) in self.places for name in place.split("#") if _letters(name))

    @property
    def is_current(self) -> bool:
        """Whether it is a current memory."""
        return self.found is not None and self.found.memory.status in ("active", "disputed")


def memory_page(found: Found, path: str) -> Page:
    memory = found.memory
    return Page(memory.uri, path, memory.title, memory.body, memory.tags, memory.aliases, memory.edges, found)


def page_of(memory: Memory) -> Page:
    """Return a memory that was read already as a page."""
    return memory_page(Found(Reading(memory, {}, (), False), ""), memory.path)


def document_page(document: Document) -> Page:
    key = f"document://{document.space}/{document.path}"
    return Page(
        key,
        document.path,
        document.title,
        document.body,
        document.tags,
        document.aliases,
        document.edges,
        None,
        document.properties,
    )


class Names:
    """Resolves links as Obsidian does (by the end of a path, ignoring case), and by id, title and alias."""

    def __init__(self, pages: Iterable[Page], files: Iterable[str]) -> None:
        """Index the names.

        Args:
            pages: pages that links can lead to.
            files: paths of all files of the vault, notes or not.
        """
        self._keys: dict[str, str] = {}
        self.has_attachments = False
        for path in files:
            self.has_attachments = self.has_attachments or is_attachment(path)
            for name in _ends_of(path):
                self._keys.setdefault(name, "")
        for page in pages:
            place = page.found.memory.path if page.found else page.path
            archived = page.found is not None and original_place(place) is not None
            for name in (*_ends_of(page.path), *map(_plain, (page.title, *page.aliases, page.ref, page.key, stem(place)))):
                if not self._keys.get(name) or not archived:
                    self._keys[name] = page.key

    def leads_to(self, target: str) -> str | None:
        """Return the key of the page that a link leads to; "" for another file; None when the link is broken."""
        plain = _plain(target)
        key = self._keys.get(plain)
        if key is None and was_place_of_memory(plain):
            key = self._keys.get(plain.rpartition("/")[2], "")
            return key if key.startswith("memory://") else None
        return key


def is_attachment(target: str) -> bool:
    """Return whether a link leads to an image, a recording or another file that is no note; "Node.js" is a note."""
    return target.casefold().endswith(_FILES) or (guess_type(target)[0] or "").startswith(("image/", "audio/", "video/"))


def is_link(edge: Edge) -> bool:
    """Return whether an edge is a written link that should lead to a note."""
    outward = "://" in edge.target or edge.target.startswith("fact:") or edge.type == MENTION
    return not outward and edge.type not in RELATIONS and not is_not_yet_a_link(edge.target)


def is_not_yet_a_link(target: str) -> bool:
    """Return whether a link's target is a template placeholder or a date."""
    return _NOT_YET_A_LINK.search(target) is not None


def links_between(pages: Iterable[Page], names: Names) -> Mapping[str, frozenset[str]]:
    """Return key -> keys of the other pages that it links to, in its text or its properties."""
    return {
        page.key: frozenset(key for edge in page.edges if (key := names.leads_to(edge.target)) and key != page.key)
        for page in pages
    }


def _letters(heading: str) -> str:
    """Return a heading in the form used for comparison.

    Obsidian ignores punctuation in links to headings, and a trailing block id is not part of the heading.
    """
    bare = _BLOCK_ID.sub("", unicodedata.normalize("NFC", heading))
    return _MARKS_IN_HEADINGS.sub(" ", bare.casefold()).strip()


def _plain(name: str) -> str:
    """Return a name in the form used for comparison."""
    name = unicodedata.normalize("NFC", name).strip().casefold()
    while name.startswith(("./", "../", "/")):
        name = name.partition("/")[2]
    return name.removesuffix(".md").removesuffix("/")


def _ends_of(path: str) -> Iterable[str]:
    parts = _plain(path).split("/")
    return ("/".join(parts[first:]) for first in range(len(parts)))
