"""Vaults that an older version of the program wrote, alone or beside this one.

`samples/older` was written by the version before journals had segments. In `samples/shared` this version then confirmed, tagged and mined
on the same computer; after that the older one, on another computer called tablet, followed, confirmed, edited, tagged and saved.
"""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vademecum.domain.errors import NotFound
from vademecum.domain.memory import Draft
from vademecum.vault.journal import Change, Record, Version, to_line

from .conftest import Ticking

SAMPLES = Path(__file__).parent / "samples"
LATER = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def of(root, open_vault):
    """Opens a copy of a sample, as this version does on the computer that the sample calls laptop."""

    def opened(sample, **more):
        shutil.copytree(SAMPLES / sample, root, dirs_exist_ok=True)
        settings = {"device": "laptop-k3x9", "former_device": "laptop", "clock": Ticking(LATER)} | more
        return open_vault(**settings)

    return opened


def test_older_vault_is_read(of):
    """A vault of the first format: every memory, its history, and nothing that looks like a change by hand."""
    vault = of("older")
    assert {memory.title for memory in vault.list()} == {"Kettle", "Green tea", "Read the log first", "Pot", "by-hand"}
    kettle = vault.get("Kettle")
    assert (kettle.confirmations, kettle.importance, kettle.body) == (2, 0.9, "Descale monthly, with vinegar.\n")
    assert [record.op for record in vault.history.of("Kettle")] == ["save", "confirm", "confirm", "edit"]
    assert (vault.reconcile().records, vault.problems()) == ((), ())


def test_older_journal_stays(of, root):
    """What the older version wrote is left alone; undo goes on behind it, in the journal that has segments."""
    vault = of("older")
    before = (root / "_journal/laptop.jsonl").read_bytes()
    vault.tag("Kettle", add=["metal"])
    assert [one.reason for one in vault.history.undo()] == ["undo tag"]
    assert [one.reason for one in vault.history.undo()] == ["undo adopt"]
    assert (root / "_journal/laptop.jsonl").read_bytes() == before
    assert [path.name for path in (root / "_journal/laptop-k3x9").iterdir()] == ["2026-03-001.md"]
    assert vault.problems() == ()


def test_operation_of_a_dead_older_version(of, root, tmp_path):
    """What the older version had begun when it died is finished, and not recorded twice."""
    note = "---\nid: 01KJMMDQP0000000000000000Z\nkind: fact\ntitle: New\n---\nNew.\n"
    after = Version("personal", "personal/fact/new.md", "0" * 32, note)
    record = Record(
        "01KJMZZZZZ0000000000000001",
        LATER,
        "save",
        "user",
        "cli",
        "laptop",
        (Change("01KJMMDQP0000000000000000Z", None, after),),
    )
    vault = of("older")
    intent = vault._writer._intent("personal")
    intent.parent.mkdir(exist_ok=True)
    intent.write_bytes(to_line(record))
    with (root / "_journal/laptop.jsonl").open("ab") as journal:
        journal.write(to_line(record))
    vault._writer.settle()
    assert vault.get("New").body == "New.\n"
    assert [one.op for one in vault.history.of("New")] == ["save"]
    assert not list((root / "_journal").glob("laptop-k3x9/*"))


def test_undo_means_this_device(of):
    """`undo` takes back the last deed of this device, not what another one did later, also when both have one name."""
    mine = of("older")
    mine.save(draft := _draft("Car key"))
    theirs = of("older", device="laptop-zzzz", clock=Ticking(LATER.replace(day=3)))
    theirs.save(_draft("Spare key"))
    assert [one.reason for one in mine.history.undo()] == ["undo save"]
    assert mine.get("Spare key").title == "Spare key"
    with pytest.raises(NotFound):
        mine.get(draft.title)


def _draft(title):
    return Draft("fact", title, f"{title}.\n")


def test_older_version_is_noticed(of, root):
    """An older version that goes on writing is told of, by device and day; one that was updated is not."""
    vault = of("older")
    vault.save(_draft("New"))
    assert vault.problems() == ()
    record = Record("01KJQZZZZZ0000000000000001", LATER.replace(day=4), "edit", "user", "cli", "tablet", ())
    (root / "_journal/tablet.jsonl").write_bytes(to_line(record))
    (problem,) = vault.problems()
    assert (problem.path, "2026-03-04, from the device tablet" in problem.message) == (
        str(root / "_journal/tablet.jsonl"),
        True,
    )
    updated = of("older", device="tablet-aaaa", former_device="tablet", clock=Ticking(LATER.replace(day=5)))
    updated.save(_draft("Newer"))
    assert updated.problems() == ()
    long_after = of("older", clock=Ticking(LATER.replace(month=8)))
    assert long_after.problems() == ()


def test_newer_version_is_noticed(of, root):
    """A journal of a format that this version does not know is told of."""
    vault = of("older")
    segment = root / "_journal/desktop-b2b2/2026-03-001.md"
    segment.parent.mkdir()
    segment.write_text("---\njournal: desktop-b2b2\nformat: 3\n---\n```json\n")
    (problem,) = vault.problems()
    assert "newer version" in problem.message


AFTER = datetime(2026, 3, 4, 12, tzinfo=UTC)


def test_shared_with_an_older_version(of):
    """What both versions did to the same notes holds together: texts, tags, counters and evidence; and it is told."""
    vault = of("shared", clock=Ticking(AFTER))
    assert (vault.reconcile().records, len(vault.problems())) == ((), 1)
    assert "from the device tablet" in vault.problems()[0].message
    kettle, boil = vault.get("Kettle"), vault.get("Boil once")
    assert (kettle.body, kettle.confirmations) == ("Descale monthly, with citric acid.\n", 4)
    assert (boil.tags, boil.confirmations, boil.importance, boil.source_span) == (("water",), 1, 0.8, "u7")
    assert vault.get("Green tea").tags == ("drinks",)
    assert vault.get("From the tablet").body == "Written on the tablet.\n"
    vault.confirm("Kettle")
    assert (vault.get("Kettle").confirmations, vault.get("Boil once").last_confirmed) == (5, boil.last_confirmed)


def test_nothing_lost_on_the_older_side(of):
    """The older version took what it could not explain for changes by hand, with their whole texts: each can be shown and undone there."""
    vault = of("shared", clock=Ticking(AFTER))
    noticed = {
        record.changes[0].after.path: (record.op, record.actor, record.changes[0].after.text)
        for record in vault._writer.journals["personal"].records()
        if record.device == "tablet" and record.actor == "hand"
    }
    assert {path: told[:2] for path, told in noticed.items()} == {
        "personal/lesson/boil-once.md": ("adopt", "hand"),
        "personal/preference/green-tea.md": ("edit", "hand"),
        "personal/fact/kettle.md": ("edit", "hand"),
    }
    own = {
        change.after.path: change.after.text
        for record in vault._writer.journals["personal"].records()
        if record.device == "laptop-k3x9"
        for change in record.changes
    }
    assert own == {path: told[2] for path, told in noticed.items()}
