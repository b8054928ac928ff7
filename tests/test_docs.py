"""Pages of the documentation: every link leads somewhere, and every page is two clicks from README."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    """Every link to another page or file of the project finds it."""
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_every_page_is_near():
    """From README each page of docs/ is reached with two clicks."""
    start = ROOT / "README.md"
    near = {start, *linked(start)}
    near |= {page for first in tuple(near) if first.suffix == ".md" for page in linked(first)}
    pages = {page.resolve() for page in (ROOT / "docs").glob("*.md")}
    assert pages - near == set()


def linked(page):
    """The files that a page links to."""
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    return {(page.parent / link).resolve() for link in links if "://" not in link}
