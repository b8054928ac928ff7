"""The text of a recall answer for a person: memories, then notes, then conversations, a few of each; and its explanation.

Programs (`--json`, MCP, HTTP) get all hits; the selection here is only for the terminal.
"""

import re
import shlex
from collections.abc import Iterable, Sequence

from msgspec import Struct

from vademecum.domain.ids import SHORT_ID_CHARS, short_id, shortened
from vademecum.domain.item import FILED_SOURCES, Item, Passage
from vademecum.domain.query import HELD_BACK, Hit, Left, Recall
from vademecum.domain.uris import session_ref
from vademecum.domain.why_nothing import COULD_NOT_SEARCH, FAR_BEHIND, OVER_BUDGET, in_words
from vademecum.entrypoints.text import counted, day, nothing_known, snippet
from vademecum.inject.numbers import CLEARLY_BEHIND

#: Source of hits -> heading, in the order in which they are shown.
_TITLES = {"memory": "Memories", "document": "Notes", "session": "Conversations"}
#: Source of hits -> the word for one of them; a memory is named by its kind.
_WORDS = {"document": "note", "session": "conversation"}
#: Most hits of each source that are shown without a limit.
SHOWN_OF_EACH = 3
#: Shorter words of a question are not named as a reason for a match.
_WORD_CHARS = 4
_WORD = re.compile(r"\w+")
#: How many near misses are named.
_NEARLY_SHOWN = 3


class Chosen(Struct, frozen=True):
    """The hits of an answer that are shown.

    Attributes:
        groups: heading -> hits, best first. behind: hits clearly behind the first. beyond: hits over the limit of their source.
        twice: number of hits left out because their text is shown already.
    """

    groups: dict[str, list[Hit]]
    behind: tuple[Hit, ...]
    beyond: tuple[Hit, ...]
    twice: int


def chosen(result: Recall) -> Chosen:
    """Choose the hits that a person is shown."""
    behind = clearly_behind(result.hits) if result.query.limit is None else ()
    near = [hit for hit in result.hits if hit not in behind]
    groups: dict[str, list[Hit]] = {}
    beyond: list[Hit] = []
    names, twice = {_flat(result.query.text)}, 0
    for source, title in _TITLES.items():
        for hit in near:
            if _group_of(hit.item) != source:
                continue
            new = [text for text in map(_flat, _texts(hit)) if text not in names]
            if not new:
                twice += 1
            elif len(groups.get(title, ())) == SHOWN_OF_EACH and result.query.limit is None:
                beyond.append(hit)
            else:
                names.update(new)
                groups.setdefault(title, []).append(hit)
    return Chosen(groups, behind, tuple(beyond), twice)


def _group_of(item: Item) -> str:
    if item.source in FILED_SOURCES:
        return "memory"
    return item.source if item.source in _TITLES else "session"


def clearly_behind(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits whose score is far below the best, which a person is not shown at once."""
    return tuple(hit for hit in hits if not _is_near(hit, hits))


def _is_near(hit: Hit, hits: Sequence[Hit]) -> bool:
    """Return whether a hit is near enough to the best, is the best memory, was not searched for, or contradicts one that is near.

    A long note about the subject has a far higher score than a memory of one line, and the memory is what the person decided.
    """
    if hit.via or hit.may_be_replaced_by or HELD_BACK in hit.signals:
        return True
    if hit.item.status == "disputed":
        return any(_is_near_by_score(other, hits) for other in hits if other.item.status == "disputed")
    return _is_near_by_score(hit, hits)


def _is_near_by_score(hit: Hit, hits: Sequence[Hit]) -> bool:
    best_memory = next((found for found in hits if found.item.source == "memory" and not found.via), None)
    return hit is best_memory or max(found.score for found in hits) - hit.score <= CLEARLY_BEHIND


def _texts(hit: Hit) -> list[str]:
    return [passage.text for passage in (hit.passage, *hit.more)]


def _flat(text: str) -> str:
    """Normalise case, white space and surrounding marks, to compare texts."""
    return " ".join(_WORD.findall(text.casefold()))


def recall_text(result: Recall) -> str:
    """Return the answer, memories first, at most three hits of each source; or that nothing is known."""
    lines: list[str] = []
    shown = chosen(result)
    position = 0
    for title, hits in shown.groups.items():
        lines += [*([""] if lines else []), title]
        for hit in hits:
            position += 1
            lines += _hit_lines(position, hit, result.query.text, scored=False)
    over = _over_budget(result)
    if not result.hits:
        lines.append(_no_room(result) if over else nothing_known(result))
    lines += ["", *_rest(result, shown, over)] if result.hits else _rest(result, shown, over)
    return "\n".join(lines)


def _rest(result: Recall, shown: Chosen, over: Sequence[str]) -> list[str]:
    """Return the lines below the hits: how many more there are, what was missing, how to see why."""
    lines = [f"left out for lack of room: {', '.join(over)}"] if over else []
    if more := len(shown.behind) + len(shown.beyond):
        lines.append(f"{more} more, less likely: vade search {shlex.quote(result.query.text)}")
    lines += [f"(without {reason})" for reason in result.missing]
    return [*lines, *([f"why: vade why {result.trace}"] if result.trace else [])]


def search_text(result: Recall) -> str:
    """Return all hits, best first, with score, age and source; or why there are none."""
    lines = [
        line for place, hit in enumerate(result.hits, 1) for line in _hit_lines(place, hit, result.query.text, scored=True)
    ]
    over = _over_budget(result)
    if not result.hits:
        lines.append(_no_room(result) if over else nothing_known(result))
    lines += [f"left out for lack of room: {', '.join(over)}"] if over else []
    lines += [f"(without {reason})" for reason in result.missing]
    return "\n".join([*lines, *([f"why: vade why {result.trace}"] if result.trace else [])])


def _over_budget(result: Recall) -> list[str]:
    return list(dict.fromkeys(left.title for left in result.left if left.why == OVER_BUDGET))


def _no_room(result: Recall) -> str:
    return f"No room: {result.query.budget_tokens} tokens hold none of what is known."


def _hit_lines(position: int, hit: Hit, question: str, *, scored: bool) -> list[str]:
    item, passage = hit.item, hit.passage
    moment = passage.time or item.updated
    facts = [_WORDS.get(item.source, item.kind), day(moment).strip(), passage.speaker]
    if item.status != "active":
        facts.append(item.status)
    facts += [
        hit.holds,
        f'replaces "{hit.replaces}"' if hit.replaces else "",
        shortened(hit.via),
        f"may be outdated: see {short_id(hit.may_be_replaced_by)}" if hit.may_be_replaced_by else "",
    ]
    facts += [f"since then {hit.since}" if hit.since else ""]
    score = f"  {hit.score:.2f}" if scored else ""
    return [
        f"{position}. {item.title}  ({', '.join(fact for fact in facts if fact)}){score}",
        *(f"   {snippet(text, question)}" for text in _texts(hit) if _flat(text) != _flat(item.title)),
        f"   {_place(item, passage)}",
    ]


def _place(item: Item, passage: Passage) -> str:
    """Return where a person finds a passage: the id of a memory, file and heading of a note, the command that shows a conversation."""
    if item.source == "session":
        return f"vade sessions show {session_ref(item.key)}"
    if item.source == "document":
        heading = passage.heading.partition(" / ")[2]
        line = f"line {passage.ref}" if passage.ref else ""
        return ", ".join(filter(None, (item.path, heading, line)))
    return short_id(item.key) + (f"#{passage.ref}" if passage.ref else "")


def _name(item: Item) -> str:
    """Return what distinguishes an item from others with its title: the short id, for a note its file."""
    if item.source == "session":
        return item.key.rpartition("/")[2][:SHORT_ID_CHARS]
    return item.path if item.source == "document" else short_id(item.key)


def why_text(result: Recall) -> str:
    """Explain an answer in five lines: the question, the confidence, what was shown and why, and near misses and why not."""
    shown = chosen(result)
    hits = [hit for group in shown.groups.values() for hit in group]
    lines = [
        f"Asked: {result.query.text}",
        _confidence(result),
        f"Shown: {'; '.join(_why_shown(hit, result) for hit in hits)}." if hits else "Shown: nothing.",
        f"Nearly: {'; '.join(_nearly(result, shown)) or 'nothing else came near'}.",
        f"All numbers: vade why {result.trace} --scores".replace("  ", " "),
    ]
    return "\n".join(lines)


def _confidence(result: Recall) -> str:
    """Return the confidence beside the threshold; a search without a threshold has none."""
    if result.verdict == COULD_NOT_SEARCH:
        return f"Could not search: {'; '.join(result.missing)}."
    if not result.threshold:
        return f"Confidence: {result.confidence:.2f} of 1. A search has no threshold: it shows what is nearest."
    enough = "enough" if any(HELD_BACK not in hit.signals for hit in result.hits) else "not enough"
    return f"Confidence: {result.confidence:.2f} of 1, which is {enough}: at least {result.threshold:.2f} is needed."


def _why_shown(hit: Hit, result: Recall) -> str:
    """Describe a hit, and how it relates to the question."""
    text = f"{hit.item.title} {' '.join(_texts(hit))}".casefold()
    asked = dict.fromkeys(word for word in _WORD.findall(result.query.text.casefold()) if len(word) >= _WORD_CHARS)
    words = [word for word in asked if word in text and "words" in hit.signals]
    reasons = [f"has {_quoted(words)}" if words else "shares words with it" if "words" in hit.signals else ""]
    reasons += ["means nearly the same" if "meaning" in hit.signals else "", shortened(hit.via)]
    if HELD_BACK in hit.signals:
        stopped = hit.item.kind == "handoff"
        reasons.append("says where the work stopped" if stopped else "was held back at the start for a prompt that touches it")
    entry = " and ".join(reason for reason in reasons if reason) or "was asked for by name"
    kind = _WORDS.get(hit.item.source, hit.item.kind)
    since = "".join(f", {fact}" for fact in (hit.holds, f"since then {hit.since}" if hit.since else "") if fact)
    return f"{hit.item.title} ({kind}, {_name(hit.item)}) {entry}{since}"


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)


def _nearly(result: Recall, shown: Chosen) -> list[str]:
    """Return the near misses, nearest first, each with the reason."""
    titles = {hit.item.title for group in shown.groups.values() for hit in group}
    nearly = [Left(hit.item.key, hit.item.title, FAR_BEHIND, hit.score) for hit in shown.behind]
    nearly += [Left(hit.item.key, hit.item.title, f"beyond the {SHOWN_OF_EACH} of each", hit.score) for hit in shown.beyond]
    nearly += [left for left in result.left if left.title not in titles]
    nearest = sorted(nearly, key=lambda left: -left.score)
    reasons = {left.title or left.key: in_words(left.why) for left in reversed(nearest)}
    named = [f"{title} ({reasons[title]})" for title in list(reversed(reasons))[:_NEARLY_SHOWN]]
    more = len(reasons) - _NEARLY_SHOWN
    return [*named, *([f"and {counted(more, 'other')}"] if more > 0 else [])]


def scores_text(result: Recall) -> str:
    """Return all numbers behind an answer: the stages of the search, the hits with their signals, and what was left out."""
    lines = [f"question   {result.query.text}"]
    lines += [f"{name:<11}{', '.join(words)}" for name, words in result.terms.items() if words]
    lines.append(
        f"verdict    {result.verdict}: confidence {result.confidence:.3f} against threshold {result.threshold:.3f}, {result.ms:.1f} ms"
    )
    lines += [
        f"arm        {arm.name:<9} {arm.state}{' (' + arm.why + ')' if arm.why else ''}: {arm.found} found, {arm.ms:.1f} ms"
        for arm in result.arms
    ]
    for position, hit in enumerate(result.hits, 1):
        lines.append(
            f"{position:>3}. {hit.score:.3f}  {hit.item.title}  [{hit.item.kind}, {hit.item.status}]  {short_id(hit.item.key)}"
        )
        ranks = "  ".join(
            f"{name} {value:.3f}" + (f" (#{hit.ranks[name]})" if name in hit.ranks else "")
            for name, value in hit.signals.items()
        )
        if ranks:
            lines.append(f"       {ranks}")
        if hit.since:
            lines.append(f"       since then {hit.since}")
        if hit.boosts:
            lines.append("       " + "  ".join(f"{name} {value:+.3f}" for name, value in hit.boosts.items()))
    lines += [
        f"left out   {left.title or left.key}  [{left.key.partition('://')[0]}]: {left.why}"
        + (f" ({left.score:.3f})" if left.score else "")
        for left in result.left
    ]
    lines += [f"without    {reason}" for reason in result.missing]
    return "\n".join(lines)
