"""What README tells a person to type works, word for word, in a vault full of somebody's notes."""

import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: The question that the daily use asks has this for an answer.
ANSWER = "One file, no server"


def daily_use() -> list[list[str]]:
    """What sets memory up without questions, the commands of the block that begins with `vade save`, and those in the sentence below."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```\n(vade save .*?)```(.*?)\n## ", text, re.S)
    assert block
    lines = ["vade setup ~/Notes --yes", *block[1].splitlines(), *re.findall(r"`(vade .+?)`", block[2])]
    return [shlex.split(line, comments=True) for line in lines]


@pytest.fixture
def person(tmp_path):
    """A home folder with 23 notes of others and one conversation, as Claude Code leaves it."""
    for number in range(23):
        note = tmp_path / "Notes" / f"area-{number % 7}" / f"note {number}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(
            f"# Note {number}\n\nWhat stands in box {number}: tea, rope and {number * 37} nails.\n", encoding="utf-8"
        )
    talk = next((ROOT / "src" / "vademecum" / "demo" / "transcripts").glob("*.jsonl"))
    projects = tmp_path / ".claude" / "projects" / "-work"
    projects.mkdir(parents=True)
    (projects / talk.name).write_bytes(talk.read_bytes())
    return tmp_path


@pytest.mark.slow
def test_daily_use(person):
    """Every line ends with 0, the question is answered from what was saved, and no note of others changes a byte."""
    before = {path: path.read_bytes() for path in (person / "Notes").rglob("*.md")}
    environment = {"HOME": str(person), "PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    with socket.socket() as free:  # the usual port may be that of the helper of whoever runs this
        free.bind(("127.0.0.1", 0))
        environment["VADEMECUM_PORT"] = str(free.getsockname()[1])
    said = {}
    for program, *words in daily_use():
        assert program == "vade"
        given = [word.replace("~", str(person)) for word in words] + (["--yes"] if words[0] == "uninstall" else [])
        done = subprocess.run(
            [sys.executable, "-m", "vademecum", *given],
            capture_output=True, text=True, check=False, cwd=person, env=environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        said[words[0]] = done.stdout
    assert ANSWER in said["recall"]
    assert "23 notes are searchable" in said["setup"]
    assert {"doctor", "uninstall"} <= set(said)
    assert {path: path.read_bytes() for path in before} == before
