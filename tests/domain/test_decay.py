"""Importance falls with time, once."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.decay import FLOOR, Life, confidence_by_sources, effective_importance, is_stale
from vademecum.domain.kinds import KINDS

BORN = datetime(2026, 1, 1, tzinfo=UTC)
KIND = st.sampled_from(sorted(KINDS))


@given(KIND, st.floats(0.1, 1), st.integers(0, 2000))
def test_never_more_with_age(kind, base, days):
    """X-12: a day makes no memory matter more, and none falls below the floor."""
    value, later = (effective_importance(kind, base, BORN, BORN + timedelta(days=each)) for each in (days, days + 1))
    assert FLOOR <= later <= value <= base


def test_half_life_of_identity():
    """X-12: who somebody is halves in 180 days and reaches the floor after about two years, not after 27 daily runs."""
    assert effective_importance("identity", 0.8, BORN, BORN + timedelta(days=180)) == 0.4
    assert effective_importance("identity", 0.8, BORN, BORN + timedelta(days=27)) > 0.7
    assert effective_importance("identity", 0.8, BORN, BORN + timedelta(days=360)) == 0.2


def test_decisions_stay():
    """A decision holds until somebody changes it."""
    assert effective_importance("decision", 0.8, BORN, BORN + timedelta(days=4000)) == 0.8


def test_confirmed_often():
    """A fact confirmed three times no longer ages; an event then ages slowly."""
    later = BORN + timedelta(days=90)
    assert effective_importance("fact", 0.6, BORN, later, Life(confirmations=3)) == 0.6
    assert effective_importance("event", 0.8, BORN, BORN + timedelta(days=30), Life(confirmations=3)) == 0.4


def test_use_counts():
    """X-13: a memory that was told lately weighs more than one that never was."""
    later = BORN + timedelta(days=100)
    used = effective_importance("fact", 0.6, BORN, later, Life(last_used=later - timedelta(days=1), uses=5))
    assert used > effective_importance("fact", 0.6, BORN, later)


@given(KIND, st.floats(0, 1), st.integers(-400, 4000), st.integers(0, 50), st.integers(0, 50))
def test_stays_in_range(kind, base, days, confirmations, uses):
    """A clock that jumps back, or a memory from the future, never leaves the scale."""
    moment = BORN + timedelta(days=days)
    value = effective_importance(kind, base, BORN, moment, Life(confirmations=confirmations, uses=uses, last_used=BORN))
    assert FLOOR <= value <= 1


def test_stale():
    """What ages and had no sign of life for 90 days is stale; what does not age, and what was confirmed often, never is."""
    now = datetime(2026, 6, 1, tzinfo=UTC)
    old = now - timedelta(days=90)
    assert is_stale("fact", old, now)
    assert not is_stale("fact", old + timedelta(days=1), now)
    assert not is_stale("fact", old, now, confirmations=3)
    assert not is_stale("decision", old, now)
    assert not is_stale("fact", None, now)


def test_sureness():
    """HW-36: half of it counts sources up to three, half is how good they are."""
    assert confidence_by_sources("user", 1) == pytest.approx(0.5 / 3 + 0.5)
    assert confidence_by_sources("user", 3) == confidence_by_sources("user", 9) == 1.0
    assert confidence_by_sources("external", 1) == pytest.approx(0.5 / 3 + 0.15)
