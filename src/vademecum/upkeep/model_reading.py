"""Conversations read by a language model: queued when they grow, read in the background when they are settled, within the budget.

Nothing here is done in a hook. What a model gives is kept before it is used, so that a process that is killed neither asks twice
nor keeps a memory twice; then it goes the way of every candidate: routing, guard, write gate.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vademecum.capture.by_model import Known, Question, Understood, question, understood
from vademecum.guard.gate import cleanse
from vademecum.model.errors import (
    BudgetSpent,
    IndexDamaged,
    LLMRefused,
    NotFound,
    Refused,
    VademecumError,
)
from vademecum.model.extraction import (
    ACTIVE_MAX,
    APART_S,
    MENTIONS_KEPT,
    Extraction,
    Stop,
    read,
    taken_up,
)
from vademecum.model.query import EXCLUDED, WITHHELD_TAGS, Scope
from vademecum.model.reports import ModelRead, ModelReport
from vademecum.model.session import SPOKEN, Session, Turn
from vademecum.upkeep.doubts import answered
from vademecum.upkeep.forgotten import forgotten
from vademecum.upkeep.gather import UUID
from vademecum.upkeep.keep import similar
from vademecum.upkeep.model_queue import listed, mark_of_today, model, named, state, stopped
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.propose import route_all
from vademecum.upkeep.verify import verified
from vademecum.upkeep.whole import whole_session

#: Memories shown beside a conversation, and how much of it they are looked for with.
KNOWN_SHOWN, LOOKED_FOR_CHARS = 8, 4_000
#: Reasons for rejection that are remembered of a conversation.
REASONS_KEPT = 5


def drain(parts: Parts, *, seconds: float | None = None, most: int = ACTIVE_MAX) -> ModelReport:
    """Read what is due, one conversation after the other, with a pause between.

    Args:
        seconds: begin with none after so much time; None: no limit.

    Raises:
        Refused: memory is switched off.
    """
    if not parts.enabled:
        raise Refused("Memory is switched off; no model is asked.", "Switch it on with: enabled = true")
    done: list[ModelRead] = []
    start = parts.clock.elapsed_s()
    while len(done) < most and (seconds is None or parts.clock.elapsed_s() - start < seconds):
        one = _next(parts)
        if one is None:
            break
        if done:
            parts.pause(APART_S)
        done.append(_read(parts, one))
        if done[-1].halted:
            break
    return ModelReport(tuple(done), state(parts))


def _next(parts: Parts) -> Extraction | None:
    """What is due first; None when nothing is, or no model may be asked."""
    if not parts.llm_name or stopped(parts) is not None:
        return None
    now = parts.clock.now()
    return next((one for one in parts.extractions.all({"waiting"}) if one.due <= now), None)


def _read(parts: Parts, one: Extraction) -> ModelRead:
    """Read one conversation, and note how that went."""
    began = parts.clock.now()
    parts.extractions.change(one.session, lambda known: taken_up(known or one, began))
    try:
        return answered(parts, one) if one.rival else _taken_in(parts, one)
    except LLMRefused as error:
        parts.extractions.stop(Stop(parts.llm_mark, f"{error.message} {error.hint}".strip(), parts.clock.now()))
        return _put_back(parts, one, error)
    except BudgetSpent as error:
        parts.extractions.stop(Stop(mark_of_today(parts), error.message, parts.clock.now()))
        return _put_back(parts, one, error)
    except NotFound as error:
        parts.extractions.change(one.session, lambda known: None)
        return ModelRead(one.session, error=error.message)
    except IndexDamaged:
        raise  # whoever called heals it and begins again
    except (VademecumError, OSError) as error:
        why = str(error)
        parts.extractions.change(one.session, lambda known: replace(known or one, error=why))
        return ModelRead(one.session, error=why)


def _put_back(parts: Parts, one: Extraction, error: VademecumError) -> ModelRead:
    """It is not the conversation's fault: it waits as it did."""
    parts.extractions.change(one.session, lambda known: replace(one, answer=known.answer if known else ""))
    return ModelRead(one.session, error=error.message, halted=True)


def _taken_in(parts: Parts, one: Extraction) -> ModelRead:
    """Ask the model about what is new in a conversation, and route what it found.

    Raises:
        LLMUnavailable and its kin; NotFound: there is no transcript any more.
    """
    session, _ = whole_session(parts, one.session, one.path)
    spoken = _spoken(parts, session)
    left = _left(one)
    new = spoken[one.turns_read :][: left.turns if left else None]
    silent = session.uri in forgotten(parts).sources or EXCLUDED in session.tags
    asked = None if silent else _question(parts, session, new, one.summary)
    if asked is None:  # nothing new is no failure (VO-30)
        _settle(parts, one, len(spoken), more=False)
        return ModelRead(one.session)
    if left:
        asked = replace(asked, known=tuple(Known(known, "", "") for known in left.known))
    value, calls = (left.value, 0) if left else _answer(parts, one, asked)
    found = understood(value, asked, session)
    saved = route_all(parts, verified(parts, found.candidates, session.cwd), session.host)
    read_to = one.turns_read + asked.turns
    more = read_to < len(spoken)
    _settle(parts, one, read_to, more=more, found=found, calls=calls)
    outcome = found.result if found.reached else ""
    return ModelRead(one.session, calls, saved, found.rejected, found.about, outcome, more=more, drifted=found.drifted)


def _spoken(parts: Parts, session: Session) -> list[Turn]:
    """What was said in the conversation itself, without what its host copied from another one."""
    said = [turn for turn in session.turns if turn.role in SPOKEN and not turn.sidechain]
    taken = parts.state.claim_turns(session.uri, [turn.ref for turn in said if UUID.match(turn.ref)])
    return [turn for turn in said if turn.ref not in taken]


def _question(parts: Parts, session: Session, new: Sequence[Turn], summary: str) -> Question | None:
    """What to ask, clean of secrets once more: what leaves the machine cannot be called back."""
    asked = question(new, summary, _known(parts, session, new))
    if asked is None:
        return None
    material = tuple(cleanse(part, parts.policy) for part in asked.prompt.material)
    return replace(asked, prompt=replace(asked.prompt, material=material))


def _known(parts: Parts, session: Session, new: Sequence[Turn]) -> list[Known]:
    """Active memories that say something like it; never those that are withheld from answers."""
    said = " ".join(turn.text for turn in new if turn.role == "user")[:LOOKED_FOR_CHARS]
    if not said.strip():
        return []
    scope = Scope(
        sources=("memory",), statuses=("active",), projects=(session.project,)
    )  # never those of other projects
    found = [item for item in similar(parts, said, scope, KNOWN_SHOWN * 2) if not set(WITHHELD_TAGS).intersection(item.tags)]
    return [
        Known(item.key.removeprefix("memory://"), item.kind, _text(parts, item.key) or item.title)
        for item in found[:KNOWN_SHOWN]
    ]


def _text(parts: Parts, key: str) -> str:
    return " ".join(stored.passage.text for stored in parts.index.passages_of(key, 0, 1))


@dataclass(frozen=True, slots=True)
class _Left:
    """An answer that was given, and that nobody kept to its end: to how many turns, with which memories shown."""

    turns: int
    known: tuple[str, ...]
    value: Mapping[str, Any]


def _answer(parts: Parts, one: Extraction, asked: Question) -> tuple[Mapping[str, Any], int]:
    """(what the model says, calls that it took). It is kept at once, so that a killed process need not ask again."""
    answer = model(parts).ask(asked.prompt)
    left = {"from": one.turns_read, "turns": asked.turns, "known": [known.id for known in asked.known], "value": answer.value}
    kept = json.dumps(left, ensure_ascii=False)
    parts.extractions.change(one.session, lambda known: replace(known or one, answer=kept))
    return answer.value, answer.usage.calls


def _left(one: Extraction) -> _Left | None:
    if not one.answer:
        return None
    kept = json.loads(one.answer)
    return _Left(kept["turns"], tuple(kept["known"]), kept["value"]) if kept["from"] == one.turns_read else None


def _settle(
    parts: Parts, one: Extraction, turns_read: int, *, more: bool, found: Understood | None = None, calls: int = 0
) -> None:
    now = parts.clock.now()

    def step(known: Extraction | None) -> Extraction:
        after = read(known or one, now, turns_read, more=more)
        if found is None:
            return after
        reasons = tuple(why for _, why in found.rejected)[:REASONS_KEPT]
        return replace(
            after,
            summary=cleanse(found.summary, parts.policy),
            about=cleanse(found.about, parts.policy),
            mentions=_mentions(parts, after, found),
            calls=after.calls + calls,
            kept=after.kept + len(found.candidates),
            rejected=after.rejected + len(found.rejected),
            reasons=reasons or after.reasons,
        )

    parts.extractions.change(one.session, step)


def _mentions(parts: Parts, before: Extraction, found: Understood) -> tuple[str, ...]:
    named = (cleanse(one.uri, parts.policy) for one in found.mentions)
    return tuple(dict.fromkeys((*before.mentions, *named)))[-MENTIONS_KEPT:]


def drop(parts: Parts, session: str) -> tuple[Extraction, ...]:
    """Have a conversation not read by a model before something new is said in it; gives what is left in the queue.

    Raises:
        NotFound: nothing of that name is in the queue.
    """
    one = named(parts, session)
    if one.rival:
        parts.extractions.change(one.session, lambda known: None)
        return listed(parts)
    now = parts.clock.now()
    try:
        turns = len(_spoken(parts, whole_session(parts, one.session, one.path)[0]))
    except NotFound:
        parts.extractions.change(one.session, lambda known: None)
    else:
        parts.extractions.change(one.session, lambda known: read(known or one, now, turns, more=False))
    return listed(parts)
