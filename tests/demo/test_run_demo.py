"""What `make demo` shows is what it promises."""

import pytest

from vademecum.demo.script import PROMPTS
from vademecum.demo.show import run_demo


@pytest.fixture(scope="module")
def shown():
    lines = []
    run_demo(lines.append)
    return "\n".join(lines)


def part(shown, number):
    """What is shown for one of the three prompts."""
    start = shown.index(f'Prompt: "{PROMPTS[number][0]}"')
    end = shown.find("\nPrompt: ", start)
    following = [place for prompt, _ in PROMPTS if (place := shown.find(f'Prompt: "{prompt}"')) > start]
    return shown[start : min(following, default=len(shown) if end < 0 else end)]


def test_paraphrase(shown):
    """A question in other words than the memory's finds it."""
    assert "allergic to hazelnuts" in part(shown, 0)


def test_successor_first(shown):
    """Asked about a decision that was given up, the one that replaced it is told before it."""
    told = part(shown, 1).split("why:")[0]
    new, old = told.index("moved off Fly to a small VPS"), told.find("superseded")
    assert old == -1 or new < old


def test_unknown(shown):
    """Asked about something never spoken of, nothing is injected, and why is said."""
    told = part(shown, 2)
    assert "(nothing is injected)" in told
    assert "nothing known, confidence 0.0" in told


def test_files_and_briefing(shown):
    """The memories are shown as files, and what a session starts with holds identity, preferences and decisions."""
    assert "source: session://claude-code/" in shown
    for words in ("## Briefing", "self-taught developer", "one SQLite file per household", "[superseded]"):
        assert words in shown
    assert "without meaning" not in shown
