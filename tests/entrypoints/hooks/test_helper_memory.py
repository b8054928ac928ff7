"""What a helper takes in memory once everything is loaded, and how much of an index one prompt reads: both whatever the machine."""

import sys

import apsw
import numpy as np
import pytest
from tests.entrypoints.hooks.conftest import ABOUT_KETTLE
from tests.entrypoints.hooks.test_helper import until

from vademecum.domain.query import Query
from vademecum.entrypoints.daemon.call import call, ensure
from vademecum.wiring import open_memory

NOTES = 1_000
#: Resident, pages of the index's files included.
MOST_MB = 120


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
        index, model = memory.context.index, memory.context.models.embedder
        while model and (waiting := index.without_vectors(model.model_id, 5000)):
            rows = chance.standard_normal((len(waiting), model.dim)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            index.add_vectors(model.model_id, [one.number for one in waiting], rows)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems count shared pages otherwise")
def test_x31_a_thousand_memories(installed):
    """X-31, N10: a helper over a thousand memories, its model loaded and at work, takes 120 MB at most."""
    installed.configure(embedder='"use"', hook_deadline_ms="20000", prompt_deadline_ms="20000")
    fill(installed, NOTES)
    installed.patient()
    assert ensure(installed.settings, installed.config)

    def by_meaning() -> bool:
        installed.prompted(ABOUT_KETTLE, "warm")
        return "skipped" not in installed.log()[-1]

    until(by_meaning, "answers by meaning")
    for number in range(20):
        installed.prompted(f"What do we know about badra and kedor {number}?", f"s{number}")
    assert call(installed.settings, "status")["memory_mb"] <= MOST_MB


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
    for count in (500, 2_000):
        fill(installed, count)
        with open_memory(installed.settings) as memory:
            took.append(steps_of(memory, ABOUT_KETTLE))
    assert 0 < took[1] <= 1.2 * took[0], took
