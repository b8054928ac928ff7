"""What `make demo` shows is what it promises."""

import shlex
import subprocess
import sys
from pathlib import Path

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
    """Asked about a decision that was given up, the later word is told before it, and that it puts it in doubt."""
    told = part(shown, 1).split("why:")[0]
    assert told.index("moved off Fly to a small VPS") < told.index("may be outdated")


def test_unknown(shown):
    """Asked about something never spoken of, nothing is injected, and why is said."""
    told = part(shown, 2)
    assert "(nothing is shown)" in told
    assert "nothing known, confidence 0." in told


def test_files_and_briefing(shown):
    """The memories are shown as files, and what a session starts with holds identity, preferences and decisions."""
    assert "source: session://claude-code/" in shown
    for words in ("## Briefing", "self-taught developer", "one SQLite file per household", "[may be outdated]", "[inbox]"):
        assert words in shown
    assert "without meaning" not in shown


def test_now_yours(tmp_path):
    """The command line's demo ends with a command that makes the person's own memory, and says it no more when there is one."""
    environment = {"HOME": str(tmp_path), "PATH": str(tmp_path)}

    def vade(*words):
        command = [sys.executable, "-m", "vademecum", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment).stdout

    told = vade("demo").splitlines()[-1]
    program, *words = shlex.split(told.removeprefix("Now yours: ").partition("  ")[0])
    assert (tmp_path / program).resolve().samefile(Path(sys.executable).with_name("vade"))
    assert vade(*(word.replace("~", str(tmp_path)) for word in words)).startswith(f"Memory in {tmp_path}")
    assert "Now yours" not in vade("demo")
