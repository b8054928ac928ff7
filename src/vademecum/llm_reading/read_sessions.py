"""Read conversations with a language model, within its budget.

Conversations are queued when they grow, and read in the background when they are settled. No hook does any of this. A model's
answer is stored before it is used, so that a process that is killed neither asks twice nor saves a memory twice. Its candidates
then pass routing, guard and write gate like all others.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.llm_queue import is_excluded, listed, mark_of_today, model, named, state, stopped
from vademecum.context.tombstones import forgotten
from vademecum.domain.errors import BudgetSpent, IndexDamaged, LLMRefused, NotFound, VademecumError
from vademecum.domain.extraction import ACTIVE_MAX, APART_S, MENTIONS_KEPT, Extraction, Stop, read, taken_up
from vademecum.domain.item import Item
from vademecum.domain.query import EXCLUDED, WITHHELD_TAGS, Scope
from vademecum.domain.session import Candidate, Session, Turn
from vademecum.extract.checked_commands import checked_commands
from vademecum.extract.llm_extraction import Understood, understood
from vademecum.extract.reading_prompt import EXTRACTED, Around, Known, Question, is_spoken, question
from vademecum.extract.voice import Voice, voices
from vademecum.ingest.ledger import copied_turns
from vademecum.ingest.load_session import taken_by_name, whole_session
from vademecum.llm_reading.compare_memories import PAIRS_ASKED, answered
from vademecum.llm_reading.results import ModelRead, ModelReport
from vademecum.llm_reading.trial import try_reader
from vademecum.sessions.handoff import rewrite_handoff
from vademecum.write.candidates import BY_EXTRACTION, is_pattern_find, route_instead
from vademecum.write.consolidate import consolidate
from vademecum.write.gate import similar

#: Maximum memories shown with a conversation, maximum of them per search text, and maximum characters of a search text.
KNOWN_SHOWN, KNOWN_OF_EACH, LOOKED_FOR_CHARS = 8, 3, 4_000
#: Maximum reasons for rejection stored per conversation.
REASONS_KEPT = 5


def drain(context: Context, seconds: float | None = None, *, most: int = ACTIVE_MAX) -> ModelReport:
    """Read due conversations one after the other, with a pause between.

    Args:
        seconds: start none after this time; None: no limit.

    Raises:
        Refused: memory is switched off.
    """
    context.must_be_enabled("no model is asked")
    if held := _held(context):
        return ModelReport((), replace(state(context), paused=held))
    done: list[ModelRead] = []
    start = context.clock.elapsed_s()
    while len(done) < most and (seconds is None or context.clock.elapsed_s() - start < seconds):
        extraction = _next(context)
        if extraction is None:
            break
        if done:
            context.pause(APART_S)
        done += _compared(context) if extraction.rival else [_read(context, extraction)]
        if done[-1].halted:
            break
    return ModelReport(tuple(done), state(context))


def _held(context: Context) -> str:
    """Return why the model may not read yet, "" if it may.

    Either the person has not seen a preview, or the trial on samples failed to run.
    """
    if not context.models.llm_name or stopped(context) is not None:
        return ""
    trial = context.storage.extractions.trial(context.models.llm_name)
    if trial.shown is None:
        return "Nothing was read yet. See first what would be sent: vade reader show --preview"
    if trial.tried is None:
        try:
            try_reader(context)
        except VademecumError as error:  # stop on any error: otherwise every attempt would send the sample questions again
            _note_stop(context, error)
            return f"It could not be tried on the samples: {error.message}"
    return ""


def _note_stop(context: Context, error: VademecumError) -> None:
    """Record that no model is asked any more: after a refusal until the configuration changes, else until tomorrow."""
    refused = isinstance(error, LLMRefused)
    mark = context.models.llm_mark if refused else mark_of_today(context)
    why = f"{error.message} {error.hint}".strip() if refused else error.message
    context.storage.extractions.stop(Stop(mark, why, context.clock.now()))


def _next(context: Context) -> Extraction | None:
    """Return the row of the queue that is due first; None when none is, or no model may be asked."""
    if not context.models.llm_name or stopped(context) is not None:
        return None
    return next(_due(context), None)


def _due(context: Context) -> Iterator[Extraction]:
    now = context.clock.now()
    return (extraction for extraction in context.storage.extractions.all({"waiting"}) if extraction.due <= now)


def _compared(context: Context) -> list[ModelRead]:
    """Ask about the due pairs of memories in one question, and record the result in each row."""
    rows = list(islice((extraction for extraction in _due(context) if extraction.rival), PAIRS_ASKED))
    for row in rows:
        _take_up(context, row)
    try:
        return list(answered(context, rows))
    except (LLMRefused, BudgetSpent) as error:
        _note_stop(context, error)
        return [_put_back(context, row, error) for row in rows]
    except IndexDamaged:
        raise  # the caller repairs the index and starts again
    except (VademecumError, OSError) as error:
        return [_failed(context, row, error) for row in rows]


def _read(context: Context, extraction: Extraction) -> ModelRead:
    """Read one conversation, and record the result."""
    _take_up(context, extraction)
    try:
        return _taken_in(context, extraction)
    except (LLMRefused, BudgetSpent) as error:
        _note_stop(context, error)
        return _put_back(context, extraction, error)
    except NotFound as error:
        context.storage.extractions.change(extraction.session, lambda known: None)
        return ModelRead(extraction.session, error=error.message)
    except IndexDamaged:
        raise  # the caller repairs the index and starts again
    except (VademecumError, OSError) as error:
        return _failed(context, extraction, error)


def _failed(context: Context, extraction: Extraction, error: Exception) -> ModelRead:
    """Record why a row failed; it is retried or parked."""
    why = str(error)
    context.storage.extractions.change(extraction.session, lambda known: replace(known or extraction, error=why))
    return ModelRead(extraction.session, error=why)


def _take_up(context: Context, extraction: Extraction) -> None:
    """Record that a row is being processed; if the process dies, the row counts as failed."""
    began = context.clock.now()
    context.storage.extractions.change(extraction.session, lambda known: taken_up(known or extraction, began))


def _put_back(context: Context, extraction: Extraction, error: VademecumError) -> ModelRead:
    """Restore a row that failed for a reason that is not its own; it waits as before."""
    context.storage.extractions.change(
        extraction.session, lambda known: replace(extraction, answer=known.answer if known else "")
    )
    return ModelRead(extraction.session, error=error.message, halted=True)


def _taken_in(context: Context, extraction: Extraction) -> ModelRead:
    """Ask the model about the new part of a conversation, and route the candidates.

    Raises:
        LLMUnavailable, LLMRefused, BadAnswer, BudgetSpent: the model could not be asked.
        NotFound: there is no transcript any more.
    """
    session, _ = whole_session(context, extraction.session, extraction.path)
    own = _own(context, session)
    spoken = sum(map(is_spoken, own))
    left = _left(extraction)
    asked = _next_question(context, extraction, session, own, left)
    if asked is None:  # having nothing new is no failure (VO-30)
        _settle(context, extraction, spoken, more=False)
        return ModelRead(extraction.session)
    if left:
        asked = replace(asked, known=left.known)
    value, calls = (left.value, 0) if left else _answer(context, extraction, asked)
    answer = understood(value, asked, session, extraction.summary)
    read_to = extraction.turns_read + asked.turns
    more = read_to < spoken
    if not more:  # before the memories, so that undoing the last change removes a memory
        rewrite_handoff(context, session.uri, answer.handoff)
    saved = route_instead(context, _believed(context, answer.candidates), session.host, session.cwd)
    saved = consolidate(context, saved, by=BY_EXTRACTION)
    _settle(context, extraction, read_to, more=more, found=answer, calls=calls)
    handoff = answer.handoff
    outcome = "" if handoff.open else "; ".join(handoff.done)
    return ModelRead(
        extraction.session, calls, saved, answer.rejected, handoff.asked, outcome, more=more, drifted=answer.drifted
    )


def _next_question(
    context: Context, extraction: Extraction, session: Session, own: Sequence[Turn], left: "_Left | None"
) -> Question | None:
    """Return the question about the next part of a conversation; None when nothing is left, or nothing may be shown."""
    if not _may_leave(context, session):
        return None
    return _question(context, session, _part(own, extraction.turns_read, left.turns if left else None), extraction.summary)


def _may_leave(context: Context, session: Session) -> bool:
    """Return whether a model may be shown a conversation.

    A person must speak in it, it must not be forgotten, and neither it nor its project may be excluded.
    """
    silent = session.uri in forgotten(context).sources or EXCLUDED in session.tags
    silent = silent or not any(turn.is_persons for turn in session.turns)
    return not silent and not is_excluded(context, session.project)


def _believed(context: Context, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates; with low confidence if the model failed the samples, so that they wait."""
    if not context.storage.extractions.trial(context.models.llm_name).fault:
        return tuple(candidates)
    return tuple(replace(candidate, confidence="low") for candidate in candidates)


def question_of(context: Context, session: Session) -> Question | None:
    """Return the question about a conversation that was not read yet; None when nothing of it may be shown."""
    return _question(context, session, _own(context, session), "") if _may_leave(context, session) else None


def _own(context: Context, session: Session) -> list[Turn]:
    """Return the conversation's own turns, without those that its host copied from another one."""
    taken = taken_by_name(context, session) | copied_turns(context, session)
    return [turn for turn in session.turns if turn.ref not in taken]


def _part(own: Sequence[Turn], read_before: int, limit: int | None) -> list[Turn]:
    """Return the turns after those already read, up to `limit` spoken turns.

    Tool turns between and after them are included.
    """
    spoken = [number for number, turn in enumerate(own) if is_spoken(turn)]
    start = spoken[min(read_before, len(spoken)) - 1] + 1 if read_before and spoken else 0
    end = spoken[read_before + limit] if limit is not None and read_before + limit < len(spoken) else len(own)
    return list(own[start:end])


def _question(context: Context, session: Session, new: Sequence[Turn], summary: str) -> Question | None:
    """Return the question, cleaned of secrets once more, because what leaves the machine cannot be recalled."""
    heard = voices(session.turns)
    # Memories like what was typed come first, then like failed commands, the agent's messages, pasted text; none of other projects.
    scope = Scope(sources=("memory",), statuses=("active", "disputed", "inbox"), projects=(session.project,))
    items = {item.key: item for item in _saved_meanwhile(context, session, scope)}
    for text in _looked_for(new, heard):
        nearest = similar(context, text, scope, KNOWN_SHOWN * 2) if text.strip() else ()
        usable = [item for item in nearest if item.kind in EXTRACTED and not set(WITHHELD_TAGS).intersection(item.tags)]
        usable = [item for item in usable if not _is_passing_find(context, item, session)]
        items |= {item.key: item for item in usable[:KNOWN_OF_EACH] if item.trust != "external"}
    known = tuple(
        Known(item.key.removeprefix("memory://"), item.kind, _text(context, item.key) or item.title)
        for item in list(items.values())[:KNOWN_SHOWN]
    )
    asked = question(new, heard, Around(session.project, session.branch, context.outside.docs(session.cwd), summary, known))
    if asked is None:
        return None
    material = tuple(context.guard.clean(part) for part in asked.prompt.material)
    return replace(asked, prompt=replace(asked.prompt, material=material))


def _is_passing_find(context: Context, item: Item, session: Session) -> bool:
    """Return whether patterns found the memory and nobody confirmed it: it waits, or comes from the same conversation.

    Such a raw sentence is not shown, because a model that called it "the same" would discard its own, better wording.
    """
    if item.trust != "extracted" or not (item.status == "inbox" or item.origin == session.uri):
        return False
    return is_pattern_find(context.vault.get(item.key.removeprefix("memory://")))


def _saved_meanwhile(context: Context, session: Session, scope: Scope) -> list[Item]:
    """Return what the person or an agent saved since the conversation began, latest first; the model need not note it again."""
    if session.started is None:
        return []
    late = context.index.select(replace(scope, since=session.started), limit=KNOWN_OF_EACH)
    return [item for item in late if item.trust in ("user", "agent") and not set(WITHHELD_TAGS).intersection(item.tags)]


def _looked_for(new: Sequence[Turn], heard: Mapping[str, Voice]) -> Iterator[str]:
    """Yield texts to search known memories with: typed, failed commands, the agent's messages (latest first), pasted."""
    typed = [turn.text[a:b] for turn in new if turn.ref in heard for a, b in heard[turn.ref].typed]
    failed = [f"{checked.command} {checked.outcome}" for checked in checked_commands(new) if checked.failed]
    agent = [turn.text for turn in reversed(new) if turn.role == "agent" and not turn.sidechain]
    pasted = [turn.text for turn in new if turn.ref in heard and heard[turn.ref].pasted]
    yield from (" ".join(texts)[:LOOKED_FOR_CHARS] for texts in (typed, failed, agent, pasted))


def _text(context: Context, key: str) -> str:
    return " ".join(stored.passage.text for stored in context.index.passages_of(key, 0, 1))


class _Left(Struct, frozen=True):
    """A stored answer whose processing was interrupted: the number of turns it covers, and the memories that were shown."""

    turns: int
    known: tuple[Known, ...]
    value: Mapping[str, Any]


def _answer(context: Context, extraction: Extraction, asked: Question) -> tuple[Mapping[str, Any], int]:
    """Return (the model's answer, number of calls).

    The answer is stored at once, so that a killed process need not ask again.
    """
    answer = model(context).ask(asked.prompt)
    shown = [[known.id, known.kind, known.text] for known in asked.known]
    left = {"from": extraction.turns_read, "turns": asked.turns, "known": shown, "value": answer.value}
    kept = json.dumps(left, ensure_ascii=False)
    context.storage.extractions.change(extraction.session, lambda known: replace(known or extraction, answer=kept))
    return answer.value, answer.usage.calls


def _left(extraction: Extraction) -> _Left | None:
    if not extraction.answer:
        return None
    kept = json.loads(extraction.answer)
    return (
        _Left(kept["turns"], tuple(Known(*known) for known in kept["known"]), kept["value"])
        if kept["from"] == extraction.turns_read
        else None
    )


def _settle(
    context: Context, extraction: Extraction, turns_read: int, *, more: bool, found: Understood | None = None, calls: int = 0
) -> None:
    now = context.clock.now()

    def step(known: Extraction | None) -> Extraction:
        after = read(known or extraction, now, turns_read, more=more)
        if found is None:
            return after
        reasons = tuple(why for _, why in found.rejected)[:REASONS_KEPT]
        named = (context.guard.clean(uri) for uri in found.mentions)
        return replace(
            after,
            summary=context.guard.clean(found.summary),
            about=context.guard.clean(found.handoff.asked),
            mentions=tuple(dict.fromkeys((*after.mentions, *named)))[-MENTIONS_KEPT:],
            calls=after.calls + calls,
            kept=after.kept + len(found.candidates),
            rejected=after.rejected + len(found.rejected),
            reasons=reasons or after.reasons,
        )

    context.storage.extractions.change(extraction.session, step)


def drop(context: Context, session: str) -> tuple[Extraction, ...]:
    """Skip a conversation until something new is said in it; return what is left in the queue.

    Raises:
        NotFound: nothing in the queue has that name.
    """
    extraction = named(context, session)
    if extraction.rival:
        context.storage.extractions.change(extraction.session, lambda known: None)
        return listed(context)
    now = context.clock.now()
    try:
        turns = sum(map(is_spoken, _own(context, whole_session(context, extraction.session, extraction.path)[0])))
    except NotFound:
        context.storage.extractions.change(extraction.session, lambda known: None)
    else:
        context.storage.extractions.change(extraction.session, lambda known: read(known or extraction, now, turns, more=False))
    return listed(context)
