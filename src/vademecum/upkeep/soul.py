"""What an agent holds about itself: memories of a kind of their own, in the agent's folder, never among the person's (X-16)."""

from collections.abc import Mapping

from vademecum.compose.briefing import own_notes
from vademecum.model.errors import InvalidInput, UnknownWord
from vademecum.model.item import Item
from vademecum.model.memory import By, Draft
from vademecum.model.procedural import ANY_AGENT, SELF, SOUL_CATEGORIES
from vademecum.model.query import Scope
from vademecum.model.reports import Saved
from vademecum.upkeep.keep import keep
from vademecum.upkeep.parts import Parts
from vademecum.vault.places import slugify

_MOST = 1_000
_TITLE_CHARS = 80


def update(
    parts: Parts, category: str, text: str, *, importance: float = 0.7, supersedes: str = "", agent: str = "", by: By
) -> Saved:
    """Keep one thing that an agent holds about itself.

    Args:
        category: one of SOUL_CATEGORIES. supersedes: a note of the same agent that it replaces.
        agent: whose; "": the one self over all tools.

    Raises:
        UnknownWord: no such category. InvalidInput: no text, or what it would replace is no note of this agent.
        NotFound, Ambiguous. Refused: by the guard, or memory is switched off.
    """
    if category not in SOUL_CATEGORIES:
        raise UnknownWord("category", category, SOUL_CATEGORIES)
    flat = " ".join(text.split())
    if not flat:
        raise InvalidInput("There is nothing to keep.", "Say it in a sentence.")
    own = slugify(agent) if agent.strip() else ANY_AGENT
    replaced = _replaced(parts, supersedes, own) if supersedes else ()
    title = flat if len(flat) <= _TITLE_CHARS else flat[:_TITLE_CHARS].rpartition(" ")[0] + "…"
    properties = {"facet": category, "importance": importance, "agent": own}
    draft = Draft(SELF, title.rstrip(".") or title, flat + "\n", (SELF,), properties=properties)
    return keep(parts, draft, by=by, replaces=replaced, unique=True)


def shown(parts: Parts, agent: str = "") -> Mapping[str, tuple[Item, ...]]:
    """Category -> the most important notes of an agent, the newest first among equals, three at most."""
    own = slugify(agent) if agent.strip() else ANY_AGENT
    scope = Scope(sources=("memory",), kinds=(SELF,), statuses=("active",), agents=(own,))
    return own_notes(parts.index.select(scope, order="importance", limit=_MOST))


def _replaced(parts: Parts, ref: str, agent: str) -> tuple[str, ...]:
    old = parts.vault.get(ref)
    if old.kind != SELF or old.agent != agent:
        raise InvalidInput(f"{old.title!r} is no note of {agent} about itself.", "See: vade soul")
    return (old.id,)
