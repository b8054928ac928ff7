"""What the person excluded is not given to agents, what is no text is not searched, and what a killed process left goes."""

import base64
import json
import os
import subprocess
import sys

import pytest

from vademecum.index.chunks import chunk_note


@pytest.fixture
def vault(tmp_path, vade):
    """A vault whose owner excluded folders, a file and an expression in Obsidian, with a link to a folder outside."""
    vault = tmp_path / "V"
    notes = {
        "Private/law.md": "The notary is Ines.", "private-ish.md": "The pump is blue.", "Areas/Old gym.md": "Locker 417.",
        "Areas/New gym.md": "Locker 12.", "Diary.md": "Slept badly.", "Open.md": "The sluice opens inward.",
    }  # fmt: skip
    for name, text in notes.items():
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text(f"{text}\n")
    (vault / ".obsidian").mkdir()
    filters = ["Private/", "/^Areas\\/Old.*/", "Diary.md", "/(/"]
    (vault / ".obsidian" / "app.json").write_text(json.dumps({"userIgnoreFilters": filters}))
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.md").write_text("Elsewhere.\n")
    (vault / "Linked").symlink_to(tmp_path / "outside")
    return vault


def found(vade) -> set[str]:
    return {item["path"] for item in json.loads(vade("list", "--source", "document", "--json")[1])["results"]}


def test_excluded_in_obsidian(vault, vade):
    """vault-16: folders, files and expressions that Obsidian leaves out are not searched; init and status say so, links are named."""
    said = vade("init", str(vault))[1]
    assert found(vade) == {"private-ish.md", "Areas/New gym.md", "Open.md"}
    assert "Excluded in Obsidian" in said and "Private/" in said and ".vademecumignore" in said
    assert "Linked" in said
    assert "excluded in Obsidian" in vade("status")[1]
    assert "Linked: It is a link" in vade("sync")[1]


def test_taken_in_again(vault, vade):
    """A line with an exclamation mark takes in what Obsidian leaves out."""
    (vault / ".vademecumignore").write_text("!Private/\n!Private/**\nOpen.md\n")
    vade("init", str(vault))
    assert found(vade) == {"Private/law.md", "private-ish.md", "Areas/New gym.md"}


def test_an_exclusion_added_later(vault, vade):
    """What is excluded after it was read is taken out of the index at the next sync."""
    vade("init", str(vault))
    (vault / ".obsidian" / "app.json").write_text(json.dumps({"userIgnoreFilters": ["open.md"]}))
    vade("sync")
    assert found(vade) == {"Private/law.md", "private-ish.md", "Areas/New gym.md", "Areas/Old gym.md", "Diary.md"}


DATA = base64.b64encode(bytes(range(256)) * 40).decode()
WRAPPED = "\n".join(DATA[at : at + 76] for at in range(0, len(DATA), 76))


@pytest.mark.parametrize("data", [
    f"![shot](data:image/png;base64,{DATA})", f'<img src="data:image/svg+xml;charset=utf8;base64,{DATA}">',
    f"![shot](data:image/png;base64,{WRAPPED})", f"```compressed-json\n{WRAPPED}\n```", f"~~~drawio\n{DATA}\n~~~",
    f"<mxfile host='x'><diagram>{DATA}</diagram></mxfile>", "q" * 5000, f"```compressed-json\n{WRAPPED}",
    WRAPPED, f"- x\n  ```compressed-json\n  {WRAPPED}\n  ```", "<svg>" + '<path d="M1 2 L3 4"/>' * 99 + "</svg>",
], ids=["image", "html", "wrapped", "excalidraw", "drawio", "mxfile", "run", "unclosed", "bare", "in a list", "svg"])  # fmt: skip
def test_data_is_no_text(data):
    """vault-20: data written out as characters gives no passage; the text around it does, on its own lines."""
    chunks = chunk_note(f"The sluice opens inward.\n\n# Drawing\n\n{data}")
    assert [chunk.text for chunk in chunks if "sluice" in chunk.text] == ["The sluice opens inward."]
    assert all(len(chunk.text) < 100 for chunk in chunks), [chunk.text[:80] for chunk in chunks]


@pytest.mark.parametrize("text", [
    "\u6c34" * 600, "https://example.org/" + "a" * 450, "word " * 200, "```json\n{\"a\": 1}\n```\n" + "x " * 100,
    "```drawio\r\nx\r\n```\r\n" + "after " * 200, f"{'0123456789abcdef' * 4}\n" * 9, "<svg></svg>" + "word " * 200,
], ids=["chinese", "address", "words", "code", "behind a drawing", "hashes", "svg"])  # fmt: skip
def test_text_stays(text):
    """Scripts without spaces, addresses, code and lists of hashes are text, and so is what follows a drawing."""
    assert sum(len(chunk.text.replace(" ", "")) for chunk in chunk_note(text)) >= len(text.replace(" ", "").strip()) * 0.9


def _dead() -> int:
    """Return the number of a process that is over."""
    done = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_killed_operations_leave_nothing(person, tmp_path):
    """Half-written files of dead processes go at the next sync, in memory's folders and the journal; those of a live one stay."""
    person("save", "fact", "Kettle", "--body", "Descale it.")
    home = tmp_path / "notes"
    journal = next(path for path in (home / "_journal").iterdir() if path.is_dir())
    dead = [folder / f".vademecum-{_dead()}-1.tmp" for folder in (home / "personal" / "fact", journal)]
    live = home / "personal" / "fact" / f".vademecum-{os.getppid()}-1.tmp"
    for path in (*dead, live):
        path.write_text("half")
    person("sync")
    person("save", "fact", "Pot", "--body", "Scour it.")
    assert [path.exists() for path in (*dead, live)] == [False, False, True]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_made_for_the_person_alone(vade, tmp_path):
    """Folders that we make, journals and the configuration are closed to other people of the machine."""
    vade("init", str(tmp_path / "new" / "mem"))
    vade("save", "fact", "Kettle", "--body", "Descale it.")
    home = tmp_path / "new" / "mem"
    segments = list((home / "_journal").rglob("*.md"))
    folders = [path for path in (home, *home.rglob("*")) if path.is_dir()]
    assert [str(path) for path in folders if path.stat().st_mode & 0o077] == []
    assert [oct(path.stat().st_mode & 0o777) for path in (*segments, tmp_path / "config.toml")] == ["0o600"] * (
        len(segments) + 1
    )


def test_doctor_names_a_vault_that_cannot_be_written(person, vade, tmp_path, monkeypatch):
    """A read-only vault is no `ok`: doctor says that nothing can be kept, and never advises to free space."""
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(tmp_path / "notes") and allowed(path, mode))
    said = vade("doctor")[1]
    assert "cannot be written: nothing new is saved" in said
    assert "right to write there" in said and "Free some space" not in said
