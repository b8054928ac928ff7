"""The Extractions and Ledger ports over a file, and real processes that are killed."""

import multiprocessing
import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from vademecum.adapters.stores.extractions import SqliteExtractions, SqliteLedger
from vademecum.adapters.stores.state import SqliteState
from vademecum.domain.extraction import Extraction, Stop
from vademecum.domain.llm import DayUse, Usage

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
FULL = Extraction(
    "session://codex/a", "/wörk/t.jsonl", "parked", NINE, NINE + timedelta(microseconds=7), NINE, 12, "So far \ud83d.", True, 3,
    "no answer", '{"value": {}}', 4, 5, 6, ("it has no text",), "01HX", "About tea.",
    ("https://example.org/1", "SHOP-7"),
)  # fmt: skip


@pytest.fixture
def extractions(tmp_path):
    made = SqliteExtractions(tmp_path / "device.db")
    yield made
    made.close()


@pytest.fixture
def ledger(tmp_path):
    made = SqliteLedger(tmp_path / "device.db")
    yield made
    made.close()


def row(name, stage="waiting", minute=0):
    return Extraction(f"session://codex/{name}", "", stage, NINE, NINE + timedelta(minutes=minute))


def test_round_trip(extractions):
    """Every field comes back as it was given."""
    full = replace(FULL, summary="So far.")
    assert extractions.get(full.session) is None
    assert extractions.change(full.session, lambda known: full) == full
    assert extractions.get(full.session) == full


def test_lone_surrogate(extractions):
    """X-49: bad text is replaced, and the next write works."""
    extractions.change(FULL.session, lambda known: FULL)
    extractions.change(FULL.session, lambda known: replace(known, summary="Later."))
    assert extractions.get(FULL.session).summary == "Later."


def test_order(extractions):
    """What is due first comes first; stages can be asked for."""
    for one in (row("c", minute=1), row("a", "parked", 9), row("b", minute=1)):
        extractions.change(one.session, lambda known, one=one: one)
    assert [one.session[-1] for one in extractions.all()] == ["b", "c", "a"]
    assert [one.session[-1] for one in extractions.all({"parked"})] == ["a"]
    assert extractions.all(set()) == ()


def test_change_that_fails(extractions):
    """What `change` raises is passed on, and nothing was changed."""
    extractions.change("session://codex/a", lambda known: row("a"))
    with pytest.raises(ZeroDivisionError):
        extractions.change("session://codex/a", lambda known: 1 / 0)
    assert extractions.change("session://codex/a", lambda known: None) is None
    assert extractions.get("session://codex/a") is None


def test_stop(extractions):
    """One stop at most; None takes it away."""
    assert extractions.stopped() is None
    extractions.stop(Stop("a", "No key.", NINE))
    extractions.stop(Stop("b", "No money.", NINE))
    assert extractions.stopped() == Stop("b", "No money.", NINE)
    extractions.stop(None)
    assert extractions.stopped() is None


def test_ledger(ledger):
    """It adds up by day and model, the last day first; taking back never goes below nothing."""
    ledger.spend("2026-03-01", "b", Usage(10, 2), 0.5)
    ledger.spend("2026-03-02", "b", Usage(1, 1), 0.0)
    ledger.spend("2026-03-02", "a", Usage(1, 1), 0.0)
    ledger.spend("2026-03-01", "b", Usage(5, 1), 0.25)
    ledger.spend("2026-03-02", "a", Usage(-9, -9, None, -9), -1.0)
    assert ledger.spent() == (
        DayUse("2026-03-02", "a", 0, 0, 0, 0.0),
        DayUse("2026-03-02", "b", 1, 1, 1, 0.0),
        DayUse("2026-03-01", "b", 2, 15, 3, 0.75),
    )
    assert ledger.spent("2026-03-02") == ledger.spent()[:2]


def _count(path: str, started) -> None:
    extractions, ledger = SqliteExtractions(Path(path)), SqliteLedger(Path(path))
    for number in range(100_000):
        ledger.spend("2026-03-01", "m", Usage(1, 1), 0.0)
        extractions.change("session://x/a", lambda known, n=number: replace(known or row("a"), turns_read=n + 1))
        started.value = number + 1


def test_killed(tmp_path):
    """Nothing that was acknowledged is lost when the process is killed, whatever it was doing."""
    path = tmp_path / "device.db"
    context = multiprocessing.get_context("spawn")
    count = context.Value("i", 0)
    process = context.Process(target=_count, args=(str(path), count))
    process.start()
    while count.value < 50:
        assert process.is_alive()
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    extractions, ledger = SqliteExtractions(path), SqliteLedger(path)
    assert extractions.get("session://x/a").turns_read in (count.value, count.value + 1)
    assert ledger.spent()[0].calls in (count.value, count.value + 1)
    extractions.close()
    ledger.close()


def test_forgetting_reaches_it(tmp_path):
    """X-36: what a model said of a conversation is erased with everything else of the device's state."""
    path = tmp_path / "device.db"
    state, extractions = SqliteState(path), SqliteExtractions(path)
    extractions.change("session://x/a", lambda known: replace(row("a"), summary="The plan is called Heron."))
    extractions.change("session://x/b", lambda known: replace(row("b"), answer='{"value": {"facts": ["Heron is secret"]}}'))
    extractions.change("session://x/c", lambda known: row("c"))
    assert state.erase(lambda text: "Heron" in text, ()) == 2
    assert [one.session for one in extractions.all()] == ["session://x/c"]
    extractions.close()
    state.close()
    assert b"Heron" not in path.read_bytes()
