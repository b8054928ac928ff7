"""Words in quotation marks: where they begin and end, over sentences and lines, whatever the marks.

Most marks differ at both ends or stand nowhere else. The straight single one is also an apostrophe ("don't", "l'eau", "the dogs'
bowl", "'cause"), so that it opens only in front of a word and closes only behind one, and what it encloses must be of some length.
"""

import re
from collections.abc import Iterator
from functools import cache

from vademecum.language.load import languages

#: More than this nobody quotes in passing; an unmatched mark then hides no more.
QUOTED_MAX_CHARS = 2000
#: Shorter ones are names, labels and words that are talked about: "call me 'Captain'".
QUOTED_WORDS, QUOTED_CHARS = 5, 12

#: No letter or digit in front of, or behind, a mark; Chinese is written without spaces.
_OUTSIDE, _BEYOND = r"(?<![^\W\u4e00-\u9fff])", r"(?![^\W\u4e00-\u9fff])"
_SIZE = rf"{{1,{QUOTED_MAX_CHARS}}}?"
#: Opening mark, then those that close it.
_PAIRS = (("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"), ("‹", "›"))
#: "the dogs' bowl": a mark behind an s closes nothing where one behind the end of a sentence follows.
_POSSESSIVE = r"(?<=(?i:s))['’](?= \w[^'’\n]{0,300}[.!?…]['’‘])"
#: %s: what is written with an apostrophe in front. Only letters are said to have no case: with all the rest compiling takes 7 ms.
_SINGLE = (
    rf"{_OUTSIDE}['‘‚](?=[^\s'])(?!(?i:%s)\b)(?:[^'‘’‚\n]|\n(?!\s*\n)|(?<=\w)['’](?=\w)|{_POSSESSIVE})"
    rf"{_SIZE}(?<=\S)(?!{_POSSESSIVE})['’‘]{_BEYOND}"
)
_WORD = re.compile(r"[^\W\u4e00-\u9fff]+(?:['’][^\W\u4e00-\u9fff]+)*|[\u4e00-\u9fff]{2}")


@cache
def _quoted() -> re.Pattern[str]:
    clipped = "|".join(languages().listed("speech", "clipped"))
    return re.compile(
        "|".join(
            (
                *(rf"{opens}(?=\S)[^{opens}{closes}]{_SIZE}(?<=\S)[{closes}]" for opens, closes in _PAIRS),
                rf"{_OUTSIDE}\"(?=\S)[^\"]{_SIZE}(?<=\S)\"{_BEYOND}",
                rf"(?P<single>{_SINGLE % clipped})",
            )
        )
    )


def quotations(text: str) -> Iterator[tuple[int, int]]:
    """Start and end, marks included, of whatever is quoted at some length, in order."""
    for match in _quoted().finditer(text):
        inside = match[0][1:-1]
        long = len(_WORD.findall(inside)) >= QUOTED_WORDS
        if long or (match["single"] is None and len(inside) >= QUOTED_CHARS):
            yield match.span()
