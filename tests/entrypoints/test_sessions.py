"""Recorded sessions of the command line: `tests/entrypoints/sessions/*.txt`, each a story that a person could type.

The first line says what it is about. A line `$ vade ...` is a command, `$ write PATH TEXT`, `$ remove PATH` and `$ cat PATH` are
the person's own doing; what follows is what was printed, with `[exit N]` when N is not 0. Ids, dates, durations, sizes and the
temporary folder are replaced by words. To record the sessions anew after a wanted change, then to read the difference:

    VADEMECUM_RECORD=1 pytest tests/entrypoints/test_sessions.py
"""

import os
import re
import shlex
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.entrypoints.every_verb import EVERY

from vademecum.adapters.clock import SystemClock
from vademecum.entrypoints.cli.cli import run

SESSIONS = sorted((Path(__file__).parent / "sessions").glob("*.txt"))

#: Whole, or its last characters, of which one is a letter.
_ID = re.compile(r"\b(?:[0-7][0-9A-HJKMNP-TV-Z]{25}|(?!REDACTED)(?=\d*[A-Z])[0-9A-HJKMNP-TV-Z]{8})\b")
_REPLACED = (
    (re.compile(r"\b\d+ files, \d+ bytes"), "N files, N bytes"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(Z|\+00:00)?"), "MOMENT"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?"), "MOMENT"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"\bthread-DATE-[0-9a-f]{6}\b"), "THREAD"),
    (re.compile(r"\b\d{4}-W\d\d\b"), "WEEK"),
    (re.compile(r"\.\d{8}\.md"), ".DATE.md"),
    (re.compile(r"\b\d+\.\d+ (ms|s|MB)\b"), r"N \1"),
    (re.compile(r"(?<=\))  \d+\.\d\d$", re.MULTILINE), "  SCORE"),  # it falls with each second
    (re.compile(r'"(ms|index_bytes)": [\d.]+'), r'"\1": N'),
    (re.compile(r'"(stat|digest)": "[^"]*"'), r'"\1": "..."'),
    (re.compile(r"\b[0-9a-f]{32}\b"), "ETAG"),
    (re.compile(r"\blaptop-[0-9a-z]{4}\b"), "laptop-MARK"),
    (re.compile(r"(?<=/ID\d#)t-[0-9a-f]{12}\b"), "TURN"),  # holds the moment at which it was handed over
)


class Typist:
    """Types commands in a folder of its own and notes what comes back."""

    def __init__(self, folder, capfd):
        self.folder, self.capfd, self.ids = folder, capfd, {}
        self.now = datetime.now(UTC).replace(
            microsecond=0
        )  # stands still in a command, lest its second end between two memories

    def answer(self, line):
        """What a command printed, made comparable."""
        words = shlex.split(_ID_NAME.sub(self._known_id, line))
        if words[0] == "write":
            path = self.folder / words[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(words[2].replace("\\n", "\n"), encoding="utf-8")
            return ""
        if words[0] == "remove":
            (self.folder / words[1]).unlink()
            return ""
        if words[0] == "cat":
            return self._comparable((self.folder / words[1]).read_text(encoding="utf-8"))
        self.now += timedelta(seconds=1)
        code = run(words[1:])
        said = self.capfd.readouterr()
        text = self._comparable(said.out + said.err)
        return text + (f"[exit {code}]\n" if code else "")

    def _known_id(self, match):
        return next((identity for identity, name in self.ids.items() if name == match.group()), match.group())

    def _name_of(self, identity):
        """The same word for an id and its short form."""
        known = next((name for one, name in self.ids.items() if one.endswith(identity) or identity.endswith(one)), None)
        return self.ids.setdefault(identity, known or f"ID{len(set(self.ids.values())) + 1}")

    def _comparable(self, text):
        text = text.replace(str(self.folder), "HERE").replace(sys.executable, "PYTHON")
        text = _ID.sub(lambda match: self._name_of(match.group()), text)
        for pattern, word in _REPLACED:
            text = pattern.sub(word, text)
        lines = [line.rstrip() for line in text.splitlines()]
        return "".join(line + "\n" for line in lines)


_ID_NAME = re.compile(r"\bID\d+\b")


def commands(session):
    lines = session.splitlines()
    return [lines[0]] + [line for line in lines[1:] if line.startswith("$ ")]


@pytest.fixture
def typist(tmp_path, monkeypatch, capfd):
    for name in [name for name in os.environ if name.startswith("VADEMECUM_")]:
        if name != "VADEMECUM_RECORD":
            monkeypatch.delenv(name)
    values = {
        "CONFIG": tmp_path / "config.toml", "DATA_DIR": tmp_path / "data", "CACHE_DIR": tmp_path / "cache",
        "DEVICE": "laptop", "EMBEDDER": "none",
    }  # fmt: skip
    for name, value in values.items():
        monkeypatch.setenv(f"VADEMECUM_{name}", str(value))
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))  # a host's transcripts of whoever runs the tests are not looked at
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # an agent that could read is no part of what is recorded
    monkeypatch.setenv("TZ", "UTC")  # days end at midnight of the machine's own time
    time.tzset()
    monkeypatch.chdir(tmp_path)
    made = SystemClock.new_id

    def with_a_letter(clock):
        """An id that ends otherwise than a number or a day does: one in eleven thousand is digits alone."""
        return next(one for one in iter(lambda: made(clock), None) if not one[-8:].isdigit())

    monkeypatch.setattr(SystemClock, "new_id", with_a_letter)
    typist = Typist(tmp_path, capfd)
    monkeypatch.setattr(SystemClock, "now", lambda clock: typist.now)
    yield typist
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_session(typist, path):
    """What a person types is answered as recorded."""
    recorded = path.read_text(encoding="utf-8")
    played = "".join(line + "\n" + (typist.answer(line[2:]) if line[0] == "$" else "") for line in commands(recorded))
    if os.environ.get("VADEMECUM_RECORD"):
        path.write_text(played, encoding="utf-8")
    assert played == recorded


def test_every_verb_typed():
    """No verb is without a recorded session."""
    lines = [f"{line} " for path in SESSIONS for line in commands(path.read_text("utf-8"))]
    wanted = {verb.name for verb in EVERY} | {"init", "settings"}
    assert {name for name in wanted if not any(line.startswith(f"$ vade {name} ") for line in lines)} == set()
