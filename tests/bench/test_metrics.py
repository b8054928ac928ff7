"""How a ranking is measured."""

import pytest

from vademecum_bench.metrics import interval, measures, percentile


def test_known_ranking():
    """The figures of a ranking worked out by hand."""
    row = measures(["a", "x", "b", "y"], {"a", "b", "c"})
    assert row["hit@1"] == 1
    assert row["recall@5"] == pytest.approx(2 / 3)
    assert row["all@10"] == 0
    assert row["mrr"] == 1
    assert row["ndcg@10"] == pytest.approx((1 + 1 / 2) / (1 + 1 / 1.5849625 + 1 / 2), rel=1e-4)


def test_nothing_found():
    """No right answer anywhere is zero in every measure."""
    assert set(measures(["x"], {"a"}).values()) == {0.0}
    assert set(measures([], {"a"}).values()) == {0.0}


def test_perfect_ranking():
    """All right answers first is one in every measure."""
    assert set(measures(["a", "b"], {"a", "b"}).values()) == {1.0}


def test_interval_holds_mean():
    """The interval is around the mean and the same in each run."""
    values = [0.0, 1.0] * 50
    low, high = interval(values)
    assert low < 0.5 < high
    assert (low, high) == interval(values)


def test_percentile_of_few():
    """The 95th of a hundred values is the 96th smallest; of none, zero."""
    assert percentile(list(range(100)), 0.95) == 95
    assert percentile([], 0.5) == 0
