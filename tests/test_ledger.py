"""tests/ledger/ promises nothing that no test shows: features of the published designs, and faults of earlier systems."""

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LEDGERS = sorted((ROOT / "tests" / "ledger").glob("*.toml"))
NUMBERED = {"MV": 62, "SW": 55, "IN": 58, "VO": 62, "HW": 55, "X": 55}


def rows(path: Path) -> list[dict]:
    """The rows of a ledger: `id`, `text` and, unless the text is "open", `tests`."""
    return tomllib.loads(path.read_text(encoding="utf-8"))["row"]


@cache
def defined_in(path: str) -> set[str]:
    """Names of all functions and classes of a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}


def missing(test: str) -> bool:
    """Whether no such test exists; a file without a name stands for all tests in it."""
    path, _, name = test.partition("::")
    return not (ROOT / path).is_file() or (bool(name) and name not in defined_in(path))


def test_every_row_listed():
    """Each numbered feature and fault has one row, if only to say that it is open."""
    wanted = {f"{letters}-{number:02}" for letters, last in NUMBERED.items() for number in range(1, last + 1)}
    listed = [row["id"] for path in LEDGERS for row in rows(path) if "-" in row["id"]]
    assert sorted(listed) == sorted(wanted)


@pytest.mark.parametrize("ledger", LEDGERS, ids=lambda path: path.stem)
def test_named_tests_exist(ledger):
    """A row that claims something names tests that are really there; a row without tests says `open`."""
    for row in rows(ledger):
        assert row.keys() <= {"id", "text", "tests"}, row
        assert row.get("tests") or row["text"] == "open", f"{row['id']} claims {row['text']!r} without a test"
        assert [test for test in row.get("tests", ()) if missing(test)] == [], row["id"]


def test_a_missing_test_is_noticed():
    """A file or a function that is not there counts as missing."""
    assert missing("tests/test_nowhere.py::test_it")
    assert missing("tests/test_ledger.py::test_nowhere")
    assert not missing("tests/test_ledger.py::test_named_tests_exist")


def test_faults_named_in_docstrings():
    """The test that guards against a fault says so, so that nobody deletes it as redundant."""
    for row in rows(ROOT / "tests" / "ledger" / "faults.toml"):
        for test in row.get("tests", ()):
            path = test.partition("::")[0]
            assert row["id"] in (ROOT / path).read_text(encoding="utf-8"), f"{path} does not name {row['id']}"


def test_page_names_every_ledger():
    """docs/ledger.md lists each file of the ledger."""
    page = (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8")
    assert [path.name for path in LEDGERS if f"`{path.name}`" not in page] == []
