"""What a language model is to read, as a queue that survives being killed, and what keeps it from reading.

Hooks and capture only put something in here; :mod:`vademecum.upkeep.model_reading` takes it out.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

from vademecum.model.errors import InvalidInput, LLMRefused, NotFound
from vademecum.model.extraction import ACTIVE_MAX, Extraction, Stop, ended, queued
from vademecum.model.llm import DayUse
from vademecum.model.ports import LLM
from vademecum.model.reports import ModelState, ModelUsage
from vademecum.upkeep.parts import Parts

#: A stop is tried again after a day, in case the person did something and said nothing.
STOP_HOLDS_S = 86_400


def enqueue(parts: Parts, session: str, path: str, *, forced: bool = False) -> bool:
    """Have a conversation read by the model; whether it is read when its time comes. Without a model nothing is.

    Args:
        forced: somebody asks for it: it waits for nothing, also when it was parked.
    """
    if not parts.llm_name or (not forced and not parts.llm_auto):
        return False
    if not forced and parts.extractions.get(session) is None and len(parts.extractions.all({"waiting"})) >= ACTIVE_MAX:
        return False
    now = parts.clock.now()
    one = parts.extractions.change(session, lambda known: queued(known, session, path, now, forced=forced))
    return one is not None and one.stage == "waiting" and stopped(parts) is None


def doubt(parts: Parts, memory: str, rival: str) -> bool:
    """Have the model asked what a memory is to another one, where words do not tell; whether it will be.

    Args:
        memory: URI of the one that came later. rival: id of the other.
    """
    if not parts.llm_name or not parts.llm_auto or len(parts.extractions.all({"waiting"})) >= ACTIVE_MAX:
        return False
    now = parts.clock.now()
    parts.extractions.change(memory, lambda known: Extraction(memory, "", "waiting", now, now, rival=rival))
    return stopped(parts) is None


def hasten(parts: Parts, session: str) -> None:
    """The conversation is over, so its reading waits no longer for what may still be said."""
    if parts.llm_name and parts.extractions.get(session):
        now = parts.clock.now()
        parts.extractions.change(session, lambda known: ended(known, now) if known else None)


def model(parts: Parts) -> LLM:
    """The model that is asked.

    Raises:
        LLMRefused: none is chosen, or there is none of that name.
    """
    try:
        llm = parts.llm
    except InvalidInput as error:
        raise LLMRefused(error.message, error.hint) from error
    if llm is None:
        raise LLMRefused("No language model is chosen.", "See the setting llm.")
    return llm


def stopped(parts: Parts) -> Stop | None:
    """Why the model is not asked any more; None when it is. Other settings, a day, or `vade queue retry` begin anew."""
    stop = parts.extractions.stopped()
    if stop is None or stop.mark not in (parts.llm_mark, mark_of_today(parts)):
        return None
    return stop if (parts.clock.now() - stop.since).total_seconds() < STOP_HOLDS_S else None


def mark_of_today(parts: Parts) -> str:
    """Mark of a stop that holds until the person's day ends."""
    return f"{parts.llm_mark} {today_of(parts)}"


def today_of(parts: Parts) -> date:
    """The day of the person's calendar."""
    return parts.clock.now().astimezone().date()


def state(parts: Parts) -> ModelState:
    """Which model reads, what waits for it, and what keeps it from reading."""
    if not parts.llm_name:
        return ModelState("none")
    rows = parts.extractions.all()
    stop = stopped(parts)
    today = usage(parts, days=1)
    refused = stop is not None and stop.mark == parts.llm_mark
    return ModelState(
        name=parts.llm_name,
        waiting=sum(one.stage == "waiting" for one in rows),
        parked=sum(one.stage == "parked" for one in rows),
        failing=sum(one.stage == "waiting" and one.failures > 0 for one in rows),
        stopped=stop.reason if stop and refused else "",
        paused=today.paused,
        input_tokens=today.input_tokens,
        output_tokens=today.output_tokens,
    )


def sorrows(parts: Parts) -> list[str]:
    """What a person should know of it, as sentences."""
    now = state(parts)
    told = [f"model: {now.name} is not asked any more: {now.stopped}"] if now.stopped else []
    told += [f"model: {now.paused}"] if now.paused else []
    return told + (
        [f"model: {now.parked} conversations could not be read and are parked: vade queue list"] if now.parked else []
    )


def pause_notice(parts: Parts) -> str:
    """What a session is told when it starts while no model reads; "" when nothing keeps it from reading (VO-40)."""
    if not parts.llm_name:
        return ""
    stop = stopped(parts)
    return f"The language model does not read any more: {stop.reason}" if stop else ""


def usage(parts: Parts, *, days: int) -> ModelUsage:
    """What models took on the last so many days of the person's calendar, and what is left of today's budget."""
    today = today_of(parts)
    used = _asked(parts.ledger.spent((today - timedelta(days=days - 1)).isoformat()))
    of_today = [use for use in used if use.day == today.isoformat()]
    stop = stopped(parts)
    return ModelUsage(
        used,
        sum(use.input_tokens for use in of_today),
        sum(use.output_tokens for use in of_today),
        parts.llm_daily[0],
        parts.llm_daily[1],
        stop.reason if stop and stop.mark == mark_of_today(parts) else "",
    )


def _asked(days: Iterable[DayUse]) -> tuple[DayUse, ...]:
    """Without those on which it gave no answer."""
    return tuple(use for use in days if use.calls)


def listed(parts: Parts) -> tuple[Extraction, ...]:
    """What waits and what is parked, first what is due first, without what models said."""
    return tuple(replace(one, answer="", summary="") for one in parts.extractions.all({"waiting", "parked"}))


def retry(parts: Parts, session: str = "") -> tuple[Extraction, ...]:
    """Try again: the conversation named, else all that are parked or failed; and ask a model again that refused.

    Returns:
        What is in the queue now.

    Raises:
        NotFound: nothing of that name is in the queue.
    """
    parts.extractions.stop(None)
    now = parts.clock.now()
    chosen = [one for one in listed(parts) if one.failures] if not session else [named(parts, session)]
    for one in chosen:
        parts.extractions.change(one.session, lambda known: queued(known, "", "", now, forced=True) if known else None)
    return listed(parts)


def named(parts: Parts, session: str) -> Extraction:
    """The conversation in the queue with this URI or id.

    Raises:
        NotFound: there is none.
    """
    found = [
        one for one in parts.extractions.all({"waiting", "parked"}) if session in (one.session, one.session.rpartition("/")[2])
    ]
    if not found:
        raise NotFound(f"No conversation {session} is in the queue.", "See: vade queue list")
    return found[0]
