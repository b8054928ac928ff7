"""Notes are dated by what they say themselves, memories by when they were said, all in the person's own time zone."""

import time
from datetime import UTC, datetime

import pytest

from vademecum.vault.note import read_document
from vademecum.vault.own_dates import own_dates

MODIFIED = datetime(2026, 11, 27, tzinfo=UTC)


@pytest.fixture
def berlin(monkeypatch):
    """The machine's clock shows the time of Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("properties", "path", "begun", "changed"), [
    ({"created": "2026-02-11"}, "a.md", "2026-02-10T23:00", None),
    ({"date": "2025-12-24T23:30:00-05:00"}, "a.md", "2025-12-25T04:30", None),
    ({"creation date": "2026-03-01 09:15"}, "a.md", "2026-03-01T08:15", None),
    ({"Date Modified": "Wednesday, February 11th 2026, 2:30:00 pm"}, "a.md", None, "2026-02-11T13:30"),
    ({"created": "2026/02/11", "updated": "2026-07-01T10:00:00Z"}, "a.md", "2026-02-10T23:00", "2026-07-01T10:00"),
    ({}, "Daily/2026-03-04.md", "2026-03-03T23:00", None),
    ({}, "2026-06-25/Meeting.md", "2026-06-24T22:00", None),
    ({}, "Journal/20260304 Walk.md", "2026-03-03T23:00", None),
    ({}, "Meetings/Meeting 2026-03-04.md", "2026-03-03T23:00", None),
    ({}, "Protokoll 4.3.2026.md", "2026-03-03T23:00", None),
    ({}, "Walk 20260304.md", None, None),
    ({}, "Version 1.2.2026.3.md", None, None),
    ({"created": "[[2026-03-04]]"}, "a.md", "2026-03-03T23:00", None),
    ({"created": [["2026-03-04"]]}, "a.md", "2026-03-03T23:00", None),
    ({"Datum": "04.03.2026 14:30"}, "a.md", "2026-03-04T13:30", None),
    ({"date": "4 March 2026"}, "a.md", "2026-03-03T23:00", None),
    ({"erstellt_am": "4. März 2026, 09:30"}, "a.md", "2026-03-04T08:30", None),
    ({"fecha de creación": "4 de marzo de 2026"}, "a.md", "2026-03-03T23:00", None),
    ({"생성일": "2026년 3월 4일", "수정일": "2026. 3. 5."}, "a.md", "2026-03-03T23:00", "2026-03-04T23:00"),
    ({"创建于": "2026年3月4日 10:00"}, "a.md", "2026-03-04T09:00", None),
    ({"date": "2026-01-01", "created": "[[Days/2026-3-4|that day]]"}, "a.md", "2026-03-03T23:00", None),
    ({"date": "202603041030"}, "a.md", "2026-03-03T23:00", None),
    ({"date": "25/03/2026"}, "a.md", "2026-03-24T23:00", None),
    ({"date": "04/03/2026"}, "a.md", None, None),
    ({}, "Weekly/2026-W12.md", "2026-03-15T23:00", None),
    ({}, "2026-Q2 Review.md", "2026-03-31T22:00", None),
    ({}, "Journal/2026/03-March/04 Wed.md", "2026-03-03T23:00", None),
    ({}, "Days/Wednesday, March 4th 2026.md", "2026-03-03T23:00", None),
    ({}, "Decision 4, 2026.md", None, None),
    ({}, "Books/1984.md", None, None),
    ({"created": "1772582400000"}, "a.md", "2026-03-04T00:00", None),
    ({"date": "soon", "created": "2026-13-45"}, "Plan 2026.md", None, None),
    ({}, "Notes/Invoice 4711.md", None, None),
])  # fmt: skip
def test_a_note_tells_its_own_dates(berlin, properties, path, begun, changed):
    """vault-07: by its properties, however they are called and written, else by its name or its folder's; never by anything else."""
    found = [moment and f"{moment:%Y-%m-%dT%H:%M}" for moment in own_dates(properties, path)]
    assert found == [begun, changed]


def test_listed_by_own_dates(vade, tmp_path):
    """vault-07: list and filters go by these dates; the file's time, which a clone sets to today, counts for the others only."""
    vault = tmp_path / "V"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "Daily").mkdir()
    (vault / "Pump.md").write_text("---\ndate: 2026-02-11\n---\nThe pump drips.\n")
    (vault / "Daily" / "2026-03-04.md").write_text("Walked.\n")
    (vault / "New.md").write_text("Just now.\n")
    vade("init", str(vault))
    listed = vade("list", "--source", "document", "--until", "2026-07-01")[1]
    assert [line.split()[0] for line in listed.splitlines()] == ["2026-03-04", "2026-02-11"]


def test_two_blocks():
    """vault-01: what a second block below a stub says counts where the first is silent; the text begins behind both."""
    raw = b"---\ncreated: 2026-02-01\n---\n\n---\ntitle: Watch rota\ntags: [rota]\ndescription: Who watches when.\n---\nAda first.\n"
    note = read_document(raw, "p", "n.md", MODIFIED)
    assert (note.title, note.tags, note.body) == ("Watch rota", ("rota",), "Ada first.\n")
    assert note.properties["description"] == "Who watches when."


@pytest.mark.parametrize(("head", "tags"), [
    ("Tags: [Craft]", ("Craft",)), ("tag: craft", ("craft",)), ("tags: craft, wheel", ("craft", "wheel")),
    ("TAGS: '#craft'", ("craft",)), ("tags: [cafe\u0301]", ("caf\u00e9",)), ("aliases: x", ()),
])  # fmt: skip
def test_tags_as_obsidian_reads_them(head, tags):
    """vault-05, vault-19: names of properties in capitals, lists with commas, and characters in either form."""
    assert read_document(f"---\n{head}\n---\n".encode(), "p", "n.md", MODIFIED).tags == tags


def test_tags_are_found_as_in_obsidian(vade, tmp_path):
    """vault-19, vault-05: a tag finds those nested in it, in any case and form, and pictures are tags."""
    vault = tmp_path / "V"
    (vault / ".obsidian").mkdir(parents=True)
    notes = {
        "a": "---\ntags: craft\n---\n", "b": "#craft/glaze\n", "c": "---\ntags: [craft/wheel/foot]\n---\n", "d": "---\nTags: CRAFT\n---\n",
        "e": "#crafty\n", "f": "#\U0001f3fa and text\n", "g": "#emoji/\U0001f3fa\n", "h": "#cafe\u0301\n",
    }  # fmt: skip
    for name, text in notes.items():
        (vault / f"{name}.md").write_text(f"{text}Word.\n")
    vade("init", str(vault))

    def found(tag):
        return {line.split()[2] for line in vade("list", "--source", "document", "--tag", tag)[1].splitlines() if "(" in line}

    assert found("craft") == found("Craft") == found("#craft") == {"a", "b", "c", "d"}
    assert (found("craft/wheel"), found("\U0001f3fa"), found("emoji")) == ({"c"}, {"f"}, {"g"})
    assert found("caf\u00e9") == found("CAFE\u0301") == {"h"}


def test_old_words_keep_their_date(vade, tmp_path):
    """vault-15: what was said long ago and is read today is shown with its own day, below what was said since, and found by it."""
    talk = tmp_path / "talk.jsonl"
    talk.write_text('{"role": "user", "text": "Remember: my workshop is in Riga.", "timestamp": "2023-02-01T10:00:00Z"}\n')
    vade("init", str(tmp_path / "mem"))
    vade("save", "fact", "Studio", "--body", "My workshop is in Tallinn, since May 2026.")
    vade("capture", str(talk))
    listed = [line for line in vade("list")[1].splitlines() if line[:2] == "20"]
    assert [line[:10] == "2023-02-01" for line in listed] == [False, True], listed
    assert "Riga" in vade("list", "--until", "2024-01-01")[1]
    note = next(
        path for path in (tmp_path / "mem").rglob("*.md") if "Riga" in path.read_text() and "_journal" not in path.parts
    )
    assert "\nsaid: 2023-02-01T10:00:00Z\n" in note.read_text()


def test_said_by_hand(vade, tmp_path, berlin):
    """`vade save --said` dates what was decided earlier; the day is the person's own."""
    vade("init", str(tmp_path / "mem"))
    vade("save", "decision", "Mooring", "--body", "Pier two.", "--said", "2025-06-01")
    assert vade("list")[1].startswith("2025-06-01  decision")
    assert "2025-05-31T22:00:00Z" in next((tmp_path / "mem").rglob("mooring.md")).read_text()


def test_said_in_views_and_doubts(vade, tmp_path, berlin):
    """vault-15: generated pages and doubts show the day on which a thing was said, as the person's clock had it."""
    home = tmp_path / "mem"
    vade("init", str(home))
    vade("save", "decision", "Mooring", "--body", "The boat lies at pier two.", "--said", "2025-05-31T23:30:00Z")
    vade("sync", "--views")
    pages = {path.name: path.read_text() for path in (home / "_views").rglob("*.md")}
    assert any("2025-06-01" in text and "Mooring" in text for text in pages.values()), pages
    assert "2025-W22.md" in pages, "the week of the person's own Sunday"


def test_imports_are_dated(vade, tmp_path):
    """vault-15: what another program dated is dated so here: mem0's created_at, Claude's modified; lists and filters go by it."""
    (tmp_path / "m.json").write_text('[{"id": "a1", "memory": "The ferry runs hourly.", "created_at": "2023-03-05T10:00:00Z"}]')
    notes = tmp_path / "memory"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("- [Larder](larder.md) \u2014 where it is\n")
    (notes / "larder.md").write_text(
        "---\nname: larder\ndescription: Where it is.\nmetadata:\n  type: project\n  modified: 2023-08-15T08:00:00Z\n---\n"
        "The larder is in the cellar.\n"
    )
    vade("init", str(tmp_path / "mem"))
    for path in (tmp_path / "m.json", notes):
        vade("import", str(path), "--mine", "--yes")
    listed = vade("list", "--until", "2024-01-01")[1]
    assert [line[:10] for line in listed.splitlines() if line[:2] == "20"] == ["2023-08-15", "2023-03-05"], listed
