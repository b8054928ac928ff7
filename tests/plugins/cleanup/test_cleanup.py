"""Old forms of agents' memory files are moved once they are taken over (IN-40)."""


def agents(tmp_path):
    root = tmp_path / "agents"
    (root / "coder").mkdir(parents=True)
    (root / "coder" / "lessons.md").write_text("# Lessons\n\n- Ask first.\n- Test before pushing.\n", encoding="utf-8")
    (root / "coder.md").write_text("## Lessons\n\n- Ask first.\n", encoding="utf-8")
    (root / "coder.md.bak").write_text("- Test before pushing.\n", encoding="utf-8")
    (root / "writer.md").write_text("- No folder yet.\n", encoding="utf-8")
    return root


def test_in40_only_says_so(person, tmp_path):
    """IN-40: without --apply the old forms are named and stay."""
    root = agents(tmp_path)
    said = person("cleanup", str(root))
    assert "would move: coder.md\n" in said
    assert "would move: coder.md.bak" in said
    assert "writer.md" not in said
    assert (root / "coder.md").exists()


def test_in40_moved_not_deleted(person, tmp_path):
    """IN-40: with --apply they move into a folder there, byte for byte; a second time there is nothing to do."""
    root = agents(tmp_path)
    person("cleanup", str(root), "--apply")
    [moved] = [path for path in root.iterdir() if path.name.startswith(".old-")]
    assert sorted(path.name for path in moved.iterdir()) == ["coder.md", "coder.md.bak"]
    assert (moved / "coder.md").read_text(encoding="utf-8") == "## Lessons\n\n- Ask first.\n"
    assert (root / "writer.md").exists()
    assert "nothing to clean up" in person("cleanup", str(root), "--apply")


def test_in40_what_says_more_stays(person, tmp_path):
    """IN-40: a file with a line that the folder lacks stays, and is named."""
    root = agents(tmp_path)
    (root / "coder.md").write_text("- Ask first.\n- Only here.\n", encoding="utf-8")
    assert "stays: coder.md (" in person("cleanup", str(root), "--apply")
    assert (root / "coder.md").exists()


def test_in40_no_folder(vade, tmp_path):
    """IN-40: a folder that is not there is said so."""
    vade("init", str(tmp_path / "notes"))
    code, _, err = vade("cleanup", str(tmp_path / "nowhere"))
    assert code != 0
    assert "There is no folder" in err
