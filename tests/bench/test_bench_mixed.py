"""The mixed set: a person's memories beside notes."""

import json
from collections import Counter

from click.testing import CliRunner

from vademecum_bench import show
from vademecum_bench.commands import bench
from vademecum_bench.mixed import bench_mixed, mixed_set


def test_the_set():
    """Sixty memories in five languages, 120 questions, forty of them without an answer, and each memory asked in another language."""
    kept, asked = mixed_set()
    names = {one.memory for one in kept}
    assert len(kept) == len(names) == 60 and {one.language for one in kept} == {"en", "de", "es", "fr", "pt"}
    assert Counter(one.sort for one in asked) == {"answer": 80, "across": 60, "unrelated": 20, "order": 12, "courtesy": 8}
    assert all(set(one.gold) <= names and bool(one.gold) == (one.sort in ("answer", "across")) for one in asked)
    language = {one.memory: one.language for one in kept}
    across = [one for one in asked if one.sort == "across"]
    assert {one.gold[0] for one in across} == names and all(language[one.gold[0]] != one.language for one in across)


def test_by_words(tmp_path, settings):
    """D1, recall: beside notes and by words alone most questions get their memory, and courtesies get nothing."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(20):
        (notes / f"view {number}.md").write_text(f"Live preview {number}: where you live edit and work on a view.\n")
    result = bench_mixed(notes, settings())
    assert (result["memories"], result["notes"]) == (60, 20)
    assert result["all"]["answer"]["right"] > 0.7
    assert result["all"]["courtesy"]["shown"] == 0
    assert result["all"]["unrelated"]["shown"] <= 0.05
    assert "60 memories beside 20 notes" in show.mixed(result)


def test_beside_conversations(tmp_path, monkeypatch):
    """`vade bench mixed --sessions FOLDER`: past conversations and what is mined of them stand beside, and take no answer's place."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "sessions"
    folder.mkdir()
    said = ("Remember that the staging server is called heron.", "Where do I live, and which bicycle is mine?")
    for name, text in enumerate(said):
        rows = [{"type": "session", "id": f"s{name}", "time": "2026-03-01T09:00:00Z"}]
        rows.append({"id": "t0", "speaker": "user", "text": text})
        (folder / f"s{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = ["mixed", "--sessions", str(folder), "--embedder", "none"]
    told = CliRunner().invoke(bench, asked).stdout
    assert "2 conversations, 1 memories mined of them" in told
    assert "courtesy (8) shown 0.0%" in told and "unrelated (20) shown 0.0%" in told
