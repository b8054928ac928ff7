"""Make `src/vademecum/capture/judge.tsv` from the sentences of `tools/sentences`, and say how well it does.

    python tools/learn_judge.py            # cross-validate, then write the weights
    python tools/learn_judge.py --check    # cross-validate only
    python tools/learn_judge.py --write    # write only
    python tools/learn_judge.py --change   # renew what tells of a change, leave the rest (half a minute)
    python tools/learn_judge.py --without en-other-5 de-other-3 ...   # leave files out; --check then tells how they fare

A line of a sentence file is a letter and a sentence: n (of the moment), d (decision), p (preference), i (identity), f (fact),
x (fix), l (lesson). `## name [topic]` begins a block; `*-talk-*` are whole conversations, in which "# " begins what was answered.
Three models are fitted, all logistic regression with an L2 penalty: one for whether a sentence lasts, one for the kind of those that
do, and, over the labelled pairs of `bench/integrate`, one for whether a statement tells of a change. Cross-validation holds out each
file of the other authors, and each of those authors whole.

Sentences of `tools/changes` are told apart by c (tells of a change) and s (tells how something stands). It also counts how
common words are, for `src/vademecum/upkeep/common_words.tsv`.
"""

import argparse
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from told import Conversation, read_told  # noqa: E402

from vademecum.capture.judge import BIAS, KINDS, UNIT, WEIGHTS, change_features, features  # noqa: E402
from vademecum.upkeep.subject import COMMON, FIELD_MARK, HOLDING_MIN, beginning, fields_of, words_of  # noqa: E402

LETTERS = "ndpifxl"
#: How much of a feature there is, by its class: what counts more is learnt first.
AMOUNTS = {"cue": 1.5, "led": 1.5, "both": 0.5, "part": 0.3, "skip": 0.5, "early": 0.5, "start": 0.5, "longer": 0.5, BIAS: 4.0}
#: L2 penalty; larger believes single features less. Steps of accelerated gradient descent.
PENALTY, STEPS = 2.0, 600
#: Features met in fewer sentences say nothing about others.
SENTENCES_MIN = 3
#: What moves a sentence less than this is left out of the file, for lasting and for the kind.
WEIGHT_MIN, KIND_MIN = 0.06, 0.1
#: Pairs that change is learnt from; those of `test.toml` never are.
PAIRS = ("dev", "more", "more-held")
#: Of the lines of whole conversations every so many is looked at for what tells of no change.
PASSING_EVERY = 4
#: Features met in fewer of their statements say nothing.
STATEMENTS_MIN = 2
#: Files of what people say at length about their days count as so many of each sentence: sessions hold far more of it than the files.
TIMES = {"life": 3, "requests": 3, "days": 3, "moment": 2, "talk": 2, "plain": 4, "outright": 3}
#: Which author wrote a file: sentences of one hand in two languages resemble each other.
OTHERS = {"en": "other A", "de": "other B", "zh": "other B", "pt": "other C", "es": "other C"}

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Row:
    """One labelled sentence: number of its kind, its features, its language and its file."""

    kind: int
    seen: frozenset[str]
    language: str
    file: str
    text: str

    @property
    def author(self) -> str:
        """Whose sentence it is."""
        if "-talk-" in self.file:
            return f"talk {self.file.rpartition('-')[2]}"
        return OTHERS[self.language] if "-other-" in self.file else "first"


@dataclass(frozen=True)
class Told:
    """A statement of a pair, its features, and whether it tells that something changed."""

    changed: bool
    seen: frozenset[str]


def read_pairs(without: Sequence[str] = ()) -> list[Told]:
    """Both statements of each pair, of which only the second of an update tells of a change, the sentences of `tools/changes`, and what
    was said in conversations."""
    told = [*read_changes(), *read_passing()]
    for conversation in read_told():
        if conversation.file not in without:
            told += told_in(conversation)
    paths = [ROOT / "src" / "vademecum" / "bench" / "integrate" / f"{name}.toml" for name in PAIRS]
    for path in (*paths, *sorted((ROOT / "tools" / "changes").glob("*.toml"))):
        if path.stem not in without:
            for _, label, _, first, second, _ in tomllib.loads(path.read_text(encoding="utf-8"))["pairs"]:
                told.append(Told(False, change_features(first) | {BIAS}))
                told.append(Told(label == "update", change_features(second) | {BIAS}))
    return told


def told_in(conversation: Conversation) -> list[Told]:
    """What was known, which tells of no change, and each sentence that was said."""
    said = [Told(one.changes, change_features(one.text) | {BIAS}) for one in conversation.said]
    return [Told(False, change_features(conversation.old) | {BIAS}), *said]


def read_passing() -> list[Told]:
    """Sentences of the moment out of whole conversations: whatever they tell of, it changed nothing for good."""
    passing = []
    for path in sorted((ROOT / "tools" / "sentences").glob("*-talk-*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        passing += [Told(False, change_features(line[2:]) | {BIAS}) for line in lines[::PASSING_EVERY] if line.startswith("n ")]
    return passing


def read_changes() -> list[Told]:
    """The sentences of `tools/changes`."""
    told = []
    for path in sorted((ROOT / "tools" / "changes").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            letter, _, text = line.partition(" ")
            told.append(Told(letter == "c", change_features(text) | {BIAS}))
    return told


def read(folder: Path) -> list[Row]:
    """All labelled sentences."""
    rows = []
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                letter, _, text = line.partition(" ")
                row = Row(LETTERS.index(letter), features(text) | {BIAS}, path.stem.split("-")[0], path.stem, text)
                rows += [row] * max(TIMES.get(word, 1) for word in path.stem.split("-"))
    return rows


class Table:
    """Sentences by features, few of which each has; (sentences, features), both ways round."""

    def __init__(self, rows: Sequence[Row] | Sequence[Told], place: dict[str, int]) -> None:
        cells = [(number, place[name]) for number, row in enumerate(rows) for name in sorted(row.seen) if name in place]
        self._row, self._column = np.array(cells, np.int64).T
        amounts = np.array([AMOUNTS.get(name.partition(" ")[0], 1.0) for name in place], np.float32)
        self._amount = amounts[self._column][:, None]
        self._rows_begin = np.searchsorted(self._row, np.arange(len(rows)))
        self._turn = np.argsort(self._column, kind="stable")
        self._columns, self._columns_begin = np.unique(self._column[self._turn], return_index=True)
        self._width = len(place)

    def times(self, weights: Floats) -> Floats:
        """(features, n) -> (sentences, n)."""
        return np.add.reduceat(weights[self._column] * self._amount, self._rows_begin, axis=0)

    def turned_times(self, values: Floats) -> Floats:
        """(sentences, n) -> (features, n)."""
        sums = np.zeros((self._width, values.shape[1]), np.float32)
        sums[self._columns] = np.add.reduceat((values[self._row] * self._amount)[self._turn], self._columns_begin, axis=0)
        return sums


@dataclass(frozen=True)
class Model:
    """What was learnt: feature -> row; weights (features, 1) for lasting and (features, kinds but "none")."""

    place: dict[str, int]
    lasting: Floats
    kinds: Floats

    def judge(self, rows: Sequence[Row]) -> tuple[Floats, NDArray[np.int64]]:
        """How likely each sentence lasts, and the number of its kind if it does."""
        table = Table(rows, self.place)
        return _sigmoid(table.times(self.lasting))[:, 0], 1 + table.times(self.kinds).argmax(1)


def fit(rows: Sequence[Row]) -> Model:
    """The models of what lasts and of its kind, over the features that enough sentences have."""
    place = _placed(rows, SENTENCES_MIN)
    lasts = np.array([[row.kind > 0] for row in rows], np.float32)
    durable = [row for row in rows if row.kind > 0]
    kinds = np.eye(len(KINDS) - 1, dtype=np.float32)[[row.kind - 1 for row in durable]]
    return Model(
        place, _descend(Table(rows, place), lasts, _sigmoid, 0.25), _descend(Table(durable, place), kinds, _softmax, 0.5)
    )


def fit_change(told: Sequence[Told]) -> tuple[dict[str, int], Floats]:
    """(feature -> row, weights (features, 1)) of whether a statement tells of a change."""
    place = _placed(told, STATEMENTS_MIN)
    changed = np.array([[one.changed] for one in told], np.float32)
    return place, _descend(Table(told, place), changed, _sigmoid, 0.25)


def _placed(rows: Sequence[Row] | Sequence[Told], least: int) -> dict[str, int]:
    counts = Counter(name for row in rows for name in row.seen)
    return {name: number for number, name in enumerate(sorted(name for name, count in counts.items() if count >= least))}


def _descend(table: Table, wanted: Floats, link: Callable[[Floats], Floats], curve: float) -> Floats:
    """Weights that make `link` of the scores what is wanted, by Nesterov's method; `curve` bounds the link's slope."""
    weights = np.zeros((table._width, wanted.shape[1]), np.float32)
    rate = 1 / (curve * _largest(table) + PENALTY)
    ahead = weights.copy()
    for step in range(STEPS):
        new = ahead - rate * (table.turned_times(link(table.times(ahead)) - wanted) + PENALTY * ahead)
        ahead = new + step / (step + 3) * (new - weights)
        weights = new
    return weights


def _largest(table: Table) -> float:
    """The largest eigenvalue of the features' products, by the power method."""
    vector = np.ones((table._width, 1), np.float32)
    length = 0.0
    for _ in range(20):
        vector = table.turned_times(table.times(vector))
        length = float(np.sqrt((vector * vector).sum()))
        vector /= length
    return 1.05 * length


def _sigmoid(scores: Floats) -> Floats:
    return 1 / (1 + np.exp(-scores))


def _softmax(scores: Floats) -> Floats:
    parts = np.exp(scores - scores.max(1, keepdims=True))
    return parts / parts.sum(1, keepdims=True)


def check(rows: Sequence[Row]) -> None:
    """Print how the model does on files, and on whole authors, that it was not fitted to."""
    others = sorted({row.file for row in rows if row.author != "first"})
    print("held out: each file of the other authors")
    tell(rows, [(lambda row, file=file: row.file == file) for file in others])
    print("held out: each of the other authors whole")
    authors = sorted({row.author for row in rows} - {"first"})
    tell(rows, [(lambda row, author=author: row.author == author) for author in authors])


def tell(rows: Sequence[Row], parts: Sequence[Callable[[Row], bool]]) -> None:
    """Print the figures of the parts, each judged by a model that was fitted to the rest."""
    held: list[Row] = []
    durable, kinds = [], []
    for part in parts:
        inside = [row for row in rows if part(row)]
        lasting, kind = fit([row for row in rows if not part(row)]).judge(inside)
        held += inside
        durable.append(lasting)
        kinds.append(kind)
    figures(held, np.concatenate(durable), np.concatenate(kinds))


def figures(rows: Sequence[Row], durable: Floats, kinds: NDArray[np.int64]) -> None:
    """Print figures by language, by kind and by threshold."""
    true = np.array([row.kind for row in rows])
    stated = true > 0
    print("language  sentences  durable  ranked right  kind right  found when 1 / 2 / 5 % of the rest pass")
    for language in [*sorted({row.language for row in rows}), "all"]:
        here = np.array([language in (row.language, "all") for row in rows])
        good, rest = durable[here & stated], np.sort(durable[here & ~stated])[::-1]
        ranked = float(np.mean(good[:, None] > rest[None]))
        found = " / ".join(f"{np.mean(good > rest[int(share * len(rest))]):.2f}" for share in (0.01, 0.02, 0.05))
        right = (kinds == true)[here & stated].mean()
        print(f"{language:8}  {here.sum():9}  {len(good):7}  {ranked:12.3f}  {right:10.2f}  {found}")
    for floor in (0.5, 0.7, 0.8, 0.9, 0.95):
        saved = durable >= floor
        by_kind = ", ".join(f"{KINDS[kind]} {saved[true == kind].mean():.2f}" for kind in range(1, len(KINDS)))
        print(
            f"at {floor}: precision {stated[saved].mean():.3f}, recall {saved[stated].mean():.3f} ({by_kind}),"
            f" of the rest {saved[~stated].mean():.4f} pass"
        )


#: Feature -> what it moves a sentence by: for lasting, then for each kind but "none".
Weights = Mapping[str, Sequence[float]]


def weights_of(model: Model) -> Weights:
    """What was learnt of what lasts."""
    return {
        name: [AMOUNTS.get(name.partition(" ")[0], 1.0) * float(one) for one in (model.lasting[row, 0], *model.kinds[row])]
        for name, row in model.place.items()
    }


def written(path: Path) -> Weights:
    """What a file tells of what lasts, but for what was too little to be written."""
    _, *lines = path.read_text(encoding="utf-8").splitlines()
    rows = (
        (name, [UNIT * int(one) for one in numbers.split()]) for name, _, numbers in (line.partition("\t") for line in lines)
    )
    return {name: [row[0], *(row[2:] or [0.0] * (len(KINDS) - 1))] for name, row in rows}


def write(path: Path, rows: Sequence[Row], lasts: Weights, told: Sequence[Told]) -> int:
    """Write what each feature moves a sentence by; returns how many features."""
    place, change = fit_change(told)
    lines = [
        f"# Made by tools/learn_judge.py from {len(rows)} sentences and {len(told)} that tell of changes or not. Thousandths: for lasting,"
        f" for change; then, where it tells kinds apart, for {', '.join(KINDS[1:])}."
    ]
    for name in sorted({*lasts, *place}):
        lasting, *kinds = lasts.get(name, [0.0] * len(KINDS))
        changed = AMOUNTS.get(name.partition(" ")[0], 1.0) * float(change[place[name], 0]) if name in place else 0.0
        tells_kind = name == BIAS or max(map(abs, kinds)) >= KIND_MIN
        if tells_kind or max(abs(lasting), abs(changed)) >= WEIGHT_MIN:
            numbers = [lasting, changed, *(kinds if tells_kind else ())]
            lines.append(f"{name}\t{' '.join(str(round(number / UNIT)) for number in numbers)}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines) - 1


def write_common(path: Path, rows: Sequence[Row]) -> int:
    """Write which beginnings of words, and which fields, enough sentences hold, and how many do; returns how many of both."""
    counts = Counter(begin for row in rows for begin in {beginning(word) for word in words_of(row.text)})
    counts.update(f"{FIELD_MARK}{name}" for row in rows for name in fields_of(row.text))
    common = sorted((begin, count) for begin, count in counts.items() if count >= HOLDING_MIN)
    lines = [
        f"# Made by tools/learn_judge.py: beginnings of words and fields, and how many of these sentences hold them: {len(rows)}"
    ]
    lines += [f"{begin}\t{count}" for begin, count in common]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(common)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="cross-validate and write nothing")
    parser.add_argument("--write", action="store_true", help="write and do not cross-validate")
    parser.add_argument("--change", action="store_true", help="renew only what tells of a change; implies --write")
    parser.add_argument(
        "--without", nargs="+", default=[], metavar="FILE", help="files of sentences or pairs to leave out (by stem)"
    )
    wanted = parser.parse_args()
    every = read(ROOT / "tools" / "sentences")
    rows = [row for row in every if row.file not in wanted.without]
    print(f"{len(rows)} sentences: {dict(Counter(KINDS[row.kind] for row in rows))}")
    checked = not wanted.write and not wanted.change
    if checked and wanted.without:
        tell(every, [lambda row: row.file in wanted.without])
    elif checked:
        check(rows)
    if not wanted.check:
        lasts = written(WEIGHTS) if wanted.change else weights_of(fit(rows))
        print(f"{write(WEIGHTS, rows, lasts, read_pairs(wanted.without))} features -> {WEIGHTS.relative_to(ROOT)}")
        print(f"{write_common(COMMON, rows)} words -> {COMMON.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
