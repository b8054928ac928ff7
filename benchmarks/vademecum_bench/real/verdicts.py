"""What each memory of a session is: something expected, said once more, allowed, or junk; and the figures made of that."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from vademecum_bench.real.labels import Expected, Label
from vademecum_bench.real.ruler import NEAR, match, near, paired, shares, target_expected, target_of, words_of

Verdict = Literal["right", "double", "allowed", "junk"]
#: A right memory that has so much of the expected statement can be understood without its session.
ALONE = 0.5
#: Which memories are judged together, so that one that waits never takes the place of one that is active.
VIEWS: Mapping[str, frozenset[str]] = {
    "active": frozenset({"active"}),
    "waiting": frozenset({"inbox"}),
    "active and waiting": frozenset({"active", "inbox"}),
}


class Kept(Struct, frozen=True):
    """A memory that a session brought, or confirmed.

    Attributes:
        turns: refs of those it comes from. again: it was known before. replaced: ids of memories of earlier sessions that gave way to it.
        lasting: it is still active when the person's last session is over.
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
    """A memory and what it is.

    Attributes:
        which: id of the expected thing that it is, "" for none.
        kind_right, alone: of a right one. tempted: junk that the label foresaw. pasted: it comes from a pasted turn.
    """

    kept: Kept
    verdict: Verdict
    which: str = ""
    kind_right: bool = False
    alone: bool = False
    tempted: bool = False
    pasted: bool = False


def judge(label: Label, memories: Sequence[Kept]) -> list[Judged]:
    """Every memory of a session with its verdict."""
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
    """Each session's memories in one of these statuses, judged."""
    return [(one, judge(one, [memory for memory in kept.get(one.path, ()) if memory.status in statuses])) for one in labels]


def figures(judged: Sequence[tuple[Label, Sequence[Judged]]]) -> dict[str, Any]:
    """Figures over sessions: counts, shares (None where there is nothing to share), and `found` of `expected` by sort."""
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
    """Their quotient, four digits; None where there is nothing."""
    return round(part / whole, 4) if whole else None


def places(judged: Sequence[tuple[Label, Sequence[Judged]]]) -> dict[str, Judged]:
    """ "<path>#<id>" of each expected thing that was found -> what it was found as."""
    return {f"{label.path}#{one.which}": one for label, some in judged for one in some if one.verdict == "right"}


def was_found(label: Label, expected: Expected, found: Collection[str]) -> bool:
    """Whether something expected was found: there, or where an earlier session says the same."""
    return any(place in found for place in (f"{label.path}#{expected.id}", *expected.same_as))


def _recall(judged: Sequence[tuple[Label, Sequence[Judged]]]) -> tuple[Counter[str], Counter[str]]:
    """(found, expected) by sort: all, explicit or contextual, speaker, kind."""
    held = places(judged)
    found, due = Counter[str](), Counter[str]()
    for label, _ in judged:
        for one in label.expect:
            sorts = ("all", "explicit" if one.explicit else "contextual", f"said by {one.said_by}", f"kind {one.kind}")
            due.update(sorts)
            found.update(sorts if was_found(label, one, held) else ())
    return found, due


def _replacements(judged: Sequence[tuple[Label, Sequence[Judged]]]) -> dict[str, int]:
    """How many memories gave way, how many of them were right and no label says that they are out of date; updates that were due."""
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
    """For each update of something that was kept: whether it was done."""
    for label, _ in judged:
        for one in label.expect:
            for old in one.replaces:
                if old in held:
                    yield was_found(label, one, held) and not held[old].kept.lasting
