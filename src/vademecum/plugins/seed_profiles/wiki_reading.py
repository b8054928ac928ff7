"""Read a wiki for a question, cheapest first: current activity, relevant lines of the index, then pages (HW-08, HW-23).

Generated pages are read from their files. A line counts only if it is unchanged and its memory may be shown here.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from vademecum.domain import wiki
from vademecum.domain.budget import Piece, Section, pack
from vademecum.domain.errors import VademecumError
from vademecum.domain.ids import short_id
from vademecum.domain.item import Item
from vademecum.domain.query import PREAMBLE, Bundle, Recall, Scope
from vademecum.domain.tokens import estimate_tokens
from vademecum.language.text import common_words
from vademecum.plugin_api.memory import RecallContext, may_be_shown, memory_line
from vademecum.plugin_api.recall import Reach, walk
from vademecum.plugin_api.vault import NOTHING, VIEWS_FOLDER, Line, lines_of
from vademecum.plugin_api.views import Known, hot, index_page
from vademecum.ports.index import Term


class Depth(Struct, frozen=True):
    """How much of a wiki is read.

    Attributes:
        pages: maximum number.
        hops: of links followed from the first three pages.
    """

    pages: int
    hops: int


#: Profile -> depth.
DEPTHS = {"wiki-quick": Depth(0, 0), "wiki": Depth(5, 2), "wiki-deep": Depth(20, 2)}
#: Depth for a profile without pages, if the index has no relevant line.
_FIRST_PAGE = Depth(1, 0)
_FOLLOWED = 3
#: Longest text of a page that is shown completely; of a longer one, the matching passage is shown.
PAGE_CHARS = 4_000


def read_wiki(recall: RecallContext, found: Recall, budget_tokens: int) -> Bundle:
    """Return text for the question by the depth of its profile, within the budget; each line links to its page.

    Args:
        found: the answer to the question; its hits are the pages to read.
    """
    depth, query = DEPTHS[found.query.profile], found.query
    about = frozenset(recall.context.index.terms(query.text, common_words(query.text)))
    lines = {name: _lines(recall, name, query.scope) for name in ("hot.md", "index.md")}
    matched = [(len(about & _terms(recall, line)), line) for line in lines["index.md"]]
    ranked = [entry for count, entry in sorted(matched, key=lambda pair: -pair[0]) if count]
    pages = _pages(recall, found, depth if ranked or depth.pages else _FIRST_PAGE)
    listed = tuple(_piece("index", pair) for pair in ranked)
    going_on = tuple(_piece("hot", line) for line in lines["hot.md"])
    sections = [
        Section("### What is going on", going_on, 0.3 if pages else 0.5, rank=2),
        Section("### In the index", listed, 0.2 if pages else 1.0, rank=1),
        Section("### Pages", pages, 0.8, rank=0),
    ]
    head = f"## Memory\n{PREAMBLE}\n\n"
    packed = pack(sections, budget_tokens, frame=head)
    text = head + packed.text if packed.text else ""
    deeper = () if ranked or pages else ("pages: the index names none about this; read them with --profile wiki",)
    titles = [tuple(dict.fromkeys(piece.title for piece in pieces)) for pieces in (packed.taken, packed.omitted)]
    keys = tuple(dict.fromkeys(piece.key for piece in packed.taken))
    return Bundle(text, estimate_tokens(text), budget_tokens, titles[0], titles[1], (*found.missing, *deeper), found, keys)


def _lines(recall: RecallContext, name: str, scope: Scope) -> list[tuple[Line, Item]]:
    """Return the lines of a generated page whose memories may be shown in the scope; a missing page is generated."""
    context = recall.context
    texts = (context.vault.pages.get(f"{folder}/{name}")[1] for folder in (wiki.FOLDER, VIEWS_FOLDER))
    lines: Sequence[Line] = next((all_lines for text in texts if (all_lines := lines_of(text or ""))), ())
    if not lines:
        made = hot(Known(context)) if name == "hot.md" else index_page(Known(context))
        lines = [part for part in made if isinstance(part, Line)]
    items = context.index.items(list(dict.fromkeys(f"memory://{line.ref}" for line in lines if line.ref != NOTHING)))
    there = ((line, items.get(f"memory://{line.ref}")) for line in lines)
    return [(line, item) for line, item in there if item is not None and _may_be_shown_in(item, scope)]


def _may_be_shown_in(item: Item, scope: Scope) -> bool:
    here = scope.projects is None or not item.project or item.project in scope.projects
    return here and item.status in ("active", "disputed") and item.key not in scope.without and may_be_shown(item, scope)


def _terms(recall: RecallContext, line: tuple[Line, Item]) -> frozenset[Term]:
    text = f"{line[0].text} {' '.join(line[1].aliases)}"
    return frozenset(recall.context.index.terms(text, common_words(text)))


def _piece(of: str, line: tuple[Line, Item]) -> Piece:
    text, item = line
    facts = [item.kind, *([f"trust: {item.trust}"] if item.trust != "user" else []), short_id(item.key)]
    return Piece(item.key, f"{item.title} ({of})", f"{text.text} ({', '.join(facts)})")


def _pages(recall: RecallContext, result: Recall, depth: Depth) -> tuple[Piece, ...]:
    """Return the matching pages, best first, then pages linked from the first ones."""
    hits = {hit.item.key: hit for hit in reversed(result.hits) if hit.item.source in ("memory", "document")}
    ordered = list(dict.fromkeys(hit.item.key for hit in result.hits if hit.item.key in hits))[: depth.pages]
    pieces = {key: _page(recall, hits[key].item, hits[key].passage.text) for key in ordered}
    for item in _linked(recall, ordered[:_FOLLOWED], depth, result.query.scope):
        if len(pieces) < depth.pages and item.key not in pieces:
            pieces[item.key] = _page(recall, item, item.summary or item.title)
    return tuple(pieces.values())


def _linked(recall: RecallContext, keys: Iterable[str], depth: Depth, scope: Scope) -> list[Item]:
    index, by_key = recall.context.index, dict[str, None]()
    for key in keys:
        if key.startswith("memory://") and depth.hops:
            own = recall.context.vault.get(key).edges
            by_key |= dict.fromkeys(link.target for link in walk(index, key, own, Reach(depth.hops), scope.without))
    items = index.items([key for key in by_key if key.startswith("memory://")])
    return [items[key] for key in by_key if key in items and _may_be_shown_in(items[key], scope)]


def _page(recall: RecallContext, item: Item, passage: str) -> Piece:
    """Return a page as a piece with its link: the complete text if it is short, else the matching passage."""
    now, link = recall.context.clock.now(), Known(recall.context).link(item.space, item.path)
    short = f"{memory_line(item, passage, now)} [[{link}]]"
    try:
        body = recall.context.vault.get(item.key).body if item.source == "memory" else passage
    except VademecumError:
        body = passage
    whole = f"{memory_line(item, body, now, most_chars=None)} [[{link}]]" if len(body) <= PAGE_CHARS else ""
    return Piece(item.key, item.title, whole or short, short)
