"""Ideas of an open memory: capture and tidy up; list ideas after their approval."""

from collections.abc import Sequence

from msgspec.structs import replace

from vademecum.domain.memory import BY_PERSON, By
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import counted
from vademecum.plugin_api.writing import Decided
from vademecum.plugins.ideas import incubator
from vademecum.plugins.ideas.research import with_research
from vademecum.plugins.ideas.results import Idea, Surfaced


def add(
    memory: Vademecum, title: str, pitch: str = "", session: str = "", research: bool = False, *, by: By = BY_PERSON
) -> Idea:
    """Capture an idea in the incubator with related memories, and add it to Ideas.md with the person's consent.

    Args:
        pitch: description; the list of ideas shows its first two sentences.
        session: in which it came up.
        research: also look it up on the web.

    Raises:
        Refused: by guard or settings.
        InvalidInput: no title.
    """
    done = incubator.capture(memory.context, title, pitch, session=session, find=memory.recall.about, by=by)
    return with_research(memory.context, done) if research else done


def tidy(memory: Vademecum, ref: str, decision: incubator.Decision, *, by: By = BY_PERSON) -> Idea:
    """Carry out the person's decision about an idea: keep it, archive it, or erase it with the notes about it.

    Raises:
        InvalidInput: it is not incubating.
    """
    return incubator.tidy(memory.context, ref, decision, lambda entry: memory.notes.forget(entry, yes=True, by=by), by=by)


def with_ideas(memory: Vademecum, decided: tuple[Decided, ...], by: By) -> tuple[Decided, ...]:
    """Add ideas that were just approved to Ideas.md, with one question; the last of their decisions gets the outcome."""
    ideas = [at for at, row in enumerate(decided) if _is_approved_idea(row)]
    if not ideas:
        return decided
    last = decided[ideas[-1]]
    listed = incubator.surface(memory.context, last.memory.id if len(ideas) == 1 else "", by=by)
    matching_decided = replace(last, page=listed.page, note=listed.note)
    return (*decided[: ideas[-1]], matching_decided, *decided[ideas[-1] + 1 :])


def offered(memory: Vademecum, decided: tuple[Decided, ...]) -> Sequence[str]:
    """Add missing ideas to Ideas.md if one was just approved, with one question; otherwise report how many are missing."""
    missing = incubator.missing(memory.context)
    if any(map(_is_approved_idea, decided)):
        return (surfaced_text(incubator.surface(memory.context)),)
    return (f"{counted(len(missing), 'idea')} not in Ideas.md: vade idea list --surface",) if missing else ()


def _is_approved_idea(decided: Decided) -> bool:
    return decided.memory.status == "incubating" and decided.decision != "skip"


def surfaced_text(result: Surfaced) -> str:
    """Return which ideas were added to Ideas.md."""
    if not result.titles:
        return "Ideas.md lists every open idea."
    if not result.page:
        return f'{result.note}\nIn a terminal it asks; to allow it anywhere: consent = "silent" among the settings'
    return "\n".join([f"written: {result.page}", *(f"  {title}" for title in result.titles)])
