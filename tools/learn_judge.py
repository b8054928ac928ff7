"""Make `src/vademecum/capture/judge.tsv` from the sentences of `tools/sentences`, and say how well it does.

    python tools/learn_judge.py            # cross-validate by topic, then write the weights
    python tools/learn_judge.py --check    # cross-validate only

A line of a sentence file is a letter and a sentence: n (of the moment), d (decision), p (preference), i (identity), f (fact),
x (fix), l (lesson). `## name [topic]` begins a block; blocks of one topic, in whatever language, are held out together, since the
languages tell of similar things.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from vademecum.capture.judge import KINDS, WEIGHTS, features  # noqa: E402

LETTERS = "ndpifxl"
#: L2 penalty; larger believes single words less. Steps of accelerated gradient descent.
PENALTY, STEPS = 1.0, 250
#: Words met in fewer sentences say nothing about others.
SENTENCES_MIN = 2
#: Weights smaller than this are left out of the file.
WEIGHT_MIN = 0.03

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Row:
    """One labelled sentence: number of its kind, its features, its language and topic."""

    kind: int
    seen: dict[str, float]
    language: str
    topic: str
    text: str


def read(folder: Path) -> list[Row]:
    """All labelled sentences."""
    rows = []
    for path in sorted(folder.glob("*.txt")):
        topic = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("## "):
                topic = line.rpartition("[")[2].rstrip("]")
            elif line.strip() and not line.startswith("#"):
                letter, _, text = line.partition(" ")
                rows.append(Row(LETTERS.index(letter), features(text), path.stem.split("-")[0], topic, text))
    return rows


def fit(rows: Sequence[Row]) -> tuple[dict[str, int], Floats, Floats]:
    """(feature -> row, weights (features, kinds), bias (kinds,)) of a softmax regression, by Nesterov's method."""
    counts = Counter(name for row in rows for name in row.seen)
    kept = sorted(name for name, count in counts.items() if count >= SENTENCES_MIN)
    place = {name: number for number, name in enumerate(kept)}
    x = np.zeros((len(rows), len(place)), np.float32)
    for number, row in enumerate(rows):
        for name, amount in row.seen.items():
            if name in place:
                x[number, place[name]] = amount
    wanted = np.eye(len(KINDS), dtype=np.float32)[[row.kind for row in rows]]
    weights, bias = np.zeros((len(place), len(KINDS)), np.float32), np.zeros(len(KINDS), np.float32)
    ahead, ahead_bias = weights.copy(), bias.copy()
    rate = 1.0 / (0.25 * float((x * x).sum(1).mean()) + PENALTY / len(rows))
    for step in range(STEPS):
        shares = _shares(x @ ahead + ahead_bias)
        new = ahead - rate * (x.T @ (shares - wanted) / len(rows) + PENALTY / len(rows) * ahead)
        new_bias = ahead_bias - rate * (shares - wanted).mean(0)
        momentum = step / (step + 3)
        ahead, ahead_bias = new + momentum * (new - weights), new_bias + momentum * (new_bias - bias)
        weights, bias = new, new_bias
    return place, weights, bias


def shares_of(row: Row, place: dict[str, int], weights: Floats, bias: Floats) -> Floats:
    """How likely each kind is."""
    scores = bias.copy()
    for name, amount in row.seen.items():
        if name in place:
            scores += amount * weights[place[name]]
    return _shares(scores[None])[0]


def _shares(scores: Floats) -> Floats:
    parts = np.exp(scores - scores.max(1, keepdims=True))
    return parts / parts.sum(1, keepdims=True)


def check(rows: Sequence[Row]) -> None:
    """Print how the model does on topics that it was not fitted to."""
    durable, right = np.zeros(len(rows)), np.zeros(len(rows), bool)
    for topic in sorted({row.topic for row in rows}):
        model = fit([row for row in rows if row.topic != topic])
        for number, row in enumerate(rows):
            if row.topic == topic:
                shares = shares_of(row, *model)
                durable[number] = 1 - shares[0]
                right[number] = 1 + int(shares[1:].argmax()) == row.kind
    stated = np.array([row.kind > 0 for row in rows])
    print("language  sentences  durable  ranked right  kind right  found when 1 / 2 / 5 % of the rest pass")
    languages = sorted({row.language for row in rows})
    for language in [*languages, "all"]:
        here = np.array([language in (row.language, "all") for row in rows])
        good, rest = durable[here & stated], np.sort(durable[here & ~stated])[::-1]
        ranked = float(np.mean(good[:, None] > rest[None]))
        found = " / ".join(f"{np.mean(good > rest[int(share * len(rest))]):.2f}" for share in (0.01, 0.02, 0.05))
        kinds = right[here & stated].mean()
        print(f"{language:8}  {here.sum():9}  {len(good):7}  {ranked:12.3f}  {kinds:10.2f}  {found}")
    for floor in (0.5, 0.6, 0.7, 0.8, 0.9):
        saved = durable >= floor
        print(f"at {floor}: precision {stated[saved].mean():.3f}, recall {saved[stated].mean():.3f}")


def write(path: Path, rows: Sequence[Row]) -> int:
    """Write the weights in hundredths; returns how many features."""
    place, weights, bias = fit(rows)
    lines = [f"# Made by tools/learn_judge.py from {len(rows)} sentences. Hundredths, for: {', '.join(KINDS)}."]
    lines.append("\t".join(["", *(str(round(100 * float(value))) for value in bias)]))
    for name, row in place.items():
        if np.abs(weights[row]).max() >= WEIGHT_MIN:
            lines.append("\t".join([name, *(str(round(100 * float(value))) for value in weights[row])]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines) - 2


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="cross-validate and write nothing")
    parser.add_argument("--write", action="store_true", help="write and do not cross-validate")
    wanted = parser.parse_args()
    rows = read(ROOT / "tools" / "sentences")
    print(f"{len(rows)} sentences: {dict(Counter(KINDS[row.kind] for row in rows))}")
    if not wanted.write:
        check(rows)
    if not wanted.check:
        print(f"{write(WEIGHTS, rows)} features -> {WEIGHTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
