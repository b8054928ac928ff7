"""Render memories as lines of Markdown that an agent reads as data: each with its age, source, trust and id (rule 10)."""

from datetime import datetime

from msgspec import Struct

from vademecum.domain.decay import is_stale
from vademecum.domain.ids import short_id
from vademecum.domain.item import Item, Passage
from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.procedural import DEFAULT_CONTEXT, SELF, contexts_of
from vademecum.domain.query import Hit
from vademecum.domain.validity import validity
from vademecum.inject.numbers import NOTICE_TITLE_CHARS, PIECE_MAX_CHARS, WORDS_MAX_CHARS
from vademecum.language.text import brief

#: KEEPING is shown at the head of a briefing. ASKED_TO_KEEP is shown at a prompt that asks to save something; it begins with a fact,
#: because an agent reads memory as data.
KEEPING = "Save standing rules, agreed decisions, corrections and lessons with save_to_memory; `quote`: the person's own words."
ASKED_TO_KEEP = (
    "The person states something to remember: save it with save_to_memory, with those words as `quote`, or with `vade save`."
)

#: Heading of what agents saved without confirmation by the person; shown last, and never as the person's statement.
UNCONFIRMED_HEADING = "### Said by agents, not confirmed by the person"
#: Kinds written in an agent's own voice, under a heading that says so.
_OWN_VOICE = (SELF, "handoff")

#: End of a sentence: after a closing mark, and before anything but a lower-case letter.
_SENTENCE_END = late_pattern(r"(?<=[.!?;])(?<![.\s]\w[.])[\"')\]]*(?= [^\sa-z])|(?<=[。！？])")
#: Prefix of a memory that a later one may have replaced.
EARLIER = "earlier: "
#: The context line in the text of a style.
_CONTEXT_LINE = late_pattern(r"\bContext: \S+(?=\s|$)")


def asked_to_keep(words: str) -> str:
    """Return the instruction shown at a prompt that asks to save something, with the words to save."""
    return f'{ASKED_TO_KEEP} The words: "{brief(words, WORDS_MAX_CHARS)}"'


def is_unconfirmed(item: Item) -> bool:
    """Return whether an agent said it and nobody has confirmed it since."""
    return item.trust == "agent" and item.last_confirmed is None and item.kind not in _OWN_VOICE


class Marks(Struct, frozen=True):
    """Remarks shown beside a memory: the key of one that may have replaced it, what changed in the code that it names, and what it
    replaces.
    """

    may_be_replaced_by: str = ""
    since: str = ""
    replaces: str = ""


UNMARKED = Marks()


def memory_line(
    item: Item,
    text: str,
    now: datetime,
    *,
    most_chars: int | None = PIECE_MAX_CHARS,
    known: tuple[str, ...] = (),
    marks: Marks = UNMARKED,
) -> str:
    """Return `- **title**: text (facts)` in one paragraph; a title that the text begins with is not repeated.

    Args:
        most_chars: maximum characters of the text; None: all of it.
        known: facts that the heading above states already: the kind, the trust.
    """
    facts = [fact for fact in _facts(item, item.valid_from or item.updated, now) if fact not in known]
    if item.kind == "style":
        contexts = [context for context in contexts_of(item.tags) if context != DEFAULT_CONTEXT]
        title = item.title.removeprefix(f"{', '.join(contexts)}: ")
        entry = _said(title, flat(_CONTEXT_LINE.sub(" ", text)))
        return f"- {', '.join(contexts)}{': ' if contexts else ''}{entry} ({', '.join(facts)})"
    if marks.may_be_replaced_by:
        facts.insert(-1, f"may be outdated: see {short_id(marks.may_be_replaced_by)}")
    if marks.replaces:
        facts.insert(-1, f'replaces "{brief(marks.replaces, NOTICE_TITLE_CHARS)}"')
    if marks.since:
        facts.insert(-1, f"since then {marks.since}")
    return f"- {EARLIER if marks.may_be_replaced_by else ''}{_said(item.title, flat(text, most_chars))} ({', '.join(facts)})"


def hit_lines(hit: Hit, now: datetime) -> str:
    """Return the matched passage of a hit; further passages of its note or conversation follow on lines below."""
    if hit.item.source == "session":
        further = (f'  - {turn.speaker or "somebody"} said: "{flat(turn.text)}"' for turn in hit.more)
        return "\n".join((_quote(hit.item, hit.passage, now), *further))
    line = memory_line(hit.item, hit.passage.text, now, marks=Marks(hit.may_be_replaced_by, hit.since, hit.replaces))
    return "\n".join((line, *(f"  - {flat(passage.text)}" for passage in hit.more)))


def age(moment: datetime | None, now: datetime) -> str:
    """Return how long ago a moment was, in the largest unit that is not zero; "" for None."""
    if moment is None:
        return ""
    days = (now - moment).days
    if days < 1:
        return "today"
    for unit, length in (("year", 365), ("month", 30), ("week", 7), ("day", 1)):
        if days >= length:
            count = days // length
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return ""


def _quote(item: Item, passage: Passage, now: datetime) -> str:
    moment = passage.time or item.updated
    speaker = passage.speaker or "somebody"
    when = f"{moment.astimezone():%Y-%m-%d}" if moment else "undated"
    return f'- {when}, {speaker} said: "{flat(passage.text)}" ({", ".join(_facts(item, moment, now))})'


def _facts(item: Item, moment: datetime | None, now: datetime) -> list[str]:
    facts = [item.kind if item.source == "memory" else item.source, age(moment, now)]
    if item.status != "active":
        facts.append(item.status)
    if holds := validity(item, now):
        facts.append(holds)
    if item.source == "memory" and is_stale(item.kind, item.last_confirmed or item.updated, now, item.confirmations):
        facts.append("stale")
    if item.trust != "user":
        facts.append(f"trust: {item.trust}")
    if item.confidence == "low":
        facts.append("unsure")
    facts.append(short_id(item.key))
    return [fact for fact in facts if fact]


def flat(text: str, most: int | None = PIECE_MAX_CHARS) -> str:
    """Return one line of complete sentences of at most `most` characters; if the first sentence is longer, complete words."""
    flat = " ".join(text.split())
    if most is None or len(flat) <= most:
        return flat
    ends = [end.end() for end in _SENTENCE_END.finditer(flat, 0, most + 1)]
    return (flat[: ends[-1]] if ends else flat[:most].rsplit(" ", 1)[0]) + " ..."


def _said(title: str, text: str) -> str:
    """Return the title in bold, followed by what the text adds to it."""
    name, plain = title.rstrip("… "), text.lstrip("# ")
    if plain[: len(name)].lower() != name.lower():
        return f"**{title}**: {text}" if text else f"**{title}**"
    rest = plain[len(name) :].rstrip()
    if rest and rest[0].isalnum():
        return f"**{title}**: {text}"
    return f"**{name}**{rest}".rstrip(".")
