"""Compose the text of a briefing from selected memories.

The order of the sections is fixed and the stable ones come first, so that a host's prompt cache keeps working. Each section has
a quota of the budget, which differs inside and outside a project. A memory that does not fit is shortened, then skipped and named
in the result (X-18). The caller selects the items, so nothing of another agent or project can enter (X-16).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.budget import Piece, Section, pack
from vademecum.domain.decay import importance_of
from vademecum.domain.item import Item
from vademecum.domain.procedural import ANY_AGENT, BRIEFED, DEFAULT_CONTEXT, SELF, contexts_of, own_notes
from vademecum.domain.project_document import ProjectDocument
from vademecum.domain.query import PREAMBLE, Bundle
from vademecum.domain.session import Snapshot
from vademecum.domain.tokens import estimate_tokens
from vademecum.inject.briefing_extras import documents_section, proactive_section
from vademecum.inject.numbers import (
    BRIEFING_TEXT_SHORT_CHARS,
    CHOSEN_FROM,
    KEEPING_FROM,
    LONGER_TEXT_CHARS,
    PART_CHARS,
    STYLES_FROM,
    TEXT_CHARS,
    USED_LEAST,
    USED_SHARE,
)
from vademecum.inject.recovery import INTERRUPTED, recovery_lines
from vademecum.inject.render import KEEPING, UNCONFIRMED_HEADING, Marks, is_unconfirmed, memory_line
from vademecum.language.checkboxes import open_lines
from vademecum.language.load import languages
from vademecum.language.patterns import speech
from vademecum.language.sentences import sentences

Order = Literal["priority", "recent"]


class BriefingSection(Struct, frozen=True):
    """One section of the briefing.

    Attributes:
        kinds: kinds of its memories; None: any memory marked always_load.
        marks: if set, it holds memories of any kind with one of these as facet or tag.
        most: maximum number of memories.
        quota: maximum share of the budget, in a project and elsewhere: project work needs decisions, a talk needs the person.
        rank: under a small budget, sections with a high rank are dropped first (IN-27).
        standing: it holds orders meant to last, of any kind in `kinds`.
        waits: what was only read from a conversation may be kept for the session's first prompts.
        by_work: it holds only memories of the current work, when that is known; if there are more than `most`, those related to it.
        order: "priority" (then importance), "importance" (effective, now) or "recent".
        unconfirmed: it holds the unconfirmed statements of agents that would belong to any other section.
    """

    heading: str
    kinds: tuple[str, ...] | None
    most: int
    quota: tuple[float, float]
    rank: int
    order: Literal["priority", "importance", "recent"]
    marks: tuple[str, ...] = ()
    unconfirmed: bool = False
    by_work: bool = False
    standing: bool = False
    waits: bool = False


#: Kinds of lessons, and of open tasks.
_LEARNED = ("lesson", "fix", "incident", "procedure")
_TO_DO = ("task", "plan")
#: Kinds that an order meant to last may be saved as.
STANDING_KINDS = ("preference", "decision", "spec", "fact", "lesson", "procedure")


#: In the order of the text. Quotas are upper bounds and need not add up to one. The quotas of the five lowest ranks add up to at
#: most one, so each of these sections always has its room.
SECTIONS = (
    BriefingSection("### The person", ("identity", "preference"), 4, (0.25, 0.40), 5, "importance"),
    BriefingSection("### How to talk with the person", ("style",), 5, (0.10, 0.15), 6, "importance"),
    BriefingSection("### Known corrections", (), 6, (0.30, 0.25), 3, "importance", BRIEFED),
    BriefingSection("### The agent's notes about itself, not about the person", (SELF,), 12, (0.10, 0.10), 9, "importance"),
    BriefingSection("### This project", ("project",), 3, (0.15, 0.05), 1, "recent"),
    BriefingSection("### Standing rules", STANDING_KINDS, 4, (0.25, 0.20), 5, "importance", standing=True),
    BriefingSection("### Always", None, 40, (0.45, 0.45), 4, "priority"),
    BriefingSection("### Decided", ("decision", "spec"), 4, (0.35, 0.20), 7, "importance", by_work=True, waits=True),
    BriefingSection("### Learned", _LEARNED, 3, (0.40, 0.25), 8, "importance", by_work=True, waits=True),
    BriefingSection("### Where the last session stopped", ("handoff",), 1, (0.30, 0.20), 0, "recent", waits=True),
    BriefingSection("### Open", _TO_DO, 3, (0.20, 0.20), 2, "recent", waits=True),
    BriefingSection(UNCONFIRMED_HEADING, None, 4, (0.20, 0.15), 10, "importance", unconfirmed=True),
)

#: Kinds that describe a repair. The code contains the repair, so they matter again only if the problem returns.
_REPAIRED = ("fix", "incident")

HEADING = "## Briefing"


class Work(Struct, frozen=True):
    """The current work of a project.

    Attributes:
        touch: item -> how closely it relates to the work, 0 for not at all.
        since: what was said from then on belongs to it; aware, UTC.
    """

    touch: Callable[[Item], float]
    since: datetime


class BriefingFacts(Struct, frozen=True, kw_only=True):
    """What a briefing is composed of beside the memories.

    Attributes:
        recovery: last words of an interrupted session. Their room is reserved, so nothing else pushes them out.
        missing: what is not known, one sentence each.
        contexts: where the person talks; styles for other contexts are left out.
        later_of: item key -> a later memory that may have replaced it, shown right before it. Called for selected memories only.
        since: item -> what changed in the code that it names, or "". Called for selected memories only.
        work: the current work; None: it is unknown.
        in_project: the session works in a project; selects the quotas.
        holds_back: what does not bind any work whatever its subject is kept for the session's first prompt.
        documents: the project's own documents, shown where there is room.
    """

    recovery: Snapshot | None = None
    missing: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    later_of: Callable[[str], Item | None] = lambda _: None
    since: Callable[[Item], str] = lambda _: ""
    work: Work | None = None
    in_project: bool = True
    holds_back: bool = False
    documents: Sequence[ProjectDocument] = ()


NO_FACTS = BriefingFacts()


def compose_briefing(
    items: Sequence[Item],
    text_of: Callable[[str], str],
    budget_tokens: int,
    now: datetime,
    facts: BriefingFacts = NO_FACTS,
) -> Bundle:
    """Compose the briefing within its budget.

    Args:
        items: every active item in scope, in any order.
        text_of: item key -> text of the memory, called for selected memories only; for "" the summary or title is shown.
        facts: what is known beside the memories.
    """
    recovery = facts.recovery
    sections = []
    placed_before: set[str] = set()
    held_back: list[str] = []
    for row, chosen in _chosen(items, facts.contexts, now, facts.work):
        placed = _with_later(chosen, facts.later_of, placed_before)
        if facts.holds_back and row.waits:
            waiting = _waiting(placed)
            held_back += waiting
            placed = [(item, later) for item, later in placed if item.key not in waiting]
        pieces = tuple(
            _piece(row, item, text_of, now, Marks(later.key if later else "", facts.since(item))) for item, later in placed
        )
        sections.append(Section(row.heading, pieces, row.quota[not facts.in_project], row.rank))
    beside = [documents_section(facts.documents, budget_tokens, 0), proactive_section(items, now, 1)]
    head = "\n".join([HEADING, PREAMBLE, *([KEEPING] if budget_tokens >= KEEPING_FROM else [])])
    last_words = recovery_lines(recovery, now) if recovery else ""
    if estimate_tokens(f"{head}\n\n{last_words}") > budget_tokens:
        last_words = ""
    frame = f"{head}\n\n{last_words}\n\n" if last_words else head
    room = min(budget_tokens, max(USED_LEAST, int(budget_tokens * USED_SHARE)) + _tokens_always(sections))
    memories = pack(sections, room, frame=frame)
    others = pack(beside, budget_tokens, frame=f"{frame}\n\n{memories.text}\n\n")
    texts = [part for part in (memories.text, others.text, last_words) if part]
    text = "\n\n".join([head, *texts]) if texts else ""
    taken, omitted = (*memories.taken, *others.taken), (*memories.omitted, *others.omitted)
    return Bundle(
        text=text,
        tokens=estimate_tokens(text),
        budget_tokens=budget_tokens,
        loaded=(*(piece.title for piece in taken if piece.key), *((INTERRUPTED,) if recovery and last_words else ())),
        omitted=(*(piece.title for piece in omitted if piece.key), *((INTERRUPTED,) if recovery and not last_words else ())),
        missing=facts.missing,
        keys=tuple(piece.key for piece in taken if piece.key),
        held_back=tuple(held_back),
    )


def _tokens_always(sections: Sequence[Section]) -> int:
    """Return the tokens of the section that is always shown."""
    always = next(section for section, row in zip(sections, SECTIONS, strict=True) if row.kinds is None and not row.marks)
    return sum(estimate_tokens(piece.text) + 1 for piece in always.pieces)


def _chosen(
    items: Sequence[Item], contexts: tuple[str, ...], now: datetime, work: Work | None
) -> Iterator[tuple[BriefingSection, Sequence[Item]]]:
    """Yield each section with its memories, best first; no memory is in two sections."""
    taken: set[str] = set()
    wanted = {DEFAULT_CONTEXT, *contexts}
    own = {item.key for some in own_notes(item for item in items if item.kind == SELF).values() for item in some}
    meant = [item for item in items if item.kind != "style" or wanted.intersection(contexts_of(item.tags))]
    meant = [item for item in meant if item.kind != SELF or item.key in own]
    for row in SECTIONS:
        chosen = [item for item in _of(row, meant, now, work) if item.key not in taken][: row.most]
        taken.update(item.key for item in chosen)
        yield row, chosen


def _with_later(
    chosen: Sequence[Item], later_of: Callable[[str], Item | None], names: set[str]
) -> list[tuple[Item, Item | None]]:
    """Put the later memory that may have replaced a memory right before it, unless it is already shown.

    The later of two conflicting memories is read first.

    Args:
        names: keys shown by earlier sections; the keys placed here are added.
    """
    placed: list[tuple[Item, Item | None]] = []
    for item in chosen:
        later = later_of(item.key)
        both = ((later, later_of(later.key)), (item, later)) if later else ((item, None),)
        placed += [(shown, by) for shown, by in both if shown.key not in names]
        names.update(shown.key for shown, _ in both)
    return _behind_the_later(placed)


def _behind_the_later(placed: Sequence[tuple[Item, Item | None]]) -> list[tuple[Item, Item | None]]:
    """Reorder so that each memory follows the later one that may have replaced it, if that is in the list."""
    keys = {item.key for item, _ in placed}
    behind: dict[str, list[tuple[Item, Item | None]]] = {}
    ordered: list[tuple[Item, Item | None]] = []
    for item, later in placed:
        if later and later.key in keys:
            behind.setdefault(later.key, []).append((item, later))
    for item, later in placed:
        if not (later and later.key in keys):
            ordered += [(item, later), *behind.pop(item.key, ())]
    return [*ordered, *(pair for rest in behind.values() for pair in rest)]


def _waiting(placed: Sequence[tuple[Item, Item | None]]) -> list[str]:
    """Return the keys of the memories that wait for the session's first prompt, because nothing at a start foretells its subject.

    They were only read from one conversation, and nobody confirmed them. Both sides of a conflict are shown at the start.
    """
    in_conflict = {key for item, later in placed if later for key in (item.key, later.key)}
    return [
        item.key
        for item, _ in placed
        if item.trust == "extracted" and item.last_confirmed is None and item.key not in in_conflict
        if item.status == "active" and not _stays(item)
    ]


def _piece(row: BriefingSection, item: Item, text_of: Callable[[str], str], now: datetime, marks: Marks) -> Piece:
    title, text, short = texts_of(item, text_of(item.key))
    longer = row.order == "priority" or item.kind == "handoff"
    known = (*(row.kinds or ()), "trust: agent" if row.unconfirmed else "trust: extracted" if item.kind == "handoff" else "")
    line = partial(memory_line, replace(item, title=title), now=now, known=known, marks=marks)
    return Piece(
        item.key,
        item.title,
        line(text=text, most_chars=LONGER_TEXT_CHARS if longer else TEXT_CHARS),
        line(text=short, most_chars=BRIEFING_TEXT_SHORT_CHARS),
    )


def texts_of(item: Item, text: str) -> tuple[str, str, str]:
    """Return the title and text shown for a memory, and a shorter text for when there is little room.

    For a task: only its open items. For a handoff: what was done and left open, with what was asked as the title, because its own title
    repeats both; if nothing is open, only what was done.
    """
    if item.kind in _TO_DO:
        text = open_lines(text)
    if item.kind == "handoff":
        parts = dict(line.partition(": ")[::2] for line in text.splitlines() if ": " in line)
        asked, done, left, last = (
            " ".join(f"{name}: {_cut(parts[name])}" for name in names if name in parts)
            for names in (("Asked",), ("Done",), ("Open", "Next"), ("Last message",))
        )
        if not left:  # the title says what was asked and that it is done
            return item.title, done or last or text or item.summary, done or last or item.summary or text
        return asked or item.title, " ".join(filter(None, (done, left))), left
    return item.title, text or item.summary, item.summary or text


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= PART_CHARS else f"{flat[:PART_CHARS].rpartition(' ')[0]} ..."


def candidates(select: Callable[[Mapping[str, Any], Order, int], Sequence[Item]], agent: str = "") -> list[Item]:
    """Return every item that a section may show. Each kind is selected separately, so that no kind crowds out another.

    Args:
        select: (scope fields that narrow the selection, order, maximum) -> items.
        agent: agent whose notes about itself are included, beside those of the agent over all tools; "" for none.
    """
    items: dict[str, Item] = {}
    for row in SECTIONS:
        for where in _narrowed(row, agent):
            most = STYLES_FROM if row.kinds == ("style",) else row.most if row.order == "recent" else CHOSEN_FROM
            items |= {item.key: item for item in select(where, "recent" if row.order == "recent" else "priority", most)}
    return list(items.values())


def _narrowed(row: BriefingSection, agent: str) -> Iterator[Mapping[str, Any]]:
    if row.unconfirmed:
        return
    if row.marks:
        yield {"tags": row.marks}
    elif row.kinds is None:
        yield {"always_load": True}
    else:
        yield from (
            {"kinds": (kind,), **({"agents": (ANY_AGENT, agent or ANY_AGENT)} if kind == SELF else {})} for kind in row.kinds
        )


def _of(row: BriefingSection, items: Sequence[Item], now: datetime, work: Work | None) -> list[Item]:
    fitting = [item for item in items if _belongs(row, item)]
    newest = sorted(fitting, key=lambda item: (item.updated is not None, item.updated, item.key), reverse=True)
    if row.order == "recent":
        return newest
    if work is None:
        return sorted(newest, key=lambda item: (-item.priority, -importance_of(item, now)))
    worth = {item.key: work.touch(item) for item in newest}
    if not row.by_work:
        return sorted(
            newest, key=lambda item: (-item.priority, not is_standing(item), -worth[item.key], -importance_of(item, now))
        )
    current = [item for item in newest if _stays(item) or _may_matter_now(item, worth[item.key], work.since)]
    few = len(current) <= row.most
    wanted = [item for item in current if few or worth[item.key] > 0 or _stays(item)]
    return sorted(
        wanted, key=lambda item: (-item.priority, not came_up_again(item), -worth[item.key], -importance_of(item, now))
    )


def _stays(item: Item) -> bool:
    return item.pin or item.priority > 0 or came_up_again(item)


def _may_matter_now(item: Item, worth: float, since: datetime) -> bool:
    """Return whether a start may show a decision or lesson; prompts and tool calls find the others.

    A memory that a person or an agent saved always may. One that was extracted, and came up in a single conversation, may only if it
    was said during the current work, relates to it, and describes no repair.

    Args:
        worth: how closely it relates to the current work.
    """
    if item.trust != "extracted":
        return True
    said = item.last_confirmed or item.said_at
    return worth > 0 and item.kind not in _REPAIRED and (said is None or said >= since)


def leaves_nothing_open(text: str) -> bool:
    """Return whether a handoff says what was done, and neither what is open nor what is next."""
    names = {line.partition(": ")[0] for line in text.splitlines()}
    return "Done" in names and names.isdisjoint(("Open", "Next"))


def came_up_again(item: Item) -> bool:
    """Return whether a lesson was confirmed in a later session; it is then shown whatever the session is about."""
    return item.kind in _LEARNED and item.confirmations > 0


def is_standing(item: Item) -> bool:
    """Return whether a memory is an order meant to last ("always run ...", "never ...", "from now on you must ...")."""
    lasting, request, imperative = speech("lasting"), _sign("evidence", "request"), _sign("binding", "imperative")
    title = (item.title, *(sentence.said for sentence in sentences(item.summary)))
    return any(
        lasting.match(entry) or (lasting.search(entry) and (request.search(entry) or imperative.match(entry)))
        for entry in title
    )


def _sign(file: str, sign: str) -> re.Pattern[str]:
    return languages().sign(file, sign)


def _belongs(row: BriefingSection, item: Item) -> bool:
    if row.unconfirmed:
        return is_unconfirmed(item) and any(_fits(other, item) for other in SECTIONS if not other.unconfirmed)
    return _fits(row, item) and not is_unconfirmed(item)


def _fits(row: BriefingSection, item: Item) -> bool:
    if row.standing:
        return item.kind in STANDING_KINDS and not item.always_load and is_standing(item)
    if row.marks:
        return not set(row.marks).isdisjoint((item.facet, *item.tags))
    return item.always_load if row.kinds is None else item.kind in row.kinds
