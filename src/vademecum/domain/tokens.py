"""Estimates the number of tokens of a text without any provider's tokenizer, rather too high than too low.

No public tokenizer is exact for every model, and the usual length / 4 is wrong by a factor of three for Chinese. The rule: a
character of a script without spaces counts 1.1 tokens, other text counts one token for 3.3 bytes.
"""

import re

#: Scripts whose characters take about one token each.
_DENSE = "[\u0e00-\u0eff\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"

#: Possible first bytes of such characters in UTF-8 (other characters may share them): a text without them does not need the
#: pattern, which takes 2 ms to compile.
_LEADS = bytes((0xE0, 0xE1, *range(0xE3, 0xF5)))

TOKENS_PER_DENSE_CHARACTER = 1.1
BYTES_PER_TOKEN = 3.3


def estimate_tokens(text: str) -> int:
    """Return the estimated tokens of `text`, rounded up; 0 only for an empty text."""
    if not text:
        return 0
    if text.isascii():
        return int(len(text) / BYTES_PER_TOKEN) + 1
    written = text.encode("utf-8", "replace")
    if len(written.translate(None, _LEADS)) == len(written):
        return int(len(written) / BYTES_PER_TOKEN) + 1
    dense = len(re.findall(_DENSE, text))
    rest = len(re.sub(_DENSE, "", text).encode("utf-8", "replace"))
    return int(dense * TOKENS_PER_DENSE_CHARACTER + rest / BYTES_PER_TOKEN) + 1
