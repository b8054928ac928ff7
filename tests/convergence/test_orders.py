"""Devices that share a vault over a file sync which knows nothing of us agree in the end, whatever came in which order.

More orders run in `make soak`; how many, and what ended how, stands in docs/syncing.md.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import pytest
from tests.convergence.simulator import MODELS, WithoutJournals, fingerprint, order

MANY = 10_000


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "order"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_orders_agree(folder, model):
    """X-38: 48 orders of 2 to 5 devices: all files are equal, no line that nobody took away is lost, what was forgotten is gone."""
    assert {seed: found for seed in range(6) if (found := order(seed, folder, model=model)[1])} == {}


def test_order_is_replayed(folder):
    """A seed leads to the same bytes on every disk each time."""
    first, second = (fingerprint(order(7, folder)[0]) for _ in range(2))
    assert first == second


def test_without_journals(folder):
    """Where a sync carries notes and nothing of ours, devices agree about the notes all the same."""
    found = {seed: found for seed in range(10) if "unequal" in (found := order(seed, folder, model=WithoutJournals)[1])}
    assert found == {}


@pytest.mark.soak
def test_many_orders(tmp_path):
    """X-38: the same of many orders."""
    with ProcessPoolExecutor() as pool:
        found = pool.map(partial(_faults, tmp_path), range(1_000, 1_000 + MANY), chunksize=50)
        assert {seed: faults for seed, faults in enumerate(found, 1_000) if faults} == {}


def _faults(place, seed):
    return order(seed, place / f"vademecum-order-{os.getpid()}")[1]
