"""Find quoted text, across sentences and lines, with any quotation marks.

Most marks differ at both ends or have no other use. The straight single quote is also an apostrophe ("don't", "l'eau", "the dogs'
bowl", "'cause"), so it opens only before a word and closes only after one, and the quoted text must have a minimum length.
"""

import re
from collections.abc import Iterator
from functools import cache

from vademecum.domain.late_pattern import late_pattern
from vademecum.language.load import languages

#: Maximum length of a quotation, so that an unmatched mark hides no more than this.
QUOTED_MAX_CHARS = 2000
#: Minimum words, or characters, of a quotation; shorter ones are names, labels and terms: "call me 'Captain'".
QUOTED_WORDS, QUOTED_CHARS = 5, 12

#: No letter or digit before, or after, a mark; Chinese characters are allowed, because Chinese has no spaces.
_OUTSIDE, _BEYOND = r"(?<![^\W\u4e00-\u9fff])", r"(?![^\W\u4e00-\u9fff])"
_SIZE = rf"{{1,{QUOTED_MAX_CHARS}}}?"
#: Opening mark, and the marks that close it.
_PAIRS = (("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"), ("‹", "›"))
#: "the dogs' bowl": a mark after an s does not close if another mark follows at the end of the sentence.
_POSSESSIVE = r"(?<=(?i:s))['’](?= \w[^'’\n]{0,300}[.!?…]['’‘])"
#: %s: words written with a leading apostrophe. Only these are case-insensitive: a fully case-insensitive pattern takes 7 ms to compile.
_SINGLE = (
    rf"{_OUTSIDE}['‘‚](?=[^\s'])(?!(?i:%s)\b)(?:[^'‘’‚\n]|\n(?!\s*\n)|(?<=\w)['’](?=\w)|{_POSSESSIVE})"
    rf"{_SIZE}(?<=\S)(?!{_POSSESSIVE})['’‘]{_BEYOND}"
)
_WORD = late_pattern(r"[^\W\u4e00-\u9fff]+(?:['’][^\W\u4e00-\u9fff]+)*|[\u4e00-\u9fff]{2}")


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
    """Yield (start, end), marks included, of each quotation of sufficient length, in order."""
    for match in _quoted().finditer(text):
        inside = match[0][1:-1]
        long = len(_WORD.findall(inside)) >= QUOTED_WORDS
        if long or (match["single"] is None and len(inside) >= QUOTED_CHARS):
            yield match.span()
