"""Decide what a repetition makes of a memory.

A correction that is made again becomes a proposal for a standing rule, and an agent's observation of the person is accepted after
enough sessions agree.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.kinds import kind_named
from vademecum.domain.memory import BY_PERSON, QUARANTINED, By, Draft, Memory
from vademecum.domain.query import Scope
from vademecum.domain.saved import Saved
from vademecum.language.patterns import speech
from vademecum.language.text import common_words
from vademecum.write.gate import is_left_out, keep
from vademecum.write.projects import project_for

#: Number of occasions (sessions, else days) of a correction before it is proposed as a rule (SW-44).
RECURRENCES = 2
#: Number of sessions (else days) with an observation before it is accepted (SW-09).
CONVERGED = 3
#: Two observations are the same if they share at least this part of all their words, and both are negated or neither is.
_ALIKE = 0.5
OBSERVATION = "observation"
#: Maximum number of occasions saved.
_OCCASIONS_MAX = 10
_MOST = 10_000
_TITLE_CHARS = 80
_BY = By("extraction", "upkeep")
#: Patterns of a person correcting an agent.
_CORRECTING = re.compile(r"\w\w\.preference\.(?:dont|dont-any|stop|told|use-not|no-more)\b")


def noticed(context: Context, saved: Saved, source: str = "") -> Saved:
    """Propose a standing rule if `saved` confirms a correction on another occasion. Returns `saved`, with the updated memory.

    Args:
        source: session of the confirmation; "": today counts as the occasion.
    """
    memory = saved.memory
    if saved.action != "confirmed" or memory is None or memory.status != "active" or not is_correction(memory):
        return saved
    if is_left_out(context, memory, source):
        return saved
    met = _occasions(memory, "met_in") or (memory.source or _day(memory.created),)
    now = source or _day(context.clock.now())
    if now in met:
        return saved
    met = (*met, now)[:_OCCASIONS_MAX]
    values: dict[str, object] = {"met_in": met}
    if len(met) >= RECURRENCES and not memory.extra.get("rule_proposed"):
        values["rule_proposed"] = _proposed_rule(context, memory, met)
    return Saved(saved.action, context.vault.edit(memory.id, properties=values, by=_BY), saved.replaced, saved.warnings)


def is_correction(memory: Memory) -> bool:
    """Return whether a memory is a correction of an agent: marked as one, or found by a pattern for corrections."""
    called = "correction" in (memory.facet, *memory.tags)
    return called or bool(_CORRECTING.match(str(memory.extra.get("mining_rationale") or "")))


def _proposed_rule(context: Context, correction: Memory, met: Sequence[str]) -> str:
    """Propose a standing rule to the person. Returns its id, or the reason why there is none."""
    properties = {
        "status": "inbox",
        "confidence": "medium",
        "importance": max(0.8, correction.importance),
        "always_load": True,
        "project": correction.project,
        "source": correction.source,
        "derived_from": (correction.id,),
        "graduates": correction.id,
        "mining_route": "pending",
        "mining_confidence": "medium",
        "mining_occurrences": len(met),
        "mining_rationale": f"rule.recurrence: corrected on {len(met)} occasions; approved, it becomes a standing rule",
        "mining_excerpt": correction.title,
        "mining_sessions": tuple(met),
    }
    known = {name: value for name, value in properties.items() if value not in ("", None)}
    text = f"{correction.body.strip() or correction.title}\n\nA correction that was made again; proposed as a standing rule.\n"
    try:
        kept = keep(
            context, Draft("preference", f"Standing rule: {correction.title}", text, properties=known), by=_BY, unique=True
        )
    except Refused as error:
        return f"refused: {error.message}"
    return kept.memory.id if kept.memory else "refused"


def graduates(memory: Memory) -> str:
    """Return the id of the correction that a proposed rule replaces; "" for any other memory."""
    return str(memory.extra.get("graduates") or "")


# observations of the person


def observe(
    context: Context, text: str, session: str = "", kind: str = "preference", project: str = "", *, by: By = BY_PERSON
) -> Saved:
    """Save an observation of the person. It stays pending until enough sessions agree, then it is accepted (SW-09).

    Args:
        session: of the observation; "": today counts instead.

    Raises:
        UnknownWord: no such kind. InvalidInput: no text. Refused: by the guard, or memory is switched off.
    """
    flat = " ".join(text.split())
    if not flat:
        raise InvalidInput("There is nothing to note.", "Say in a sentence what the person does.")
    now = session or _day(context.clock.now())
    kind = kind_named(kind)[0]
    project = project_for(context, kind, project, personal=False)
    known = _alike(context, flat, kind, project)
    if known is None:
        return keep(context, _observation(flat, now, kind, project), by=by, unique=True)
    met = _occasions(known, "mining_sessions")
    if now in met:
        return Saved("confirmed", known, note=_waits(len(met)) if known.status == "inbox" else "")
    met = (*met, now)[:_OCCASIONS_MAX]
    noted = context.vault.edit(known.id, properties={"mining_sessions": met, "mining_occurrences": len(met)}, by=by)
    if noted.status != "inbox":
        return Saved("confirmed", context.vault.confirm(noted.id, by=by))
    if len(met) < CONVERGED or noted.trust == QUARANTINED:
        return Saved("confirmed", noted, note=_waits(len(met)))
    context.vault.edit(noted.id, properties={"confidence": "medium"}, by=by)
    believed = context.vault.restore(noted.id, by=by)
    return Saved("saved", believed, note=f"Observed in {len(met)} sessions: believed from now on.")


def _observation(text: str, occasion: str, kind: str, project: str) -> Draft:
    title = text if len(text) <= _TITLE_CHARS else text[:_TITLE_CHARS].rpartition(" ")[0] + "…"
    properties = {
        "status": "inbox",
        "facet": OBSERVATION,
        "confidence": "low",
        "importance": 0.5,
        "mining_route": "inbox",
        "mining_confidence": "low",
        "mining_occurrences": 1,
        "mining_rationale": "observed: by an agent, not yet believed",
        "mining_sessions": (occasion,),
        **({"project": project} if project else {}),
    }
    return Draft(kind, title.rstrip("."), text + "\n", (OBSERVATION,), properties=properties)


def _alike(context: Context, text: str, kind: str, project: str) -> Memory | None:
    """Return the observation with the most words in common and the same negation, if they are enough; None if there is none."""
    words, denies = frozenset(context.index.terms(text, common_words(text))), bool(speech("rejecting").search(text))
    scope = Scope(sources=("memory",), kinds=(kind,), statuses=("inbox", "active"), tags=(OBSERVATION,))
    best: tuple[float, Memory] | None = None
    for item in context.index.select(scope, limit=_MOST):
        memory = context.vault.get(item.key)
        others = frozenset(context.index.terms(memory.body, common_words(memory.body)))
        share = len(words & others) / max(1, len(words | others))
        if (
            memory.project == project
            and bool(speech("rejecting").search(memory.body)) == denies
            and share >= max(_ALIKE, best[0] if best else 0)
        ):
            best = (share, memory)
    return best[1] if best else None


def _waits(met: int) -> str:
    return f"Observed in {met} of {CONVERGED} sessions that are needed before it is believed."


def _occasions(memory: Memory, name: str) -> tuple[str, ...]:
    value = memory.extra.get(name)
    return tuple(str(entry) for entry in value) if isinstance(value, list | tuple) else ()


def _day(moment: datetime) -> str:
    return f"day:{moment:%Y-%m-%d}"
