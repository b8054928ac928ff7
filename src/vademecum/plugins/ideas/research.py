"""Look an idea up on the web, within a budget.

What comes from there is proposed with trust `external`: it waits for the person's word beside the idea and is told to nobody before.
"""

import re
from dataclasses import dataclass, field

from msgspec.structs import replace

from vademecum.domain.errors import AlreadyExists, Refused, WebUnavailable
from vademecum.domain.memory import Memory
from vademecum.domain.session import Candidate
from vademecum.domain.tokens import estimate_tokens
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import Placing, places
from vademecum.plugin_api.writing import BY_EXTRACTION, Saved, route
from vademecum.plugins.ideas.incubator import named
from vademecum.plugins.ideas.results import RESEARCH_FETCHES, RESEARCH_SECONDS, RESEARCH_TOKENS, Budget, Idea, Researched
from vademecum.ports.web import Web, WebPage

_TITLE_CHARS, _EXCERPT_CHARS = 80, 240
#: A page of which less would be kept is not kept.
_TOKENS_MIN = 40
_ADDRESS = re.compile(r"https?://[^\s)\]>\"'`]+")


@dataclass(slots=True)
class _Research:
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
            self.problems.append(f"{page.url} contains no text.")
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
    trip = _Research(context, context.outside.web, idea, budget, context.clock.elapsed_s())
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
    return replace(kept, memory=moved[0])


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
