"""Verdict on each memory of a session: expected, double, allowed, or junk; and the resulting figures."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from vademecum_bench.real.labels import Expected, Label
from vademecum_bench.real.ruler import NEAR, match, near, paired, shares, target_expected, target_of, words_of

Verdict = Literal["right", "double", "allowed", "junk"]
#: Minimum share of the expected statement's words in a memory that can be understood without its session.
ALONE = 0.5
#: Groups of statuses that are judged together, so that a waiting memory never takes the place of an active one.
VIEWS: Mapping[str, frozenset[str]] = {
    "active": frozenset({"active"}),
    "waiting": frozenset({"inbox"}),
    "active and waiting": frozenset({"active", "inbox"}),
}


class Kept(Struct, frozen=True):
    """A memory that a session created or confirmed.

    Attributes:
        turns: refs of its source turns.
        again: it was known before.
        replaced: ids of memories of earlier sessions that it replaced.
        lasting: it is still active after the person's last session.
    """

    id: str
    kind: str
    text: str
    status: str
    turns: frozenset[str]
    again: bool = False
    replaced: tuple[str, ...] = ()
    lasting: bool = True


class Judged(Struct, frozen=True):
    """A memory with its verdict.

    Attributes:
        which: id of the expected thing that it matches; "" for none.
        kind_right, alone: of a right one.
        tempted: junk that the label predicted.
        pasted: it comes from a pasted turn.
    """

    kept: Kept
    verdict: Verdict
    which: str = ""
    kind_right: bool = False
    alone: bool = False
    tempted: bool = False
    pasted: bool = False


def judge(label: Label, memories: Sequence[Kept]) -> list[Judged]:
    """Return the verdict on every memory of a session."""
    targets = [target_expected(one) for one in label.expect]
    said = [words_of(one.text) for one in memories]
    scores = [
        {column: match(said[row], one.turns, target, again=one.again) for column, target in enumerate(targets)}
        for row, one in enumerate(memories)
    ]
    pairs = paired(scores)
    return [
        _right(label, one, said[row], label.expect[pairs[row]])
        if row in pairs
        else _other(label, one, said[row], bool(max(scores[row].values(), default=0)))
        for row, one in enumerate(memories)
    ]


def _right(label: Label, one: Kept, said: frozenset[str], expected: Expected) -> Judged:
    kind_right = one.kind in (expected.kind, *expected.kinds)
    alone = shares(said, words_of(expected.statement))[1] >= ALONE
    return Judged(one, "right", expected.id, kind_right, alone, pasted=bool(label.pasted & one.turns))


def _other(label: Label, one: Kept, said: frozenset[str], is_double: bool) -> Judged:
    verdict: Verdict = "double" if is_double else "junk"
    allowed = [part for entry in label.allow for part in target_of(entry.quotes).parts]
    if not is_double and any(shares(said, part)[0] >= NEAR for part in allowed):
        verdict = "allowed"
    tempted = verdict == "junk" and any(near(said, words_of(entry.quote)) for entry in label.tempting)
    return Judged(one, verdict, tempted=tempted, pasted=bool(label.pasted & one.turns))


def judged_all(
    labels: Iterable[Label], kept: Mapping[str, Sequence[Kept]], statuses: Collection[str]
) -> list[tuple[Label, list[Judged]]]:
    """Return (label, verdicts on its memories in one of these statuses) for each session."""
    return [(one, judge(one, [memory for memory in kept.get(one.path, ()) if memory.status in statuses])) for one in labels]


def figures(judged: Sequence[tuple[Label, Sequence[Judged]]]) -> dict[str, Any]:
    """Return figures over sessions: counts, shares (None without a denominator), and `found` of `expected` by group."""
    fresh = [one for _, some in judged for one in some if not one.kept.again]
    verdicts = Counter(one.verdict for one in fresh)
    right = [one for one in fresh if one.verdict == "right"]
    junk = [one for one in fresh if one.verdict == "junk"]
    silent = [
        [one for one in some if one.verdict == "junk" and not one.kept.again] for label, some in judged if not label.expect
    ]
    found, due = _recall(judged)
    return {
        "sessions": len(judged),
        **{name: verdicts[name] for name in ("right", "double", "junk", "allowed")},
        "precision": ratio(len(right), len(fresh) - verdicts["allowed"]),
        **{f"recall_{sort}": ratio(found[sort], due[sort]) for sort in ("all", "explicit", "contextual")},
        "found": dict(found),
        "expected": dict(due),
        "right_kind": ratio(sum(one.kind_right for one in right), len(right)),
        "right_alone": ratio(sum(one.alone for one in right), len(right)),
        "right_from_pasted": sum(one.pasted for one in right),
        "junk_from_pasted": sum(one.pasted for one in junk),
        "junk_tempting": sum(one.tempted for one in junk),
        "junk_in_silent": sum(map(len, silent)),
        "silent_sessions": len(silent),
        "silent_broken": sum(map(bool, silent)),
        **_replacements(judged),
    }


def ratio(part: float, whole: float) -> float | None:
    """Return the quotient with four digits; None without a denominator."""
    return round(part / whole, 4) if whole else None


def places(judged: Sequence[tuple[Label, Sequence[Judged]]]) -> dict[str, Judged]:
    """Return "<path>#<id>" of each matched expected thing -> its memory."""
    return {f"{label.path}#{one.which}": one for label, some in judged for one in some if one.verdict == "right"}


def was_found(label: Label, expected: Expected, found: Collection[str]) -> bool:
    """Return whether an expected thing was matched, in this session or in an earlier one that says the same."""
    told = expected.repeats
    earlier = (f"{told['path']}#{told['id']}",) if told else ()
    return any(place in found for place in (f"{label.path}#{expected.id}", *earlier, *expected.same_as))


def _recall(judged: Sequence[tuple[Label, Sequence[Judged]]]) -> tuple[Counter[str], Counter[str]]:
    """Return (found, expected) by group: all, explicit or contextual, speaker, kind."""
    held = places(judged)
    found, due = Counter[str](), Counter[str]()
    for label, _ in judged:
        for one in label.expect:
            sorts = ("all", "explicit" if one.explicit else "contextual", f"said by {one.said_by}", f"kind {one.kind}")
            due.update(sorts)
            found.update(sorts if was_found(label, one, held) else ())
    return found, due


def _replacements(judged: Sequence[tuple[Label, Sequence[Judged]]]) -> dict[str, int]:
    """Return counts of replaced memories, of right ones replaced without a label, and of updates that were due."""
    held = places(judged)
    known = {one.kept.id: place for place, one in held.items()}
    outdated = {place for label, _ in judged for one in label.expect for place in one.replaces}
    replaced = [old for _, some in judged for one in some if not one.kept.again for old in one.kept.replaced]
    posed = list(_posed(judged, held))
    return {
        "replaced": len(replaced),
        "wrongly_replaced": sum(old in known and known[old] not in outdated for old in replaced),
        "updates_posed": len(posed),
        "updates_done": sum(posed),
    }


def _posed(judged: Sequence[tuple[Label, Sequence[Judged]]], held: Mapping[str, Judged]) -> Iterator[bool]:
    """Yield for each update of a saved thing whether it was made."""
    for label, _ in judged:
        for one in label.expect:
            for old in one.replaces:
                if old in held:
                    yield was_found(label, one, held) and not held[old].kept.lasting
