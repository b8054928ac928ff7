"""Real notes of two public vaults: read, written back, and edited in one property."""

import difflib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import Space
from vademecum.vault.frontmatter import read, set_properties
from vademecum.vault.note import read_document, read_memory

VAULTS = Path(__file__).parents[2].parent / "shared" / "data" / "vaults"
NOTES = sorted(VAULTS.rglob("*.md"))
THEN = datetime(2026, 1, 1, tzinfo=UTC)

pytestmark = pytest.mark.skipif(not NOTES, reason="the sample vaults lie beside the repository, not in it")


def test_written_back_unchanged():
    """X-03, X-48: every real note, taken apart and put together, is the same to the byte."""
    assert len(NOTES) >= 400
    for path in NOTES:
        raw = path.read_bytes()
        front = read(raw.decode())
        assert (front.head + front.yaml + front.tail + front.body).encode() == raw, path


def test_one_line_differs():
    """Setting one property of a real note changes or adds that line and no other."""
    refused = []
    for path in NOTES:
        text = path.read_bytes().decode()
        try:
            edited = set_properties(text, {"status": "resolved"})
        except InvalidInput:
            refused.append(path)
            continue
        changed = [line for line in difflib.ndiff(text.splitlines(True), edited.splitlines(True)) if line[0] in "+-"]
        fences = 0 if read(text).tail else 2
        assert len([line for line in changed if line[0] == "+"]) == 1 + fences, path
        assert len([line for line in changed if line[0] == "-"]) <= 1, path
        assert set_properties(edited, {"status": None}).endswith(read(text).body)
    assert all(read(path.read_text()).damage or read(path.read_text()).flow for path in refused)
    assert len(refused) < len(NOTES) / 100


def test_every_list_can_grow():
    """Adding an item to a real note's list keeps the other items' lines."""
    for path in NOTES:
        text = path.read_bytes().decode()
        front = read(text)
        for name, value in front.texts().items():
            if front.damage or front.flow or not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                continue
            edited = set_properties(text, {name: [*value, "one-more"]})
            assert set_properties(edited, {name: value or None}).endswith(front.body)
            removed = [line for line in difflib.ndiff(text.splitlines(), edited.splitlines()) if line[0] == "-"]
            assert len(removed) <= 1, (path, name)


def test_read_as_anything():
    """Every real note can be read as a document and as a memory, with text in its title."""
    for path in NOTES:
        raw = path.read_bytes()
        document = read_document(raw, "personal", path.relative_to(VAULTS).as_posix(), THEN)
        memory = read_memory(raw, Space("personal", str(VAULTS)), "notes/x.md", THEN).memory
        assert document.title
        assert memory.title
        assert raw.decode().endswith(document.body)
