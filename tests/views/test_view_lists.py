"""Pages that look back or list, the base for Obsidian, and what its vault says of types."""

import re
from datetime import timedelta

import pytest
import yaml


def page(home, name):
    return re.sub(r" %%[^%]*%%", "", (home / "_views" / name).read_text())


def section(text, heading):
    return text.partition(f"## {heading}\n")[2].partition("\n## ")[0].strip()


def test_a_week(memory, home, clock):
    """A week's page tells what was decided, what gave way or was done, and what is still open; the next week has its own."""
    memory.notes.save("decision", "Use SQLite", "One file.", project="shop")
    memory.notes.save("task", "Ship it", "- [ ] examples", project="shop")
    memory.notes.save("task", "Call the printer", "Ask for paper.")
    memory.notes.resolve("Call the printer")
    memory.notes.save("preference", "Blood test", "My blood test is private.", tags=("visibility/pii",))
    clock.advance(timedelta(days=7))
    memory.notes.evolve("Use SQLite", "it grew", "We use Postgres.")
    memory.maintenance.views()
    first, second = page(home, "weeks/2026-W10.md"), page(home, "weeks/2026-W11.md")
    assert "02 March to 08 March 2026. Still open: 1, replaced, done or put away: 1." in first
    assert "[[projects/shop/task/ship-it|Ship it]]" in section(first, "Still open")
    assert "Call the printer" in section(first, "Replaced, done or put away")
    assert "Use SQLite" in section(second, "Decided")
    assert "_archive/" in section(second, "Replaced, done or put away")
    assert "Blood test" not in first + second


def test_an_agents_page(memory, home):
    """IN-08: what only one agent is told stands on its page by category, and on nobody else's."""
    for kind, title in (("decision", "Use rope"), ("lesson", "Ropes rot"), ("task", "Buy rope")):
        memory.notes.save(kind, title, f"{title} said the scout.", agent="scout")
    memory.notes.save("decision", "Use SQLite", "One file.")
    memory.maintenance.views()
    own = page(home, "agents/scout.md")
    assert [section(own, one).count("[[") for one in ("Key Decisions", "Lessons Learned", "Open Threads")] == [1, 1, 1]
    assert "SQLite" not in own
    assert "Use rope" not in page(home, "MEMORY.md")


def test_what_is_written_on_an_agents_page_is_that_agents(memory, home):
    """A line that somebody adds on an agent's or a project's page waits as that agent's, or that project's."""
    memory.notes.save("decision", "Use rope", "Rope holds.", agent="scout")
    memory.notes.save("decision", "Use SQLite", "One file.", project="shop")
    memory.maintenance.views()
    for name in ("agents/scout.md", "projects/shop/overview.md"):
        file = home / "_views" / name
        file.write_text(file.read_text().replace("## Key Decisions\n", f"## Key Decisions\n\nWritten in {name}.\n"))
    memory.maintenance.views()
    waiting = [one.memory for one in memory.inbox.proposals()]
    assert {(one.agent, one.project, one.kind) for one in waiting} == {("scout", "", "decision"), ("", "shop", "decision")}


def test_indexes(memory, home, opened, settings):
    """SW-07: the library around the memory by folder, and a line for each project."""
    vault = home.parent
    for name in ("Designs/Pump", "Designs/Sluice", "Top"):
        (vault / name).parent.mkdir(exist_ok=True)
        (vault / f"{name}.md").write_text("Water.\n")
    around = opened(vault=str(vault))
    around.notes.save("fact", "Pumps", "They hum.", project="shop")
    around.maintenance.sync()
    around.maintenance.views()
    knowledge = page(home, "KNOWLEDGE.md")
    assert "**Designs** (2): [[Designs/" in knowledge
    assert "**At the top** (1): [[Top|Top]]" in knowledge
    assert "[[Vademecum/_views/projects/shop/overview|shop]] — 1 memory, the last: Pumps" in page(home, "PROJECTS.md")


@pytest.fixture
def base(memory, home):
    memory.notes.save("fact", "Kettle", "Descale it.")
    memory.maintenance.views()
    return home / "Memories.base"


def test_base(base):
    """The base is YAML of the published form: filters are a text or one of and, or, not, and every formula that is named is there."""
    made = yaml.safe_load(base.read_text())
    assert set(made) <= {"filters", "formulas", "properties", "summaries", "views"}
    assert [view["name"] for view in made["views"]] == [
        *("Inbox", "Recent", "By kind", "Going stale", "Contradicted", "This note")
    ]

    def check(one):
        if isinstance(one, str):
            assert set(re.findall(r"formula\.(\w+)", one)) <= set(made["formulas"])
            assert one.count("(") == one.count(")")
            return
        ((word, several),) = one.items()
        assert word in ("and", "or", "not")
        assert isinstance(several, list)
        for each in several:
            check(each)

    for filters in (made["filters"], *(view["filters"] for view in made["views"])):
        check(filters)
    for view in made["views"]:
        assert set(view) <= {"type", "name", "filters", "groupBy", "order", "limit"}
        assert view["type"] in ("table", "cards", "list")
        assert set(view.get("groupBy", {"property": 1, "direction": 1})) == {"property", "direction"}
        assert "file.backlinks" not in view["order"]


def test_a_changed_base_is_the_persons(base, memory):
    """The base is made again when it is as it was made, or gone; once somebody changed it, it is never written."""
    made = base.read_text()
    base.write_text(made.replace("180d", "90d"))
    assert memory.maintenance.views().written == ()
    assert "90d" in base.read_text()
    base.unlink()
    assert memory.maintenance.views().written == ("Memories.base",)
    assert base.read_text() == made


def test_reviewed_once_a_month(memory, home, clock):
    """A confirmation shows in the note as `reviewed`, at most once a month, and does not make the note newer."""
    memory.notes.save("fact", "Kettle", "Descale it.")
    memory.maintenance.views()
    note = home / "personal/fact/kettle.md"

    def shown():
        return re.findall(r"^reviewed: (.*)$", note.read_text(), re.MULTILINE)

    assert shown() == []
    days = []
    for _ in range(4):
        clock.advance(timedelta(days=10))
        memory.notes.save("fact", "Kettle", "Descale it.")
        memory.maintenance.views()
        days += shown()
    assert days == ["2026-03-12", "2026-03-12", "2026-04-01", "2026-04-01"]
    kept = memory.notes.get("Kettle")
    assert (kept.updated, kept.confirmations) == (kept.created, 4)
