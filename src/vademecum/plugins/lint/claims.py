"""Checks of the text of memories: overdue tasks, uncertain claims, headings without text."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

from vademecum.domain.decay import confidence_by_sources
from vademecum.language.load import languages
from vademecum.language.text import brief
from vademecum.plugin_api.upkeep import OF_A_MOMENT, Page, shares
from vademecum.plugins.lint.checks import Finding, finding

#: Days after which an open task, or a postponed one, counts as stale (SwarmAI).
UNDONE_DAYS, DEFERRED_DAYS = 14, 30
_TODO = re.compile(r"\b(?:TODO|FIXME)\b(?!\s+(?:list|app|comment))")
_HEADING = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<title>\S.*)$", re.MULTILINE)
_SENTENCE = re.compile(r"[^\n.!?。！？]*")
_QUOTED_CHARS = 100
#: Thresholds above which a page is reported, as fractions of its claims (obsidian-wiki).
AMBIGUOUS, INFERRED, HUB_INFERRED, DRIFT, CONFIDENCE_DRIFT = 0.15, 0.40, 0.20, 0.20, 0.05
_NAMED_SOURCES = ("sources", "source_url", "source")


def of_claims(page: Page, now: datetime) -> Iterator[Finding]:
    """Yield findings for outdated claims in a valid memory."""
    assert page.found is not None
    memory = page.found.memory
    if memory.kind not in OF_A_MOMENT and memory.status == "active":
        yield from _undone(page, now - max(memory.updated, memory.last_confirmed or memory.updated))
    if memory.valid_until and memory.valid_until < now and memory.status == "active":
        yield finding("expired", page.path, f"It held until {memory.valid_until:%Y-%m-%d}.", page.ref)
    if memory.status == "disputed":
        yield finding("contradiction", page.path, f"{memory.title!r} is disputed. Decide: vade settle --open", page.ref)
    due = _date(memory.extra.get("refresh_due"))
    if due and due < now:
        yield finding("refresh-due", page.path, f"Its review was due on {due:%Y-%m-%d}.", page.ref)


def _undone(page: Page, age: timedelta) -> Iterator[Finding]:
    for pattern, days in ((_TODO, UNDONE_DAYS), (_said("not_yet"), UNDONE_DAYS), (_said("deferred"), DEFERRED_DAYS)):
        match = pattern.search(page.prose)
        if match and age > timedelta(days=days):
            text = brief(_sentence_around(page.prose, match.start()), _QUOTED_CHARS)
            yield finding("stale-claim", page.path, f"For {age.days} days it says: {text}", page.ref)
            return


@cache
def _said(sign: str) -> re.Pattern[str]:
    return languages().sign("claims", sign)


def _sentence_around(text: str, at: int) -> str:
    starts = [match for match in _SENTENCE.finditer(text) if match.start() <= at <= match.end()]
    return " ".join(starts[0].group().split()) if starts else ""


def empty_sections(page: Page) -> Iterator[Finding]:
    """Yield findings for headings without text or deeper headings below them."""
    headings = list(_HEADING.finditer(page.prose))
    for match, following in zip(headings, [*headings[1:], None], strict=False):
        end = following.start() if following else len(page.body)
        deeper = following is not None and len(following["marks"]) > len(match["marks"])
        if not deeper and not page.body[match.end() : end].strip():
            yield finding("empty-section", page.path, f"Nothing stands below {match['title'].strip()!r}.", page.ref)


def of_provenance(page: Page, is_hub: bool) -> Iterator[Finding]:
    """Yield findings about the uncertain share of a page, and about differences from its stated share."""
    assert page.found is not None
    memory = page.found.memory
    counted, stated = shares(page.body), _stated(memory.extra)
    guessed = counted or stated
    named = bool(memory.source or any(memory.extra.get(name) for name in _NAMED_SOURCES))
    if page.is_wiki and not (memory.summary and named):
        lacking = " and ".join(word for word, there in (("summary", memory.summary), ("source", named)) if not there)
        yield finding("frontmatter-gap", page.path, f"It has no {lacking}.", page.ref)
    if guessed.get("ambiguous", 0) > AMBIGUOUS:
        yield finding("ambiguous-share", page.path, f"{guessed['ambiguous']:.0%} of it is marked as uncertain.", page.ref)
    inferred = guessed.get("inferred", 0)
    if inferred > INFERRED and not named:
        yield finding("inferred-share", page.path, f"{inferred:.0%} of it is inferred, and it names no source.", page.ref)
    if inferred > HUB_INFERRED and is_hub:
        yield finding("hub-inferred", page.path, f"Many link to it, and {inferred:.0%} of it is inferred.", page.ref)
    off = [name for name, share in stated.items() if counted and abs(share - counted.get(name, 0)) > DRIFT]
    if off:
        yield finding("provenance-drift", page.path, f"It states other shares than it has: {', '.join(off)}.", page.ref)
    base = memory.extra.get("base_confidence")
    due = confidence_by_sources(memory.trust, 1 + memory.confirmations)
    if isinstance(base, int | float) and abs(base - due) > CONFIDENCE_DRIFT:
        yield finding("confidence-drift", page.path, f"It states {base:.2f}; its sources give {due:.2f}.", page.ref)


def _stated(extra: Mapping[str, object]) -> dict[str, float]:
    """Return the shares stated in a page's frontmatter, given as a map or as one property each."""
    stated = extra.get("provenance")
    by_key = stated if isinstance(stated, Mapping) else {name: extra.get(f"provenance_{name}") for name in _SHARES}
    return {name: float(share) for name in _SHARES if isinstance(share := by_key.get(name), int | float)}


_SHARES = ("extracted", "inferred", "ambiguous")


def _date(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def doubled_titles(pages: Sequence[Page]) -> Iterator[Finding]:
    """Yield findings for valid memories with the same title, kind, project and agent as another one."""
    by_title: dict[tuple[str, ...], list[Page]] = defaultdict(list)
    for page in pages:
        if page.is_current and page.found and page.found.memory.kind not in OF_A_MOMENT:
            memory = page.found.memory
            by_title[memory.space, memory.kind, memory.project, memory.agent, " ".join(page.title.casefold().split())].append(
                page
            )
    for first, *others in by_title.values():
        for page in others:
            yield finding("doubled-title", page.path, f"Two are called {page.title!r}.", page.ref, other=first.path)


def of_views(views: Mapping[str, Collection[str]], ids: Collection[str]) -> Iterator[Finding]:
    """Yield findings for generated pages with lines about memories that do not exist.

    `views`: path -> ids of the memories it names.
    """
    for path, named in views.items():
        gone = sum(identity not in ids for identity in named)
        if gone:
            yield finding("stale-view", path, f"{gone} of its lines are about memories that are not there.", fixable=True)
