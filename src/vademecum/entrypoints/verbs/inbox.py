"""Verbs to decide about proposals in the inbox."""

from typing import Literal, TypedDict, Unpack

from vademecum.api import Vademecum
from vademecum.domain.errors import InvalidInput
from vademecum.domain.ids import short_id
from vademecum.domain.item import Item
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import CONFIDENCES, By
from vademecum.entrypoints.decisions import decision_lines
from vademecum.entrypoints.text import day, describe
from vademecum.entrypoints.verbs.verb import REF, Param, Verb, body_param
from vademecum.plugin import after_review
from vademecum.write.review import Decided, Decision, PatternFare

#: The possible decisions about a proposal.
DECISIONS = ("approve", "edit", "reject", "skip", "supersede")

#: Most proposals that are ranked; more than ever wait.
_LOOKED_AT = 5_000

_DECIDED = {"approve": "approved", "edit": "edited", "reject": "rejected", "skip": "left waiting", "supersede": "approved"}


def _review_screen(memory: Vademecum) -> None:
    from vademecum.entrypoints.screens.review import review_in_terminal

    review_in_terminal(memory)


def _inbox(memory: Vademecum, limit: int, project: str, by: By) -> tuple[Item, ...]:
    waiting = memory.notes.list(_LOOKED_AT, status=("inbox",), project=project, by=by)
    return memory.inbox.likeliest_first(waiting)[:limit]


def inbox_text(result: tuple[Item, ...]) -> str:
    """Return a line for each proposal, and how to decide."""
    if not result:
        return "The inbox is empty."
    lines = [f"{short_id(item.key)}  {day(item.updated)}  {item.kind:<11} {item.title}" for item in result]
    return "\n".join([*lines, "Decide: vade review ID approve (or reject, edit); in a terminal all, one by one: vade review"])


class _Given(TypedDict):
    """What else is said about one proposal."""

    reason: str
    body: str | None
    older: str


class _Which(TypedDict):
    """The decision about several proposals, and which."""

    decision: Literal["approve", "reject"]
    kind: str
    confidence: str
    older_than_hours: int
    pattern: str


def _review(memory: Vademecum, ref: str, decision: Decision | Literal[""], by: By, **given: Unpack[_Given]) -> Decided:
    if not ref:
        raise InvalidInput("Which one? Without one, vade review needs a terminal.", "See what waits: vade inbox")
    if not decision:
        raise InvalidInput(
            f"Say what to do with {ref!r}.", f"One of these: vade review {ref} approve|edit|reject|skip|supersede"
        )
    done = memory.inbox.decide(ref, decision, by=by, **given)
    return after_review(memory, (done,), by)[0]


def _review_all(memory: Vademecum, by: By, **which: Unpack[_Which]) -> tuple[Decided, ...]:
    return after_review(memory, memory.inbox.decide_all(by=by, **which), by)


def reviewed_text(result: Decided) -> str:
    """Return what happened to a proposal and to related memories."""
    texts = [f"  {line}" for line in decision_lines(result)]
    back = [] if result.decision == "skip" else [f"  take it back with: vade undo {short_id(result.memory.id)}"]
    return "\n".join([f"{_DECIDED[result.decision]}: {describe(result.memory)}", *texts, *back])


def reviewed_all_text(result: tuple[Decided, ...]) -> str:
    """Return how many were decided."""
    if not result:
        return "Nothing in the inbox matches."
    lines = [f"  {short_id(one.proposal)}: {line}" for one in result for line in decision_lines(one)]
    return "\n".join([f"{result[0].decision}: {len(result)}. Each can be taken back with: vade undo ID", *lines])


def patterns_text(result: tuple[PatternFare, ...]) -> str:
    """Return one line for each extractor, then one for each pattern."""
    if not result:
        return "No proposal was decided yet. Decide with: vade review"
    totals: dict[str, list[int]] = {}
    for pattern_fare in result:
        counts = totals.setdefault(pattern_fare.extractor, [0, 0])
        counts[0] += pattern_fare.accepted
        counts[1] += pattern_fare.accepted + pattern_fare.rejected
    summed = [f"{name:<10} {right} of {of} accepted ({right / of:.0%})" for name, (right, of) in sorted(totals.items())]
    return (
        "\n".join(summed)
        + "\n\n"
        + "\n".join(
            f"{fare.name:<32} {fare.accepted} of {fare.accepted + fare.rejected} accepted"
            + (f", believed {fare.lowered} {'step' if fare.lowered == 1 else 'steps'} less" if fare.lowered else "")
            for fare in result
        )
    )


VERBS = (
    Verb("inbox", "List what waits for your review, the most likely first.",
         (Param("limit", "number", "Maximum number of proposals; the others still wait.", 20, least=1),
          Param("project", "text", "Only this project's.", "")),
         _inbox, inbox_text, signed=True),
    Verb("review", "Approve, reject or edit what waits in the inbox; without REF, in a terminal, all of it with one key each.", (
        Param("ref", "text", REF, "", place=True, named="memory"),
        Param("decision", "text", "What to do with it.", "", place=True, choices=("", *DECISIONS)),
        Param("reason", "text", "The reason, for the history.", ""),
        body_param("The new text, for edit."),
        Param("older", "text", "The memory that it replaces, for supersede.", ""),
    ), _review, reviewed_text, writes=True, screen=_review_screen, standing="everyday", signed=True),
    Verb("review-all", "Approve or reject everything in the inbox that matches.", (
        Param("decision", "text", "What to do with all of them.", place=True, choices=("approve", "reject")),
        Param("kind", "text", "Only this kind.", "", choices=("", *KINDS)),
        Param("confidence", "text", "Only proposals at least this likely.", "", choices=("", *CONFIDENCES)),
        Param("older_than_hours", "number", "Only what has waited this long.", 0),
        Param("pattern", "text", "Only what this pattern proposed, such as import.paste for text pasted from ChatGPT.", ""),
    ), _review_all, reviewed_all_text, writes=True, agents=False, signed=True),
    Verb("inbox --patterns", "The patterns that propose memories, and how many proposals of each you accepted and rejected.", (),
         Vademecum.inbox.patterns, patterns_text),
)  # fmt: skip
