"""docs/benchmarks.md is what the results say, and says it with their dates."""

import json

import pytest
from click.testing import CliRunner

from vademecum_bench import __main__ as whole
from vademecum_bench.page import PAGE, ROWS, TABLE, page, results
from vademecum_bench.peers.page import SETS
from vademecum_bench.results import RESULTS

HOOK = {"turns": 0.5, "turns 95%": [0.4, 0.6], "unrelated": 0.25}


def test_page_is_current():
    """The page is generated; nobody writes a figure into it by hand."""
    assert PAGE.read_text(encoding="utf-8") == page(results()), "make docs"


def test_every_result_has_a_row():
    """Each file of results is of a row, and says what a reader must know to repeat it."""
    for file in RESULTS.glob("*.json"):
        assert file.stem in ROWS or file.stem.removeprefix("peers-") in SETS
        assert json.loads(file.read_text(encoding="utf-8")).keys() == {"measured", "machine", "set", "command", "figures"}


def test_ten_rows_first():
    """The page begins with one table of ten rows, each with its result, baseline, set and command; then come weaknesses and repeats."""
    text = PAGE.read_text(encoding="utf-8")
    table, weak, repeat = text.partition("## Where it is weak")
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(TABLE) == 10
    assert all(len(row) == 5 and row[2] != "-" and row[4].startswith("`") for row in rows)
    assert weak
    assert "## How to repeat it" in repeat


@pytest.mark.parametrize(
    ("figures", "baseline"),
    [
        ({"delivered": {"hook": HOOK}, "floor": {"turn recall@10": 0.3}}, "30.0 % (plain FTS5, ten turns)"),
        (
            {"delivered": {"hook": HOOK}, "baseline": {"of": "the version before", "turns": 0.45, "unrelated": 0.5}},
            "45.0 %; 50.0 % (the version before)",
        ),
    ],
)
def test_recall_beside_its_baseline(figures, baseline):
    """A recall row shows what prompts get, its interval, what unrelated questions get, and the baseline of the same run."""
    shown = ROWS["locomo"].shown(figures)
    assert shown == ("**50.0 %** of the right turns (40.0 % to 60.0 %); 25.0 % of unrelated questions get something", baseline)


def test_a_run_writes_its_result(tmp_path, monkeypatch):
    """What was measured is saved with machine and date, under the name of its row."""
    monkeypatch.setattr(whole, "RESULTS", tmp_path)
    monkeypatch.setattr(whole, "write_page", lambda: None)
    monkeypatch.setattr(whole, "agents_figures", lambda: {"tokens": 1, "tokens_all": 2})
    done = CliRunner().invoke(whole.main, ["--only", "agents"])
    assert done.exit_code == 0, done.output
    saved = json.loads((tmp_path / "agents.json").read_text(encoding="utf-8"))
    assert saved["figures"] == {"tokens": 1, "tokens_all": 2}
    assert saved["measured"]
    assert saved["machine"]


def test_a_set_that_is_not_here(monkeypatch, tmp_path):
    """A row whose set is not on this machine is refused by name; the others leave it as it was."""
    monkeypatch.setattr(whole, "SETS", tmp_path)
    done = CliRunner().invoke(whole.main, ["--only", "locomo"])
    assert done.exit_code == 2
    assert "locomo cannot be measured here" in done.output
    assert "locomo" not in whole.tasks(small=False)
