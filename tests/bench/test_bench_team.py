"""`vade bench team-vectors` on a few hundred made passages: it loads, indexes and asks with the store's own statements."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from vademecum.adapters.embedders.use import UniversalSentenceEncoder
from vademecum_bench.commands import bench
from vademecum_bench.generate import Generator


@pytest.mark.soak
def test_indexes_of_vectors_are_compared_with_an_exact_scan(tmp_path: Path) -> None:
    generator = Generator(3)
    texts, questions = tmp_path / "texts.txt", tmp_path / "questions.txt"
    texts.write_text("".join(f"{generator.text(12)}\n" for _ in range(300)), encoding="utf-8")
    lines = texts.read_text(encoding="utf-8").splitlines()
    questions.write_text(f"{lines[7]}\n{lines[250]}\n", encoding="utf-8")

    outcome = CliRunner().invoke(bench, ["team-vectors", str(texts), str(questions), "--passages", "200,300"])

    assert outcome.exit_code == 0, outcome.output
    small, *_ = rows = [json.loads(line) for line in outcome.output.splitlines()]
    assert small["passages"] == 200
    assert [row["passages"] for row in rows if "exact" in row] == [200, 300]
    measured = [row for row in rows if "index" in row]
    assert {row["index"].split(",")[0] for row in measured} == {"HNSW", "HNSW of bits", "IVFFlat"}
    # The planner scans so small a table as a whole, so every index must agree with the exact scan there.
    assert all(row["recall@10"] == 1 for row in measured if row["index"].startswith("HNSW,") or row["index"] == "HNSW")
    assert all(row["by_both"]["pages_hit"] > 0 for row in rows if "by_both" in row)
    vectors = np.load(f"{texts}.npy")
    assert vectors.shape == (300, 512)
    assert np.allclose(vectors[7], UniversalSentenceEncoder().embed([lines[7]])[0], atol=1e-3)


def test_too_few_texts_are_named(tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("one line\n", encoding="utf-8")
    outcome = CliRunner().invoke(bench, ["team-vectors", str(file), str(file), "--passages", "10"])
    assert outcome.exit_code == 2
    assert "has 1 lines, fewer than 10" in outcome.output
