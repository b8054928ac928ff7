"""Ideas: captured into the incubator, listed in the person's Ideas.md, looked up on the web, promoted to projects, tidied.

An idea is a memory like any other; its folder also holds what was found about it. What comes from the web is proposed with trust
`external`: it waits for the person's word and is told to nobody before.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import AlreadyExists, Conflict, InvalidInput, Refused, WebUnavailable, WriteFailed
from vademecum.domain.item import Item
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import BY_PERSON, SUMMARY_MAX_CHARS, By, Draft, Memory
from vademecum.domain.query import Scope, is_withheld
from vademecum.domain.session import Candidate
from vademecum.domain.tokens import estimate_tokens
from vademecum.features.idea_results import (
    GC_MONTHS,
    RESEARCH_FETCHES,
    RESEARCH_SECONDS,
    RESEARCH_TOKENS,
    Budget,
    Idea,
    Researched,
    Stale,
)
from vademecum.ports.web import Web, WebPage
from vademecum.vault import ideas_page, places
from vademecum.vault.change import Placing
from vademecum.vault.files import etag_of
from vademecum.vault.note import text_of
from vademecum.vault.pages import Page
from vademecum.write.candidates import BY_EXTRACTION, route
from vademecum.write.gate import Saved, changed, keep

Decision = Literal["keep", "archive", "delete"]

#: Cross-references of an idea.
RELATED_MAX = 5
#: Ideas and notes looked at; more than anybody has.
_MOST = 10_000
_DAYS_OF_MONTH = 30.44
_TITLE_CHARS, _EXCERPT_CHARS = 80, 240
#: A page of which less would be kept is not kept.
_TOKENS_MIN = 40
_ADDRESS = re.compile(r"https?://[^\s)\]>\"'`]+")


def capture(context: Context, title: str, pitch: str, *, session: str, find: Callable[[str], Sequence[Item]], by: By) -> Idea:
    """Put an idea into the incubator with what memory and vault know about it, and into Ideas.md if the person consents.

    Args:
        session: in which it came up, as a URI or id; "" for none. find: what is known about a text, best first.

    Raises:
        InvalidInput: no title. Refused: memory is switched off, or the guard does not let it in.
    """
    known = _known(context, title, pitch)
    if known is not None:
        again = changed(context, context.vault.confirm(known.id, by=by))
        return Idea(again, "known", note="It incubates already.")
    related = tuple(find(f"{title}. {pitch}".strip()))[:RELATED_MAX]
    properties = {
        "status": "incubating",
        "summary": ideas_page.pitch_of(pitch)[:SUMMARY_MAX_CHARS],
        "surfaced_in_session": session,
        "related": tuple(item.key.removeprefix("memory://") for item in related if item.source == "memory"),
    }
    draft = Draft(
        "idea",
        title,
        _body(context, pitch, related),
        space=context.vault.spaces[0].name,
        properties={name: value for name, value in properties.items() if value},
    )
    kept = keep(context, draft, by=by, unique=True)
    if kept.memory is None or kept.memory.status != "incubating":
        return Idea(kept.memory, "inbox", warnings=kept.warnings, note="It waits for the person: vade review")
    page, note = surface(context, kept.memory, by=by)
    titles = tuple(item.title for item in related)
    return Idea(kept.memory, "incubating", related=titles, page=page, note=note, warnings=kept.warnings)


def surface(context: Context, idea: Memory, *, by: By) -> tuple[str, str]:
    """Add the section of an idea to Ideas.md; (path of the page, "" when it was not written; why not, or "")."""
    file = _page_file(context)
    target = _target(context, idea)
    try:
        text, etag = _page_as_it_is(file)
        if text is not None and ideas_page.links_to(text, target):
            return str(file), ""
        new = ideas_page.section(idea.title, idea.summary, target, idea.created)
        context.vault.pages.write(
            file,
            ideas_page.with_section(text, new),
            etag=etag,
            rationale="Add the idea to your list of ideas.",
            preview=new,
            by=by,
        )
    except (Refused, InvalidInput, WriteFailed, Conflict, AlreadyExists) as error:
        return "", f"{ideas_page.PAGE} was not changed: {error.message}"
    return str(file), ""


def promote(context: Context, ref: str, slug: str = "", *, by: By = BY_PERSON) -> Idea:
    """Make an idea a project: its folder moves to the projects, its section in Ideas.md says so. One undo takes all of it back.

    Args:
        slug: of the project; "": as the idea's folder is called.

    Raises:
        InvalidInput: it does not incubate, or the slug cannot be one. AlreadyExists: there is such a project.
        NotFound, Ambiguous.
    """
    idea = named(context, ref)
    name = places.check_slug(slug or places.stem(idea.path), "project")
    kind = KINDS["project"]
    group = places.group_for(kind, project=name, own_space=_is_project_space(context, idea.space))
    path = places.place(kind, name, group=group)
    moves = [Placing(idea.id, {"status": "active", "kind": "project", "facet": "idea", "project": name}, path)]
    moves += [
        Placing(one.id, {"project": name}, f"{group}/{one.kind}/{places.stem(one.path)}.md".lstrip("/"))
        for one in beside(context, idea)
    ]
    page, note = _promoted_page(context, idea, replace(idea, path=path))
    done = context.vault.place_together("promote", moves, page, reason="an idea became a project", by=by)
    changed(context, *done)
    return Idea(done[0], "promoted", page=page.target if page else "", note=note)


def stale(context: Context, months: int = 0) -> tuple[Stale, ...]:
    """Return ideas that nobody touched for so many months (0: GC_MONTHS), the longest first. Nothing is done with them."""
    before = context.clock.now() - timedelta(days=(months or GC_MONTHS) * _DAYS_OF_MONTH)
    found = [
        Stale(idea, touched, len(beside(context, idea)))
        for idea in incubating(context)
        if (touched := max(filter(None, (idea.updated, idea.last_confirmed)))) < before
    ]
    return tuple(sorted(found, key=lambda one: (one.touched, one.memory.id)))


def tidy(context: Context, ref: str, decision: Decision, forget: Callable[[str], object], *, by: By) -> Idea:
    """Carry out the person's word on an idea: it stays and counts as touched, or goes with what was found about it: away, or for good.

    Args:
        forget: has the memory with that id forgotten.
    """
    idea = named(context, ref)
    if decision == "delete":
        for one in (*beside(context, idea), idea):
            forget(one.id)
        return Idea(idea, "deleted")
    if decision == "keep":
        return Idea(changed(context, context.vault.confirm(idea.id, by=by)), "kept")
    notes = [context.vault.archive(one.id, f"with the idea {idea.id}", by=by) for one in beside(context, idea)]
    gone = context.vault.archive(idea.id, "put away in tidying ideas", by=by)
    return Idea(changed(context, gone, *notes), "archived")


def incubating(context: Context, *, by: By = BY_PERSON) -> tuple[Memory, ...]:
    """Return every idea that incubates, the newest first; only the person is told what is withheld."""
    items = context.index.select(Scope(sources=("memory",), kinds=("idea",), statuses=("incubating",)), limit=_MOST)
    told = [item for item in items if by.actor == "user" or not is_withheld(item.tags)]
    found = [context.vault.get(item.key.removeprefix("memory://")) for item in told]
    return tuple(
        sorted(found, key=lambda idea: (idea.updated, idea.id), reverse=True)
    )  # two of one second: the later one first


def named(context: Context, ref: str) -> Memory:
    """Return the incubating idea that `ref` names.

    Raises:
        InvalidInput: it is no idea, or does not incubate. NotFound, Ambiguous.
    """
    idea = context.vault.get(ref)
    if idea.kind != "idea" or idea.status != "incubating":
        raise InvalidInput(f"{idea.title!r} is no idea that incubates ({idea.kind}, {idea.status}).", "See: vade idea list")
    return idea


def beside(context: Context, idea: Memory) -> tuple[Memory, ...]:
    """Return the other notes in an idea's folder: what was found about it."""
    folder = idea.path.rpartition("/")[0]
    if not folder.startswith(f"{places.INCUBATOR}/"):
        return ()
    scope = Scope(sources=("memory",), spaces=(idea.space,), statuses=None, paths=(f"{folder}/",))
    found = (context.vault.get(item.key) for item in context.index.select(scope, limit=_MOST))
    return tuple(sorted((one for one in found if one.id != idea.id), key=lambda one: one.path))


# looking up


@dataclass(slots=True)
class _Trip:
    """One research on its way: what may still be used, and what was found."""

    context: Context
    web: Web
    idea: Memory
    budget: Budget
    began: float
    found: list[Saved] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    fetches: int = 0
    tokens: int = 0
    stopped: str = ""

    @property
    def seconds(self) -> float:
        return self.context.clock.elapsed_s() - self.began

    def may_go_on(self) -> bool:
        """Return whether the budget allows one more request; what does not is noted."""
        if self.seconds >= self.budget.seconds:
            self.stopped = "time"
        elif self.fetches >= self.budget.fetches:
            self.stopped = "fetches"
        elif self.budget.tokens - self.tokens < _TOKENS_MIN:
            self.stopped = "tokens"
        return not self.stopped

    def addresses(self) -> tuple[str, ...]:
        """Return pages that the idea names, else what the search finds."""
        named = tuple(dict.fromkeys(match.rstrip(".,;:") for match in _ADDRESS.findall(self.idea.body)))
        if named or not self.may_go_on():
            return named
        self.fetches += 1
        try:
            return self.web.search(self.idea.title, self.budget.seconds - self.seconds)
        except WebUnavailable as error:
            self.problems.append(error.message)
            return ()

    def visit(self, url: str) -> None:
        """Fetch one page and propose what it says."""
        self.fetches += 1
        try:
            page = self.web.fetch(url, self.budget.seconds - self.seconds)
        except WebUnavailable as error:
            self.problems.append(error.message)
            return
        pages_left = max(1, self.budget.fetches - self.fetches + 1)
        text = _within(page.text, (self.budget.tokens - self.tokens) // pages_left)
        if not text:
            self.problems.append(f"{page.url} holds no text.")
            return
        self.tokens += estimate_tokens(text)
        self.found.append(_proposed(self.context, self.idea, page, text))


def with_research(context: Context, captured: Idea) -> Idea:
    """Look up an idea that was just captured; one that waits for the person is not looked up."""
    if captured.action != "incubating" or captured.memory is None:
        return captured
    return replace(captured, research=look_up(context, captured.memory.id).research)


def look_up(
    context: Context, ref: str, urls: tuple[str, ...] = (), seconds: int = 0, fetches: int = 0, tokens: int = 0
) -> Idea:
    """Look an idea up on the web within a budget. When it is used up, it stops and keeps what it found (MV-52).

    Args:
        seconds, fetches, tokens: the budget; 0: as much as is ever allowed.
        urls: pages to look at; without any those that the idea names, else what a search for its title finds.

    Raises:
        Refused: research is not configured, or memory is switched off. InvalidInput: it does not incubate. NotFound, Ambiguous.
    """
    if context.outside.web is None:
        raise Refused("Looking things up on the web is switched off.", "Switch it on with: research = true")
    idea = named(context, ref)
    budget = Budget(seconds or RESEARCH_SECONDS, fetches or RESEARCH_FETCHES, tokens or RESEARCH_TOKENS)
    trip = _Trip(context, context.outside.web, idea, budget, context.clock.elapsed_s())
    for url in urls or trip.addresses():
        if not trip.may_go_on():
            break
        trip.visit(url)
    done = Researched(tuple(trip.found), trip.fetches, trip.tokens, round(trip.seconds, 1), trip.stopped, tuple(trip.problems))
    return Idea(idea, "incubating", research=done)


def _proposed(context: Context, idea: Memory, page: WebPage, text: str) -> Saved:
    """Return a page as a note beside the idea that waits for the person (MV-36, pending). Nothing it says goes into the idea itself."""
    flat = " ".join(text.split())
    candidate = Candidate(
        kind="source",
        title=" ".join(page.title.split())[:_TITLE_CHARS].strip() or page.url[:_TITLE_CHARS],
        text=text + "\n",
        confidence="low",
        importance=0.3,
        source=page.url,
        span=("", ""),
        rationale=f"web.page: found for the idea {idea.id}",
        excerpt=flat[:_EXCERPT_CHARS],
        pattern="web.page",
        trust="external",
    )
    kept = route(context, candidate, "web")
    if kept.memory is None or kept.memory.status != "inbox" or not kept.memory.path.startswith(f"{places.INBOX}/"):
        return kept
    folder = idea.path.rpartition("/")[0]
    path = f"{folder}/{places.stem(kept.memory.path)}.md"
    placing = Placing(kept.memory.id, {"related": (idea.id,)}, path)
    try:
        moved = context.vault.place_together("research", [placing], reason="found for an idea", by=BY_EXTRACTION)
    except AlreadyExists:  # it was found before, with another text; it waits in the inbox like any other
        return kept
    return replace(kept, memory=changed(context, *moved))


def _within(text: str, tokens: int) -> str:
    """Return the beginning of a text that takes at most so many tokens, cut between lines, else between words."""
    kept: list[str] = []
    for line in text.splitlines():
        if estimate_tokens("\n".join([*kept, line])) > tokens:
            words = line.split()
            while words and estimate_tokens("\n".join([*kept, " ".join(words)])) > tokens:
                words = words[: len(words) * 9 // 10]
            return "\n".join([*kept, *([" ".join(words)] if words else [])]).strip()
        kept.append(line)
    return "\n".join(kept).strip()


# what stands where


def _body(context: Context, pitch: str, related: Sequence[Item]) -> str:
    lines = [pitch.strip()] if pitch.strip() else []
    if related:
        links = [f"- [[{_place(context, item)}|{item.title.replace('|', ' ').replace(']', ' ')}]]" for item in related]
        lines += ["", "## Related", "", *links] if lines else ["## Related", "", *links]
    return "\n".join(lines) + "\n" if lines else ""


def _place(context: Context, item: Item) -> str:
    """Return where an item stands, as a link from the vault's root."""
    space = next((one for one in context.vault.spaces if one.name == item.space), context.vault.spaces[0])
    path = item.path if item.source == "document" else _from_root(space.root, space.documents_root, item.path)
    return path.removesuffix(".md")


def _target(context: Context, idea: Memory) -> str:
    """Return how the page links to an idea: by its path from the vault's root; one in another space by its title."""
    space = context.vault.spaces[0]
    if idea.space != space.name:
        return idea.title
    return _from_root(space.root, space.documents_root, idea.path).removesuffix(".md")


def _from_root(root: str, documents_root: str, path: str) -> str:
    return (Path(root) / path).relative_to(documents_root or root).as_posix()


def _page_file(context: Context) -> Path:
    space = context.vault.spaces[0]
    return Path(space.documents_root or space.root) / ideas_page.PAGE


def _page_as_it_is(file: Path) -> tuple[str | None, str | None]:
    """Return (text, etag) of the page; (None, None) when there is none.

    Raises:
        InvalidInput: it is not UTF-8. WriteFailed: it cannot be read.
    """
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        return None, None
    except OSError as error:
        raise WriteFailed(f"{file} cannot be read: {error.strerror}.") from error
    return text_of(raw), etag_of(raw)


def _promoted_page(context: Context, idea: Memory, project: Memory) -> tuple[Page | None, str]:
    """Return Ideas.md with the idea's section saying what it became; None and why when it stays as it is."""
    file = _page_file(context)
    try:
        text, etag = _page_as_it_is(file)
        target = _target(context, idea)
        if text is None or not ideas_page.links_to(text, target):
            return None, f"{ideas_page.PAGE} does not name it."
        note = f"Promoted to a project on {context.clock.now():%Y-%m-%d}."
        fresh = ideas_page.annotated(text, target, _target(context, project), note)
        page = Page(str(file), fresh, etag, "Note in your list of ideas that it became a project.", note)
        context.vault.pages.ask_for(page)
    except (Refused, InvalidInput, WriteFailed) as error:
        return None, f"{ideas_page.PAGE} was not changed: {error.message}"
    return page, ""


def _known(context: Context, title: str, pitch: str) -> Memory | None:
    """Return the idea that incubates under the same title and says the same."""
    wanted = " ".join(title.split()).casefold()
    same = (one for one in incubating(context) if one.title.casefold() == wanted)
    return next((one for one in same if one.body.partition("## Related")[0].split() == pitch.split()), None)


def _is_project_space(context: Context, name: str) -> bool:
    return any(space.name == name and space.project for space in context.vault.spaces)
