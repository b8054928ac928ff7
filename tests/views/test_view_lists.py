"""The base for Obsidian, and what its vault says of types."""

import re
from datetime import timedelta

import pytest
import yaml


def page(home, name):
    return re.sub(r" %%[^%]*%%", "", (home / "_views" / name).read_text())


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
