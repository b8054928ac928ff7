"""Verbs for ideas."""

from collections.abc import Sequence

from vademecum.domain.errors import InvalidInput
from vademecum.domain.ids import short_id
from vademecum.domain.memory import By, Memory
from vademecum.plugin import late, on_context
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import Param, Verb, day, describe, ref_param
from vademecum.plugins.ideas import incubator
from vademecum.plugins.ideas.ideas import add, surfaced_text, tidy
from vademecum.plugins.ideas.research import look_up
from vademecum.plugins.ideas.results import (
    GC_MONTHS,
    RESEARCH_FETCHES,
    RESEARCH_SECONDS,
    RESEARCH_TOKENS,
    Idea,
    Researched,
    Stale,
)

#: Decisions about an old idea.
TIDYINGS = ("keep", "archive", "delete")


def _tidy(memory: Vademecum, ref: str, decision: str, months: int, yes: bool, by: By) -> Idea | tuple[Stale, ...]:
    if not ref:
        return incubator.stale(memory.context, months or GC_MONTHS)
    if decision not in TIDYINGS:
        raise InvalidInput("Say what to do with it.", "One of: " + ", ".join(TIDYINGS))
    if decision == "delete" and not yes:
        raise InvalidInput("Deleting an idea cannot be undone.", "To do it, add: --yes. To put it away: archive")
    return tidy(memory, ref, decision, by=by)  # type: ignore[arg-type]


def idea_text(result: Idea) -> str:
    """Return the result of an operation on an idea."""
    lines = [f"{result.action}: {describe(result.memory)}" if result.memory else result.action]
    lines += [f"  related: {title}" for title in result.related]
    lines += [f"  note: {text}" for text in result.warnings]
    lines += [f"  written: {result.page}"] if result.page else []
    lines += [f"  {result.note}"] if result.note else []
    return "\n".join([*lines, *(_researched(result.research) if result.research else [])])


def _researched(result: Researched) -> list[str]:
    stopped = f", stopped: no {result.stopped} left" if result.stopped else ""
    kept = [saved for saved in result.found if saved.memory is not None]
    lines = [f"  looked up: {result.fetches} requests, {len(kept)} pages, {result.tokens} tokens{stopped}"]
    lines += [f"    waits for your decision: {describe(one.memory)}" for one in kept if one.memory]
    return lines + [f"    {text}" for text in result.problems]


def ideas_text(results: Sequence[Memory]) -> str:
    """Return incubating ideas, one line each."""
    if not results:
        return "There is no open idea. Capture one with: vade idea TITLE"
    return "\n".join(f"{day(one.said_at)}  {one.title}  {one.path}  {short_id(one.id)}" for one in results)


def tidied_text(result: Idea | Sequence[Stale]) -> str:
    """Return the result for an old idea, or the list of old ideas."""
    if isinstance(result, Idea):
        return idea_text(result)
    if not result:
        return "No idea is that old."
    listed = [f"{stale.touched:%Y-%m-%d}  {stale.memory.title}  {short_id(stale.memory.id)}" for stale in result]
    return "\n".join([*listed, "Decide with: vade idea gc REF keep | archive | delete --yes"])


VERBS = (
    Verb("idea add", "Capture an idea with what is known about it, and list it in Ideas.md if you allow that.", (
        Param("title", "text", "Its title.", place=True, max_chars=300),
        Param("pitch", "text", "What it is about, in two sentences.", "", max_chars=20_000),
        Param("session", "text", "The session in which it came up.", "", max_chars=300),
        Param("research", "flag", "Look it up on the web too, if you configured that.", False),
    ), add, idea_text, writes=True, signed=True),
    Verb("idea list --surface", "Put an idea into Ideas.md if you allow it; without REF all that are not there, with one question.",
         (Param("ref", "text", "An idea; empty: all that Ideas.md does not name.", "", place=True, named="memory"),),
         on_context(incubator.surface), surfaced_text, writes=True, signed=True),
    Verb("idea list", "Open ideas, the newest first.", (), on_context(incubator.incubating), ideas_text, signed=True),
    Verb("idea research",
         "Look an idea up on the web, if you configured that; what is found waits for your decision beside the idea.", (
        ref_param(),
        Param("urls", "list", "Pages to look at; none: those that it names, else what the search finds.", (), commas=False),
        Param("seconds", "number", "Seconds in all.", RESEARCH_SECONDS, least=1, most=RESEARCH_SECONDS),
        Param("fetches", "number", "Requests in all; searching is one.", RESEARCH_FETCHES, least=1, most=RESEARCH_FETCHES),
        Param("tokens", "number", "Tokens kept in all.", RESEARCH_TOKENS, least=100, most=RESEARCH_TOKENS),
    ), on_context(look_up), idea_text, writes=True, agents=False),
    Verb("idea promote", "Make an idea a project: its folder moves there, and Ideas.md says so. One undo takes it back.",
         (ref_param(), Param("slug", "text", "Name of the project; that of its folder when empty.", "", max_chars=80)),
         on_context(incubator.promote), idea_text, writes=True, agents=False, signed=True),
    Verb("idea gc",
         "Ideas that nobody touched for six months: in a terminal it asks about each, else it lists them. Nothing is deleted"
         " without you.", (
        Param("ref", "text", "The idea to decide about; empty: list.", "", place=True),
        Param("decision", "text", "What to do with it.", "", place=True, choices=("", *TIDYINGS)),
        Param("months", "number", "Untouched for this many months; 0: six.", 0, most=1200),
        Param("yes", "flag", "Really delete.", False),
    ), _tidy, tidied_text, writes=True, agents=False, screen=late("vademecum.plugins.ideas.screen", "tidy_in_terminal"), signed=True),
)  # fmt: skip
