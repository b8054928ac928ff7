"""Checks of links: dead links, missing pages, unlinked pages, tags whose pages are not linked."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from msgspec.structs import replace

from vademecum.plugin_api.upkeep import Names, Page, is_attachment, is_link, is_not_yet_a_link, links_between
from vademecum.plugin_api.vault import written_links
from vademecum.plugins.lint.checks import Finding, finding

#: A missing page is reported if at least this many notes link to it.
MISSED_BY = 3
#: Minimum pages of a tag, and minimum share of linked pairs among them (obsidian-wiki).
COHESION_PAGES, COHESION = 5, 0.15
#: Number of pages, by incoming links, that count as hubs (obsidian-wiki).
HUBS = 10


def of_links(pages: Sequence[Page], names: Names) -> Iterator[Finding]:
    """Yield findings for dead links, and for pages that are not linked."""
    looked_at = [page for page in pages if page.is_current or not page.found]
    yield from _dead(looked_at, names)
    yield from _dead_places(looked_at, pages, names)
    linked = links_between(pages, names)
    incoming = incoming_of(linked)
    for page in looked_at:
        if incoming[page.key] or (page.found and not page.is_wiki):
            continue  # a memory needs no links; a page of the wiki does
        check = "unreferenced" if linked[page.key] else "orphan"
        unlinked = finding(check, page.path, "Nothing links to it.", page.ref)
        yield replace(unlinked, level="review") if page.is_wiki and check == "orphan" else unlinked
    yield from _scattered([page for page in looked_at if page.is_wiki], linked)


def incoming_of(linked: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """Return key -> number of pages that link to it."""
    by_key: dict[str, int] = defaultdict(int)
    for targets in linked.values():
        for key in targets:
            by_key[key] += 1
    return by_key


def _dead(pages: Sequence[Page], names: Names) -> Iterator[Finding]:
    missing: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        written = written_of(page)
        for target in dict.fromkeys(edge.target for edge in page.edges if is_link(edge)):
            shown = written.get(target, f"[[{target}]]")
            if names.leads_to(target) is not None or _is_name(shown, names):
                continue
            if is_attachment(target):
                one = finding("missing-file", page.path, f"{shown} has no target.", page.ref)
                # A vault may be stored without its attachments.
                one = one if names.has_attachments else replace(one, level="note")
                yield replace(one, kind=target.rpartition(".")[2].lower())
            else:
                missing[target].append(page)
                yield finding("wikilink-resolution", page.path, f"{shown} has no target.", page.ref)
    for target, named_in in missing.items():
        if len(named_in) >= MISSED_BY:
            yield finding("missing-page", "", f"{len(named_in)} notes link to [[{target}]], which does not exist.")


def written_of(page: Page) -> dict[str, str]:
    """Return target -> text of the first link to it in the body of a page; links in properties are not included."""
    fields: dict[str, str] = {}
    for written in written_links(page.body):
        fields.setdefault(written.target, written.text)
    return fields


def _is_name(shown: str, names: Names) -> bool:
    """Return whether the whole target of a wikilink, "#" included, is the name of a note."""
    name = shown[2:-2].partition("|")[0].rstrip("\\").strip() if shown.startswith("[[") else ""
    return bool(name.strip("#")) and names.leads_to(name) is not None


def _dead_places(looked_at: Sequence[Page], pages: Sequence[Page], names: Names) -> Iterator[Finding]:
    """Yield findings for links to a heading or block that the note does not have."""
    by_key = {page.key: page for page in pages}
    for page in looked_at:
        for written in {
            written_link.text: written_link for written_link in written_links(page.body) if written_link.place.strip("#^ ")
        }.values():
            target = page if not written.target else by_key.get(names.leads_to(written.target) or "")
            if target is None or is_not_yet_a_link(written.text) or _is_name(written.text, names):
                continue
            if not target.has_place(written.place):
                what = "block" if "^" in written.place[:2] else "heading"
                yield finding("dead-place", page.path, f"{written.text}: {target.title!r} has no such {what}.", page.ref)


def _scattered(pages: Sequence[Page], linked: Mapping[str, frozenset[str]]) -> Iterator[Finding]:
    tagged: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        for tag in page.tags:
            tagged[tag].append(page.key)
    for tag, keys in sorted(tagged.items()):
        if len(keys) < COHESION_PAGES:
            continue
        pairs = list(combinations(keys, 2))
        share = sum(text in linked[other] or other in linked[text] for text, other in pairs) / len(pairs)
        if share < COHESION:
            yield finding("cohesion", "", f"{len(keys)} pages are tagged {tag}, and {share:.0%} of their pairs are linked.")
