"""The queue of what a language model is to read, which survives a killed process, and what stops the model from reading.

Hooks and capture only add to it; :mod:`vademecum.llm_reading.read_sessions` processes it.
"""

from collections import Counter
from datetime import date, datetime, timedelta

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, LLMRefused, NotFound
from vademecum.domain.extraction import ACTIVE_MAX, Extraction, Stop, ended, queued
from vademecum.domain.llm import NOTHING, Usage
from vademecum.domain.project import slug_now
from vademecum.domain.reading import ModelState, ModelUsage, ReaderState
from vademecum.ports.llm import LLM

#: Seconds after which a stopped model is tried again, in case the person fixed the cause without telling us.
STOP_HOLDS_S = 86_400


def enqueue(context: Context, session: str, path: str, *, spoken: datetime | None = None, forced: bool = False) -> bool:
    """Queue a conversation for the model; return whether it will be read. Without a model nothing is queued.

    Args:
        spoken: time of its last turn; None: now. forced: requested by somebody: it is read without waiting, even if it was parked.
    """
    if not context.models.llm_name or (not forced and not context.choices.llm_auto):
        return False
    if (
        not forced
        and context.storage.extractions.get(session) is None
        and len(context.storage.extractions.all({"waiting"})) >= ACTIVE_MAX
    ):
        return False
    now = context.clock.now()
    extraction = context.storage.extractions.change(
        session, lambda known: queued(known, session, path, now, spoken=spoken, forced=forced)
    )
    return extraction is not None and extraction.stage == "waiting" and stopped(context) is None


def is_read_by_model(context: Context, project: str) -> bool:
    """Return whether a model reads the conversations of a project: it is set up, the person saw what is sent, and nothing stops it."""
    llm = context.models.llm_name
    if not llm or stopped(context) is not None or context.storage.extractions.trial(llm).shown is None:
        return False
    return not is_excluded(context, project)


def is_excluded(context: Context, project: str) -> bool:
    """Return whether the person excluded a project's conversations from the model."""
    known = context.outside.projects.known()
    return bool(project) and project in {slug_now(entry, known) for entry in context.choices.llm_exclude}


def queue_comparison(context: Context, memory: str, rival: str) -> bool:
    """Queue the question how two memories relate, where words do not decide it; return whether it will be asked.

    Args:
        memory: URI of the later one. rival: id of the other.
    """
    if (
        not context.models.llm_name
        or not context.choices.llm_auto
        or len(context.storage.extractions.all({"waiting"})) >= ACTIVE_MAX
    ):
        return False
    now = context.clock.now()
    context.storage.extractions.change(memory, lambda known: Extraction(memory, "", "waiting", now, now, rival=rival))
    return stopped(context) is None


def hasten(context: Context, session: str) -> None:
    """Mark a queued conversation as ended, so that it is read next."""
    if context.models.llm_name and context.storage.extractions.get(session):
        now = context.clock.now()
        context.storage.extractions.change(session, lambda known: ended(known, now) if known else None)


def model(context: Context) -> LLM:
    """Return the language model.

    Raises:
        LLMRefused: none is chosen, or the chosen one does not exist.
    """
    try:
        llm = context.models.llm
    except InvalidInput as error:
        raise LLMRefused(error.message, error.hint) from error
    if llm is None:
        raise LLMRefused("No language model is chosen.", "See the setting llm.")
    return llm


def stopped(context: Context) -> Stop | None:
    """Return why the model is stopped; None if it is not. Changed settings, a day, or `vade reader queue --retry` end a stop."""
    stop = context.storage.extractions.stopped()
    if stop is None or stop.mark not in (context.models.llm_mark, mark_of_today(context)):
        return None
    return stop if (context.clock.now() - stop.since).total_seconds() < STOP_HOLDS_S else None


def mark_of_today(context: Context) -> str:
    """Return the mark of a stop that ends with the person's day."""
    return f"{context.models.llm_mark} {today_of(context)}"


def today_of(context: Context) -> date:
    """Return today's date in the person's calendar."""
    return context.clock.now().astimezone().date()


def state(context: Context) -> ModelState:
    """Return which model reads, how much is queued, and what stops it."""
    if not context.models.llm_name:
        return ModelState("none")
    rows = context.storage.extractions.all()
    stop = stopped(context)
    today, of_week = usage(context, days=1), usage(context, days=7)
    refused = stop is not None and stop.mark == context.models.llm_mark
    return ModelState(
        name=context.models.llm_name,
        waiting=sum(extraction.stage == "waiting" for extraction in rows),
        parked=sum(extraction.stage == "parked" for extraction in rows),
        failing=sum(extraction.stage == "waiting" and extraction.failures > 0 for extraction in rows),
        stopped=stop.reason if stop and refused else "",
        paused=today.paused,
        input_tokens=today.input_tokens,
        output_tokens=today.output_tokens,
        week=sum((Usage(use.input_tokens, use.output_tokens, use.cost, use.calls) for use in of_week.days), NOTHING),
    )


def reader_state(context: Context) -> ReaderState:
    """Return which model reads ended conversations, what is queued per project, and which models could read."""
    waiting = [extraction.session for extraction in context.storage.extractions.all({"waiting"}) if not extraction.rival]
    items = context.index.items(waiting)
    projects = Counter(items[session].project if session in items else "" for session in waiting)
    trial = context.storage.extractions.trial(context.models.llm_name)
    return ReaderState(state(context), projects, context.choices.llm_exclude, trial, tuple(context.models.all_readers()))


def warnings(context: Context) -> list[str]:
    """Return warnings about the queue for the person, as sentences."""
    now = state(context)
    problems = [f"model: {now.name} is no longer asked: {now.stopped}"] if now.stopped else []
    problems += [f"model: {now.paused}"] if now.paused else []
    return problems + (
        [f"model: {now.parked} conversations could not be read and are parked: vade reader queue"] if now.parked else []
    )


def pause_notice(context: Context) -> str:
    """Return the notice for a starting session that the model is stopped; "" if it is not (VO-40)."""
    if not context.models.llm_name:
        return ""
    stop = stopped(context)
    return f"The language model no longer reads: {stop.reason}" if stop else ""


def usage(context: Context, days: int = 30) -> ModelUsage:
    """Return the models' use during that many days of the person's calendar, ending today, and the daily budget."""
    today = today_of(context)
    used = tuple(use for use in context.storage.ledger.spent((today - timedelta(days=days - 1)).isoformat()) if use.calls)
    of_today = [use for use in used if use.day == today.isoformat()]
    stop = stopped(context)
    return ModelUsage(
        used,
        sum(use.input_tokens for use in of_today),
        sum(use.output_tokens for use in of_today),
        context.choices.llm_daily[0],
        context.choices.llm_daily[1],
        stop.reason if stop and stop.mark == mark_of_today(context) else "",
    )


def listed(context: Context) -> tuple[Extraction, ...]:
    """Return the queued and parked conversations, next due first, without the model's answers."""
    return tuple(
        replace(extraction, answer="", summary="") for extraction in context.storage.extractions.all({"waiting", "parked"})
    )


def retry(context: Context, session: str = "") -> tuple[Extraction, ...]:
    """Retry the named conversation, or all that failed or are parked; also end a stop of the model.

    Returns:
        The queue afterwards.

    Raises:
        NotFound: no queued conversation has that name.
    """
    context.storage.extractions.stop(None)
    now = context.clock.now()
    chosen = [failed for failed in listed(context) if failed.failures] if not session else [named(context, session)]
    for extraction in chosen:
        context.storage.extractions.change(
            extraction.session, lambda known: queued(known, "", "", now, forced=True) if known else None
        )
    return listed(context)


def named(context: Context, session: str) -> Extraction:
    """Return the queued conversation with this URI or id.

    Raises:
        NotFound: there is none.
    """
    extractions = [
        extraction
        for extraction in context.storage.extractions.all({"waiting", "parked"})
        if session in (extraction.session, extraction.session.rpartition("/")[2])
    ]
    if not extractions:
        raise NotFound(f"No conversation {session} is in the queue.", "See: vade reader queue")
    return extractions[0]
