"""What a helper takes in memory once everything is loaded, and how much of an index one prompt reads: both whatever the machine."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import apsw
import numpy as np
import pytest
from tests.entrypoints.hooks.conftest import ABOUT_KETTLE
from tests.entrypoints.hooks.test_helper import until

from vademecum.domain.item import Item, Passage
from vademecum.domain.query import Query
from vademecum.entrypoints.daemon.call import call, ensure
from vademecum.wiring import open_memory

NOTES = 1_000
#: Resident, pages of the index's files included.
MOST_MB = 120

#: Turns in the index when it is measured; what it is judged for; how many turns of how many words a conversation has.
MEASURED, JUDGED, TURNS, WORDS = (30_000, 90_000), 1_000_000, 20, 12
#: What a helper with 1,000,000 turns and 100,000 memories takes besides what growth says of the turns
#: (docs/measurements/benchmarks-until-2026-11-27.md).
BESIDES_MB = 125
MOST_JUDGED_MB = 400
#: Asks as a helper does, then prints MB of its own, and MB of files' pages once those are given back that are not needed.
ASKING = """
import sys
from pathlib import Path
from vademecum import settings
from vademecum.domain.query import Query
from vademecum.entrypoints.daemon.memory_usage import files_mb, give_back, own_mb
from vademecum.wiring import open_memory
with open_memory(settings.load(config=Path(sys.argv[1]), environment={})) as memory:
    for number in range(6):
        memory.recall.ask(Query(f"what did w{number} and w{number * 31 + 100} say of w{number * 301 + 1000}"))
    give_back()
    own = own_mb()
    memory.context.index.let_go()
    give_back()
    print(own, files_mb())
"""


def fill(installed, count: int) -> None:
    """Write notes, put them into the index, and give them vectors drawn at random: those cost the same to search."""
    folder = installed.folder / "home" / "personal" / "fact"
    folder.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(1)
    words = [f"{first}{second}" for first in ("ba", "ke", "lo", "mi", "tu", "ra") for second in ("dor", "len", "mus", "tik")]
    for number in range(count):
        said = " ".join(chance.choice(words, 40))
        (folder / f"note-{number}.md").write_text(f"---\ntitle: Note {number} {said[:12]}\n---\n\n{said}.\n")
    with open_memory(installed.settings) as memory:
        memory.maintenance.sync(quick=True)
        fill_vectors(memory, chance)


def fill_vectors(memory, chance) -> None:
    """Give what has no vector one drawn at random."""
    index, model = memory.context.index, memory.context.models.embedder
    while model and (waiting := index.without_vectors(model.model_id, 5000)):
        rows = chance.standard_normal((len(waiting), model.dim)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        index.add_vectors(model.model_id, [one.number for one in waiting], rows)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems count shared pages otherwise")
def test_x31_a_thousand_memories(installed):
    """X-31, N10: a helper over a thousand memories, its model loaded and at work, takes 120 MB at most."""
    installed.configure(embedder='"use"', hook_deadline_ms="40000")
    fill(installed, NOTES)
    installed.patient()
    assert ensure(installed.settings, installed.config)

    def by_meaning() -> bool:
        installed.prompted(ABOUT_KETTLE, "warm")
        return "skipped" not in installed.log()[-1]

    until(by_meaning, "answers by meaning")
    for number in range(5):
        installed.prompted(f"What do we know about badra and kedor {number}?", f"s{number}")
    assert call(installed.settings, "status")["memory_mb"] <= MOST_MB


def conversations(first: int, end: int, chance):
    """Return conversations of the turns with these numbers, their words drawn by Zipf's law."""
    shares = 1 / np.arange(1, 20_001)
    drawn = np.searchsorted(np.cumsum(shares / shares.sum()), chance.random((end - first, WORDS)))
    for start in range(first, end, TURNS):
        begun = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=start)
        said = tuple(
            Passage(" ".join(f"w{word}" for word in drawn[start + turn - first].tolist()), turn,
                    speaker=("user", "agent")[turn % 2], ref=str(turn), time=begun + timedelta(seconds=turn))
            for turn in range(TURNS)
        )  # fmt: skip
        yield Item(
            key=f"session://made/{start}", source="session", space="sessions", path=f"/{start}", title="", stat="1:1",
            digest=str(start), kind="session", status="active", updated=begun, passages=said,
        )  # fmt: skip


def taken_mb(installed) -> float:
    """Return what a process takes that opens this memory and is asked. The first one writes files that the second maps."""
    for _ in range(2):
        asked = [sys.executable, "-c", ASKING, str(installed.config)]
        told = subprocess.run(asked, capture_output=True, text=True, check=True, env=installed.environment())
    return sum(map(float, told.stdout.split()))


@pytest.mark.soak
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems count shared pages otherwise")
def test_n10_a_million_turns(installed):
    """N10: by what each turn adds between 30,000 and 90,000, a helper with a million takes 400 MB at most."""
    installed.configure(embedder='"use"')
    chance = np.random.default_rng(1)
    took = []
    for first, end in zip((0, *MEASURED), MEASURED, strict=False):
        with open_memory(installed.settings) as memory:
            memory.context.index.apply(conversations(first, end, chance))
            fill_vectors(memory, chance)
        took.append(taken_mb(installed))
    each = (took[1] - took[0]) / (MEASURED[1] - MEASURED[0])
    assert each > 0, took  # else it measured something else
    assert took[1] + each * (JUDGED - MEASURED[1]) + BESIDES_MB <= MOST_JUDGED_MB, took


def steps_of(memory, question: str) -> int:
    """Steps of the database's machine while a question is answered that was asked before: what is kept in memory costs none.

    Without those of the full-text index's own statements, whose counters are of all times that they ran.
    """
    memory.recall.ask(Query(question))
    counted = []

    def count(event):
        if "'main'.'words_" not in event["sql"]:
            counted.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])

    with memory.context.index._reading() as opened:
        db = opened.db
    db.trace_v2(apsw.SQLITE_TRACE_PROFILE, count)
    memory.recall.ask(Query(question))
    db.trace_v2(0, None)
    return sum(counted)


@pytest.mark.slow
def test_work_does_not_grow_with_memory(installed):
    """A prompt reads of an index what it tells and weighs, not what there is: four times the notes cost no more."""
    installed.configure()
    took = []
    for count in (100, 400):
        fill(installed, count)
        with open_memory(installed.settings) as memory:
            took.append(steps_of(memory, ABOUT_KETTLE))
    assert 0 < took[1] <= 1.2 * took[0], took
