"""Which files are memories, which are documents, and which are neither."""

import json
import os

import pytest

from vademecum.domain.errors import VaultMissing
from vademecum.domain.memory import Space
from vademecum.vault.scan import scan, scan_documents


def _write(folder, *paths, text="x"):
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def _paths(listing, sort):
    return sorted(file.path for file in listing.files if file.sort == sort)


def test_memories_and_documents(space, root):
    """Notes below the root are memories, those around it documents; views, journal and other files are neither."""
    _write(
        root, "personal/fact/a.md", "_inbox/b.md", "MEMORY.md", "_views/c.md", "_journal/x.md", "personal/MEMORY.md", "i.png"
    )
    _write(root.parent, "Daily.md", "Deep/Note.md", ".obsidian/x.md", ".trash/y.md", "node_modules/z.md", "Templates/t.md")
    listing = scan(space)
    assert _paths(listing, "memory") == ["_inbox/b.md", "personal/MEMORY.md", "personal/fact/a.md"]
    assert _paths(listing, "document") == ["Daily.md", "Deep/Note.md"]


def test_obsidian_templates(space, root):
    """The folders and files that Obsidian takes templates from are no documents."""
    _write(root.parent, "Forms/a.md", "Meta/Daily.md", "Meta/Other.md", "T/b.md")
    _write(root.parent, ".obsidian/templates.json", text=json.dumps({"folder": "Forms"}))
    _write(root.parent, ".obsidian/daily-notes.json", text=json.dumps({"template": "Meta/Daily"}))
    _write(root.parent, ".obsidian/plugins/templater-obsidian/data.json", text=json.dumps({"templates_folder": "T/"}))
    assert _paths(scan(space), "document") == ["Meta/Other.md"]


def test_broken_obsidian_settings(space, root):
    """Settings of Obsidian that cannot be read exclude nothing."""
    _write(root.parent, "a.md")
    _write(root.parent, ".obsidian/templates.json", text="{")
    _write(root.parent, ".obsidian/daily-notes.json", text="[]")
    assert _paths(scan(space), "document") == ["a.md"]


@pytest.mark.parametrize("where", ["", "Inner/"])
def test_exclusions_that_cannot_be_read(space, root, where):
    """While it is not known what the person excluded, in the vault or in one within it, its notes are neither read nor gone."""
    _write(root.parent, "Inner/a.md", "Inner/Private/b.md", "c.md")
    settings = f"{where}.obsidian/app.json"
    for text in ("{", ""):
        _write(root.parent, settings, text=text)
        listing = scan(space)
        assert _paths(listing, "document") == (["c.md"] if where else [])
        assert listing.unread == (where,)
        assert "app.json" in listing.problems[0].message
    _write(root.parent, settings, text=json.dumps({"userIgnoreFilters": [f"{'' if where else 'Inner/'}Private/"]}))
    assert _paths(scan(space), "document") == ["Inner/a.md", "c.md"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_ignore_file_of_windows(space, root, encoding):
    """A byte order mark before the first pattern, and Windows' line ends, change nothing."""
    _write(root.parent, "a.md", "private/p.md")
    (root.parent / ".vademecumignore").write_bytes("private/\r\n".encode(encoding))
    assert _paths(scan(space), "document") == ["a.md"]


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        ("*.draft.md", ["a.md", "deep/er/a.md", "deep/x.md", "private/p.md"]),
        ("private/", ["a.md", "b.draft.md", "deep/er/a.md", "deep/x.md"]),
        ("a.md", ["b.draft.md", "deep/x.md", "private/p.md"]),
        ("/a.md", ["b.draft.md", "deep/er/a.md", "deep/x.md", "private/p.md"]),
        ("deep/**", ["a.md", "b.draft.md", "private/p.md"]),
        ("**/er/", ["a.md", "b.draft.md", "deep/x.md", "private/p.md"]),
        ("*.md\n!deep/x.md\n# comment\n", ["deep/x.md"]),
        ("[ab]*.md", ["deep/x.md", "private/p.md"]),
        ("[!a]*.md", ["a.md", "deep/er/a.md"]),
        ("(a.md\n[\n[z-a]", ["a.md", "b.draft.md", "deep/er/a.md", "deep/x.md", "private/p.md"]),
    ],
)
def test_ignore_file(space, root, patterns, left):
    """What .vademecumignore names is left out, as git would."""
    _write(root.parent, "a.md", "b.draft.md", "deep/x.md", "deep/er/a.md", "private/p.md")
    _write(root.parent, ".vademecumignore", text=patterns)
    assert _paths(scan(space), "document") == left


def test_links_are_not_followed(space, root, tmp_path):
    """X-27: a link leads a scan neither out of the vault nor in circles."""
    _write(tmp_path, "secret/s.md")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "round").symlink_to(root)
    (root / "file.md").symlink_to(tmp_path / "secret/s.md")
    assert scan(space).files == ()


def test_folders_that_cannot_be_read(space, root, monkeypatch):
    """A folder that cannot be looked into is a problem, and what is in it is not gone."""
    _write(root, "a.md", "shut/b.md")
    real = os.scandir

    def scandir(folder):
        if str(folder).endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    listing = scan(space)
    assert _paths(listing, "memory") == ["a.md"]
    assert listing.unread == ("shut/",)
    assert "Permission denied" in listing.problems[0].message


def test_names_that_are_no_text(space, root):
    """A file whose name is not Unicode cannot poison anything: it is passed over."""
    os.close(os.open(os.fsencode(root) + b"/\xff.md", os.O_CREAT | os.O_WRONLY))
    assert scan(space).files == ()


def test_other_spaces_are_not_documents(space, root, tmp_path):
    """Memories of one space are not another one's documents."""
    _write(root.parent, "Repo/notes/n.md", "Repo/.vademecum/fact/f.md", "Team/fact/t.md")
    team = Space("team", str(root.parent / "Team"))
    assert _paths(scan_documents(space, [space, team]), "document") == ["Repo/notes/n.md"]


def test_missing_folder(tmp_path):
    """A vault that is not there is said to be missing, not empty."""
    with pytest.raises(VaultMissing):
        scan(Space("personal", str(tmp_path / "nowhere")))


def test_stat_tells_changes(space, root):
    """A file that did not change has the same stat; one that did has another."""
    _write(root, "a.md")
    first = scan(space).files[0].stat
    assert scan(space).files[0].stat == first
    _write(root, "a.md", text="xy")
    assert scan(space).files[0].stat != first
