"""X-32: 76 million tokens a day were spent in the background. Here nothing is spent by default, and a day has its limit."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from tests.adapters.llms.test_llm_conformance import GOOD, PROMPT

from vademecum.adapters.clock import FixedClock
from vademecum.adapters.llms.completion import Completion
from vademecum.adapters.llms.metered import metered
from vademecum.adapters.llms.structured import Structured
from vademecum.adapters.stores.extractions import SqliteLedger
from vademecum.domain.errors import BudgetSpent, LLMUnavailable
from vademecum.domain.llm import Limits, Usage
from vademecum.settings import Settings
from vademecum.wiring.models import daily_tokens

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path):
    made = SqliteLedger(tmp_path / "ledger.db")
    yield made
    made.close()


def model(ledger, clock, limits, said=GOOD, usage=Usage(100, 10)):  # noqa: B008 -- a frozen value
    asked = []

    def complete(prompt):
        asked.append(prompt)
        if isinstance(said, Exception):
            raise said
        return Completion(said, usage)

    llm = Structured("m", metered("m", ledger, clock, limits)(complete))
    llm.asked = asked
    return llm


def test_x32_nothing_by_default():
    assert Settings().llm == "none"
    assert daily_tokens(Settings()) == (400_000, 80_000)


def test_x32_a_day_has_its_limit(ledger):
    """Asked for ever, a model takes no more in a day than allowed; the next day it is asked again."""
    clock = FixedClock(NOON)
    llm = model(ledger, clock, Limits(1_000, 5_000))
    with pytest.raises(BudgetSpent):
        for _ in range(100):
            llm.ask(PROMPT)
    use = ledger.spent()[0]
    assert 0 < use.calls < 11
    assert use.input_tokens <= 1_000
    clock.advance(timedelta(days=1))
    assert llm.ask(PROMPT).value == GOOD


@pytest.mark.parametrize("limits", [Limits(0, 5_000), Limits(5_000, 0)])
def test_nothing_allowed(limits, ledger):
    llm = model(ledger, FixedClock(NOON), limits)
    with pytest.raises(BudgetSpent):
        llm.ask(PROMPT)
    assert not llm.asked


def test_x32_many_at_once(tmp_path):
    """Processes that ask at the same time do not exceed it together: what may be taken is noted before it is."""
    limits, together = Limits(1_000_000, 2_000), threading.Barrier(8)
    refused = []

    def ask():
        llm = model(SqliteLedger(tmp_path / "device.db"), FixedClock(NOON), limits, usage=Usage(1, 500))
        together.wait()
        try:
            llm.ask(PROMPT)
        except BudgetSpent as error:
            refused.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    use = SqliteLedger(tmp_path / "device.db").spent()[0]
    assert use.output_tokens == 500 * (8 - len(refused)) <= limits.output_tokens
    assert len(refused) >= 4


def test_failures_cost_nothing(ledger):
    with pytest.raises(LLMUnavailable):
        model(ledger, FixedClock(NOON), Limits(9_000, 9_000), LLMUnavailable("no")).ask(PROMPT)
    assert [(use.calls, use.input_tokens, use.output_tokens, use.cost) for use in ledger.spent()] == [(0, 0, 0, 0.0)]


def test_repairs_are_counted(ledger):
    with pytest.raises(LLMUnavailable):
        model(ledger, FixedClock(NOON), Limits(9_000, 9_000), "nonsense").ask(PROMPT)
    assert (ledger.spent()[0].calls, ledger.spent()[0].input_tokens) == (2, 200)


def test_money(ledger):
    """What the endpoint says that it took."""
    model(ledger, FixedClock(NOON), Limits(9_000, 9_000), usage=Usage(1_000, 100, cost=0.25)).ask(PROMPT)
    assert ledger.spent()[0].cost == pytest.approx(0.25)
