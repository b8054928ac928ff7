"""Pages that can be read: no prose runs over 120 characters, every link leads somewhere, the glossary stays short."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINE_MAX, GLOSSARY_MAX = 120, 30


def prose(page: Path) -> list[str]:
    """The lines of a page outside tables and code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    return [line for line in text.splitlines() if not line.startswith(("|", "    "))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lines_can_be_read(page):
    """A line of prose that runs over the window is not read."""
    assert [line for line in prose(page) if len(line) > LINE_MAX] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    """Every link to another page or file of the project finds it."""
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_glossary_is_short():
    """Words of our own cost every newcomer something."""
    assert (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").count("\n| **") <= GLOSSARY_MAX
