"""Several computers over one folder, as a person sees them."""

import os
import shutil
import unicodedata
from datetime import UTC, datetime, timedelta

import pytest

from vademecum.adapters.clock import SystemClock
from vademecum.entrypoints.cli import cli


@pytest.fixture
def on(tmp_path, monkeypatch, capfd):
    """Runs a command line on a computer, each with a copy of the folder `Notes` of its own: everything printed."""
    for name in [name for name in os.environ if name.startswith("VADEMECUM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("VADEMECUM_EMBEDDER", "none")

    def typed(computer, *words):
        folder = tmp_path / computer
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("VADEMECUM_DEVICE", computer)
        for name, value in {"CONFIG": "config.toml", "DATA_DIR": "data", "CACHE_DIR": "cache"}.items():
            monkeypatch.setenv(f"VADEMECUM_{name}", str(folder / value))
        code = cli.run(list(words))
        said = capfd.readouterr()
        assert code == 0, said.err
        return said.out + said.err

    for computer in ("laptop", "desktop"):
        typed(computer, "init", "Notes")
    return typed


def carry(tmp_path, source, target, *, journals=True, notes=True):
    """Copies what one computer has to another, as a stick does."""
    left = (*(() if journals else ("_journal", "_forgotten")), *(() if notes else ("fact", f"{target}-*")))
    shutil.copytree(
        tmp_path / source / "Notes", tmp_path / target / "Notes", dirs_exist_ok=True, ignore=shutil.ignore_patterns(*left)
    )


def test_both_edits_stand(on, tmp_path):
    """X-38: each computer adds a line to one note; a copier puts one file over the other; both lines stand on both computers."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea takes 75 degrees.\n")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    on("laptop", "edit", "Tea", "--body", "Green tea takes 75 degrees.\nBlack tea takes 95.\n")
    on("desktop", "edit", "Tea", "--body", "White tea takes 70.\nGreen tea takes 75 degrees.\n")
    carry(tmp_path, "laptop", "desktop")
    assert "merged" in on("desktop", "sync")
    carry(tmp_path, "desktop", "laptop")
    on("laptop", "sync")
    for computer in ("laptop", "desktop"):
        body = on(computer, "show", "Tea")
        assert [words in body for words in ("White tea takes 70.", "Green tea takes 75 degrees.", "Black tea takes 95.")] == [
            True
        ] * 3
        assert "0 new, 0 changed" in on(computer, "sync")


def test_one_line_changed_twice(on, tmp_path):
    """X-38: both computers change the same line; both stand, the later in a box that names its computer, and doctor names the note."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea takes 75 degrees.\n")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    on("laptop", "edit", "Tea", "--body", "Green tea takes 80 degrees.\n")
    on("desktop", "edit", "Tea", "--body", "Green tea takes 70 degrees.\n")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    text = next((tmp_path / "desktop" / "Notes").rglob("tea.md")).read_text("utf-8")
    assert "Green tea takes 80 degrees.\n> [!conflict] desktop-" in text
    assert "\n> Green tea takes 70 degrees.\n" in text
    assert "tea.md" in on("desktop", "doctor")


def test_devices(on, tmp_path):
    """The computers are listed, this one first; notes whose journals were not carried are named, by doctor too."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea takes 75 degrees.")
    on("desktop", "save", "fact", "Lamp", "--body", "The lamp is green.")
    carry(tmp_path, "laptop", "desktop", journals=False)
    on("desktop", "sync")
    assert on("desktop", "status", "--devices").startswith("desktop-")
    assert "journal never arrived, such as personal/fact/tea.md" in on("desktop", "status", "--devices")
    assert "a device whose journal never arrived" in on("desktop", "doctor")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    told = on("desktop", "status", "--devices").splitlines()
    assert [line.partition("-")[0] for line in told] == ["desktop", "laptop"]
    assert (told[0].endswith("(this one)"), "journal never arrived" in on("desktop", "doctor")) == (True, False)


def test_journals_come_first(on, tmp_path):
    """A new computer gets the journals before the notes: nobody deleted these, and when they come they are there on both."""
    for title in ("Tea", "Lamp", "Pot"):
        on("laptop", "save", "fact", title, "--body", f"The {title} is green.")
    shutil.copytree(tmp_path / "laptop" / "Notes" / "_journal", tmp_path / "desktop" / "Notes" / "_journal")
    assert "deleted" not in on("desktop", "sync")
    carry(tmp_path, "desktop", "laptop")
    assert "deleted" not in on("laptop", "sync")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    assert [computer for computer in ("laptop", "desktop") if on(computer, "list").count("fact") != 3] == []


@pytest.mark.parametrize(("more", "superseded"), [((), 2), (("--both",), 1)])
def test_two_successors_of_one_memory(on, tmp_path, more, superseded):
    """X-38: two computers replace one memory before they hear of each other: both are told as doubtful, and a person decides."""
    on("laptop", "save", "fact", "Database", "--body", "We use MySQL for orders.")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    on("laptop", "evolve", "database", "--body", "We use PostgreSQL for orders.")
    on("desktop", "evolve", "database", "--body", "We use SQLite for orders.")
    shutil.copyfile(
        tmp_path / "desktop/Notes/personal/fact/database.md",
        tmp_path / "laptop/Notes/personal/fact/database.sync-conflict-x.md",
    )
    shutil.copytree(tmp_path / "desktop/Notes/_journal", tmp_path / "laptop/Notes/_journal", dirs_exist_ok=True)
    on("laptop", "sync")
    assert on("laptop", "recall", "database of orders").count("may be outdated") == 2
    conflicts = on("laptop", "settle", "--open")
    assert "instead of?" in conflicts and "vade settle" in conflicts
    assert "conflicts  1" in on("laptop", "status")
    on("laptop", "settle", conflicts.splitlines()[0].rpartition("(")[2].strip(")"), *more)
    assert on("laptop", "settle", "--open") == "No memory is in conflict.\n"
    assert on("laptop", "list").count("[superseded]") == superseded


def note_of(tmp_path, computer, name):
    """The one note of a name on a computer."""
    return next((tmp_path / computer / "Notes" / "personal").rglob(name))


def test_two_notes_in_one_merged_file(on, tmp_path):
    """D11: git put two notes of one name into one file with marks; both stand then, each in a file of its own."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea.\n")
    on("desktop", "save", "fact", "Tea", "--body", "Black tea.\n")
    one, other = (note_of(tmp_path, computer, "tea.md") for computer in ("laptop", "desktop"))
    merged = f"<<<<<<< HEAD\n{one.read_text('utf-8')}=======\n{other.read_text('utf-8')}>>>>>>> theirs\n"
    carry(tmp_path, "desktop", "laptop")
    one.write_text(merged, "utf-8")
    on("laptop", "sync")
    notes = [path.read_text("utf-8") for path in one.parent.glob("*.md")]
    assert len(notes) == 2
    assert not [text for text in notes if "<<<<<<<" in text]
    assert {"Green tea." in text for text in notes} == {True, False}


def test_merged_file_that_names_one_of_two_notes(on, tmp_path):
    """X-38: git merged two notes of one name line by line and kept the id of one; the other is not lost with it."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea.\n")
    on("desktop", "save", "fact", "Tea", "--body", "Black tea.\n")
    one = note_of(tmp_path, "laptop", "tea.md")
    carry(tmp_path, "desktop", "laptop", notes=False)
    mixed = one.read_text("utf-8").replace("Green tea.\n", "<<<<<<< HEAD\nGreen tea.\n=======\nBlack tea.\n>>>>>>> theirs\n")
    one.write_text(mixed, "utf-8")
    on("laptop", "sync")
    assert bodies(tmp_path, "laptop") == ["Black tea.", "Green tea."]


def test_file_whose_id_was_mixed(on, tmp_path):
    """X-38: a tool mixed the characters of two notes of one name, their ids and lines too: both are written again, the rest is told."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea.\n")
    on("desktop", "save", "fact", "Tea", "--body", "Black tea.\n")
    one = note_of(tmp_path, "laptop", "tea.md")
    carry(tmp_path, "desktop", "laptop", notes=False)
    one.write_text("---\nid: 01KJ01KMMDQPMMDQP0000\nkind: fact\n---\nGreBlack tea.\n", "utf-8")
    assert "which is not valid" in on("laptop", "sync")
    assert bodies(tmp_path, "laptop") == ["Black tea.", "GreBlack tea.", "Green tea."]
    assert "2 memories" in on("laptop", "doctor")


def test_place_cleared_by_a_slow_clock(on, tmp_path, monkeypatch):
    """X-38: a tool took away a new note, since a computer whose clock is a day behind had put its own one of that name away."""
    with monkeypatch.context() as earlier:
        earlier.setattr(SystemClock, "now", lambda _: datetime.now(UTC) - timedelta(days=1))
        on("desktop", "save", "fact", "Tea", "--body", "Black tea.\n")
        on("desktop", "archive", "Tea")
    on("laptop", "save", "fact", "Tea", "--body", "Green tea.\n")
    on("laptop", "sync")
    carry(tmp_path, "desktop", "laptop")
    note_of(tmp_path, "laptop", "tea.md").unlink()
    on("laptop", "sync")
    assert bodies(tmp_path, "laptop") == ["Green tea."]


def bodies(tmp_path, computer):
    """What the notes of a computer say."""
    return sorted(
        path.read_text("utf-8").rpartition("---\n")[2].strip()
        for path in (tmp_path / computer).glob("Notes/personal/fact/*.md")
    )


def test_place_taken_by_a_sync(on, tmp_path):
    """X-54: two computers made a note of one name and the tool put one over the other: the other is written again."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea.")
    on("desktop", "save", "fact", "Tea", "--body", "Black tea.")
    carry(tmp_path, "desktop", "laptop")
    on("laptop", "sync")
    assert bodies(tmp_path, "laptop") == ["Black tea.", "Green tea."]


def test_half_a_note(on, tmp_path):
    """A note that a tool has carried half is neither taken for an edit nor written by a verb; a line that ends is a person's cut."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea takes 75 degrees.\nBlack tea takes 95 degrees.\n")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    on("desktop", "tag", "Tea", "--add", "hot")
    note = note_of(tmp_path, "desktop", "tea.md")
    whole = note.read_text("utf-8")
    note.write_text(whole[: whole.index("degrees")], "utf-8")
    assert "ends within a line" in on("desktop", "sync")
    with pytest.raises(AssertionError, match="ends within a line"):
        on("desktop", "tag", "Tea", "--add", "green")
    assert "Black tea takes 95" in on("desktop", "recall", "black tea")
    note.write_text(whole[: whole.index("Black")], "utf-8")
    assert "edit" in on("desktop", "sync")
    assert "Black" not in on("desktop", "show", "Tea")


def test_half_a_note_that_came_before_its_journal(on, tmp_path):
    """X-38: half a note lies on a computer for an hour, before its journal, and is noted there; when the rest comes no line is lost."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea takes 75 degrees.\n")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    on("laptop", "edit", "Tea", "--body", "Warm the pot.\nGreen tea takes 75 degrees.\n")
    whole = note_of(tmp_path, "laptop", "tea.md").read_text("utf-8")
    half = note_of(tmp_path, "desktop", "tea.md")
    half.write_text(whole[: whole.index("takes")], "utf-8")
    os.utime(half, (half.stat().st_mtime - 3600,) * 2)
    on("desktop", "sync")
    on("desktop", "tag", "Tea", "--add", "hot")
    carry(tmp_path, "desktop", "laptop", notes=False)
    on("laptop", "sync")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    for computer in ("laptop", "desktop"):
        shown = on(computer, "show", "Tea")
        assert [words in shown for words in ("Warm the pot.", "Green tea takes 75 degrees.", "hot")] == [True] * 3
    assert "[!conflict]" not in shown


def test_half_a_note_that_ends_with_a_line(on, tmp_path):
    """What comes behind the journal and only to the end of a line is waited for; of a note that was here whole it is a person's cut."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea takes 75 degrees.\nBlack tea takes 95 degrees.\n")
    carry(tmp_path, "laptop", "desktop")
    note = note_of(tmp_path, "desktop", "tea.md")
    whole = note.read_text("utf-8")
    note.write_text(whole[: whole.index("Black")], "utf-8")
    assert "still being copied" in on("desktop", "sync")
    note.write_text(whole, "utf-8")
    on("desktop", "sync")
    note.write_text(whole[: whole.index("Black")], "utf-8")
    on("desktop", "sync")
    assert "Black" not in on("desktop", "show", "Tea")


def test_edit_that_nobody_noted(on, tmp_path):
    """An edit by hand of a note that came without journals, then a tag by a verb: another computer gets both."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea takes 75 degrees.\n")
    carry(tmp_path, "laptop", "desktop", journals=False)
    note = note_of(tmp_path, "desktop", "tea.md")
    note.write_text(note.read_text("utf-8").replace("75", "80"), "utf-8")
    on("desktop", "tag", "Tea", "--add", "hot")
    on("laptop", "tag", "Tea", "--add", "green")
    carry(tmp_path, "desktop", "laptop")
    on("laptop", "sync")
    shown = on("laptop", "show", "Tea")
    assert ("80 degrees" in shown, "hot" in shown, "green" in shown) == (True, True, True)


def test_place_of_a_forgotten_note(on, tmp_path):
    """X-36: a forgotten note comes back over another one of its name; it goes again, and the other stands."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea.")
    note = note_of(tmp_path, "laptop", "tea.md")
    before = note.read_text("utf-8")
    on("laptop", "forget", "Tea", "--yes")
    on("laptop", "save", "fact", "Tea", "--body", "Black tea.")
    note.write_text(before, "utf-8")
    on("laptop", "forget", before.split("id: ")[1][:26], "--yes")
    assert "Black tea." in on("laptop", "show", "Tea")
    assert "Black tea." in note.read_text("utf-8")


def test_each_device_erases_its_own_journal(on, tmp_path):
    """D7: forgetting on one computer leaves the journal of another as it is, tells nothing of what stands there, and that one erases it
    itself, so that what it noted meanwhile is not lost to a copier that takes the newer file."""
    on("laptop", "save", "fact", "Secret", "--body", "The word is zanzibarqueen.")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    on("desktop", "edit", "Secret", "--body", "The word is zanzibarqueen, still.")
    carry(tmp_path, "desktop", "laptop")
    on("laptop", "sync")
    theirs = next((tmp_path / "laptop/Notes/_journal").glob("desktop-*/*.md"))
    before = theirs.read_bytes()
    assert b"zanzibarqueen" in before
    identity = note_of(tmp_path, "laptop", "secret.md").read_text("utf-8").split("id: ")[1][:26]
    on("laptop", "forget", "Secret", "--yes")
    assert theirs.read_bytes() == before
    assert "zanzibarqueen" not in on("laptop", "history", identity) + on("laptop", "list") + on("laptop", "recall", "the word")
    assert "at its next vade sync" in on("laptop", "doctor")
    on("desktop", "save", "fact", "Lamp", "--body", "The lamp is in the cellar.")
    note_of(tmp_path, "desktop", "secret.md").unlink()
    shutil.copytree(
        next((tmp_path / "laptop/Notes/_journal").glob("laptop-*")),
        tmp_path / "desktop/Notes/_journal" / next((tmp_path / "laptop/Notes/_journal").glob("laptop-*")).name,
        dirs_exist_ok=True,
    )
    on("desktop", "sync")
    carry(tmp_path, "desktop", "laptop")
    on("laptop", "sync")
    held = [path for name in ("laptop", "desktop") for path in (tmp_path / name).rglob("*") if path.is_file()]
    assert [path.name for path in held if b"zanzibarqueen" in path.read_bytes()] == []
    assert "cellar" in on("laptop", "show", "Lamp")


def test_cloned_disk(on, tmp_path):
    """D6: a data folder cloned with its disk: once both have written, one goes by another name, and nothing of either is lost."""
    disk = tmp_path / "laptop"

    def at(twin, *words):
        """Run on one of two computers that are the same to the byte."""
        (tmp_path / twin).rename(disk)
        try:
            return on("laptop", *words)
        finally:
            disk.rename(tmp_path / twin)

    on("laptop", "save", "fact", "Tea", "--body", "Green tea.")
    disk.rename(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "other")
    at("one", "save", "fact", "Lamp", "--body", "The lamp is in the cellar.")
    at("other", "save", "fact", "Pot", "--body", "The pot is on the roof.")
    carry(tmp_path, "one", "other")  # the one's journal stands in the place of the other's
    at("other", "save", "fact", "Cup", "--body", "The cup is blue.")
    at("other", "sync")
    carry(tmp_path, "other", "one")
    at("one", "sync")
    carry(tmp_path, "one", "other")
    at("other", "sync")
    for twin in ("one", "other"):
        assert at(twin, "list").count("fact") == 4
        assert [title for title in ("Tea", "Lamp", "Pot", "Cup") if not at(twin, "history", title).strip()] == []
    assert len({path.name for path in (tmp_path / "one/Notes/_journal").iterdir()}) == 2
    assert at("one", "undo") != at("other", "undo")


def synced_by_phone(tmp_path, *computers):
    """Carries what the phone left in its folder to the computers, journals aside, as a service does that holds one copy."""
    for computer in computers:
        notes = tmp_path / computer / "Notes"
        there = {path.relative_to(notes) for path in notes.rglob("*.md") if "_journal" not in path.parts}
        shutil.copytree(tmp_path / "phone" / "Notes", notes, dirs_exist_ok=True)
        for path in there - {path.relative_to(tmp_path / "phone" / "Notes") for path in (tmp_path / "phone").rglob("*.md")}:
            (notes / path).unlink()


@pytest.fixture
def phone(on, tmp_path):
    """Notes of two computers in agreement, and on a phone the same without Vademecum and without journals."""
    on("laptop", "save", "fact", "Tea", "--body", "Green tea takes 75 degrees.\n\n- [ ] Buy tea.\n")
    on("laptop", "save", "fact", "Lamp", "--body", "The lamp is green.\n")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    carry(tmp_path, "laptop", "phone", journals=False)
    (folder,) = (tmp_path / "phone").rglob("fact")
    return folder


def agreed(on, tmp_path):
    """Lets the computers hear of the phone's folder, then of each other; what they show and list, which is the same on both."""
    synced_by_phone(tmp_path, "laptop", "desktop")
    for computer, other in (("laptop", "desktop"), ("desktop", "laptop"), ("laptop", "desktop")):
        on(computer, "sync")
        shutil.copytree(tmp_path / computer / "Notes/_journal", tmp_path / other / "Notes/_journal", dirs_exist_ok=True)
    for computer in ("laptop", "desktop"):
        on(computer, "sync")
    told = [on(computer, "list") for computer in ("laptop", "desktop")]
    assert told[0] == told[1]
    return told[0]


def test_phone_corrects_and_ticks(on, tmp_path, phone):
    """N05: a line that a person corrects, and a box that they tick, on a phone without Vademecum hold on both computers, no box beside."""
    note = phone / "tea.md"
    note.write_text(note.read_text("utf-8").replace("75", "80").replace("[ ]", "[x]"), "utf-8")
    later = note.stat().st_mtime + 1  # as many bytes as before: nobody types within the tick of a disk's clock
    os.utime(note, (later, later))
    agreed(on, tmp_path)
    for computer in ("laptop", "desktop"):
        shown = on(computer, "show", "Tea")
        assert ("80 degrees" in shown, "[x] Buy tea" in shown, "75 degrees" in shown, "conflict" in shown) == (
            True,
            True,
            False,
            False,
        )


def test_phone_renames(on, tmp_path, phone):
    """N05: a note that a person renames on a phone stands under its new name on both computers, and only there."""
    (phone / "tea.md").rename(phone / "green-tea.md")
    agreed(on, tmp_path)
    for computer in ("laptop", "desktop"):
        found = sorted(path.name for path in (tmp_path / computer / "Notes/personal/fact").iterdir())
        assert found == ["green-tea.md", "lamp.md"]


def test_phone_deletes(on, tmp_path, phone):
    """N05: a note that a person deletes on a phone is gone on both computers and does not come back; undo brings it back."""
    (phone / "tea.md").unlink()
    assert "Tea" not in agreed(on, tmp_path)
    assert not list(tmp_path.glob("*/Notes/**/tea.md"))
    on("laptop", "undo")
    assert "Green tea takes 75" in on("laptop", "show", "Tea")


def test_names_that_are_one_on_some_disks(on, tmp_path):
    """Notes whose names differ by case or by the form of their characters only stand apart on every disk: the later gets a number."""
    on("laptop", "save", "fact", "Lamp", "--body", "The lamp is green.\n")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "save", "fact", "Pot", "--body", "The pot is red.\n")
    carry(tmp_path, "desktop", "laptop")
    folder = note_of(tmp_path, "laptop", "lamp.md").parent
    names = {"API.md": "first", "api.md": "second", "\u00c9mile.md": "third", "E\u0301mile.md": "fourth"}
    for name, line in names.items():
        (folder / name).write_text(f"The {line} line.\n", "utf-8")
    on("laptop", "sync")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    shutil.copytree(tmp_path / "desktop/Notes/_journal", tmp_path / "laptop/Notes/_journal", dirs_exist_ok=True)
    on("laptop", "sync")
    for computer in ("laptop", "desktop"):
        found = {path.name: path.read_text("utf-8") for path in (tmp_path / computer / "Notes/personal/fact").iterdir()}
        assert len(found) == len({unicodedata.normalize("NFC", name).casefold() for name in found}) == 6
        assert [sum(f"The {line} line." in text for text in found.values()) for line in names.values()] == [1] * 4
        assert "0 new, 0 changed" in on(computer, "sync")


def test_name_that_a_disk_writes_otherwise(on, tmp_path):
    """A sync tool or disk that takes the characters of a name apart renames nothing: no record, no change on the other computer."""
    note_folder = tmp_path / "laptop" / "Notes/personal/fact"
    note_folder.mkdir(parents=True)
    (note_folder / "\u00c9mile.md").write_text("He likes tea.\n", "utf-8")
    on("laptop", "sync")
    carry(tmp_path, "laptop", "desktop")
    on("desktop", "sync")
    on("desktop", "tag", "\u00c9mile", "--add", "friend")
    (composed,) = (tmp_path / "desktop" / "Notes/personal").rglob("*mile.md")
    composed.rename(composed.with_name("E\u0301mile.md"))
    on("desktop", "sync")
    on("desktop", "sync")
    assert [path.name for path in composed.parent.iterdir()] == ["E\u0301mile.md"]
    shutil.copytree(tmp_path / "desktop/Notes/_journal", tmp_path / "laptop/Notes/_journal", dirs_exist_ok=True)
    on("laptop", "sync")
    assert "friend" in on("laptop", "show", "\u00c9mile")
    assert [path.name for path in note_folder.iterdir()] == ["\u00c9mile.md"]
    assert "move" not in on("laptop", "history", "\u00c9mile")
