"""Decide which candidates are the answer: adjust scores, apply the threshold, drop repeats, show successors, add linked memories."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.item import FILED_SOURCES, Item, Passage, StoredPassage
from vademecum.domain.query import ArmReport, Hit, Left, Recall, Scope
from vademecum.domain.scope import item_fits, time_fits
from vademecum.domain.validity import validity
from vademecum.domain.why_nothing import (
    BELOW_THRESHOLD,
    FOUND,
    MEMORIES_FIRST,
    NO_TIME_LEFT,
    NOTHING_KNOWN,
    OVER_LIMIT,
    OVER_QUOTA,
    REPEATS,
    TOO_WEAK,
    SearchEnd,
)
from vademecum.language.text import content_words, one_line, tokens
from vademecum.recall.adjust import adjustments
from vademecum.recall.arms import is_late, report
from vademecum.recall.confidence import Confidences
from vademecum.recall.conflicts import marked
from vademecum.recall.eligibility import Judge, says_something
from vademecum.recall.features import Evidence, Floats
from vademecum.recall.numbers import (
    ENTRY_CHARS,
    LEFT_MOST,
    LINKED_FROM,
    LINKED_MOST,
    NEAR_FIRST,
    NEARLY,
    READ_AT_ONCE,
    READ_OF_NOTE,
    REPEATED_CHARS,
    SAYING_LETTERS,
)
from vademecum.recall.query_parsing import TOPICAL, Shaped
from vademecum.recall.run import Run, Tools, scope_of
from vademecum.recall.successors import STANDING, in_their_place
from vademecum.recall.threshold import floor_of, is_reached, likely_enough
from vademecum.recall.window import TurnKey

#: Sources whose items get one entry each, and the maximum number of further passages below it.
ONE_ENTRY, MORE_MOST = ("memory", "handoff", "document"), 2


def boosts_of(tools: Tools, run: Run, items: Mapping[str, Item]) -> dict[str, dict[str, float]]:
    """Return item key -> name -> log odds, from :func:`vademecum.recall.adjust.adjustments`."""
    uses = tools.uses(list(items)) if run.profile.ageing else {}
    now = tools.clock.now()
    return {key: adjustments(run, item, uses.get(key), now) for key, item in items.items()}


def with_boosts(evidence: Evidence, boosts: Mapping[str, Mapping[str, float]], scores: np.ndarray) -> np.ndarray:
    """Return the scores of the turns plus the boosts of their items."""
    sums = {key: sum(parts.values()) for key, parts in boosts.items()}
    return scores + np.array([sums.get(item, 0.0) for item, _ in evidence.turns], np.float32)


class Candidates(Struct, frozen=True):
    """All candidate turns of a question, with their scores.

    Attributes:
        evidence: features, one row per turn; the other arrays have the same rows.
        items: item key -> item of the turns; items removed from the index are missing.
        scores: log odds, one per row. boosts: item key -> name -> log odds that are not from words or meaning.
        judge: decides what is no evidence. confidence: probability that each turn, each pool and all together answer, 0..1.
        ranks: rank of each turn in the word arm and in the meaning arm, from 1.
    """

    evidence: Evidence
    items: Mapping[str, Item]
    scores: Floats
    boosts: Mapping[str, Mapping[str, float]]
    judge: Judge
    confidence: Confidences
    ranks: tuple[Mapping[TurnKey, int], Mapping[TurnKey, int]]

    def in_order(self) -> list[int]:
        """Return the rows, best first."""
        order: list[int] = np.argsort(-self.scores, kind="stable").tolist()
        return order

    def by_conversation(self, run: Run) -> list[int]:
        """Return the rows, best first, with the turns of sessions reordered among themselves.

        The best turn of each session comes before all further ones, in the order of the session scores.
        """
        order = self.in_order()
        talks = [row for row in order if self.evidence.turns[row][0].startswith("session:")]
        firsts = {self.evidence.turns[row][0]: row for row in reversed(talks)}
        of_talks = [firsts[key] for key, _ in ranked_items(run, self) if key in firsts]
        ahead = set(firsts.values())
        ordered = iter([*of_talks, *(row for row in talks if row not in ahead)])
        is_talk = set(talks)
        return [next(ordered) if row in is_talk else row for row in order]

    def item_of(self, row: int) -> Item | None:
        """Return the item of the turn in a row."""
        return self.items.get(self.evidence.turns[row][0])

    def left(self, row: int, why: str) -> Left:
        """Return the record that the turn of a row is left out, and why."""
        left = _left(self.evidence, self.items, self.scores, row, why)
        return replace(left, confidence=round(float(self.confidence.of_turns[row]), 4))


def decided(tools: Tools, run: Run, candidates: Candidates) -> Recall:
    """Return the answer: the best candidates in order, or nothing and the reason.

    1. If the combined confidence is below the profile's threshold, nothing is returned.
    2. The best turns with enough confidence of their own are chosen (:func:`_chosen`).
    3. The successors of superseded memories are put in their place, or before them.
    4. Memories linked to the best hits are added behind them.
    """
    judge, confidence = candidates.judge, candidates.confidence.of_all()
    if not is_reached(run, confidence):
        run.left += [candidates.left(row, BELOW_THRESHOLD) for row in _memory_first(candidates)[:5]]
        return answer(tools, run, (), (), confidence, NOTHING_KNOWN)
    floor = floor_of(run, judge)
    hits = _chosen(tools, run, candidates, floor)
    hits = in_their_place(tools.index, hits, scope_of(run.query, run.profile), instead=judge.applies and not judge.asks_before)
    hits = run.ranker.with_linked(tools, run, hits, _limit_of(run))
    recall = answer(tools, run, tuple(hits), ranked_items(run, candidates), confidence, FOUND if hits else NOTHING_KNOWN)
    highest = float(candidates.confidence.of_turns.max(initial=0.0))
    if hits or not run.query.gated or highest >= floor:
        return recall
    return replace(recall, confidence=round(highest, 4), threshold=floor)  # all together are likely enough, but none by itself


def _chosen(tools: Tools, run: Run, candidates: Candidates, floor: float) -> list[Hit]:
    """Return the best candidates that are likely enough and repeat no earlier hit; record why the next ones are left out.

    Args:
        floor: minimum confidence of a single turn.
    """
    judge, limit = candidates.judge, _limit_of(run)
    enough = likely_enough(run, candidates, floor)
    room_beside_memories = _room_beside_memories(run, candidates, limit)
    quotas = dict(run.profile.kinds) if run.query.gated else {}  # a search by hand has no quotas
    # the turns that a memory of the session was extracted from add nothing to it
    keys = [key for key in run.query.seen if key.startswith("memory://")]
    shown = {one_line(stored.passage.text) for key in keys for stored in tools.index.passages_of(key, 0, 1)}
    hits: list[Hit] = []
    order = candidates.by_conversation(run) if run.shaped.goes_on and candidates.judge.applies else candidates.in_order()
    for row, best in _with_best(tools, candidates, order, enough):
        if len(hits) >= limit and len(run.left) >= LEFT_MOST:
            break
        item = candidates.item_of(row)
        if item is None:
            continue
        stored = _with_content(tools, item, best, judge) if best else None
        why = _unwanted(judge, item, stored.passage, shown, quotas) if stored else TOO_WEAK
        is_memory = item.source in FILED_SOURCES
        if not why and not is_memory and room_beside_memories <= 0 and len(hits) < limit:
            why = MEMORIES_FIRST
        if stored and not why and run.ranker.joins_passages and _added_to_its_hit(hits, item, stored.passage):
            shown.add(one_line(stored.passage.text))
            continue
        if stored and not why and _added_to_its_conversation(run, candidates, hits, row, stored.passage):
            shown.add(one_line(stored.passage.text))
            continue
        if stored is None or why or len(hits) >= limit:
            _leave(run, candidates.left(row, why or OVER_LIMIT))
            if not why and not _may_have_more(run, judge, hits, float(candidates.scores[row])):
                break
            continue
        room_beside_memories -= not is_memory
        shown.add(one_line(stored.passage.text))
        hits.append(_hit(candidates, row, item, stored))
    return hits


def _with_content(tools: Tools, item: Item, stored: StoredPassage, judge: Judge) -> StoredPassage | None:
    """Return the passage; for a note whose passage has no content of its own, the first passage of the note that has.

    If no passage of a note has more than a few letters, these are its content.

    None: the note has no content, and the question does not name it.
    """
    if item.source != "document" or says_something(stored.passage, SAYING_LETTERS):
        return stored
    passages = tools.index.passages_of(item.key, 0, READ_OF_NOTE)
    first = next(
        (passage for least in (SAYING_LETTERS, 1) for passage in passages if says_something(passage.passage, least)), None
    )
    if first or item.key not in judge.named:
        return first
    return replace(stored, passage=replace(stored.passage, text=item.summary or item.title))


def _limit_of(run: Run) -> int:
    return run.query.limit or run.profile.limit


def _memory_first(candidates: Candidates) -> list[int]:
    """Return the rows, best first, with the best memory ahead of all: a saved memory is what people ask for by name."""
    order = candidates.in_order()
    best = next((row for row in order if (item := candidates.item_of(row)) and item.source in FILED_SOURCES), None)
    return order if best is None else [best, *(row for row in order if row != best)]


def _room_beside_memories(run: Run, candidates: Candidates, limit: int) -> int:
    """Return how many notes and turns may be shown, so that room is left for every memory that is likely enough."""
    if not run.query.gated:
        return limit
    likely = {
        item.key
        for row, confidence in enumerate(candidates.confidence.of_turns.tolist())
        if confidence >= run.profile.threshold and (item := candidates.item_of(row)) and item.source in FILED_SOURCES
    }
    return max(limit - len(likely), 0)


def _with_best(
    tools: Tools, candidates: Candidates, order: Sequence[int], enough: Sequence[bool]
) -> Iterator[tuple[int, StoredPassage | None]]:
    """Yield the rows in that order, each with its best passage, or None if its confidence is too low.

    Rows whose passage no longer exists are skipped. Passages are read on demand, because few are needed.
    """
    evidence = candidates.evidence
    wanted = (evidence.best[row] for row in order if enough[row])
    read: dict[int, StoredPassage] = {}
    asked: set[int] = set()
    for row in order:
        number = evidence.best[row]
        if not enough[row]:
            yield row, None
            continue
        if number not in asked:
            block = [number, *islice(wanted, READ_AT_ONCE)]
            asked.update(block)
            read.update(tools.index.passages(block))
        if number in read:
            yield row, read[number]


def linked(tools: Tools, run: Run, hits: Sequence[Hit], room: int) -> list[Hit]:
    """Return memories with an edge to or from one of the best hits; they are ranked behind all direct hits."""
    sources = [hit.item.key for hit in hits[:LINKED_FROM] if hit.item.source == "memory"]
    room = min(LINKED_MOST, room)
    if not sources or room <= 0:
        return []
    if is_late(tools, run):
        run.arms.append(ArmReport("links", "skipped", NO_TIME_LEFT))
        return []
    start = tools.clock.elapsed_s()
    there = {hit.item.key for hit in hits}
    linked = {
        edge.target: (source, edge.type)
        for source, edges in tools.index.edges(sources).items()
        for edge in edges
        if edge.target not in there
    }
    wanted = tools.index.items(list(linked))
    scope = scope_of(run.query, run.profile)
    fitting = [item for item in wanted.values() if item.source == "memory" and _may_come_along(item, scope)][:room]
    weakest = hits[-1].score
    all_hits = []
    for item in fitting:
        passages = tools.index.passages_of(item.key, 0, 1)
        for stored in passages:
            source, relation = linked[item.key]
            via = f"{relation} of {source}"
            all_hits.append(Hit(item, stored.passage, stored.number, weakest, boosts={via: 0.0}, via=via))
    report(tools, run, "links", start, len(all_hits))
    return all_hits


def dated(tools: Tools, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Add the validity to hits that are not valid now, and rank them behind valid hits with nearly the same score."""
    now = tools.clock.now()
    all_hits = [replace(hit, holds=validity(hit.item, now)) for hit in hits]
    ordered = [hit for hit in all_hits if not hit.holds]
    for hit in (hit for hit in all_hits if hit.holds):
        behind = [at for at, ranked in enumerate(ordered, 1) if ranked.holds or ranked.score >= hit.score - NEARLY]
        ordered.insert(max(behind, default=0), hit)
    return tuple(ordered)


def answer(
    tools: Tools, run: Run, hits: tuple[Hit, ...], items: tuple[tuple[str, float], ...], sure: float, verdict: SearchEnd
) -> Recall:
    return Recall(
        query=run.query,
        hits=hits if run.query.scope.as_of else dated(tools, marked(tools.index, hits)),
        verdict=verdict,
        items=items,
        confidence=round(sure, 4),
        threshold=run.profile.threshold if run.query.gated else 0.0,
        arms=tuple(run.arms),
        left=tuple(run.left),
        missing=tuple(dict.fromkeys(run.missing)),
        terms={"phrases": run.shaped.phrases, "hints": _hints(run.shaped), **run.topics},
        lock=run.lock if run.query.session else None,
        by_time=run.shaped.breadth in TOPICAL,
        ms=round((tools.clock.elapsed_s() - run.started) * 1000, 2),
    )


def _may_come_along(item: Item, scope: Scope) -> bool:
    """Return whether a linked item is in the scope of the question; superseded ones are never added by a link."""
    return item.status in STANDING and item_fits(item, scope) and time_fits(item.updated, scope)


def _added_to_its_hit(hits: list[Hit], item: Item, passage: Passage) -> bool:
    """Add a passage below the existing entry of its note or memory; return False if there is none."""
    at = next((at for at, hit in enumerate(hits) if hit.item.key == item.key and item.source in ONE_ENTRY), None)
    if at is None:
        return False
    if len(hits[at].more) < MORE_MOST:
        hits[at] = replace(hits[at], more=(*hits[at].more, passage))
    return True


def _may_have_more(run: Run, judge: Judge, hits: Sequence[Hit], score: float, *, is_room: bool = False) -> bool:
    """Return whether a turn with that score may be added below a hit.

    It may if nobody asked for the hits, and the prompt is a question, or needs a list or the order of events. A question within a
    prompt of work shows the best turn of each session first; further turns are added only while there is room for more lines.

    Args:
        is_room: fewer hits than the limit.
    """
    if not (run.query.unasked and run.ranker.joins_passages):
        return False
    near = max((hit.score for hit in hits), default=score) - score <= NEAR_FIRST
    return bool(run.shaped.breadth) or (judge.asks and near and (is_room or not run.shaped.goes_on))


def _added_to_its_conversation(run: Run, candidates: Candidates, hits: list[Hit], row: int, passage: Passage) -> bool:
    """Add a turn below the first hit of its session that has room; return False if there is none."""
    is_room = len(hits) < _limit_of(run)
    if not _may_have_more(run, candidates.judge, hits, float(candidates.scores[row]), is_room=is_room):
        return False
    key, _ = candidates.evidence.turns[row]
    for at, hit in enumerate(hits):
        if hit.item.key != key or hit.item.source != "session" or len(hit.more) >= MORE_MOST:
            continue
        if sum(len(held.text) for held in (hit.passage, *hit.more, passage)) <= ENTRY_CHARS:
            hits[at] = replace(hit, more=(*hit.more, passage))
            return True
    return False


def note_left(run: Run, evidence: Evidence, items: Mapping[str, Item], scores: Floats, gone: Mapping[int, str]) -> None:
    """Record why the best of the turns that are no evidence are left out.

    Args:
        gone: row -> reason.
    """
    best = sorted(gone, key=lambda row: -float(scores[row]))[: LEFT_MOST // 2]
    for row in best:
        _leave(run, _left(evidence, items, scores, row, gone[row]))


def _left(evidence: Evidence, items: Mapping[str, Item], scores: Floats, row: int, why: str) -> Left:
    key = evidence.turns[row][0]
    return Left(key, items[key].title if key in items else "", why, round(float(scores[row]), 3))


def _unwanted(judge: Judge, item: Item, passage: Passage, shown: set[str], quotas: dict[str, int]) -> str:
    """Return why a turn with this best passage is not shown; "" if it may be shown."""
    if why := judge.of_words(item, passage):
        return why
    line = one_line(passage.text)
    if any(text == line or (len(text) >= REPEATED_CHARS and text in line) for text in shown):
        return REPEATS
    if judge.is_line_of_agent(item, passage) and any(content_words(line) <= frozenset(tokens(text)) for text in shown):
        return REPEATS
    if quotas:
        if quotas.get(item.kind, 0) <= 0:
            return OVER_QUOTA
        quotas[item.kind] -= 1
    return ""


def _leave(run: Run, left: Left) -> None:
    """Record an omitted item, once per reason, with the best of its passages."""
    if len(run.left) < LEFT_MOST and not any((omitted.key, omitted.why) == (left.key, left.why) for omitted in run.left):
        run.left.append(left)


def _hit(candidates: Candidates, row: int, item: Item, stored: StoredPassage) -> Hit:
    evidence = candidates.evidence
    turn = evidence.turns[row]
    signals = {name: round(float(values[row]), 4) for name, values in evidence.values.items() if values[row]}
    if item.key in candidates.judge.named:
        signals["named"] = 1.0
    return Hit(
        item=item,
        passage=stored.passage,
        number=stored.number,
        score=round(float(candidates.scores[row]), 4),
        signals=signals,
        ranks={name: rank[turn] for name, rank in zip(("words", "meaning"), candidates.ranks, strict=True) if turn in rank},
        boosts={name: round(value, 3) for name, value in candidates.boosts[item.key].items()},
    )


def ranked_items(run: Run, candidates: Candidates) -> tuple[tuple[str, float], ...]:
    """Return (item key, score), best first; an item has the score of its best turn."""
    scores = run.ranker.item_scores(candidates.evidence, candidates.scores)
    best: dict[str, float] = {}
    for row in np.argsort(-scores, kind="stable").tolist():
        best.setdefault(candidates.evidence.turns[row][0], float(scores[row]))
    return tuple(best.items())


def _hints(shaped: Shaped) -> tuple[str, ...]:
    named = {
        "about the person": shaped.person,
        "about what the agent said": shaped.agent,
        "asks when": shaped.when,
    }
    hints = [name for name, is_so in named.items() if is_so]
    if shaped.period:
        hints.append(f"{shaped.period[0]:%Y-%m-%d} to {shaped.period[1]:%Y-%m-%d}")
    return tuple(hints)
