"""The confidence that a turn answers: absolute evidence only."""

from types import SimpleNamespace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vademecum.ports.embedder import Likeness
from vademecum.recall.confidence import confidence, odds_by_meaning, odds_by_session, specificity
from vademecum.recall.likeness import likeness_in
from vademecum.recall.numbers import BIAS

SHARES = st.floats(0, 1)
DISTANCES = st.floats(0, 6)
SIZES = st.integers(1, 2_000_000)


@given(SHARES, DISTANCES, SHARES, SIZES)
def test_more_evidence(words, distance, more, passages):
    """X-09: nearer in meaning or more of the words never makes an answer less sure; unknown names do."""
    assume(more > 0)
    far, near = (odds_by_meaning(distance, deviations, passages) for deviations in (2.0, 2.0 + more))
    base = confidence(words, 0.0, far)
    assert confidence(words, 0.0, near) >= base
    assert confidence(min(1, words + more), 0.0, far) >= base
    assert confidence(words, more, far) <= base


@given(DISTANCES, st.floats(-3, 8), SIZES, SIZES)
def test_larger_index(distance, deviations, one, other):
    """A larger index holds something similar to anything, so the same nearness tells less there."""
    small, large = sorted((one, other))
    assert odds_by_meaning(distance, deviations, large) <= odds_by_meaning(distance, deviations, small) + 1e-9


@given(st.floats(-3, 8), SIZES)
def test_a_model_that_tells_nothing(deviations, passages):
    """A model that puts related texts no nearer than others neither opens nor closes anything."""
    assert odds_by_meaning(0.0, deviations, passages) == 0


@given(st.floats(0, 80), st.floats(0, 80), SIZES)
def test_telling_words(one, other, passages):
    """A question of rarer words tells more, and none more than all."""
    few, many = sorted((one, other))
    assert 0 <= specificity(few, passages) <= specificity(many, passages) <= 1


@given(st.floats(0, 500), st.floats(0, 500), st.floats(0, 500), st.floats(0, 500))
def test_whole_conversations(one, other, short, long):
    """X-09: a conversation that says more of the question never makes an answer less sure, and the same tells less of a longer one."""
    (less, more), (few, many) = sorted((one, other)), sorted((short, long))
    assert 0 <= odds_by_session(less, few) <= odds_by_session(more, few) <= odds_by_session(500, few)
    assert odds_by_session(more, many) <= odds_by_session(more, few)


@pytest.mark.parametrize("pool", list(BIAS))
def test_thresholds(pool):
    """Nothing in common is silence, everything in common is not, with a model and without."""
    far, near = (odds_by_meaning(5.0, deviations, 600) for deviations in (2.0, 8.0))
    assert confidence(0.0, 0.0, far, pool) < 0.05
    assert confidence(0.8, 0.0, near, pool) > 0.99
    assert confidence(0.0, 0.0, 0.0, pool) < 0.3
    assert confidence(0.8, 0.0, 0.0, pool) > 0.95
    assert 0 <= confidence(0.0, 1e9, -1e9, pool) <= confidence(1.0, 0.0, 1e9, pool) <= 1


def test_no_language_is_told_better_than_english():
    """A few pairs measure a model too good in a language; it counts as much as in English, on which the weights were fitted, at most."""
    english, chinese = Likeness(0.0, 0.1, 0.4), Likeness(0.1, 0.1, 0.9)
    model = SimpleNamespace(model_id="m", calibration={"en": english, "zh": chinese, "de": Likeness(0.0, 0.1, 0.2)})
    assert likeness_in(model, "zh").distance == pytest.approx(4.0)
    assert likeness_in(model, "zh").mean == 0.1
    assert likeness_in(model, "de").distance == pytest.approx(2.0)
    assert likeness_in(model, "pl") == english
