"""Save events of a layered workflow: each becomes one memory, or regenerates pages (HW-09, HW-10, HW-55).

A host sends the event with any payload. Fields other than title and text become sections of the memory, so that no layer needs
code of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput, NotFound, UnknownWord
from vademecum.domain.item import Item
from vademecum.domain.kinds import kind_named
from vademecum.domain.memory import BY_PERSON, By, Draft, Memory
from vademecum.domain.query import Scope
from vademecum.domain.session import Session, Turn
from vademecum.language.text import brief
from vademecum.plugin_api.conversations import mine
from vademecum.plugin_api.memory import Context, scope_for
from vademecum.plugin_api.vault import CALLOUT
from vademecum.plugin_api.views import ViewsReport, keep_views, keep_views_after
from vademecum.plugin_api.writing import Saved, Step, joined, keep_under, route


class Event(Struct, frozen=True):
    """How one kind of event is saved.

    Attributes:
        meaning: for help pages.
        kind: a kind, or another system's word for one; "": no memory is saved.
        key: letters of the memory's key.
        fields: properties that distinguish it from others of its kind.
        failed: the outcome differs from the plan, which the text shows.
    """

    meaning: str
    kind: str = ""
    key: str = ""
    fields: Mapping[str, object] = {}
    failed: bool = False


EVENTS: Mapping[str, Event] = {
    "session_start": Event("the pages of the wiki are as new as its memories"),
    "turn_end": Event("decisions with their reasons in `text` or `messages`"),
    "session_shutdown": Event("the pages of the wiki are made anew"),
    "spec_hardened": Event("choices, ambiguities", "spec", "SPEC-", {"decision_type": "spec", "layer": 1}),
    "plan_approved": Event("nodes, risks", "plan", "PLAN-", {"plan_status": "approved", "layer": 2}),
    "checkpoint_recorded": Event("files changed", "evolution_event", "CP-", {"layer": 3}),
    "drift_detected": Event("what drifted from the plan", "failure_pattern", "FP-", {"layer": 3}, failed=True),
    "subtask_completed": Event("what was done", "success_pattern", "SP-", {"maturity": "developing", "layer": 3}),
    "subtask_verified": Event("what held", "success_pattern", "SP-", {"maturity": "mature", "layer": 4}),
    "subtask_failed": Event("what broke", "failure_pattern", "FP-", {"layer": 4}, failed=True),
    "review_recorded": Event("a verdict: pass, fail, conditional_pass", "review", "REV-", {"layer": 4}),
    "subtask_observable": Event("metrics chosen", "decision", "DEC-", {"decision_type": "metric", "layer": 5}),
}
#: Fields of the payload for the title, for the text, and for properties.
_TITLES, _TEXTS = ("title", "subtask", "task", "goal", "summary"), ("body", "summary", "text")
_PROPERTIES = ("project", "source", "agent", "session", "contradicts", "expected", "tags", "verdict")
TITLE_CHARS = 100
#: Most memories of a kind among which a name is looked up.
_LOOKED_AT = 20_000
_BY = "event"


class EventReport(Struct, frozen=True):
    """Result of an event.

    Attributes:
        saved: memories.
        views: regenerated pages; None if they were not checked.
    """

    name: str
    saved: tuple[Saved, ...] = ()
    views: ViewsReport | None = None


def take_event(context: Context, name: str, payload: Mapping[str, Any], *, by: By = BY_PERSON) -> EventReport:
    """Save an event.

    Args:
        payload: `title`, `body` and any other content; `project`, `source`, `tags`; for a failure `expected`, and
            `contradicts`, the memory that it contradicts.

    Raises:
        UnknownWord: there is no such event.
        InvalidInput: the payload has no title.
        Refused: by guard or settings.
    """
    if name not in EVENTS:
        raise UnknownWord("event", name, EVENTS, list_all=True)
    event = EVENTS[name]
    if event.kind:
        return EventReport(name, (_kept(context, event, payload, by),))
    if name == "turn_end":
        return EventReport(name, _decided(context, payload))
    if name == "session_start":
        _, problems = keep_views_after(context)
        return EventReport(name, views=ViewsReport(problems=tuple(problems)))
    return EventReport(name, views=keep_views(context))


def _kept(context: Context, event: Event, payload: Mapping[str, Any], by: By) -> Saved:
    title = next((brief(" ".join(str(payload[name]).split()), TITLE_CHARS) for name in _TITLES if payload.get(name)), "")
    if not title:
        raise InvalidInput("The payload has no title.", 'Give at least: {"title": "..."}')
    kind, facet = kind_named(event.kind)
    against = context.vault.get(str(payload["contradicts"])) if payload.get("contradicts") else None
    properties = {name: payload[name] for name in ("project", "source", "agent") if payload.get(name)}
    properties |= {**event.fields, **({"facet": facet} if facet else {})}
    if payload.get("verdict"):
        properties["review_verdict"] = str(payload["verdict"])
    tags = tuple(dict.fromkeys([*map(str, payload.get("tags") or ()), *filter(None, [facet])]))
    draft = Draft(kind, title, _body(event, payload, against), tags, properties=properties)
    saved = keep_under(context, event.key, draft, by=by, unique=True)
    if against is None or saved.memory is None or saved.memory.status != "active" or saved.memory.id == against.id:
        return saved
    return joined(context, saved.memory, Step("contradict", (against.id,)), by=by)


def _body(event: Event, payload: Mapping[str, Any], against: Memory | None) -> str:
    """Return the text, then a section for each other field of the payload; for a failure, a callout with the expectation."""
    text = next((str(payload[name]).strip() for name in _TEXTS if payload.get(name)), "")
    parts = [text] if text else []
    for name, value in payload.items():
        if value not in (None, "", [], {}) and name not in {*_TITLES, *_TEXTS, *_PROPERTIES}:
            parts.append(f"## {name.replace('_', ' ').capitalize()}\n\n{_lines(value)}")
    if event.failed and against is None:
        parts.append(f"{CALLOUT} It went otherwise\n> {payload.get('expected') or 'It was to hold.'}")
    return "\n\n".join(parts) + "\n"


def _lines(value: object) -> str:
    if isinstance(value, Mapping):
        return "\n".join(f"- {name}: {_flat(entry)}" for name, entry in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(f"- {_flat(entry)}" for entry in value)
    return str(value).strip()


def _flat(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_flat(entry)}" for name, entry in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_flat, value))
    return " ".join(str(value).split())


def _decided(context: Context, payload: Mapping[str, Any]) -> tuple[Saved, ...]:
    """Route the decisions stated in a turn. Their trust is "agent", whoever sends them."""
    given = payload.get("messages") or [{"role": "agent", "text": payload.get("text", "")}]
    texts = [str(by_key.get("text") or by_key.get("content") or "") for by_key in given if isinstance(by_key, Mapping)]
    turns = tuple(Turn(str(number), "agent", text) for number, text in enumerate(texts, 1) if text.strip())
    if not turns:
        raise InvalidInput("Nothing was said in this turn.", 'Give: {"text": "..."}')
    session = Session(_BY, str(payload.get("session") or "turn"), "", turns, project=str(payload.get("project") or ""))
    candidates = [replace(candidate, trust="agent") for candidate in mine(session) if candidate.kind == "decision"]
    return tuple(route(context, candidate, _BY) for candidate in candidates)


def require(context: Context, kind: str, title: str, project: str, *, by: By = BY_PERSON) -> Memory:
    """Return the active memory of this kind and name; a host that requires it stops if there is none (HW-51).

    Args:
        title: its title, key, alias or id.
        project: only memories of this project and of none.

    Raises:
        NotFound: there is none, or it is replaced or disputed.
        UnknownWord: no such kind.
    """
    known, facet = kind_named(kind)
    scope = Scope(sources=("memory",), kinds=(known,), statuses=None, projects=(project,) if project else None)
    there = {item.key: item for item in context.index.select(scope_for(context, scope, by), limit=_LOOKED_AT)}
    named = [there[key] for key in context.index.named(title) if key in there]
    fitting = [item for item in named if not facet or facet in (item.facet, *item.tags)]
    standing = next((item for item in fitting if item.status == "active"), None)
    if standing is not None:
        return context.vault.get(standing.key)
    raise NotFound(f"MISSING {kind}: {title}", _why_missing(kind, title, fitting))


def _why_missing(kind: str, title: str, named: Sequence[Item]) -> str:
    if not named:
        return f"Decide it first, then: vade save {kind} '{title}'"
    return f"One is there, but {named[0].status}: vade show {named[0].key.removeprefix('memory://')}"
