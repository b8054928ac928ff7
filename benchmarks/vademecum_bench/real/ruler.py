"""Judge whether a memory says what a label expects, by words, so that results are reproducible and no model is needed.

* Words: lower case, without function words, cut to a stem of six letters; Chinese, Japanese and Korean as pairs of characters.
* Near: at least 60 % of the words of one are in the other, and at least three words (or all, if the target has fewer). A text
  with less than a quarter of the target's words counts only by the target's share; one with more than four times the words of
  statement and quotations together is never near.
* Targets of an expected thing: its statement, each quotation, all quotations, and everything together.
* A memory whose source turn is an expected turn must be near one target. Any other must have 80 % of the words of the statement
  or of the quotations; one that was known before and is confirmed by a later session, 60 %.
* Each expected thing is matched once: the maximum number of pairs, best pairs first.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from vademecum_bench.real.labels import Expected

NEAR, ELSEWHERE = 0.6, 0.8
#: Ratio of lengths above which a text is a fragment, or a dump.
TOO_LONG = 4
SHARED_MIN = 3
STEM_LETTERS = 6

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_WORD = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile(r"(?<=\w)['\u2019](?=\w)")
_ENDINGS = ("ing", "ed", "es", "s")

#: Function words without apostrophes; English, German, Spanish, Portuguese and French.
_FUNCTION_WORDS = frozenset(
    """
    i me my you your yours he him his she her it its itself we us our they them their this that thats these those who whom which what
    a an the some any all such no nor not only own same other so too just also very more again once here there now then than
    am is are was were be been being do does did doing don dont has had have isn let lets get got can could should will would
    and or but if because as while when where how why about after before into out in on off over at by for from of to with up like
    d ll m re s t ve id im ive
    user users person want wants
    der die das ein eine zu den dem des mit auf f\u00fcr im von es sich ich wir sie er als auch an wie oder aber bei aus nach so und ist
    nicht
    de la el los las y en que es un una por con para se lo no mi
    o e da do em um uma os ao n\u00e3o na nas nos
    le les et \u00e0 est pas du dans pour sur qui une ce au
    """.split()
)


def words_of(text: str) -> frozenset[str]:
    """Return the stems of a text's words, and pairs of characters in scripts without spaces."""
    text = _APOSTROPHE.sub("", text.casefold())
    runs = _UNSPACED.findall(text)
    pairs = {run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))}
    spaced = _WORD.findall(_UNSPACED.sub(" ", text))
    return frozenset(pairs | {_stem(word) for word in spaced if _tells(word)})


def _tells(word: str) -> bool:
    return word not in _FUNCTION_WORDS and (len(word) > 1 or word.isdigit())


def _stem(word: str) -> str:
    ending = next((end for end in _ENDINGS if word.endswith(end) and len(word) >= len(end) + 3), "")
    if ending and not word.endswith("ss"):
        word = word[: -len(ending)]
    if len(word) > 4:
        word = word.removesuffix("e")
    return word[:STEM_LETTERS]


def shares(said: Collection[str], target: Collection[str]) -> tuple[float, float]:
    """Return (the larger share of common words, the share of the target's words); zeros if too few are common."""
    common = len(set(said) & set(target))
    if not said or not target or common < min(SHARED_MIN, len(target)):
        return 0.0, 0.0
    of_target = common / len(target)
    is_scrap = len(said) * TOO_LONG < len(target)
    return (of_target if is_scrap else max(of_target, common / len(said))), of_target


def near(said: Collection[str], target: Collection[str]) -> bool:
    """Return whether two sets of words say about the same."""
    return shares(said, target)[0] >= NEAR


class Target(Struct, frozen=True):
    """The words of an expected thing.

    Attributes:
        parts: of its statement and its quotations.
        whole: of everything together.
        turns: that contain it.
    """

    parts: tuple[frozenset[str], ...]
    whole: frozenset[str]
    turns: frozenset[str]


def target_of(quotes: Sequence[str], statement: str = "", turns: Collection[str] = ()) -> Target:
    """Return the words by which a statement with quotations is matched."""
    together = (" ".join(quotes),) if len(quotes) > 1 else ()
    parts = map(words_of, (statement, *quotes, *together))
    return Target(tuple(filter(None, parts)), words_of(" ".join((statement, *quotes))), frozenset(turns))


def target_expected(one: Expected) -> Target:
    """Return the words by which an expected thing is matched."""
    return target_of(one.quotes, one.statement, one.turns)


def match(said: frozenset[str], turns: Collection[str], target: Target, *, again: bool = False) -> float:
    """Return how well a memory says an expected thing, 0 to 1; 0: it does not.

    Args:
        said: words of the memory.
        turns: its source turns.
        again: it was known before.
    """
    if len(said) > TOO_LONG * max(1, len(target.whole)):
        return 0.0
    of_parts = [shares(said, part) for part in target.parts]
    if not again and target.turns.intersection(turns):
        best = max((either for either, _ in [*of_parts, shares(said, target.whole)]), default=0.0)
        return best if best >= NEAR else 0.0
    held = max((of_target for _, of_target in of_parts), default=0.0)
    return held * 0.99 if held >= (NEAR if again else ELSEWHERE) else 0.0


def paired(scores: Sequence[Mapping[int, float]]) -> dict[int, int]:
    """Return row -> column for a maximum matching, best scores first.

    Args:
        scores: of each row, by column; a score of 0 cannot be matched.
    """
    wanted = [sorted((column for column in row if row[column] > 0), key=lambda c: (-row[c], -c)) for row in scores]
    held: dict[int, int] = {}

    def placed(row: int, tried: set[int]) -> bool:
        for column in wanted[row]:
            if column in tried:
                continue
            tried.add(column)
            if column not in held or placed(held[column], tried):
                held[column] = row
                return True
        return False

    for row in sorted(range(len(scores)), key=lambda row: -max(scores[row].values(), default=0)):
        placed(row, set())
    return {row: column for column, row in held.items()}
