"""Make `src/vademecum/upkeep/takes_place.tsv` from labelled pairs of statements and from conversations, and say how well it does on those
held out.

    python tools/learn_pairs.py            # check, then write the weights
    python tools/learn_pairs.py --check    # check only
    python tools/learn_pairs.py --write    # write only

The pairs are those of `bench/integrate` that are not held out, and of `tools/changes/*.toml`; the conversations are those of
`tools/changes/told`, of which every sentence is held against what was known. Each case has its own evidence
(:mod:`vademecum.upkeep.successor`); beside them stand cases that have nothing to do with each other: a statement with what others of its
language knew. That a statement tells of a change is judged by a model that was fitted without it (five parts), so that its weight is what
it is worth on new statements. Run it behind `tools/learn_judge.py`, which counts how rare words are.
"""

import argparse
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from learn_judge import AMOUNTS, PAIRS, ROOT, Told, fit_change, read_changes, read_passing
from numpy.typing import NDArray

sys.path.insert(0, str(ROOT / "src"))

from told import Said, read_told

from vademecum.capture.judge import BIAS, change_features, judge
from vademecum.upkeep.statements import compare
from vademecum.upkeep.subject import NO_TIE, log_odds, of_another, tie_of
from vademecum.upkeep.successor import WEIGHTS, Telling, evidence

INTEGRATE = ROOT / "src" / "vademecum" / "bench" / "integrate"
#: Held out of every fit.
HELD_OUT = ("fresh", "fresh2")
#: A statement is held against so many others that it has nothing to do with, each counted half.
STRANGERS, STRANGER_WEIGHT = 4, 0.5
#: L2 penalty, of all weights but the first.
PENALTY = 1.0
PARTS = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """What was known, what was said later, and whether it takes its place.

    Attributes:
        told: where it was said in a conversation; None: it is a statement by itself.
    """

    language: str
    old: str
    new: str
    replaces: bool
    told: Said | None = None


#: Cases of one pair, or of one conversation.
Source = tuple[Case, ...]


def read(path: Path) -> list[Source]:
    """The pairs of a file."""
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["pairs"]
    return [(Case(language, old, new, label == "update"),) for language, label, _, old, new, _ in rows]


def read_conversations() -> Mapping[str, list[Source]]:
    """File -> its conversations."""
    files: dict[str, list[Source]] = {}
    for one in read_told():
        cases = tuple(Case(one.language, one.old, said.text, said.changes, said) for said in one.said)
        files.setdefault(f"told/{one.file}", []).append(cases)
    return files


def changes_judged(texts: Sequence[str], sources: Iterable[Source]) -> Floats:
    """Log-odds that each text tells of a change, by the sentences of `tools/changes` and of other pairs and conversations."""
    place, weights = fit_change([*read_changes(), *read_passing(), *(one for source in sources for one in _told(source))])
    seen = [change_features(text) | {BIAS} for text in texts]
    amounts = {name: AMOUNTS.get(name.partition(" ")[0], 1.0) for name in place}
    return np.array(
        [sum(float(weights[place[name], 0]) * amounts[name] for name in sorted(names) if name in place) for names in seen]
    )


def _told(source: Source) -> Iterable[Told]:
    if source:
        yield Told(False, change_features(source[0].old) | {BIAS})
    for case in source:
        yield Told(case.replaces, change_features(case.new) | {BIAS})


def row_of(case: Case, change: float, old: str = "") -> list[float]:
    """The evidence in the order of its names.

    Args:
        old: what it is held against instead of what was known; "" for that.
    """
    old = old or case.old
    tie, telling = tie_of(old, case.new, {}), _telling(case, old)
    return list(evidence(change, tie, compare(old, case.new), telling).values())


def _telling(case: Case, old: str) -> Telling | None:
    if case.told is None:
        return None
    answered = tie_of(old, case.told.answered, {}) if case.told.answered else NO_TIE
    unsure = max(0.0, -log_odds(judge(case.new).durable))
    return Telling(tie_of(old, f"{case.told.around} {case.new}", {}), answered, unsure)


def fit(sources: Sequence[Source], changes: Sequence[Floats]) -> Floats:
    """The weights, in the order of the evidence's names (logistic regression by Newton's method).

    Args:
        changes: for each source, log-odds that each of its statements tells of a change.
    """
    chance = np.random.default_rng(0)
    rows, wanted, counts = [], [], []
    for number, (source, judged) in enumerate(zip(sources, changes, strict=True)):
        for case, change in zip(source, judged, strict=True):
            rows.append(row_of(case, change))
            wanted.append(float(case.replaces))
            counts.append(1.0)
            for other in chance.integers(0, len(sources), STRANGERS if case.replaces or case.told else 0):
                if other != number and sources[other] and sources[other][0].language == case.language:
                    rows.append(row_of(case, change, sources[other][0].old))
                    wanted.append(0.0)
                    counts.append(STRANGER_WEIGHT)
    return _newton(np.array(rows), np.array(wanted), np.array(counts))


def _newton(rows: Floats, wanted: Floats, counts: Floats) -> Floats:
    weights = np.zeros(rows.shape[1])
    penalty = np.full(rows.shape[1], PENALTY)
    penalty[0] = 0.0
    for _ in range(50):
        share = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (counts * (share - wanted)) + penalty * weights
        curve = (rows * (counts * share * (1 - share))[:, None]).T @ rows + np.diag(penalty + 1e-9)
        weights -= np.linalg.solve(curve, slope)
    return weights


def cross_judged(sources: Sequence[Source]) -> list[Floats]:
    """Log-odds that each statement tells of a change, by models that were fitted to the other parts."""
    order = np.random.default_rng(0).permutation(len(sources))
    judged: list[Floats] = [np.zeros(0)] * len(sources)
    for part in np.array_split(order, PARTS):
        inside = set(part.tolist())
        texts = [case.new for number in part for case in sources[number]]
        scores = changes_judged(texts, [source for number, source in enumerate(sources) if number not in inside])
        ends = np.cumsum([len(sources[number]) for number in part])
        for number, some in zip(part, np.split(scores, ends[:-1]), strict=True):
            judged[number] = some
    return judged


def check(name: str, sources: Sequence[Source], held: Sequence[Source]) -> None:
    """Print how well cases that were held out are told apart."""
    weights = fit(sources, cross_judged(sources))
    cases = [case for source in held for case in source]
    changes = changes_judged([case.new for case in cases], sources)
    scores = np.array([np.dot(row_of(case, change), weights) for case, change in zip(cases, changes, strict=True)])
    scores[[not _could(case) for case in cases]] = -9.0
    replaces = np.array([case.replaces for case in cases])
    good, rest = scores[replaces], np.sort(scores[~replaces])[::-1]
    ranked = float(np.mean(good[:, None] > rest[None]))
    found = " / ".join(f"{np.mean(good > rest[int(share * len(rest))]):.2f}" for share in (0.01, 0.02, 0.05, 0.1))
    print(f"{name}: {len(cases)} cases, ranked right {ranked:.3f}, found when 1 / 2 / 5 / 10 % of the rest pass: {found}")
    for floor in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5):
        print(f"  from {floor} on: {np.mean(good >= floor):.2f} of the changes, {np.mean(rest >= floor):.3f} of the rest")


def _could(case: Case) -> bool:
    """Whether anything ties the two, and they are not of two things."""
    telling = _telling(case, case.old)
    tied = tie_of(case.old, case.new, {}).holds or (telling is not None and telling.holds)
    return tied and not of_another(case.old, case.new)


def write(sources: Sequence[Source]) -> Mapping[str, float]:
    """Write the weights."""
    weights = fit(sources, cross_judged(sources))
    names = list(evidence(0.0, NO_TIE, compare("", "")))
    told = {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}
    head = f"# Made by tools/learn_pairs.py from {len(sources)} pairs and conversations: what each piece of evidence moves the log-odds by."
    WEIGHTS.write_text("\n".join([head, *(f"{name}\t{weight}" for name, weight in told.items())]) + "\n", encoding="utf-8")
    return told


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--write", action="store_true", help="write and do not check")
    wanted = parser.parse_args()
    sets = {name: read(INTEGRATE / f"{name}.toml") for name in PAIRS}
    sets |= {path.stem: read(path) for path in sorted((ROOT / "tools" / "changes").glob("*.toml"))}
    sets |= read_conversations()
    every = [source for sources in sets.values() for source in sources]
    for name in () if wanted.write else HELD_OUT:
        check(name, every, read(INTEGRATE / f"{name}.toml"))
    for name, held in () if wanted.write else sets.items():
        check(f"{name}, held out in its turn", [one for other, some in sets.items() if other != name for one in some], held)
    if not wanted.check:
        print(write(every))


if __name__ == "__main__":
    main()
