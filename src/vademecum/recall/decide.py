"""Decide which candidates are the answer: adjust scores, apply the threshold, drop repeats, show successors, add linked memories."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.item import FILED_SOURCES, Item, Passage, StoredPassage
from vademecum.domain.query import NO_TIME_LEFT, ArmReport, Hit, Left, Recall, Scope
from vademecum.domain.scope import item_fits, time_fits
from vademecum.domain.validity import validity
from vademecum.language.text import common_words, one_line, tokens
from vademecum.recall.adjust import adjustments
from vademecum.recall.conflicts import later_first, taken_over
from vademecum.recall.eligibility import Judge, says_something
from vademecum.recall.features import Evidence, Floats
from vademecum.recall.numbers import (
    ASKED,
    BESIDE_WHAT_ASKS_NOTHING,
    ENTRY_CHARS,
    LEFT_MOST,
    LINKED_FROM,
    LINKED_MOST,
    NEAR_FIRST,
    NEARLY,
    READ_AT_ONCE,
    READ_OF_NOTE,
    SAID_BESIDE,
    TELLING_CHARS,
)
from vademecum.recall.query_parsing import TOPICAL, Shaped
from vademecum.recall.run import Run, Tools, is_late, report, scope_of
from vademecum.recall.successors import STANDING, in_their_place
from vademecum.recall.threshold import Confidences
from vademecum.recall.window import TurnKey

#: Of what is a note one entry is told, with so many further passages under it.
ONE_ENTRY, MORE_MOST = ("memory", "handoff", "document"), 2


def boosts_of(tools: Tools, run: Run, items: Mapping[str, Item]) -> dict[str, dict[str, float]]:
    """Return item key -> name -> log odds for what is known of the item besides its words."""
    uses = tools.uses(list(items)) if run.profile.ageing else {}
    now = tools.clock.now()
    return {key: adjustments(run, item, uses.get(key), now) for key, item in items.items()}


def with_boosts(evidence: Evidence, boosts: Mapping[str, Mapping[str, float]], scores: np.ndarray) -> np.ndarray:
    """Return the scores of the turns with the boosts of their items added."""
    sums = {key: sum(parts.values()) for key, parts in boosts.items()}
    return scores + np.array([sums.get(item, 0.0) for item, _ in evidence.turns], np.float32)


class Candidates(Struct, frozen=True):
    """Everything that may answer a question, and how much speaks for each.

    Attributes:
        evidence: features of the turns, one row a turn; the other arrays have its rows.
        items: key -> the item that a turn is of; of what is gone from the index there is none.
        scores: log odds, one a row. boosts: item key -> name -> the part of its scores that is not from words or meaning.
        judge: says what is no evidence. confidence: how likely each turn, pool and the whole is to answer, 0..1.
        ranks: of each turn among what words found, and among what meaning found; from 1.
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
        """Return the rows, best first, but those of conversations among themselves so: the best turn of each before all further ones, in
        the order of whole conversations."""
        order = self.in_order()
        talks = [row for row in order if self.evidence.turns[row][0].startswith("session:")]
        firsts = {self.evidence.turns[row][0]: row for row in reversed(talks)}
        of_talks = [firsts[key] for key, _ in ranked_items(run, self) if key in firsts]
        ahead = set(firsts.values())
        ordered = iter([*of_talks, *(row for row in talks if row not in ahead)])
        is_talk = set(talks)
        return [next(ordered) if row in is_talk else row for row in order]

    def item_of(self, row: int) -> Item | None:
        """Return the item that the turn of a row is of."""
        return self.items.get(self.evidence.turns[row][0])

    def left(self, row: int, why: str) -> Left:
        """Return the note that the turn of a row is left out."""
        left = _left(self.evidence, self.items, self.scores, row, why)
        return replace(left, confidence=round(float(self.confidence.of_turns[row]), 4))


def decided(tools: Tools, run: Run, candidates: Candidates) -> Recall:
    """Return the answer: the best candidates, in order, or nothing and why.

    1. When all together are less likely to answer than the profile's threshold, nothing is returned.
    2. The best are chosen that are likely enough by themselves (:func:`_chosen`).
    3. What was superseded gives its place to what replaced it.
    4. Memories that are linked to the best come behind them.
    """
    judge, confidence = candidates.judge, candidates.confidence.of_all()
    if run.query.gated and confidence < run.profile.threshold:
        run.left += [candidates.left(row, "below the gate") for row in _memory_first(candidates)[:5]]
        return answer(tools, run, (), (), confidence, "nothing known")
    floor = _floor_of(run, judge)
    hits = _chosen(tools, run, candidates, floor)
    hits = in_their_place(tools.index, hits, scope_of(run.query, run.profile), instead=judge.applies and not judge.asks_before)
    hits = run.ranker.with_linked(tools, run, hits, _limit_of(run))
    verdict = "found" if hits else "nothing known"
    recall = answer(tools, run, tuple(hits), ranked_items(run, candidates), confidence, verdict)
    highest = float(candidates.confidence.of_turns.max(initial=0.0))
    if hits or not run.query.gated or highest >= floor:
        return recall
    return replace(recall, confidence=round(highest, 4), threshold=floor)  # likely enough together, but no turn by itself


def _chosen(tools: Tools, run: Run, candidates: Candidates, floor: float) -> list[Hit]:
    """Return the best candidates that are likely enough and unlike those before; of the next ones it is noted why they are left out.

    Args:
        floor: least confidence of a turn by itself.
    """
    judge, limit = candidates.judge, _limit_of(run)
    enough = _likely_enough(run, candidates, floor)
    room_beside_memories = _room_beside_memories(run, candidates, limit)
    quotas = dict(run.profile.kinds) if run.query.gated else {}  # a search by hand is for everything
    shown = _shown_before(tools, run)
    hits: list[Hit] = []
    order = candidates.by_conversation(run) if run.shaped.goes_on and candidates.judge.applies else candidates.in_order()
    for row, best in _with_best(tools, candidates, order, enough):
        if len(hits) >= limit and len(run.left) >= LEFT_MOST:
            break
        item = candidates.item_of(row)
        if item is None:
            continue
        stored = _with_content(tools, item, best, judge) if best else None
        why = _unwanted(judge, item, stored.passage, shown, quotas) if stored else "too little speaks for it"
        is_memory = item.source in FILED_SOURCES
        if not why and not is_memory and room_beside_memories <= 0 and len(hits) < limit:
            why = "gave its place to memories"
        if stored and not why and run.ranker.joins_passages and _added_to_its_hit(hits, item, stored.passage):
            shown.add(one_line(stored.passage.text))
            continue
        if stored and not why and len(hits) >= limit and _added_to_its_conversation(run, candidates, hits, row, stored.passage):
            shown.add(one_line(stored.passage.text))
            continue
        if stored is None or why or len(hits) >= limit:
            _leave(run, candidates.left(row, why or "over the limit"))
            if not why and not _may_have_more(run, judge, hits, float(candidates.scores[row])):
                break
            continue
        room_beside_memories -= not is_memory
        shown.add(one_line(stored.passage.text))
        hits.append(_hit(candidates, row, item, stored))
    return hits


def _likely_enough(run: Run, candidates: Candidates, floor: float) -> list[bool]:
    """Return for each row whether it is likely enough to answer; who searches by hand sees everything."""
    if not run.query.gated:
        return [True] * len(candidates.evidence.turns)
    floor_of_turns = min(floor, ASKED if candidates.judge.asks else SAID_BESIDE)
    return candidates.confidence.enough(run.profile.threshold, floor, floor_of_turns)


def _with_content(tools: Tools, item: Item, stored: StoredPassage, judge: Judge) -> StoredPassage | None:
    """Return the passage; of a note, where it says nothing by itself, the first of the note that does.

    None: the note says nothing, and nobody asked for it by its name.
    """
    if item.source != "document" or says_something(stored.passage):
        return stored
    passages = tools.index.passages_of(item.key, 0, READ_OF_NOTE)
    first = next((passage for passage in passages if says_something(passage.passage)), None)
    if first or item.key not in judge.named:
        return first
    return replace(stored, passage=replace(stored.passage, text=item.summary or item.title))


def _shown_before(tools: Tools, run: Run) -> set[str]:
    """Return what those memories say that the session has: the turns that they were taken from tell it nothing more."""
    keys = [key for key in run.query.seen if key.startswith("memory://")]
    return {one_line(stored.passage.text) for key in keys for stored in tools.index.passages_of(key, 0, 1)}


def _floor_of(run: Run, judge: Judge) -> float:
    """Return how sure each turn must be by itself: what nobody asked for brings no weaker ones along, but for lists and the like."""
    if not (run.query.unasked and run.profile.floor) or run.shaped.breadth:
        return run.profile.floor
    return run.profile.threshold if judge.asks else BESIDE_WHAT_ASKS_NOTHING


def _limit_of(run: Run) -> int:
    return run.query.limit or run.profile.limit


def _memory_first(candidates: Candidates) -> list[int]:
    """Return the rows, best first, but the best memory before all: what a person saves is what they ask for by name."""
    order = candidates.in_order()
    best = next((row for row in order if (item := candidates.item_of(row)) and item.source in FILED_SOURCES), None)
    return order if best is None else [best, *(row for row in order if row != best)]


def _room_beside_memories(run: Run, candidates: Candidates, limit: int) -> int:
    """Return how many notes and turns may be shown, so that every memory that is likely enough by itself is shown as well."""
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
    """Yield the rows in that order, each with the passage that says most, or None where not enough speaks for it.

    Those whose passage is gone are left out. Few are looked at, so they are read as they are asked for.
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
    """Return memories that the best hits refer to, or that refer to them: behind everything that was found by itself."""
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


def marked(tools: Tools, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Return the hits, those that may no longer hold told so, behind what may hold instead. Of what was believed once, nobody asks."""
    keys = list(dict.fromkeys(hit.item.key for hit in hits if hit.item.source == "memory"))
    doubted = taken_over(tools.index, keys) if keys else {}
    if not doubted:
        return hits
    marked = [replace(hit, doubted_by=doubted[hit.item.key].key) if hit.item.key in doubted else hit for hit in hits]
    return later_first(marked)


def dated(tools: Tools, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Return the hits, those that do not hold now with when they do, behind those that hold and answer nearly as well."""
    now = tools.clock.now()
    all_hits = [replace(hit, holds=validity(hit.item, now)) for hit in hits]
    ordered = [hit for hit in all_hits if not hit.holds]
    for hit in (hit for hit in all_hits if hit.holds):
        behind = [at for at, other_hit in enumerate(ordered, 1) if other_hit.holds or other_hit.score >= hit.score - NEARLY]
        ordered.insert(max(behind, default=0), hit)
    return tuple(ordered)


def answer(
    tools: Tools, run: Run, hits: tuple[Hit, ...], items: tuple[tuple[str, float], ...], sure: float, verdict: str
) -> Recall:
    return Recall(
        query=run.query,
        hits=hits if run.query.scope.as_of else dated(tools, marked(tools, hits)),
        verdict=verdict,  # type: ignore[arg-type]
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
    """Return whether a linked item lies in the scope of the question; superseded ones are not told for being linked."""
    return item.status in STANDING and item_fits(item, scope) and time_fits(item.updated, scope)


def _added_to_its_hit(hits: list[Hit], item: Item, passage: Passage) -> bool:
    """Put a passage under the entry that its note has among the hits, if it has one; return whether it has."""
    at = next((at for at, hit in enumerate(hits) if hit.item.key == item.key and item.source in ONE_ENTRY), None)
    if at is None:
        return False
    if len(hits[at].more) < MORE_MOST:
        hits[at] = replace(hits[at], more=(*hits[at].more, passage))
    return True


def _may_have_more(run: Run, judge: Judge, hits: Sequence[Hit], score: float) -> bool:
    """Return whether a turn of that score may stand under a hit: where an agent that did not ask is told the answer to a question, or needs
    a list or a course of things."""
    if not (run.query.unasked and run.ranker.joins_passages):
        return False
    near = max(hit.score for hit in hits) - score <= NEAR_FIRST
    return bool(run.shaped.breadth) or (judge.asks and not run.shaped.goes_on and near)


def _added_to_its_conversation(run: Run, candidates: Candidates, hits: list[Hit], row: int, passage: Passage) -> bool:
    """Put a turn under the first hit of its conversation that has room for it; return whether there is one."""
    if not _may_have_more(run, candidates.judge, hits, float(candidates.scores[row])):
        return False
    key, _ = candidates.evidence.turns[row]
    for at, hit in enumerate(hits):
        if hit.item.key != key or hit.item.source != "session" or len(hit.more) >= MORE_MOST:
            continue
        if sum(len(other_passage.text) for other_passage in (hit.passage, *hit.more, passage)) <= ENTRY_CHARS:
            hits[at] = replace(hit, more=(*hit.more, passage))
            return True
    return False


def note_left(run: Run, evidence: Evidence, items: Mapping[str, Item], scores: Floats, gone: Mapping[int, str]) -> None:
    """Note why those of the best turns that are no evidence are left out.

    Args:
        gone: row -> why.
    """
    best = sorted(gone, key=lambda row: -float(scores[row]))[: LEFT_MOST // 2]
    for row in best:
        _leave(run, _left(evidence, items, scores, row, gone[row]))


def _left(evidence: Evidence, items: Mapping[str, Item], scores: Floats, row: int, why: str) -> Left:
    key = evidence.turns[row][0]
    return Left(key, items[key].title if key in items else "", why, round(float(scores[row]), 3))


def _unwanted(judge: Judge, item: Item, passage: Passage, shown: set[str], quotas: dict[str, int]) -> str:
    """Return why a turn, whose loudest passage this is, is not shown; or ""."""
    if why := judge.of_words(item, passage):
        return why
    line = one_line(passage.text)
    if any(text == line or (len(text) >= TELLING_CHARS and text in line) for text in shown):
        return "what is told already says the same"
    if judge.is_line_of_agent(item, passage) and any(_says_all_of(text, line) for text in shown):
        return "what is told already says the same"
    if quotas:
        if quotas.get(item.kind, 0) <= 0:
            return "the profile's quota for this kind is used up"
        quotas[item.kind] -= 1
    return ""


def _says_all_of(text: str, line: str) -> bool:
    """Return whether a text holds every word of a line that says anything."""
    return frozenset(tokens(line)) - common_words(line) <= frozenset(tokens(text))


def _leave(run: Run, left: Left) -> None:
    """Note what is left out, a note or conversation once for each reason, by the best of its passages."""
    if len(run.left) < LEFT_MOST and not any((omitted.key, omitted.why) == (left.key, left.why) for omitted in run.left):
        run.left.append(left)


def _hit(candidates: Candidates, row: int, item: Item, stored: StoredPassage) -> Hit:
    evidence = candidates.evidence
    turn = evidence.turns[row]
    return Hit(
        item=item,
        passage=stored.passage,
        number=stored.number,
        score=round(float(candidates.scores[row]), 4),
        signals={name: round(float(values[row]), 4) for name, values in evidence.values.items() if values[row]},
        ranks={name: rank[turn] for name, rank in zip(("words", "meaning"), candidates.ranks, strict=True) if turn in rank},
        boosts={name: round(value, 3) for name, value in candidates.boosts[item.key].items()},
    )


def ranked_items(run: Run, candidates: Candidates) -> tuple[tuple[str, float], ...]:
    """Return (item key, score) of whole items, best first: by the best turn of each."""
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
