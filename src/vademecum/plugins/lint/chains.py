"""Checks of replacements: both ends exist and name each other, no cycles, no two active successors."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from vademecum.domain.memory import STALE
from vademecum.domain.relations import SUPERSEDING
from vademecum.plugin_api.upkeep import Names, Page
from vademecum.plugins.lint.checks import Finding, finding

#: Property -> key of a memory -> key of each memory named in that property -> its page.
Named = Mapping[str, Mapping[str, Mapping[str, Page]]]

_SET_ASIDE = ("superseded", "archived")


def of_chains(pages: Sequence[Page], names: Names) -> Iterator[Finding]:
    """Yield findings about `supersedes` and `superseded_by` of all memories."""
    by_key = {page.key: page for page in pages if page.found}
    named = {name: {page.key: _named(page, name, names, by_key) for page in by_key.values()} for name in SUPERSEDING}
    for page in by_key.values():
        yield from _dangling(page, names, by_key)
        yield from _one_sided(page, named)
    yield from _forks(by_key, named)
    yield from _circles(by_key, named)


def dangling(page: Page, name: str, names: Names, by_key: Mapping[str, Page]) -> list[str]:
    """Return targets in `supersedes` or `superseded_by` (`name`) of a memory that do not exist."""
    listed = getattr(page.found.memory, name) if page.found else ()
    return [target for target in listed if target != STALE and names.leads_to(target) not in by_key]


def _named(page: Page, name: str, names: Names, by_key: Mapping[str, Page]) -> Mapping[str, Page]:
    listed = getattr(page.found.memory, name) if page.found else ()
    keys = (names.leads_to(target) or "" for target in listed if target != STALE)
    return {key: by_key[key] for key in keys if key in by_key and key != page.key}


def _dangling(page: Page, names: Names, by_key: Mapping[str, Page]) -> Iterator[Finding]:
    for name in SUPERSEDING:
        for target in dangling(page, name, names, by_key):
            message = f"{name} names {target}, which does not exist."
            yield finding("dangling-supersession", page.path, message, page.ref, fixable=is_mendable(page))


def is_mendable(page: Page) -> bool:
    """Return whether the properties of a memory's file can be changed."""
    return page.found is not None and page.found.reading.editable


def _one_sided(page: Page, named: Named) -> Iterator[Finding]:
    """Yield findings for memories that the page names and that do not name it in return."""
    replaced, replaced_by = SUPERSEDING[1], SUPERSEDING[0]
    for other in named[replaced][page.key].values():
        if page.key not in named[replaced_by][other.key]:
            said = f"It says that it replaced {other.title!r}, which does not say so."
            fixable = is_mendable(other) and other.found is not None and other.found.memory.status in _SET_ASIDE
            hint = "" if fixable else f" To archive that one: vade supersede {other.ref} {page.ref}"
            yield finding("supersede-integrity", page.path, said + hint, page.ref, other=other.path, fixable=fixable)
    for other in named[replaced_by][page.key].values():
        if page.key not in named[replaced][other.key]:
            said = f"It says that {other.title!r} replaced it, which does not say so."
            yield finding("supersede-integrity", page.path, said, page.ref, other=other.path, fixable=is_mendable(other))
    if page.is_current and page.found and page.found.memory.superseded_by:
        yield finding("supersede-integrity", page.path, "It is active, and says that it was replaced.", page.ref)


def _forks(by_key: Mapping[str, Page], named: Named) -> Iterator[Finding]:
    successors: dict[str, dict[str, Page]] = defaultdict(dict)
    for key, page in by_key.items():
        for old in named["supersedes"][key]:
            successors[old][key] = page
        successors[key] |= named["superseded_by"][key]
    for key, later in successors.items():
        current = sorted(page.title for page in later.values() if page.is_current)
        if len(current) > 1:
            replacements = ", ".join(map(repr, current))
            yield finding(
                "supersede-fork", by_key[key].path, f"It was replaced by {replacements}, which are all active.", by_key[key].ref
            )


def _circles(by_key: Mapping[str, Page], named: Named) -> Iterator[Finding]:
    """Yield a finding for each cycle once, at its oldest memory."""
    seen: set[str] = set()
    for start in sorted(by_key):
        way, key = list[str](), start
        while key not in seen and key not in way:
            way.append(key)
            key = next(iter(sorted(named["supersedes"][key])), "")
            if not key:
                break
        if key in way:
            circle = sorted(way[way.index(key) :])
            text = ", ".join(repr(by_key[entry].title) for entry in circle)
            yield finding(
                "supersede-cycle", by_key[circle[0]].path, f"These replace each other: {text}.", by_key[circle[0]].ref
            )
        seen.update(way)
