"""The bench of the integration ladder, and the rates that must hold on the pairs that come with the package."""

import pytest

from vademecum.bench.integration import DEV, TEST, bench_integrate, read_pairs
from vademecum.model.errors import InvalidInput
from vademecum.settings import Settings

MADE = """pairs = [
  ["en", "update", "fact", "The API listens on port 1.", "The API now listens on port 2.", ""],
  ["en", "update", "fact", "The cellar is damp.", "Everything is dry down there.", ""],
  ["en", "other", "fact", "The gate listens on port 3.", "The gate now listens on port 4.", ""],
  ["en", "same", "fact", "The cat sleeps.", "The cats sleep.", ""],
]
"""


def quiet(what, done, total):
    pass


def test_x44_rates(tmp_path):
    """X-44: each outcome is counted where it belongs: one change of two missed, one statement of two replaced though it was none."""
    path = tmp_path / "made.toml"
    path.write_text(MADE, encoding="utf-8")
    result = bench_integrate(path, Settings(), embedder="none", progress=quiet)
    assert (result["missed_update"], result["false_supersession"]) == (0.5, 0.5)
    assert result["outcomes"]["other"] == {"superseded": 1}
    assert len(result["wrong"]) == 3


@pytest.mark.parametrize("embedder", ["none", "minilm"])
@pytest.mark.parametrize("path", [DEV, TEST], ids=["dev", "test"])
def test_x44_false_supersession_rate(path, embedder):
    """X-13, X-44: at most 2 % replaced wrongly, at most 20 % of changes missed, nothing else confirmed, a model rarely asked."""
    result = bench_integrate(path, Settings(), embedder=embedder, progress=quiet)
    assert result["false_supersession"] <= 0.02
    assert result["missed_update"] <= 0.2
    assert result["false_confirmation"] == 0
    assert result["false_dispute"] <= 0.02
    assert result["together"]["false_supersession"] <= 0.02
    assert result["together"]["asked_share"] <= 0.1


def test_pairs():
    """More than 150 pairs in five languages, none of them in both files."""
    dev, test = read_pairs(DEV), read_pairs(TEST)
    assert len(dev) + len(test) >= 150
    assert {pair.language for pair in dev} == {pair.language for pair in test} == {"en", "de", "es", "pt", "zh"}
    assert not {(pair.old, pair.new) for pair in dev} & {(pair.old, pair.new) for pair in test}


@pytest.mark.parametrize("text", ["no toml [", "pairs = [1]", 'pairs = [["en", "odd", "fact", "a", "b", ""]]'])
def test_no_pairs(tmp_path, text):
    """A file that holds no pairs, or a label that is none, is refused."""
    path = tmp_path / "made.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput):
        read_pairs(path)
