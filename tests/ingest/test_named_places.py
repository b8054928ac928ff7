"""Names that no disk takes: a caller over the network is told so, and what is not a mistake goes on."""

import pytest

from vademecum.domain.errors import InvalidInput
from vademecum.domain.places import expanded, place_named
from vademecum.plugins.checkpoints.checkpoints import sync_checkpoints

IMPOSSIBLE = pytest.mark.parametrize(
    "named", ["~0", "~nobody-of-that-name/x", "a\0b", "x" * 300], ids=["number", "name", "nul", "long"]
)


@IMPOSSIBLE
def test_capture_reads_the_others(memory, tmp_path, named):
    there = tmp_path / "there.jsonl"
    there.write_text("", encoding="utf-8")
    report = memory.maintenance.capture((named, str(there), str(tmp_path / "nowhere")))
    assert [problem.path for problem in report.problems] == [named, str(tmp_path / "nowhere")]


@IMPOSSIBLE
@pytest.mark.parametrize(
    "verb",
    [lambda memory, place: sync_checkpoints(memory.context, place)],
)
def test_told(memory, named, verb):
    with pytest.raises(InvalidInput, match="is not a usable path"):
        verb(memory, named)


def test_home_is_meant(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert place_named("~/notes") == expanded("~/notes") == tmp_path / "notes"


def test_nowhere_yet_is_a_place(tmp_path):
    assert place_named(tmp_path / "not" / "there") == tmp_path / "not" / "there"
