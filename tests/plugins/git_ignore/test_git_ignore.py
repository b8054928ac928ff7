"""A repository that holds the memory folder leaves out what is made anew (IN-57)."""

import subprocess


def test_in57_only_says_so(person, tmp_path):
    """IN-57: without --write nothing is written."""
    assert "/_views/" in person("gitignore")
    assert not (tmp_path / "notes" / ".gitignore").exists()


def test_in57_written_beside_own_lines(person, tmp_path):
    """IN-57: what is missing is added once, behind the person's own lines; git leaves generated pages out and takes memories in."""
    notes = tmp_path / "notes"
    (notes / ".gitignore").write_text("secret.md", encoding="utf-8")
    person("save", "fact", "Kettle", "--body", "Descale it.")
    person("sync", "--views")
    assert "Added" in person("gitignore", "--write")
    assert "is complete" in person("gitignore", "--write")
    assert (notes / ".gitignore").read_text(encoding="utf-8").startswith("secret.md\n# Vademecum")
    subprocess.run(["git", "init", "-q"], cwd=notes, check=True)
    seen = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=notes, check=True, capture_output=True, text=True
    ).stdout
    assert "kettle.md" in seen
    assert "_journal/" in seen
    assert "_views" not in seen
