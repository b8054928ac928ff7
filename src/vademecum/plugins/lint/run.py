"""Run the checks on vault and index; changes only on request. Write the dated report."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput, Problem, UnknownWord
from vademecum.domain.memory import BY_PERSON, By, Document
from vademecum.domain.query import is_withheld
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import Names, Page, document_page, index, links_between, memory_page
from vademecum.plugin_api.vault import all_names, is_board, is_named_by_sync, named_in, places, unread_properties
from vademecum.plugin_api.views import keep_views
from vademecum.plugins.lint import chains, claims, links, near, schema
from vademecum.plugins.lint.checks import CHECKS, Finding, Level, finding
from vademecum.plugins.lint.mend import mends_for

_LEVELS: tuple[Level, ...] = ("error", "review", "note")


class Linted(Struct, frozen=True):
    """Result of `vade lint`.

    Attributes:
        findings: worst first, then by check and path.
        counts: check -> number of findings.
        notes: number of memories and notes examined.
        mended: number of corrected memories; one undo reverts it.
        report: path of the page that was written, or "".
    """

    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    notes: int
    mended: int = 0
    report: str = ""

    def folded(self, check: str) -> list[tuple[Finding, int]]:
        """Return the findings of one check as (first of a kind, number of that kind)."""
        first: dict[object, Finding] = {}
        counts = Counter[object]()
        for place, found in enumerate(entry for entry in self.findings if entry.check == check):
            key = (found.kind, found.level) if found.kind else place
            first.setdefault(key, found)
            counts[key] += 1
        return [(entry, counts[key]) for key, entry in first.items()]


class _Seen(Struct, frozen=True):
    """Input of the checks."""

    pages: tuple[Page, ...]
    names: Names
    problems: tuple[Finding, ...]
    views: Mapping[str, frozenset[str]]


def lint(
    context: Context, check: Sequence[str] = (), space: str = "", fix: bool = False, report: bool = False, *, by: By = BY_PERSON
) -> Linted:
    """Check memories, the person's notes, generated pages and the index.

    Args:
        check: ids of the checks; empty: all.
        space: only its memories and notes; "": all.
        fix: correct findings that need no decision, as one operation, and check again.
        report: write the findings to `_views/lint-DATE.md`.

    Raises:
        UnknownWord: there is no such check or space.
        Conflict: a note changed meanwhile; nothing was corrected.
    """
    for name in check:
        if name not in CHECKS:
            raise UnknownWord("check", name, CHECKS)
    if space and space not in {known.name for known in context.vault.spaces}:
        raise UnknownWord("space", space, [known.name for known in context.vault.spaces])
    seen = _look(context)
    findings = _chosen(_found(context, seen), seen, check, space, by)
    mended = _mended(context, findings, seen, by) if fix else 0
    if fix and (mended or any(found.fixable for found in findings)):
        seen = _look(context)
        findings = _chosen(_found(context, seen), seen, check, space, by)
    counts = dict(Counter(found.check for found in findings))
    result = Linted(findings, counts, len(seen.pages), mended)
    return _reported(context, result, _withheld(seen)) if report else result


def _look(context: Context) -> _Seen:
    spaces = {space.name: space for space in context.vault.spaces}
    matches, problems = context.vault.look_through()

    def shown(space: str, path: str) -> str:
        return places.from_root(spaces[space].root, spaces[space].documents_root, path)

    pages: dict[str, Page] = {}
    for match in matches:
        page = memory_page(match, shown(match.memory.space, match.memory.path))
        pages.setdefault(page.key, page)
    documents = context.vault.open_all([source for source in context.vault.scan().files if source.sort == "document"])
    for document in documents:
        if isinstance(document, Document):
            page = document_page(document)
            pages[page.key] = page
    roots = {space.documents_root or space.root for space in spaces.values()}
    files = [path for root in sorted(roots) for path in all_names(root)]
    findings = [_unreadable(problem) for problem in (*problems, *(entry for entry in documents if isinstance(entry, Problem)))]
    for document in documents:
        if isinstance(document, Document):
            findings += _unread(document, spaces[document.space].documents_root)
    return _Seen(tuple(pages.values()), Names(pages.values(), files), tuple(findings), _views(context))


def _unreadable(problem: Problem) -> Finding:
    try:
        places.check_segment(Path(problem.path).name)
    except InvalidInput:
        return finding("kebab-case", problem.path, problem.message)
    return finding("unreadable", problem.path, problem.message)


def _unread(document: Document, root: str) -> Iterator[Finding]:
    """Yield findings for the person's note: letters and properties that Obsidian cannot read, and copies that a sync tool made."""
    try:
        raw = (Path(root) / document.path).read_bytes()
    except OSError:
        return  # removed meanwhile
    try:
        text, is_utf8 = raw.decode(), True
    except UnicodeDecodeError:
        text, is_utf8 = raw.decode(errors="replace"), False
    if is_named_by_sync(document.path):
        yield finding(
            "note-file", document.path, "A sync tool made this copy of a note. Take over what you need, then delete it."
        )
    if not document.path.endswith(".md"):
        if text.strip() and not is_board(raw):
            yield finding("note-file", document.path, "Its board cannot be read: it is no JSON.")
        return
    if not is_utf8:
        yield finding(
            "note-file",
            document.path,
            "It is not UTF-8: Obsidian shows other letters, and they may not be found. Save it as UTF-8.",
        )
    yield from (finding("note-properties", document.path, reason) for reason in unread_properties(text))


def _views(context: Context) -> dict[str, frozenset[str]]:
    """Return path of each generated page -> ids of the memories in it."""
    paths = [(space, path) for space in context.vault.spaces for path in all_names(space.root) if places.is_view(path)]
    return {path: named_in((Path(space.root) / path).read_text(encoding="utf-8", errors="replace")) for space, path in paths}


def _found(context: Context, seen: _Seen) -> Iterator[Finding]:
    memories = [page for page in seen.pages if page.found]
    yield from seen.problems
    yield from chains.of_chains(memories, seen.names)
    yield from links.of_links(seen.pages, seen.names)
    incoming = links.incoming_of(links_between(seen.pages, seen.names))
    hubs = set(sorted(incoming, key=lambda key: -incoming[key])[: links.HUBS])
    now = context.clock.now()
    for page in memories:
        yield from schema.of_file(page)
        if page.is_current:
            yield from claims.of_claims(page, now)
            yield from claims.of_provenance(page, page.key in hubs)
    for page in seen.pages:
        if page.is_current or not page.found:
            yield from claims.empty_sections(page)
    yield from claims.doubled_titles(memories)
    yield from near.near_duplicates(context, seen.pages)
    yield from claims.of_views(seen.views, {page.ref for page in memories})
    behind = index.drift(context)
    if behind.added or behind.changed or behind.gone:
        text = f"{behind.added} new, {behind.changed} changed and {behind.gone} vanished files are not in it yet: vade sync"
        yield finding("stale-index", "", text, fixable=True)


def _chosen(findings: Iterator[Finding], seen: _Seen, checks: Sequence[str], space: str, by: By) -> tuple[Finding, ...]:
    """Return the requested findings that this caller may see: findings about withheld memories only for the person."""
    withheld = _withheld(seen) if by.actor != "user" else frozenset()
    elsewhere = {page.path for page in seen.pages if space and _space_of(page) != space}
    kept = [found for found in findings if not {found.path, found.other} & withheld and found.path not in elsewhere]
    chosen = [found for found in kept if not checks or found.check in checks]
    return tuple(
        sorted(
            chosen,
            key=lambda found: (
                _LEVELS.index(found.level),
                list(CHECKS).index(found.check),
                found.path,
            ),
        )
    )


def _withheld(seen: _Seen) -> frozenset[str]:
    return frozenset(page.path for page in seen.pages if is_withheld(page.tags))


def _space_of(page: Page) -> str:
    return page.found.memory.space if page.found else page.key.removeprefix("document://").partition("/")[0]


def _mended(context: Context, findings: Sequence[Finding], seen: _Seen, by: By) -> int:
    mends = mends_for(findings, seen.pages, seen.names)
    changed = context.vault.mend(mends, "lint", by=by) if mends else ()
    checks = {found.check for found in findings if found.fixable}
    if "stale-index" in checks:
        index.follow(context, quick=True)
    if "stale-view" in checks:
        keep_views(context)
    return len(changed)


def _reported(context: Context, result: Linted, withheld: frozenset[str]) -> Linted:
    """Write the report. It is an ordinary note, so findings about withheld memories are left out."""
    day = context.local_time(context.clock.now())
    path = f"{places.LINT_REPORTS}{day:%Y-%m-%d}.md"
    findings = tuple(found for found in result.findings if not {found.path, found.other} & withheld)
    text = report_page(replace(result, findings=findings), f"{day:%Y-%m-%d}")
    context.vault.pages.revise([path], lambda _: [text], op="lint", by=By("extraction", "lint"))
    return replace(result, report=path)


def report_page(result: Linted, day: str) -> str:
    """Return the text of the report page."""
    lines = [f"# Lint {day}", "", f"{result.notes} memories and notes.", ""]
    for name in (name for name in CHECKS if name in result.counts):
        lines += [f"## {name} ({result.counts[name]})", "", CHECKS[name][1], ""]
        for found, count in result.folded(name):
            more = f" And {count - 1} more of kind {found.kind}." if count > 1 else ""
            lines.append(
                f"- {_linked(found.path)}{found.message}{more}" + (f" ({_linked(found.other).strip()})" if found.other else "")
            )
        lines.append("")
    return "\n".join(lines)


def _linked(path: str) -> str:
    return f"[[{path.removesuffix('.md')}]] " if path else ""
