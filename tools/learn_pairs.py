"""Make `src/vademecum/upkeep/takes_place.tsv` from labelled pairs of statements, and say how well it does on pairs held out.

    python tools/learn_pairs.py            # check, then write the weights
    python tools/learn_pairs.py --check    # check only

The pairs are those of `bench/integrate` that are not held out, and of `tools/changes/*.toml`. Each pair has its own evidence
(:mod:`vademecum.upkeep.successor`); beside them stand pairs that have nothing to do with each other: a change with the first statement of
other pairs of its language. That a statement tells of a change is judged by a model that was fitted without it (five parts), so
that its weight is what it is worth on new statements. Run it behind `tools/learn_judge.py`, which counts how rare words are.
"""

import argparse
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from learn_judge import AMOUNTS, PAIRS, ROOT, Told, fit_change, read_changes
from numpy.typing import NDArray

sys.path.insert(0, str(ROOT / "src"))

from vademecum.capture.judge import BIAS, change_features
from vademecum.upkeep.statements import compare
from vademecum.upkeep.subject import of_another, tie_of
from vademecum.upkeep.successor import WEIGHTS, evidence

INTEGRATE = ROOT / "src" / "vademecum" / "bench" / "integrate"
#: Held out of every fit.
HELD_OUT = ("fresh", "fresh2")
#: A change is held against so many first statements that it has nothing to do with, each counted half.
STRANGERS, STRANGER_WEIGHT = 4, 0.5
#: L2 penalty, of all weights but the first.
PENALTY = 1.0
PARTS = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pair:
    """Two statements, and whether the second takes the place of the first."""

    language: str
    old: str
    new: str
    replaces: bool


def read(path: Path) -> list[Pair]:
    """The pairs of a file."""
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["pairs"]
    return [Pair(language, old, new, label == "update") for language, label, _, old, new, _ in rows]


def changes_judged(pairs: Sequence[Pair], fitted_to: Sequence[Pair]) -> Floats:
    """Log-odds that each second statement tells of a change, by the sentences of `tools/changes` and the statements of other pairs."""
    told = [*read_changes(), *(one for pair in fitted_to for one in _told(pair))]
    place, weights = fit_change(told)
    seen = [change_features(pair.new) | {BIAS} for pair in pairs]
    amounts = {name: AMOUNTS.get(name.partition(" ")[0], 1.0) for name in place}
    return np.array(
        [sum(float(weights[place[name], 0]) * amounts[name] for name in sorted(names) if name in place) for names in seen]
    )


def _told(pair: Pair) -> Iterable[Told]:
    yield Told(False, change_features(pair.old) | {BIAS})
    yield Told(pair.replaces, change_features(pair.new) | {BIAS})


def row_of(old: str, new: str, change: float) -> list[float]:
    """The evidence in the order of its names; nothing but what is there before any, where something else is spoken of."""
    return list(evidence(change, tie_of(old, new, {}), compare(old, new)).values())


def fit(pairs: Sequence[Pair], changes: Floats) -> Floats:
    """The weights, in the order of the evidence's names (logistic regression by Newton's method)."""
    chance = np.random.default_rng(0)
    rows = [row_of(pair.old, pair.new, change) for pair, change in zip(pairs, changes, strict=True)]
    wanted, counts = [float(pair.replaces) for pair in pairs], [1.0] * len(pairs)
    for number, pair in enumerate(pairs):
        for other in chance.integers(0, len(pairs), STRANGERS if pair.replaces else 0):
            if pairs[other].language == pair.language and other != number:
                rows.append(row_of(pairs[other].old, pair.new, changes[number]))
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


def cross_judged(pairs: Sequence[Pair]) -> Floats:
    """Log-odds that each tells of a change, by models that were fitted to the other parts."""
    order = np.random.default_rng(0).permutation(len(pairs))
    judged = np.zeros(len(pairs))
    for part in np.array_split(order, PARTS):
        inside = set(part.tolist())
        rest = [pair for number, pair in enumerate(pairs) if number not in inside]
        judged[part] = changes_judged([pairs[number] for number in part], rest)
    return judged


def check(name: str, pairs: Sequence[Pair], held: Sequence[Pair]) -> None:
    """Print how well pairs that were held out are told apart."""
    weights = fit(pairs, cross_judged(pairs))
    changes = changes_judged(held, pairs)
    scores = np.array([np.dot(row_of(pair.old, pair.new, change), weights) for pair, change in zip(held, changes, strict=True)])
    scores[[of_another(pair.old, pair.new) or not tie_of(pair.old, pair.new, {}).holds for pair in held]] = -9.0
    replaces = np.array([pair.replaces for pair in held])
    good, rest = scores[replaces], np.sort(scores[~replaces])[::-1]
    ranked = float(np.mean(good[:, None] > rest[None]))
    found = " / ".join(f"{np.mean(good > rest[int(share * len(rest))]):.2f}" for share in (0.02, 0.05, 0.1, 0.15))
    print(f"{name}: {len(held)} pairs, ranked right {ranked:.3f}, found when 2 / 5 / 10 / 15 % of the rest pass: {found}")
    for floor in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5):
        print(f"  from {floor} on: {np.mean(good >= floor):.2f} of the changes, {np.mean(rest >= floor):.3f} of the rest")


def write(pairs: Sequence[Pair]) -> Mapping[str, float]:
    """Write the weights."""
    weights = fit(pairs, cross_judged(pairs))
    names = list(evidence(0.0, tie_of("", "", {}), compare("", "")))
    told = {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}
    head = f"# Made by tools/learn_pairs.py from {len(pairs)} pairs: what each piece of evidence moves the log-odds by."
    WEIGHTS.write_text("\n".join([head, *(f"{name}\t{weight}" for name, weight in told.items())]) + "\n", encoding="utf-8")
    return told


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    wanted = parser.parse_args()
    sets = {name: read(INTEGRATE / f"{name}.toml") for name in PAIRS}
    sets |= {path.stem: read(path) for path in sorted((ROOT / "tools" / "changes").glob("*.toml"))}
    every = [pair for pairs in sets.values() for pair in pairs]
    for name in HELD_OUT:
        check(name, every, read(INTEGRATE / f"{name}.toml"))
    for name, held in sets.items():
        check(f"{name}, held out in its turn", [pair for other, pairs in sets.items() if other != name for pair in pairs], held)
    if not wanted.check:
        print(write(every))


if __name__ == "__main__":
    main()
