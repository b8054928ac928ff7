"""What is learnt from labelled sessions: the bench itself, and the figures that must hold."""

import pytest

from vademecum.bench.learning import DEV, TEST, bench_learn, read_labelled
from vademecum.model.errors import InvalidInput
from vademecum.settings import Settings


def quiet(what, done, total):
    pass


SESSIONS = """
[[session]]
id = "a"
language = "en"
host = "claude-code"
turns = [["user", "We decided to keep recipes as Markdown."], ["agent", "Good."], ["user", "I prefer tea over coffee."], ["agent", "Yes."]]
expect = [{ id = "recipes", kind = "decision", says = ["markdown"] }, { kind = "fact", says = ["nobody said it"] }]

[[session]]
id = "b"
language = "en"
host = "codex"
turns = [["user", "We moved off Markdown, it all lies in SQLite."], ["agent", "Good."], ["user", "ok"], ["agent", "Yes."]]
expect = [{ kind = "decision", says = ["sqlite"], replaces = "recipes" }]

[[session]]
id = "c"
language = "de"
host = "codex"
turns = [["user", "Ich bevorzuge kurze Funktionen."], ["agent", "Gut."], ["user", "ja"], ["agent", "Gut."]]
"""


def test_figures(tmp_path):
    """What was saved, what of it is right, what was not found, what gave way, what broke a silence: each counted once."""
    path = tmp_path / "made.toml"
    path.write_text(SESSIONS, encoding="utf-8")
    result = bench_learn(path, Settings(), progress=quiet)
    total = result["total"]
    assert (total["saved"], total["right"], total["stated"], total["found"]) == (4, 2, 3, 2)
    assert result["silence"] == {"sessions": 1, "broken": 1, "saved": 1, "saved_per_20": 20.0}
    given_way = result["supersession"]
    assert (given_way["replaced"], given_way["false"], given_way["updates"], given_way["missed"]) == (1, 0, 1, 0)
    assert result["not_found"] == ["a: fact: nobody said it"]
    assert result["wrong"] == ["a: preference: I prefer tea over coffee.", "c: preference: Ich bevorzuge kurze Funktionen."]
    assert result["by_language"]["de"]["precision"] == 0.0
    calls = result["model_calls"]
    assert (calls["conversations"], calls["readings"], calls["most"], calls["conflict_calls"]) == (3, 3, 1, 0)


def test_x44_false_supersession(tmp_path):
    """X-44: a memory that gave way without being meant is counted as replaced wrongly."""
    path = tmp_path / "made.toml"
    path.write_text(SESSIONS.replace(', replaces = "recipes"', ""), encoding="utf-8")
    given_way = bench_learn(path, Settings(), progress=quiet)["supersession"]
    assert (given_way["false"], given_way["false_rate"]) == (1, 0.25)


@pytest.mark.parametrize(
    "text", ["no toml [", "[[session]]\nid = 1", SESSIONS.replace('replaces = "recipes"', 'replaces = "soup"')]
)
def test_no_sessions(tmp_path, text):
    """A file that holds no labelled sessions is refused, and so is a label that names nothing."""
    path = tmp_path / "made.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput):
        read_labelled(path)


@pytest.mark.parametrize("path", [DEV, TEST], ids=["dev", "test"])
def test_x44_aims(path):
    """X-23, X-44: precision, recall, silence and supersession stay within the aims on the two sets that were worked with."""
    result = bench_learn(path, Settings(), progress=quiet)
    assert result["total"]["precision"] >= 0.9
    assert result["total"]["recall"] >= 0.7
    assert result["silence"]["saved_per_20"] <= 1
    assert result["supersession"]["false_rate"] <= 0.02
    assert result["supersession"]["missed_rate"] <= 0.2


def test_labels():
    """Sixty sessions and more, in five languages and several hosts' formats, many of which teach nothing."""
    sessions = [*read_labelled(DEV), *read_labelled(TEST)]
    assert len({session.name for session in sessions}) == len(sessions) >= 60
    assert {session.language for session in sessions} == {"en", "pt", "de", "es", "zh"}
    assert len({session.host for session in sessions}) >= 6
    assert sum(not session.expected for session in sessions) >= 30
