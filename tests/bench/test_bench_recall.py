"""The measuring bench, on sets small enough to know the right figures."""

import dataclasses
import json

import pytest
from click.testing import CliRunner

from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.errors import InvalidInput
from vademecum.settings import Settings
from vademecum_bench.commands import bench
from vademecum_bench.latency import bench_latency
from vademecum_bench.metrics import interval_over
from vademecum_bench.realtalk import convert_realtalk
from vademecum_bench.recall import bench_recall
from vademecum_bench.recall_set import read_recall_set

SAID = {
    "one": [
        ("D1", ["The parrot is called Quetzal.", "It eats figs."]),
        ("D2", ["The canary is called Zephyr.", "It sings at dawn."]),
    ],
    "two": [("E1", ["The bicycle has carbon wheels.", "It was stolen in Porto."])],
}
ASKED = [
    ("one", "q1", "What is the parrot called?", "single", ["D1:0"], ["D1"], None),
    ("one", "q2", "What is the canary called?", "single", ["D2:0"], ["D2"], 1),
    ("two", "q3", "Which wheels has the bicycle?", "multi", ["E1:0"], ["E1"], None),
    ("two", "q4", "Which wheels has the tractor?", "adversarial", ["E1:0"], ["E1"], None),
]

KEYS = {
    "file", "delivered", "pooled", "scopes", "turns", "queries", "turn", "session", "by_category", "gate", "ms", "ingest", "rss_mb",
    "index_bytes_per_text_byte", "missing", "settings",
}  # fmt: skip
MEASURES = {"hit@1", "hit@5", "recall@5", "recall@10", "all@10", "mrr", "ndcg@10"}


def quiet(what, done, total):
    pass


@pytest.fixture
def settings(tmp_path):
    return Settings(
        home="/nowhere", data_dir="/nowhere", cache_dir=str(tmp_path / "cache"), device="laptop", embedder="none",
    )  # fmt: skip


@pytest.fixture
def recall_set(tmp_path):
    """A file of the format with two scopes."""
    rows = []
    for scope, sessions in SAID.items():
        for name, texts in sessions:
            turns = [{"id": f"{name}:{number}", "speaker": "Ana", "text": text} for number, text in enumerate(texts)]
            rows.append({"type": "session", "scope": scope, "id": name, "time": "2023-05-08T13:56:00Z", "turns": turns})
    for scope, name, text, category, turns, sessions, visible in ASKED:
        rows.append({
            "type": "query", "scope": scope, "id": name, "text": text, "category": category, "gold_turns": turns,
            "gold_sessions": sessions, "visible_sessions": visible,
        })  # fmt: skip
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_keys(recall_set, settings):
    """The JSON has the documented keys, and counts what is in the file."""
    result = json.loads(json.dumps(bench_recall(recall_set, settings, pooled=False, profile="auto", progress=quiet)))
    assert set(result) >= KEYS
    assert set(result["turn"]) >= MEASURES and set(result["session"]) >= MEASURES
    assert set(result["ms"]) == {"p50", "p95"}
    assert "turns_per_s" in result["ingest"]
    assert (result["file"], result["scopes"], result["turns"], result["queries"]) == ("set.jsonl", 2, 6, 4)
    assert result["missing"] == ["meaning: no embedder is chosen (setting `embedder`)"]


def test_figures(recall_set, settings):
    """Right answers in front are ones; the session that was not yet visible is never found; adversarial ones stay apart."""
    result = bench_recall(recall_set, settings, pooled=False, profile="auto", progress=quiet)
    assert result["by_category"]["multi"]["turn"]["hit@1"] == 1
    assert result["by_category"]["single"]["turn"]["recall@10"] == 0.5
    assert result["turn"]["hit@1"] == pytest.approx(2 / 3, abs=1e-3)
    assert result["session"]["hit@1"] == pytest.approx(2 / 3, abs=1e-3)
    assert "turn" in result["by_category"]["adversarial"]
    assert result["gate"]["unrelated_injected"] == 0
    assert result["gated"]["turn"]["recall@10"] <= result["turn"]["recall@10"] + 1e-9
    assert result["gate"]["session_recall_kept"] is not None
    assert set(result["floor"]) == {"turn recall@10", "windowed turn recall@10", "session recall@5"}
    assert 0 < result["floor"]["session recall@5"] <= 1


def test_headline_is_what_is_delivered(recall_set, settings, monkeypatch, tmp_path):
    """What stands first is what a prompt, an agent and a person are given who ask as they do: with the limits, the threshold and the rules
    of each."""
    result = bench_recall(recall_set, settings, pooled=False, profile="auto", progress=quiet)
    assert list(result["delivered"]) == ["hook", "mcp", "command line"]
    for figures in result["delivered"].values():
        assert figures["turns"] == pytest.approx(2 / 3, abs=1e-3) and figures["unrelated"] == 0
        assert figures["pieces"] > 0 and len(figures["turns 95%"]) == 2
    monkeypatch.setenv("HOME", str(tmp_path))
    shown = CliRunner().invoke(bench, ["recall", str(recall_set), "--embedder", "none"]).stdout.splitlines()
    assert shown[1].split()[:4] == ["as", "hook", "turns", "0.667"]


def test_realtalk_becomes_a_set(tmp_path):
    """The chats of REALTALK become a recall set: evidence that was typed with blanks, in lists or as a range is understood, and a question
    whose evidence is no turn is left out."""

    def turn(identity, speaker, text, **more):
        return {"dia_id": identity, "speaker": speaker, "clean_text": text, "date_time": "02.03.2024, 10:00:00", **more}

    chat = {
        "name": {"speaker_1": "Ana", "speaker_2": "Bo"},
        "session_10": [turn("D10:1", "Bo", "Look!", blip_caption=["a red boat"])],
        "session_2": [turn(f"D2:{number}", "Ana", f"Line {number}") for number in range(1, 5)],
        "session_2_date_time": "02.03.2024, 10:00:00",
        "qa": [
            {"question": "One?", "answer": "", "evidence": ["D 2:1"], "category": 1},
            {"question": "Two?", "answer": "", "evidence": ["D2:2-D2:4; D10:1."], "category": 2},
            {"question": "Three?", "answer": "", "evidence": ["D99:1", ""], "category": 3},
        ],
    }
    (tmp_path / "Chat_1_Ana_Bo.json").write_text(json.dumps(chat))
    out = tmp_path / "set.jsonl"
    assert CliRunner().invoke(bench, ["realtalk", str(tmp_path), str(out)]).stdout.startswith("1 chats and 2 questions")
    made = read_recall_set(out)
    assert [session.id for session in made.sessions] == ["session_2", "session_10"]
    assert made.sessions[1].turns[0]["text"] == "Look! [picture: a red boat]"
    assert [query.category for query in made.queries] == ["multi-hop", "temporal"]
    assert made.queries[1].gold_turns == {"D2:2", "D2:3", "D2:4", "D10:1"}
    assert made.queries[1].gold_sessions == {"session_2", "session_10"}
    (tmp_path / "Chat_1_Ana_Bo.json").write_text("[]")
    for folder in (tmp_path, tmp_path / "none"):
        folder.mkdir(exist_ok=True)
        with pytest.raises(InvalidInput):
            convert_realtalk(folder, out)


def test_mined_memories_take_part(tmp_path, monkeypatch):
    """`vade bench recall --mine` keeps memories of what was said; one that is told counts for its turns, and not before they were said."""
    file = tmp_path / "set.jsonl"
    said = "Remember that the staging server is called heron."
    rows = [
        {"type": "session", "scope": "one", "id": name, "time": f"2026-03-0{day}T09:00:00Z",
         "turns": [{"id": f"{name}:0", "speaker": "user", "text": text}]}
        for day, (name, text) in enumerate((("A", "We talked about plants."), ("B", said)), 1)
    ]  # fmt: skip
    rows += [
        {"type": "query", "scope": "one", "id": f"q{seen}", "text": "What is the staging server called?", "category": f"seen {seen}",
         "gold_turns": ["B:0"], "gold_sessions": ["B"], "visible_sessions": seen}
        for seen in (1, 2)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    asked = ["recall", str(file), "--mine", "--embedder", "none"]
    found = json.loads(CliRunner().invoke(bench, [*asked, "--json"]).stdout)
    assert found["mined"] == 1
    assert [found["by_category"][f"seen {seen}"]["turn"]["hit@1"] for seen in (1, 2)] == [0, 1]
    shown = CliRunner().invoke(bench, asked).stdout
    assert "1 memories mined" in shown and "gated turn" in shown and "recall@5 95% " in shown


def test_shares_of_vectors(recall_set, settings):
    """Everything is asked at each share of vectors; the last share's figures are the main ones."""
    given = dataclasses.replace(settings, embedder="hashing")
    result = bench_recall(recall_set, given, pooled=False, profile="auto", progress=quiet, shares=(0, 50, 100))
    assert list(result["by_share"]) == ["0", "50", "100"]
    assert result["by_share"]["100"]["turn recall@10"] == result["turn"]["recall@10"]
    assert all(figures["unrelated_injected"] is not None for figures in result["by_share"].values())


def test_intervals_draw_whole_scopes():
    """Questions of one scope succeed and fail together, so the interval is wider than over questions."""
    together = interval_over({"one": [1.0] * 20, "two": [0.0] * 20, "three": [1.0] * 20})
    assert together[0] <= 0.34 and together[1] == 1.0
    assert interval_over({}) == (0.0, 0.0)


def test_pooled(recall_set, settings):
    """Pooled, all scopes stand in one index, and nothing is asked of a stranger's."""
    result = bench_recall(recall_set, settings, pooled=True, profile="auto", progress=quiet)
    assert (result["pooled"], result["scopes"]) == (True, 2)
    assert result["gate"]["unrelated_asked"] == 0
    assert result["by_category"]["multi"]["turn"]["hit@1"] == 1


def test_ids_unsearched(recall_set, settings, monkeypatch):
    """Gold ids never reach the index text: neither words, passages nor headings hold one."""
    seen = []
    put = SqliteIndex.apply

    def watched(index, items, drop=()):
        seen.extend(passage for item in items for passage in item.passages)
        return put(index, items, drop)

    monkeypatch.setattr(SqliteIndex, "apply", watched)
    bench_recall(recall_set, settings, pooled=True, profile="auto", progress=quiet)
    searched = " ".join(f"{passage.text} {passage.heading} {passage.speaker}" for passage in seen)
    assert {passage.ref for passage in seen} >= {"D1:0", "E1:1"}
    assert not [ref for ref in ("D1", "D2", "E1", "one--") if ref in searched]


def test_bad_set(tmp_path):
    """A file that is not of the format is refused with its line."""
    path = tmp_path / "set.jsonl"
    path.write_text('{"type": "session", "scope": "one"}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"set.jsonl:1 "):
        read_recall_set(path)
    path.write_text("nothing", encoding="utf-8")
    with pytest.raises(InvalidInput, match="JSON Lines"):
        read_recall_set(path)


def test_latency(settings):
    """Speed is measured on generated notes and conversations: following, asking, briefing, memory, size."""
    result = bench_latency(settings, memories=50, turns=40, queries=5, progress=quiet)
    assert set(result) >= {
        "memories", "turns", "passages", "sync_s", "capture_s", "sync_unchanged_s", "sync_one_changed_s", "recall_ms",
        "briefing_ms", "peak_rss_mb", "index_mb", "index_bytes_per_text_byte", "embedder",
    }  # fmt: skip
    assert set(result["recall_ms"]) == {"p50", "p95", "p99"}
    assert result["memories"] == 50
    assert result["passages"] >= 90
