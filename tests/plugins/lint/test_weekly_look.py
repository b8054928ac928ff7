"""The weekly jobs of this plugin."""

from tests.maintenance.test_jobs import DAY, ran


def test_sw36_weekly_look(memory, clock, home):
    """SW-36: once a week what could go to the archive is counted and, where the person has pages, what is wrong is reported there."""
    memory.notes.save("fact", "Fair", "The fair is in town, see [[Nowhere at all]].", valid_until=clock.now() - DAY)
    told = {one.name: one.result for one in memory.jobs.run()}
    assert told["health"] == "could be archived: 1; see vade lint --health"
    assert "lint" not in told
    memory.maintenance.views()
    told = {one.name: one.result for one in memory.jobs.run()}
    assert told["lint"].startswith("findings: ")
    assert [path.name for path in (home / "_views").glob("lint-*.md")]
    clock.advance(6 * DAY)
    assert not {"lint", "health"} & set(ran(memory.jobs.run()))
    assert memory.notes.get("Fair").status == "active"
