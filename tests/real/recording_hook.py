"""A hook for learning what a program really does: it keeps each payload, and answers what the test decided."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

_SCRIPT = """\
import json, os, sys
folder = os.path.dirname(os.path.abspath(__file__))
payload = json.load(sys.stdin)
event = payload["hook_event_name"]
with open(os.path.join(folder, "seen.jsonl"), "a", encoding="utf-8") as seen:
    seen.write(json.dumps(payload) + "\\n")
with open(os.path.join(folder, "answers.json"), encoding="utf-8") as file:
    answer = json.load(file).get(event, {})
sys.stdout.write(answer.get("stdout", ""))
sys.stderr.write(answer.get("stderr", ""))
sys.exit(answer.get("code", 0))
"""


class RecordingHook:
    """A small Python script in a folder of its own.

    Attributes:
        command: to configure as the hook.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._seen = folder / "seen.jsonl"
        self._answers = folder / "answers.json"
        self._answers.write_text("{}", "utf-8")
        script = folder / "hook.py"
        script.write_text(_SCRIPT, "utf-8")
        self.command = shlex.join([sys.executable, "-I", str(script)])

    def answer(self, event: str, stdout: str = "", *, stderr: str = "", code: int = 0) -> None:
        """What to print, and to end with, when `event` happens."""
        answers = json.loads(self._answers.read_text("utf-8"))
        answers[event] = {"stdout": stdout, "stderr": stderr, "code": code}
        self._answers.write_text(json.dumps(answers), "utf-8")

    def tell(self, event: str, context: str, **more: Any) -> None:
        """Hand `context` to the agent when `event` happens, in the form that the three programs share."""
        self.answer(event, json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}, **more}))

    @property
    def seen(self) -> list[dict[str, Any]]:
        """Every payload, oldest first."""
        return [json.loads(line) for line in self._seen.read_text("utf-8").splitlines()] if self._seen.exists() else []

    def seen_of(self, event: str) -> list[dict[str, Any]]:
        """The payloads of one event."""
        return [payload for payload in self.seen if payload["hook_event_name"] == event]
