"""Look up an idea on the web, within a budget.

The results are proposals with trust `external`: they wait beside the idea for the person's decision and are shown to nobody
before.
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
#: A page is dropped if fewer tokens of it fit into the budget.
_TOKENS_MIN = 40
_ADDRESS = re.compile(r"https?://[^\s)\]>\"'`]+")


@dataclass(slots=True)
class _Research:
    """A research in progress: the budget used so far, and its results."""

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
        """Return whether the budget allows another request; if not, record which limit was reached."""
        if self.seconds >= self.budget.seconds:
            self.stopped = "time"
        elif self.fetches >= self.budget.fetches:
            self.stopped = "fetches"
        elif self.budget.tokens - self.tokens < _TOKENS_MIN:
            self.stopped = "tokens"
        return not self.stopped

    def addresses(self) -> tuple[str, ...]:
        """Return addresses named in the idea, else those that a search returns."""
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
        """Fetch one page and propose its text as a note."""
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
    """Look up an idea that was just captured, unless it waits for the person's approval."""
    if captured.action != "incubating" or captured.memory is None:
        return captured
    return replace(captured, research=look_up(context, captured.memory.id).research)


def look_up(
    context: Context, ref: str, urls: tuple[str, ...] = (), seconds: int = 0, fetches: int = 0, tokens: int = 0
) -> Idea:
    """Look up an idea on the web. When the budget is used up, stop and return the results so far (MV-52).

    Args:
        seconds, fetches, tokens: the budget; 0: the maximum.
        urls: pages to read; empty: those named in the idea, else results of a search for its title.

    Raises:
        Refused: research is not configured, or memory is switched off.
        InvalidInput: it is not incubating. NotFound, Ambiguous.
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
    """Save a page as a pending note beside the idea (MV-36). Nothing of it goes into the idea itself."""
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
    except AlreadyExists:  # an earlier version of the page is there already; this one stays in the inbox
        return kept
    return replace(kept, memory=moved[0])


def _within(text: str, tokens: int) -> str:
    """Return the beginning of a text of at most `tokens` tokens, cut between lines if possible, else between words."""
    kept: list[str] = []
    for line in text.splitlines():
        if estimate_tokens("\n".join([*kept, line])) > tokens:
            words = line.split()
            while words and estimate_tokens("\n".join([*kept, " ".join(words)])) > tokens:
                words = words[: len(words) * 9 // 10]
            return "\n".join([*kept, *([" ".join(words)] if words else [])]).strip()
        kept.append(line)
    return "\n".join(kept).strip()
