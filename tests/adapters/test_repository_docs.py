"""What a repository's own pages say, in short, for whoever reads a conversation."""

from vademecum.adapters.repositories.docs import MOST_CHARS, docs_of


def test_pages_for_agents_and_headings(tmp_path):
    """Pages for agents are told from their beginning on one line, the README by its headings."""
    (tmp_path / "AGENTS.md").write_text("# Agents\n\nRun the linter\nbefore each commit.\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("# Shop\n\nText.\n\n## Install\n\n## Release on Thursdays\n", encoding="utf-8")
    assert docs_of(str(tmp_path)) == (
        "AGENTS.md: # Agents Run the linter before each commit.\nREADME.md, headings: Shop; Install; Release on Thursdays"
    )


def test_never_long(tmp_path):
    """However long the pages are, so much is told at most, each with its share."""
    for name in ("CLAUDE.md", "AGENTS.md", "README.md"):
        (tmp_path / name).write_text("".join(f"# Rule {number}\n" for number in range(2000)), encoding="utf-8")
    told = docs_of(str(tmp_path))
    assert len(told) <= MOST_CHARS + 10
    assert [line.split(":")[0].split(",")[0] for line in told.splitlines()] == ["CLAUDE.md", "AGENTS.md", "README.md"]


def test_none(tmp_path):
    """Without pages, or without a folder, nothing is told."""
    assert docs_of(str(tmp_path)) == docs_of("") == docs_of(str(tmp_path / "gone")) == ""
