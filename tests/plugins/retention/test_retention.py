"""What is old, or too much, is archived where the person wants that; nothing is destroyed (SW-51, HW-49)."""

import json
from datetime import timedelta

from vademecum.domain.query import Scope
from vademecum.plugins.daily.notes import daily
from vademecum.plugins.retention.retention import retain

NOTE = "---\ndistilled: {}\n---\n\n# {}\n\nWalked along the canal with a friend.\n"


def day_note(home, clock, days, distilled="true"):
    """A note of a day so many days ago, with the lines that stand beside it."""
    day = (clock.now() - timedelta(days=days)).date()
    path = home / "_daily" / f"{day}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(NOTE.format(distilled, day), encoding="utf-8")
    path.with_suffix(".jsonl").write_text(json.dumps({"note": "a line of another program"}) + "\n", encoding="utf-8")
    return path


def test_sw51_off_by_default(memory, home, clock):
    """SW-51: where nothing is set, the job does not run and nothing moves."""
    note = day_note(home, clock, 1000)
    assert memory.context.setting("retention") == ()
    memory.jobs.run()
    assert retain(memory.context) == ("", ())
    assert note.exists()


def test_sw51_notes_of_days(opened, home, clock):
    """SW-51: a note goes with its lines after the days that are set, one that nobody read yet after twice as many; its text stays."""
    memory = opened(retention=("day_notes=90",))
    old, unread, oldest, fresh = (
        day_note(home, clock, 91), day_note(home, clock, 120, "false"), day_note(home, clock, 181, "false"), day_note(home, clock, 90)
    )  # fmt: skip
    said = old.read_bytes()
    assert [run.result for run in memory.jobs.run(("retention",))] == ["notes of days archived: 2"]
    assert (unread.exists(), fresh.exists(), old.exists(), oldest.exists()) == (True, True, False, False)
    assert (home / "_daily" / "archive" / old.name).read_bytes() == said
    assert (home / "_daily" / "archive" / old.name).with_suffix(".jsonl").exists()
    assert "canal" in daily(memory.context, old.stem).text


def test_sw51_links_lead_on(opened, home, clock):
    """SW-51: a memory that links to the note of a day links to where it is now."""
    memory = opened(retention=("day_notes=90",))
    old = day_note(home, clock, 100)
    linking = memory.notes.save("fact", "Walk", f"See [[_daily/{old.stem}|that day]] and [[{old.stem}]].").memory
    retain(memory.context)
    assert memory.notes.get(linking.id).body == f"See [[archive/{old.stem}|that day]] and [[{old.stem}]].\n"


def test_sw51_what_came_back_stays(opened, home, clock):
    """SW-51: a note that the person moved back is not moved again."""
    memory = opened(retention=("day_notes=90",))
    old = day_note(home, clock, 100)
    retain(memory.context)
    (home / "_daily" / "archive" / old.name).rename(old)
    assert retain(memory.context) == ("", ())
    assert old.exists()


def test_sw51_forgetting_reaches_them(opened, home, clock):
    """SW-51: what is forgotten is taken out of an archived note as well."""
    memory = opened(retention=("day_notes=90",))
    old = day_note(home, clock, 100)
    old.write_text(
        old.read_text(encoding="utf-8") + "The code of the gate is quillwort vermilion harpsichord.\n", encoding="utf-8"
    )
    retain(memory.context)
    saved = memory.notes.save("fact", "Gate", "The code of the gate is quillwort vermilion harpsichord.").memory
    memory.notes.forget(saved.id, yes=True)
    assert "quillwort" not in (home / "_daily" / "archive" / old.name).read_text(encoding="utf-8")


def test_sw51_events(opened, clock):
    """SW-51: events go to the archive by age, but not those that are pinned; undo brings them back, and they stay."""
    memory = opened(retention=("events=30",))
    memory.notes.save("event", "Fair", "The fair was in town.")
    memory.notes.save("event", "Wedding", "They married.", pin=True)
    memory.notes.save("fact", "Boat", "It is blue.")
    clock.advance(timedelta(days=31))
    assert retain(memory.context)[0] == "events archived: 1"
    assert active(memory) == {"Boat", "Wedding"}
    memory.notes.undo()
    assert retain(memory.context)[0] == ""
    assert active(memory) == {"Boat", "Fair", "Wedding"}


def test_hw49_least_used_above_a_number(opened, clock):
    """HW-49: above the number events go first, then what worked, then decisions, the least used before others; failures never go."""
    memory = opened(retention=("memories=3",))
    for kind, title in (
        ("failure_pattern", "Race"), ("incident", "Outage"), ("decision", "Queue"), ("decision", "Cache"), ("success_pattern", "Retry"),
        ("event", "Release"),
    ):  # fmt: skip
        memory.notes.save(kind, title, f"{title} is what it is about.")
        clock.advance(timedelta(hours=1))
    memory.context.state.usage.note("used", [memory.notes.get("Queue").uri], clock.now())
    assert retain(memory.context)[0] == "least used archived: 3"
    assert active(memory) == {"Race", "Outage", "Queue"}
    memory.notes.save("incident", "Flood", "The cellar was under water.")
    memory.notes.save("lesson", "Sandbags", "Put them out in March.")
    assert retain(memory.context)[0] == "least used archived: 1"
    assert active(memory) == {"Race", "Outage", "Flood", "Sandbags"}
    assert memory.notes.get("Cache").status == "archived"


def active(memory):
    return {item.title for item in memory.context.index.select(Scope(sources=("memory",), statuses=("active",)), limit=100)}


def test_setting_is_explained(vade, tmp_path):
    """It is set as every setting is, and an entry that cannot be read is named by the job."""
    assert vade("init", str(tmp_path / "notes"))[0] == 0
    assert vade("settings", "set", "retention", "day_notes=90", "events=365")[0] == 0
    assert "day_notes=90" in vade("settings", "explain", "retention")[1]
    assert vade("settings", "set", "retention", "days=90")[0] == 0
    assert "Setting retention has 'days=90'." in vade("jobs", "run", "retention")[1]
