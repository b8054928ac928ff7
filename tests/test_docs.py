"""Pages of the documentation: every link and anchor leads somewhere, and every page is two clicks from README."""

import ast
import itertools
import re
from functools import cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
TOP = sorted(ROOT.glob("*.md"))
PAGES = [*TOP, *sorted(DOCS.rglob("*.md"))]
SOURCES = [*sorted((ROOT / "src").rglob("*.py")), *sorted((ROOT / "tests").rglob("*.py"))]
MARKDOWN = MarkdownIt("commonmark").enable("table")


def inline(page, kind):
    """The inline tokens of a page: all of a kind, in any depth."""
    for block in MARKDOWN.parse(page.read_text(encoding="utf-8")):
        yield from (token for token in block.children or () if token.type == kind)


@cache
def links(page):
    """Addresses that a page links to or shows as pictures, as it writes them."""
    return [
        *(token.attrGet("href") for token in inline(page, "link_open")),
        *(token.attrGet("src") for token in inline(page, "image")),
    ]


@cache
def anchors(page):
    """The anchors of a page's headings, as a repository's page and the site make them."""
    tokens = MARKDOWN.parse(page.read_text(encoding="utf-8"))
    found = set()
    for heading, text in itertools.pairwise(tokens):
        if heading.type == "heading_open":
            words = "".join(part.content for part in text.children if part.type in ("text", "code_inline"))
            anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            found.add(anchor if anchor not in found else f"{anchor}-{sum(one.startswith(anchor) for one in found)}")
    return found


def is_dead(page, link):
    """Whether a link to a file of the project, or to a heading in it, leads nowhere."""
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return not target.is_file() or (bool(anchor) and target.suffix == ".md" and anchor not in anchors(target))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Every link to another page, heading or file of the project finds it."""
    assert [link for link in links(page) if "://" not in link and is_dead(page, link)] == []


def test_dead_links_are_noticed():
    """A file, and a heading, that are not there are dead."""
    page = DOCS / "everyday.md"
    assert is_dead(page, "nowhere.md")
    assert is_dead(page, "README.md#nowhere")
    assert is_dead(page, "#nowhere")
    assert not is_dead(page, "README.md")
    assert not is_dead(page, "#save")


def test_external_links_are_listed():
    """Links to other sites stand in one list, so that somebody can look whether they are still there; no test fetches them."""
    external = {link for page in PAGES for link in links(page) if "://" in link}
    assert sorted(external) == (ROOT / "tests" / "external_links.txt").read_text(encoding="utf-8").split()


def test_every_page_is_near():
    """From README each page of docs/ is reached with two clicks."""
    start = ROOT / "README.md"
    near = {start, *linked(start)}
    near |= {page for first in tuple(near) if first.suffix == ".md" for page in linked(first)}
    assert set(DOCS.glob("*.md")) - near == set()


def linked(page):
    """The files that a page links to."""
    return {(page.parent / link.partition("#")[0]).resolve() for link in links(page) if "://" not in link}


def test_every_page_has_its_place_on_the_site():
    """docs/conf.py names every page once; measurements are found by their folder."""
    tree = ast.parse((DOCS / "conf.py").read_text(encoding="utf-8"))
    navigation = next(node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "NAVIGATION")
    named = [node.value for node in ast.walk(navigation.values[0]) if isinstance(node, ast.Constant)]
    pages = {str(page.relative_to(DOCS).with_suffix("")) for page in DOCS.glob("*.md")} - {"README"} | {"measurements/README"}
    assert sorted(name for name in named if name in pages) == sorted(pages)


def test_measurements_are_listed():
    """The index of measurements names every page beside it."""
    index = DOCS / "measurements" / "README.md"
    assert set(index.parent.glob("*.md")) - linked(index) == {index}


def named_code(page):
    """Files of code that a page names, and the name that stands behind each in marks of code, or ""."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"`((?:[\w]+/)*\w+\.py)`(?:\s`([A-Z_a-z][\w.]*)`)?", text)


@pytest.mark.parametrize("name", ["architecture", "decisions"])
def test_named_code_exists(name):
    """A file that these pages name is there, and defines the function or class that is named behind it."""
    wrong = []
    for file, defined in named_code(DOCS / f"{name}.md"):
        files = [path for path in SOURCES if f"/{path.as_posix()}".endswith(f"/{file}")]
        text = "".join(path.read_text(encoding="utf-8") for path in files)
        parts = [part for part in defined.split(".") if part]
        if not files or not all(re.search(rf"\b(def|class) {part}\b", text) for part in parts):
            wrong.append(f"{file} {defined}".strip())
    assert wrong == []


def test_named_code_is_recognised():
    """Files and the names behind them are read from a page, so that one that is gone is noticed."""
    assert ("vault/reconcile.py", "Reconciler.run") in named_code(DOCS / "architecture.md")
    assert ("recall/weights.py", "") in named_code(DOCS / "decisions.md")


def targets():
    """The tasks of the Makefile."""
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def named_tasks(page):
    """The tasks that a page tells people to run with make, in marks of code or at the beginning of a line of a block."""
    return set(re.findall(r"(?:`|&& |^ *)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE))


def is_here(path, test):
    """Whether a path of this repository is there, and defines the test that is named behind it, or ""."""
    file = ROOT / path.rstrip(".")
    return file.exists() and (not test or f"def {test}(" in file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [*TOP, *sorted(DOCS.glob("*.md"))], ids=lambda page: page.name)
def test_named_tasks_exist(page):
    """Every `make ...` on a page is a task of the Makefile; every path of this repository is there, and every test in it."""
    text = page.read_text(encoding="utf-8")
    assert named_tasks(page) - targets() == set()
    named = (
        r"`(?:\.venv/bin/python (?:-m pytest )?)?((?:src|tests|tools|docs|benchmarks|\.github/workflows)/[\w./-]+)(?:::(\w+))?"
    )
    assert ["::".join(found) for found in re.findall(named, text) if not is_here(*found)] == []


def test_named_tasks_are_recognised():
    """Tasks are read from a page, so that one that is gone is noticed."""
    assert {"demo", "quick", "test", "check", "soak", "bench", "site", "docs"} <= named_tasks(ROOT / "CONTRIBUTING.md")
    assert is_here("tests/test_docs.py", "test_named_tasks_are_recognised")
    assert not is_here("tests/test_docs.py", "test_of_nothing")
    assert not is_here("tests/nowhere.py", "")


def test_plugins_are_listed():
    """docs/plugins.md says of each plugin of ours what is lost without its folder."""
    table = (DOCS / "plugins.md").read_text(encoding="utf-8").partition("| plugin | without its folder |")[2]
    folders = {path.parent.name for path in (ROOT / "src" / "vademecum" / "plugins").glob("*/plugin.py")}
    assert set(re.findall(r"^\| `(\w+)` \| \S", table, re.MULTILINE)) == folders
