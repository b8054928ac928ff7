"""docs/features.md and docs/faults.md promise nothing that no test shows."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LEDGER = ROOT / "docs" / "features.md"
FAULTS = ROOT / "docs" / "faults.md"
ROW = re.compile(r"^\| ((?:[A-Z]{1,2}-|N)\d\d) \| (.*?) \| (.*?) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows(path: Path) -> dict[str, tuple[str, str]]:
    return {identity: (text, proof) for identity, text, proof in ROW.findall(path.read_text(encoding="utf-8"))}


@cache
def defined_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def named_tests(text: str) -> set[str]:
    return {f"{path}::{name}" for path, name in TEST.findall(text)}


@pytest.mark.parametrize(("ledger", "numbered"), [
    (LEDGER, {"MV": 62, "SW": 55, "IN": 58, "VO": 62, "HW": 55}),
    (FAULTS, {"X": 55}),
])  # fmt: skip
def test_every_row_listed(ledger, numbered):
    """Each feature of the five designs, and each fault of the field, has its row here, if only to say that it is open."""
    wanted = {f"{letters}-{number:02}" for letters, last in numbered.items() for number in range(1, last + 1)}
    assert {identity for identity in rows(ledger) if "-" in identity} == wanted, "N and a number: what no design asks for"


@pytest.mark.parametrize("ledger", [LEDGER, FAULTS])
def test_named_tests_exist(ledger):
    """A row that claims something names a test that is really there; a row without one says `open`."""
    for identity, (text, proof) in rows(ledger).items():
        named = TEST.findall(proof)
        assert named or text == "open", f"{identity} claims {text!r} without a test"
        for path, name in named:
            assert name in defined_in(path), f"{identity}: {path} has no {name}"


def test_faults_named_in_docstrings():
    """The test that guards against a fault says so, so that nobody deletes it as redundant."""
    for identity, (_, proof) in rows(FAULTS).items():
        for path, _name in TEST.findall(proof):
            assert identity in (ROOT / path).read_text(encoding="utf-8"), f"{path} does not name {identity}"
