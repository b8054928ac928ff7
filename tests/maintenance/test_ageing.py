"""What ages is worked out when it is read, and never written down."""

from datetime import timedelta

from vademecum.domain.memory import BY_PERSON
from vademecum.maintenance.jobs import all_jobs


def test_x12_a_month_of_rounds(memory, clock, home):
    """X-12: all jobs done on each day of a month leave a memory, and what the index holds of it, as a month without them does."""
    saved = memory.notes.save("identity", "Baker", "I bake bread.", by=BY_PERSON).memory
    note = home / saved.path
    before, (item,) = note.read_bytes(), memory.notes.list()
    for _ in range(27):
        clock.advance(timedelta(days=1))
        memory.jobs.run(tuple(job.name for job in all_jobs() if job.wanted(memory.context)))
    assert note.read_bytes() == before
    assert [one.importance for one in memory.notes.list()] == [item.importance]
