"""An agent's notes about itself: memories of a separate kind, in the agent's folder, never among the person's (X-16)."""

from collections.abc import Mapping

from msgspec import Struct

from vademecum.domain.errors import InvalidInput, UnknownWord
from vademecum.domain.item import Item
from vademecum.domain.memory import BY_PERSON, By, Draft
from vademecum.domain.procedural import ANY_AGENT, SELF, SOUL_CATEGORIES, own_notes
from vademecum.domain.query import Scope
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import slugify
from vademecum.plugin_api.writing import Saved, keep

_MOST = 1_000
#: Importance of a note without one, 0 to 1.
IMPORTANCE = 0.7
_TITLE_CHARS = 80


class SelfNote(Struct, frozen=True):
    """What an agent says about itself.

    Attributes:
        category: one of SOUL_CATEGORIES.
        importance: 0 to 1; None: the usual one.
        agent: its name; "": the notes shared by all tools.
    """

    category: str
    text: str
    importance: float | None = None
    agent: str = ""


def update(context: Context, note: SelfNote, supersedes: str = "", *, by: By = BY_PERSON) -> Saved:
    """Save one note of an agent about itself.

    Args:
        supersedes: a note of the same agent that it replaces.

    Raises:
        UnknownWord: no such category.
        InvalidInput: no text, or `supersedes` is no note of this agent.
        NotFound, Ambiguous.
        Refused: by the guard, or memory is switched off.
    """
    if note.category not in SOUL_CATEGORIES:
        raise UnknownWord("category", note.category, SOUL_CATEGORIES)
    flat = " ".join(note.text.split())
    if not flat:
        raise InvalidInput("There is nothing to save.", "Say it in a sentence.")
    own = slugify(note.agent) if note.agent.strip() else ANY_AGENT
    replaced = _replaced(context, supersedes, own) if supersedes else ()
    title = flat if len(flat) <= _TITLE_CHARS else flat[:_TITLE_CHARS].rpartition(" ")[0] + "…"
    importance = IMPORTANCE if note.importance is None else note.importance
    properties = {"facet": note.category, "importance": importance, "agent": own}
    draft = Draft(SELF, title.rstrip(".") or title, flat + "\n", (SELF,), properties=properties)
    return keep(context, draft, by=by, replaces=replaced, unique=True)


def shown(context: Context, agent: str = "") -> Mapping[str, tuple[Item, ...]]:
    """Return category -> the three most important notes of an agent, newer ones first among equals."""
    own = slugify(agent) if agent.strip() else ANY_AGENT
    scope = Scope(sources=("memory",), kinds=(SELF,), statuses=("active",), agents=(own,))
    return own_notes(context.index.select(scope, order="importance", limit=_MOST))


def _replaced(context: Context, ref: str, agent: str) -> tuple[str, ...]:
    old = context.vault.get(ref)
    if old.kind != SELF or old.agent != agent:
        raise InvalidInput(f"{old.title!r} is not a note of {agent} about itself.", "See: vade soul")
    return (old.id,)
