"""Estimates of tokens: every text by the same rule, whatever way it is counted."""

import math

from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.tokens import BYTES_PER_TOKEN, TOKENS_PER_DENSE_CHARACTER, estimate_tokens

DENSE = (
    (0x0E00, 0x0EFF), (0x1100, 0x11FF), (0x3040, 0x30FF), (0x3130, 0x318F), (0x3400, 0x9FFF), (0xAC00, 0xD7AF),
    (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
SOME = st.sampled_from("ae é—… “x” 😀 ก ዐ ⺀ 、 か カ 文 한 豈 𠀀")


@given(st.text(st.characters() | SOME))
def test_one_rule(text):
    """Characters of dense scripts count one and a tenth each, the bytes of all others a token for 3.3."""
    dense = [letter for letter in text if any(first <= ord(letter) <= last for first, last in DENSE)]
    rest = sum(len(letter.encode("utf-8", "replace")) for letter in text if letter not in dense)
    exact = len(dense) * TOKENS_PER_DENSE_CHARACTER + rest / BYTES_PER_TOKEN
    assert estimate_tokens(text) in ((math.floor(exact), math.floor(exact) + 1) if text else (0,))
    assert estimate_tokens(text) >= exact - 1e-6
