"""Checks of what links to what: dead links, pages that nobody wrote, pages that nobody finds, tags without links."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from vademecum.maintenance.lint.checks import Finding, Level, finding
from vademecum.maintenance.lint.pages import Names, Page, is_attachment, is_link, links_between

#: A page that so many notes link to is missed.
MISSED_BY = 3
#: A tag of at least so many pages, of whose pairs less than this share is linked (obsidian-wiki).
COHESION_PAGES, COHESION = 5, 0.15
#: So many pages, those with the most links to them, are hubs (obsidian-wiki).
HUBS = 10


def of_links(pages: Sequence[Page], names: Names) -> Iterator[Finding]:
    """Yield dead links, and pages outside of the net of links."""
    looked_at = [page for page in pages if page.is_current or not page.found]
    yield from _dead(looked_at, names)
    linked = links_between(pages, names)
    incoming = incoming_of(linked)
    for page in looked_at:
        if incoming[page.key] or (page.found and not page.is_wiki):
            continue  # a memory stands by itself; a page of the wiki belongs to a net
        check = "unreferenced" if linked[page.key] else "orphan"
        yield finding(
            check, page.path, "Nothing links to it.", page.ref, level="review" if page.is_wiki and check == "orphan" else None
        )
    yield from _scattered([page for page in looked_at if page.is_wiki], linked)


def incoming_of(linked: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """Return key -> how many pages link to it."""
    found: dict[str, int] = defaultdict(int)
    for targets in linked.values():
        for key in targets:
            found[key] += 1
    return found


def _dead(pages: Sequence[Page], names: Names) -> Iterator[Finding]:
    missing: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        for target in dict.fromkeys(edge.target for edge in page.edges if is_link(edge)):
            if names.leads_to(target) is not None:
                continue
            told = f"[[{target}]] leads nowhere."
            if is_attachment(target):
                level: Level | None = None if names.has_attachments else "note"  # a vault may be kept without them
                yield finding("missing-file", page.path, told, page.ref, level=level)
            else:
                missing[target].append(page)
                yield finding("wikilink-resolution", page.path, told, page.ref)
    for target, named_in in missing.items():
        if len(named_in) >= MISSED_BY:
            yield finding("missing-page", "", f"{len(named_in)} notes link to [[{target}]], which nobody wrote.")


def _scattered(pages: Sequence[Page], linked: Mapping[str, frozenset[str]]) -> Iterator[Finding]:
    tagged: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        for tag in page.tags:
            tagged[tag].append(page.key)
    for tag, keys in sorted(tagged.items()):
        if len(keys) < COHESION_PAGES:
            continue
        pairs = list(combinations(keys, 2))
        share = sum(one in linked[other] or other in linked[one] for one, other in pairs) / len(pairs)
        if share < COHESION:
            yield finding("cohesion", "", f"{len(keys)} pages are tagged {tag}, and {share:.0%} of their pairs are linked.")
