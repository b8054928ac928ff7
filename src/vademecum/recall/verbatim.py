"""Find a place in a session: by the exact words if somebody said them, else by the nearest match in words and meaning.

An exact match beats any ranking: a person who types an error text from memory wants the session that contains it. Filters are part of
the scope, so they apply before counting and cutting (X-15). A result shows the exchange: complete pairs of request and answer, up to
about 500 tokens; a single pair may be longer.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.item import Item, Passage, StoredPassage, Touch
from vademecum.domain.query import Query, Recall, Scope, SearchVerdict, SessionHit, SessionSearch
from vademecum.ports.index import SearchIndex
from vademecum.recall.numbers import CALLS_LOOKED_AT, CHUNK_CHARS, EXACT_MIN_CHARS, PAIR_REACH, SPARE, TOUCHES_LOOKED_AT
from vademecum.recall.pipeline import Searcher
from vademecum.recall.rankers import profile_named

SPOKEN_SOURCES, ALL_SOURCES = ("session",), ("session", "log")


class _Found(Struct, frozen=True):
    """A place before it is rendered."""

    key: str
    number: int
    exact: bool
    score: float


def search_sessions(searcher: Searcher, question: str, scope: Scope, *, limit: int, around: int = 0) -> SessionSearch:
    """Find places in sessions, exact matches first, then by rank; at most one per exchange.

    Args:
        question: words, or a text to find exactly; "" lists the uses of the tools and files that the scope names.
        around: turns of context before and after each hit.

    Raises:
        InvalidInput: there is neither a question nor a tool or file. IndexDamaged: the index cannot be used.
    """
    if not question.strip() and scope.tools is None and scope.files is None:
        raise InvalidInput("There is nothing to look for.", "Give words, or the tool or file that was used.")
    start = searcher.clock.elapsed_s()
    scope = replace(scope, sources=_sources(scope))
    missing: tuple[str, ...] = ()
    hits: tuple[SessionHit, ...] = ()
    touches: tuple[tuple[Item, Touch], ...] = ()
    verdict: SearchVerdict = "uses"
    if question.strip():
        exact = searcher.index.quoted(question, scope, limit * SPARE) if len(question.strip()) >= EXACT_MIN_CHARS else ()
        matches = [_Found(hit.item, hit.number, True, 0.0) for hit in exact]
        verdict = "exact"
        if len({(hit.item, hit.turn) for hit in exact}) < limit:
            ranked = searcher.recall(Query(question, scope, limit=limit * SPARE, gated=False))
            missing = ranked.missing
            verdict = verdict if exact else _verdict(ranked)
            matches += [_Found(hit.item.key, hit.number, False, hit.score) for hit in ranked.hits]
        hits = tuple(_shown(searcher, matches, limit, around))
    else:
        used = searcher.index.touches(replace(scope, sources=SPOKEN_SOURCES), limit)
        items = searcher.index.items([key for key, _ in used])
        touches = tuple((items[key], touch) for key, touch in used if key in items)
    ms = round((searcher.clock.elapsed_s() - start) * 1000, 2)
    return SessionSearch(question, verdict if hits or verdict == "uses" else "nothing", hits, touches, missing, ms)


def _verdict(ranked: Recall) -> SearchVerdict:
    """Return the verdict on places without the exact words; those below the threshold are "far", and shown nevertheless."""
    return "near" if ranked.confidence >= profile_named(ranked.query.profile).threshold else "far"


def _sources(scope: Scope) -> tuple[str, ...]:
    """Return the sources to search: speech, and tool output unless only speech is wanted."""
    wanted = scope.sources or ALL_SOURCES
    if scope.roles is not None and "tool" not in scope.roles:
        return tuple(source for source in wanted if source in SPOKEN_SOURCES)
    return tuple(source for source in wanted if source != "session" or scope.roles != ("tool",))


def _shown(searcher: Searcher, matches: Sequence[_Found], limit: int, around: int) -> list[SessionHit]:
    """Return the first places as hits, without repeating an exchange."""
    index = searcher.index
    stored = index.passages([found.number for found in matches])
    items = index.items([_talk(found.key) for found in matches])
    hits: list[SessionHit] = []
    seen: set[tuple[str, int]] = set()  # turns that are part of an earlier exchange
    for match in matches:
        talk, place = _talk(match.key), stored.get(match.number)
        if place is None or talk not in items or len(hits) >= limit:
            continue
        middle = place.passage.turn if match.key == talk else _turn_before(index, items[talk], match.key, place)
        if (talk, middle) not in seen:
            turns = _turns(index, talk, middle, max(PAIR_REACH, around))
            chunk = _exchange(turns, middle)
            seen |= {(talk, turn) for turn in (middle, *chunk)}
            result = [turn for turn in turns if abs(turn - middle) <= around] if around else []
            held = _passages(turns, chunk)
            roles = {passage.role for passage in held} or {place.passage.role}
            used = [touch for touch in _used_in(index, items[talk]) if touch.turn in chunk]
            hits.append(
                SessionHit(
                    items[talk],
                    place.passage,
                    match.exact,
                    match.score,
                    held,
                    _passages(turns, result),
                    role=roles.pop() if len(roles) == 1 else "mixed",
                    tools=tuple(dict.fromkeys(touch.tool for touch in used)),
                    files=tuple(dict.fromkeys(touch.file for touch in used if touch.file)),
                )
            )
    return hits


def _talk(key: str) -> str:
    """Return the key of the session that a log belongs to."""
    return f"session://{key.removeprefix('log://')}" if key.startswith("log://") else key


def _turn_before(index: SearchIndex, talk: Item, log: str, place: StoredPassage) -> int:
    """Return the spoken turn before a tool's output: the turn of the preceding call."""
    used = index.touches(Scope(sources=("session",), statuses=None, keys=(talk.key,)), TOUCHES_LOOKED_AT)
    turn_of = {touch.ref: touch.turn for key, touch in used if key == talk.key}
    before = index.passages_of(log, max(0, place.ordinal - CALLS_LOOKED_AT), place.ordinal + 1)
    return next((turn_of[stored.passage.ref] for stored in reversed(before) if stored.passage.ref in turn_of), 0)


def _used_in(index: SearchIndex, talk: Item) -> list[Touch]:
    """Return the tool uses of a session, in order."""
    used = index.touches(Scope(sources=("session",), statuses=None, paths=(talk.path,)), TOUCHES_LOOKED_AT)
    return [touch for key, touch in reversed(used) if key == talk.key]


def _turns(index: SearchIndex, talk: str, middle: int, reach: int) -> dict[int, list[Passage]]:
    """Return turn number -> passages, up to `reach` turns before and after `middle`, in order."""
    numbers = index.window([(talk, middle)], reach).numbers.tolist()
    turns: dict[int, list[Passage]] = {}
    for stored in sorted(index.passages(numbers).values(), key=lambda row: row.ordinal):
        turns.setdefault(stored.passage.turn, []).append(stored.passage)
    return turns


def _exchange(turns: Mapping[int, Sequence[Passage]], middle: int) -> list[int]:
    """Return the turns of the pair that contains `middle`, and of following pairs while they fit; an oversized pair is cut by turns."""
    pairs = _pairs(turns)
    at = next((place for place, pair in enumerate(pairs) if middle in pair), None)
    if at is None:
        return []
    chosen = pairs[at] if _size(turns, pairs[at]) <= CHUNK_CHARS else _part_of(turns, pairs[at], middle)
    for pair in pairs[at + 1 :]:
        if _size(turns, [*chosen, *pair]) > CHUNK_CHARS:
            break
        chosen = [*chosen, *pair]
    return chosen


def _pairs(turns: Mapping[int, Sequence[Passage]]) -> list[list[int]]:
    """Return the turns in pairs: the person's request, and the agent's answer until the person speaks again."""
    pairs: list[list[int]] = []
    before = ""
    for turn, pieces in turns.items():
        if not pairs or (pieces[0].role == "user" and before != "user"):
            pairs.append([])
        pairs[-1].append(turn)
        before = pieces[0].role
    return pairs


def _part_of(turns: Mapping[int, Sequence[Passage]], pair: Sequence[int], middle: int) -> list[int]:
    """Return the turns around `middle` that fit, nearest first; only `middle` if it is larger than the limit."""
    chosen = [middle]
    for turn in sorted(pair, key=lambda count: abs(count - middle)):
        more = sorted({*chosen, turn})
        if _size(turns, more) <= CHUNK_CHARS and more[-1] - more[0] == len(more) - 1:
            chosen = more
    return chosen


def _size(turns: Mapping[int, Sequence[Passage]], chosen: Iterable[int]) -> int:
    return sum(len(piece.text) for turn in chosen for piece in turns[turn])


def _passages(turns: Mapping[int, Sequence[Passage]], chosen: Iterable[int]) -> tuple[Passage, ...]:
    return tuple(piece for turn in chosen for piece in turns[turn])
