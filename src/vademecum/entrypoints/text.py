"""Text of results that several verbs share. Text of a single verb is next to that verb."""

import re
import shlex
from collections.abc import Callable
from datetime import datetime
from itertools import zip_longest

from vademecum.domain.decay import confidence_by_sources
from vademecum.domain.errors import VademecumError
from vademecum.domain.ids import short_id
from vademecum.domain.item import Item
from vademecum.domain.memory import COLLEAGUE, QUARANTINED, STALE, Memory
from vademecum.domain.provenance import Provenance
from vademecum.domain.query import RECALLED_STATUSES, Bundle, Left, Recall
from vademecum.domain.saved import Saved
from vademecum.domain.why_nothing import COULD_NOT_SEARCH, in_words
from vademecum.language.readable import readable_line

SNIPPET_CHARS = 240


#: Characters that a snippet shows before the matched word, and needs after it.
SNIPPET_BEFORE_CHARS, SNIPPET_AFTER_CHARS = 30, 90


_WORD = re.compile(r"\w+")
#: Shown instead of the text of a memory that has none.
NO_TEXT = (
    "The file has no text. If that was a mistake: vade sync, vade log, vade undo with the id of that change.\n"
    "If not even its properties are left, delete the file first."
)


def error_text(problem: VademecumError) -> str:
    """Return an error as text: what happened, and what to do next."""
    return f"{problem.message}\n{problem.hint}" if problem.hint else problem.message


def saved_text(result: Saved) -> str:
    """Return what a write did, and what will follow."""
    word = "saved in place of another" if result.action == "superseded" else result.action
    memory_line = f"{word}: {describe(result.memory)}" if result.memory else word
    lines = [
        memory_line,
        *([f"  key: {', '.join(result.memory.aliases)}"] if result.memory and result.memory.aliases else []),
        *(f"  replaced: {title}  {short_id(old)}" for old, title in zip_longest(result.replaced, result.titles, fillvalue="")),
        *(f"  {_linked_as(result)} {short_id(old)}" for old in result.related),
        *([f"  {shown_where(result.memory)}"] if result.action == "saved" and result.memory else []),
        *(f"  note: {text}" for text in result.warnings),
    ]
    if result.replaced and result.memory:
        lines.append(f"  take that back with: vade undo {short_id(result.memory.id)}")
    if result.likely and result.memory:
        lines.append(
            f"  it may replace {short_id(result.likely)}; decide with vade settle {short_id(result.memory.id)} [--both]"
        )
    if result.asked:
        lines.append(f"  the language model will compare it with {result.unclear}")
    if result.note:
        lines.append(f"  {result.note}")
    return "\n".join(lines)


def shown_where(memory: Memory) -> str:
    """Return in which sessions a memory is shown, by its scope."""
    if memory.agent:
        return f"shown to the agent {memory.agent}"
    return f"shown in project {memory.project}" if memory.project else "shown in every project"


def _linked_as(result: Saved) -> str:
    if result.action == "disputed" and result.memory:
        return f"decide with vade settle {short_id(result.memory.id)}: it says otherwise than"
    return "linked with:"


def describe(memory: Memory) -> str:
    """Return title, kind, place and id on one line."""
    return f"{memory.title}  [{memory.kind}, {memory.status}]  {memory.path}  {short_id(memory.id)}"


def done(did: str) -> Callable[[Memory], str]:
    """Return a function that says in one sentence what was done to a memory, and how to undo it; `did` is a verb such as "Archived"."""
    return lambda result: done_text(did, result)


def done_text(did: str, result: Memory, more: str = "") -> str:
    """Return what was done to a memory, and how to undo it; `more` follows its title."""
    return f"{did}: {result.title.rstrip('.')}{more}.\nTake it back: vade undo {short_id(result.id)}"


def edited_text(result: Memory) -> str:
    """Return that a memory was edited, and whether agents are not shown it."""
    return done_text("Edited", result, _aside(result))


def _aside(result: Memory) -> str:
    return "" if result.status in RECALLED_STATUSES else f" (it is {result.status}: not shown to agents)"


def superseded_text(result: Memory) -> str:
    """Return which memory is current now, or that one is no longer."""
    if STALE in result.superseded_by:
        return done_text("No longer holds", result)
    return done_text("Holds now", result, "; the other one was archived")


def moved_text(result: Memory) -> str:
    """Return where a memory is now."""
    return done_text("Moved", result, f", now a {result.kind} at {result.path}")


def restored_text(result: Memory) -> str:
    """Return where a memory is again."""
    return done_text("Restored", result, f", {result.status} at {result.path}")


def tagged_text(result: Memory) -> str:
    """Return the tags of a memory as they are now."""
    return done_text("Tagged", result, f" ({', '.join(result.tags) or 'no tags'})")


def confirmed_text(result: Memory) -> str:
    """Return that a memory was confirmed, and the number of its sources."""
    return done_text("Confirmed", result, f" ({counted(1 + result.confirmations, 'source')} by now){_aside(result)}")


def memory_text(result: Memory) -> str:
    """Return one memory: its text, then its properties."""
    facts = {
        "id": result.id,
        "kind": result.kind + (f" ({result.facet})" if result.facet else ""),
        "status": result.status,
        "path": f"{result.space}: {result.path}",
        "tags": ", ".join(result.tags),
        "topics": ", ".join(result.topics),
        "project": result.project,
        "branch": result.branch,
        "confidence": _confidence(result),
        "importance": f"{result.importance:g}",
        "said": day(result.said) if result.said else "",
        "created": f"{result.created:%Y-%m-%d %H:%M}",
        "updated": f"{result.updated:%Y-%m-%d %H:%M}",
        "confirmed": f"{result.confirmations} time{'s' * (result.confirmations > 1)}" if result.confirmations else "",
        "valid from": day(result.valid_from) if result.valid_from else "",
        "valid until": day(result.valid_until) if result.valid_until else "",
        "supersedes": ", ".join(result.supersedes),
        "superseded by": ", ".join(result.superseded_by),
        "contradicts": ", ".join(result.contradicts),
        "may replace": ", ".join(result.may_replace),
        "refines": ", ".join(result.refines),
        "derived from": ", ".join(result.derived_from),
        "related": ", ".join(result.related),
        "source": result.source,
        "whose word": _whose_word(result),
        "in the words": snippet(str(result.extra.get("mining_excerpt") or "")) if result.source.startswith(COLLEAGUE) else "",
        "etag": result.etag,
    }
    head = "\n".join(f"  {name:<14}{value}" for name, value in facts.items() if value)
    return f"{result.title}\n\n{result.body.strip() or NO_TEXT}\n\n{head}"


def _confidence(memory: Memory) -> str:
    """Return the confidence with which a memory was saved, and the one that follows from its independent sources, 0..1."""
    sources = 1 + memory.confirmations
    return f"{memory.confidence} ({confidence_by_sources(memory.trust, sources):.2f} by {counted(sources, 'source')})"


def _whose_word(memory: Memory) -> str:
    """Return whose memory it is, and whether the person confirmed it; "" for the person's own."""
    space, _, name = memory.source.removeprefix(COLLEAGUE).partition("/")
    if memory.source.startswith(COLLEAGUE):
        text = f"{name}'s, from the space {space}"
        return (
            f"{text}; you confirmed it, so it counts as yours" if memory.trust == "user" else f"{text}; you did not confirm it"
        )
    return "somebody else's; you did not confirm it" if memory.trust == QUARANTINED else ""


def memory_or_provenance_text(result: Memory | Provenance) -> str:
    """Return one memory, with its evidence if it was asked for."""
    return provenance_text(result) if isinstance(result, Provenance) else memory_text(result)


def provenance_text(result: Provenance) -> str:
    """Return one memory and its evidence: source, quoted words, and confirmations."""
    lines = [f"  {name.removeprefix('mining_'):<18}{_listed(value)}" for name, value in result.evidence.items()]
    if result.shares:
        lines.append("  claims            " + ", ".join(f"{share:.0%} {name}" for name, share in sorted(result.shares.items())))
    lines += [f"  said by {passage.role or passage.speaker} {passage.ref}: {snippet(passage.text)}" for passage in result.said]
    lines += [
        f"  confirmed {confirmed.time[:10]} by {confirmed.actor}{': ' * bool(confirmed.said)}{snippet(confirmed.said)}"
        for confirmed in result.confirmed
    ]
    return "\n".join([memory_text(result.memory), "", "Evidence", *(lines or ["  none is known"])])


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def counted(count: int, what: str) -> str:
    many = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count:,} {what if count == 1 else many}"


def found_by(rationale: str) -> str:
    """Return why a memory was proposed, for a person: without the name of the pattern that found it."""
    name, _, reason = rationale.partition(": ")
    if not reason or "." not in name or " " in name:
        return rationale
    return f"the words {reason}" if reason.startswith('"') else reason


def items_text(result: tuple[Item, ...]) -> str:
    """Return a line for each item."""
    if not result:
        return "No memories here."
    return "\n".join(
        f"{day(item.updated)}  {item.kind:<11} {_mark(item)}{item.title}  ({short_id(item.key)})" for item in result
    )


def _mark(item: Item) -> str:
    return "" if item.status == "active" else f"[{item.status}] "


def day(moment: datetime | None) -> str:
    return f"{moment.astimezone():%Y-%m-%d}" if moment else "          "


def snippet(text: str, question: str = "", limit: int = SNIPPET_CHARS) -> str:
    """Return Markdown as one line of plain text, cut between words. It begins shortly before the longest word of the question that it
    contains, else at its start."""
    flat = readable_line(text)
    if len(flat) <= limit:
        return flat
    places = (
        flat.lower().find(word) for word in sorted(_WORD.findall(question.lower()), key=len, reverse=True) if len(word) > 3
    )
    place = next((count for count in places if count >= 0), 0)
    start = 0 if place < limit - SNIPPET_AFTER_CHARS else flat.find(" ", place - SNIPPET_BEFORE_CHARS) + 1
    cut = flat[start : start + limit]
    end = cut.rsplit(" ", 1)[0] + " ..." if start + limit < len(flat) else cut
    return f"... {end}" if start else end


#: How many near misses are named if nothing is known.
NEAREST_SHOWN = 2


def nothing_known(result: Recall, *, see: bool = True) -> str:
    """Return that nothing is known, with the near misses; `see`: and the command that shows them. Numbers are confidences, 0 to 1."""
    if result.verdict == COULD_NOT_SEARCH:
        return "Could not search: " + "; ".join(result.missing)
    near = nearest(result)
    if result.confidence < result.threshold:
        text = f"Nothing known about that (confidence {result.confidence:.2f}, threshold {result.threshold:.2f})."
        named = [f"{left.title} ({left.confidence:.2f})" if left.confidence is not None else left.title for left in near]
    else:  # near enough, but left out for another reason
        text = "Nothing known about that."
        named = [f"{left.title} ({in_words(left.why)})" for left in near]
    more = f" See them with: vade search {shlex.quote(result.query.text)}" if see else ""
    return f"{text} Nearest: {'; '.join(named)}.{more}" if named else text


def nearest(result: Recall) -> list[Left]:
    """Return the nearest hits that were left out, nearest first, each once."""
    farthest_first = sorted(result.left, key=lambda left: left.score)
    return list({left.title: left for left in farthest_first if left.title}.values())[::-1][:NEAREST_SHOWN]


def bundle_text(result: Bundle) -> str:
    """Return the text of a bundle, then notes about it."""
    head = result.text or _no_text(result)
    facts = [f"{result.tokens} of {result.budget_tokens} tokens"]
    if result.loaded:
        facts.append(f"loaded {len(result.loaded)}: " + ", ".join(result.loaded))
    if result.omitted:
        facts.append(f"left out {len(result.omitted)}: " + ", ".join(result.omitted))
    facts += [f"without {reason}" for reason in result.missing]
    return head + "\n\n-- " + "\n-- ".join(facts)


def _no_text(result: Bundle) -> str:
    if result.omitted:
        what = f"{len(result.omitted)} {'memory' if len(result.omitted) == 1 else 'memories'}"
        return f"No room: {result.budget_tokens} tokens are too few for any of {what}. Give a larger budget."
    return nothing_known(result.recall) if result.recall else "Nothing to show yet."


def moment(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}  " if moment else ""


def age_of(moment: datetime, now: datetime) -> str:
    """Return an age in the largest unit that fits."""
    hours = max(0, int((now - moment).total_seconds() // 3600))
    if hours < 1:
        return "just now"
    return f"{hours} h ago" if hours < 48 else f"{hours // 24} days ago"
