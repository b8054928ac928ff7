"""Pages that look back or list."""

import re
from datetime import timedelta

from vademecum.plugin import Plugin, plugins


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


def test_without_the_plugin_its_pages_stay(memory, home, monkeypatch):
    """Without the plugin its pages are left as they are: no heading of theirs becomes a proposal, and what the core makes goes on."""
    memory.notes.save("decision", "Use SQLite", "One file.", project="shop")
    memory.maintenance.views()
    before = (home / "_views/PROJECTS.md").read_text()
    others: tuple[Plugin, ...] = tuple(plugin for plugin in plugins() if plugin.name != "lists")
    monkeypatch.setattr("vademecum.plugin.plugins", lambda: others)
    memory.notes.save("decision", "Use rope", "It holds.", project="boat")
    report = memory.maintenance.views()
    assert (report.proposed, report.problems) == ((), ())
    assert (home / "_views/PROJECTS.md").read_text() == before
    assert "Use rope" in (home / "_views/MEMORY.md").read_text()
