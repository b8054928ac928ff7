"""Whether to say anything: absolute evidence only."""

from hypothesis import assume, given
from hypothesis import strategies as st

from vademecum.recall.threshold import confidence

SHARES = st.floats(0, 1)
ASKED = st.floats(0, 80)
SIZES = st.integers(1, 2_000_000)


@given(SHARES, SHARES, SHARES, ASKED, SIZES)
def test_more_evidence(cosine, words, more, asked, passages):
    """X-09: nearer in meaning or more of the words never makes an answer less sure."""
    assume(more > 0)
    base = confidence(cosine, words, asked, passages)
    assert confidence(min(1, cosine + more), words, asked, passages) >= base
    assert confidence(cosine, min(1, words + more), asked, passages) >= base
    assert confidence(None, min(1, words + more), asked, passages) >= confidence(None, words, asked, passages)


@given(SHARES, SHARES, ASKED, SIZES, SIZES)
def test_larger_index(cosine, words, asked, one, other):
    """A larger index holds something similar to anything, so the same evidence tells less there."""
    small, large = sorted((one, other))
    assert confidence(cosine, words, asked, large) <= confidence(cosine, words, asked, small) + 1e-9


@given(SHARES, SHARES, ASKED, ASKED, SIZES)
def test_telling_words(cosine, words, one, other, passages):
    """A question of rarer words is answered more surely by the same share of them."""
    few, many = sorted((one, other))
    assert confidence(cosine, words, few, passages) <= confidence(cosine, words, many, passages)


def test_thresholds():
    """Nothing in common is silence, everything in common is not, with a model and without."""
    assert confidence(0.0, 0.0, 20, 600) < 0.01
    assert confidence(0.7, 0.8, 20, 600) > 0.99
    assert confidence(None, 0.0, 20, 600) < 0.01
    assert confidence(None, 0.8, 20, 600) > 0.95
    assert 0 <= confidence(-1e9, 0.0, 0, 1) <= confidence(1e9, 1.0, 1e9, 10**9) <= 1
