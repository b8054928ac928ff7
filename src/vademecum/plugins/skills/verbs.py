"""Verbs for skills."""

from vademecum.domain.errors import InvalidInput
from vademecum.domain.ids import short_id
from vademecum.domain.memory import By
from vademecum.plugin import on_context
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import Param, Verb
from vademecum.plugins.skills import skills
from vademecum.plugins.skills.skills import SkillsRead, Watched

_DECISIONS = ("promote", "dismiss", "defer")


def skills_text(result: SkillsRead) -> str:
    """Return new, changed and missing skills."""
    groups = (("new", result.new), ("changed", result.changed), ("gone", result.gone))
    lines = [f"{word}: {title}" for word, titles in groups for title in titles]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    lines += [f"{result.unchanged} unchanged"] if result.unchanged else []
    return "\n".join(lines) or "Nothing new."


def _watchlist(
    memory: Vademecum, ref: str, decision: str, days: int, everything: bool, by: By
) -> Watched | tuple[Watched, ...]:
    if not ref:
        return skills.watchlist(memory.context, everything)
    if decision not in _DECISIONS:
        raise InvalidInput("Say what to do with it.", "One of: " + ", ".join(_DECISIONS))
    return skills.decide_watched(memory.context, ref, decision, days, by=by)  # type: ignore[arg-type]


def watched_text(result: Watched | tuple[Watched, ...]) -> str:
    """Return each entry with its score and reasons."""
    if isinstance(result, Watched):
        rests = f", deferred until {result.rests}" if result.rests else ""
        return f"{result.memory.title}  [{result.memory.status}{rests}]  {short_id(result.memory.id)}"
    if not result:
        return "Nothing is on the watchlist."
    return "\n".join(line for watched in result for line in _entry_lines(watched))


def _entry_lines(one: Watched) -> list[str]:
    score = "not judged" if one.score is None else f"{one.score:+d}"
    state = f", {one.memory.status}" if one.memory.status != "inbox" else f", deferred until {one.rests}" if one.rests else ""
    return [f"{one.memory.title}  ({score}{state})  {short_id(one.memory.id)}", f"  {one.memory.source}"] + [
        f"  {reason}" for reason in one.reasons
    ]


VERBS = (
    Verb("skills index", "Save a pointer to each skill that you have: what it is for and where it is, shown when relevant.", (
        Param("paths", "list", "Folders of skills; empty: those of your hosts.", (), place=True, commas=False, named="place"),
        Param("repo", "text", "Name of the collection; empty: that of the folder.", "", max_chars=80),
    ), on_context(skills.index_skills), skills_text, writes=True, agents=False),
    Verb("skills discover", "Read the lists that the setting skill_sources names; what is new there waits on the watchlist.", (
        Param("dry_run", "flag", "Only show what is new.", False),
        Param("max_sources", "number", "Read this many lists; 0: all.", 0),
    ), on_context(skills.discover), skills_text, writes=True, agents=False),
    Verb("skills watchlist --judge", "Rate what waits on the watchlist by fixed criteria; what meets none is archived.",
         (Param("ref", "text", "One entry; empty: those that were not rated.", "", place=True, named="memory"),),
         on_context(skills.judge), watched_text, writes=True, agents=False),
    Verb("skills watchlist",
         "Skills that others published: list them, or decide about one. Nothing of them is installed;"
         " a promoted one is shown when relevant.", (
        Param("ref", "text", "The entry to decide about; empty: list.", "", place=True, named="memory"),
        Param("decision", "text", "What to do with it.", "", place=True, choices=("", *_DECISIONS)),
        Param("days", "number", "For how long one is deferred.", 30, least=1, most=3650),
        Param("everything", "flag", "Also list those that are deferred.", False),
    ), _watchlist, watched_text, writes=True, agents=False, signed=True),
)  # fmt: skip
