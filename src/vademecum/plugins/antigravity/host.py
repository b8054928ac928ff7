"""Antigravity.

A hook receives the path of the transcript but not the prompt, so the prompt is read from the end of the transcript.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from vademecum.domain.host import Checked, HookEvent, HostFolders, Moment
from vademecum.plugin_api.hosts import WAIT_S, Fields, Member, Row, TableHost, server
from vademecum.ports.host import Target, Wanted
from vademecum.ports.transcripts import Unread

#: Bytes at the end of a transcript that are searched for the prompt, which was just written there.
TAIL_BYTES = 256 * 1024

#: Folders of the command line, the desktop program and the editor, below the folder of Gemini.
FOLDERS = ("antigravity-cli", "antigravity", "antigravity-ide")

_REQUEST = re.compile(r"<USER_REQUEST>\s*(.*?)\s*</USER_REQUEST>", re.DOTALL)


class Antigravity(TableHost):
    """Antigravity 1.1.25 to 1.5.

    `PreInvocation` comes before every call of the model; only the first is a prompt. Where `SessionStart` is not delivered, the
    briefing goes with the first prompt: the helper decides by session.
    """

    name: ClassVar[str] = "antigravity"
    title: ClassVar[str] = "Antigravity"
    program: ClassVar[str] = "agy"
    checked: ClassVar[Checked] = Checked("1.1.25", "1.5.0", "others")
    about: ClassVar[str] = (
        "Briefs at the start, recalls at the first call of the model after each prompt; the prompt is read from the end of the "
        "transcript. `agy -p` drops what hooks say."
    )
    at_calls: ClassVar[str] = "nothing, on purpose: an answer without a decision refuses every call there."
    other_names: ClassVar[tuple[str, ...]] = ("agy", "antigravity-cli", "google-antigravity")
    unread: ClassVar[tuple[Unread, ...]] = (
        *(Unread(f".gemini/{program}/brain/*/.system_generated/logs/overview.txt", identity=-4) for program in FOLDERS),
        *(Unread(f".gemini/{program}/conversations/*.pb") for program in ("antigravity", "antigravity-ide")),
    )
    next_step: ClassVar[str] = "`agy -p` runs the hooks but ignores their output; in an interactive conversation they work."
    fields: ClassVar[Fields] = Fields(
        event=("hookEventName", "hook_event_name"),
        session=("conversationId",),
        transcript=("transcriptPath",),
        model=("modelName",),
        cause=("source", "terminationReason"),
    )
    rows: ClassVar[tuple[Row, ...]] = (
        Row("SessionStart", "start", WAIT_S, shows_text=True),
        Row("PreInvocation", "prompt", WAIT_S, shows_text=True),
        Row("Stop", "pause", WAIT_S),
    )

    def event_of(self, payload: Mapping[str, object]) -> str:
        """Return the event: by its name in the payload, or by fields that only this event has."""
        if text := super().event_of(payload):
            return text
        if "invocationNum" in payload:
            return "PreInvocation"
        if "terminationReason" in payload or "fullyIdle" in payload:
            return "Stop"
        return "SessionStart" if "conversationId" in payload else ""

    def moment(self, row: Row, payload: Mapping[str, object]) -> Moment:
        later = row.event == "PreInvocation" and payload.get("invocationNum") != 0
        return "other" if later else row.moment

    def folder(self, payload: Mapping[str, object]) -> str:
        paths = payload.get("workspacePaths")
        first = paths[0] if isinstance(paths, list) and paths else ""
        return first if isinstance(first, str) else ""

    def prompt(self, row: Row, payload: Mapping[str, object]) -> str:
        path = payload.get("transcriptPath")
        asked = self.moment(row, payload) == "prompt" and isinstance(path, str)
        return last_prompt(Path(str(path))) if asked else ""

    def answer(self, event: HookEvent, shown: str, notice: str) -> dict[str, Any]:
        return {"injectSteps": [{"ephemeralMessage": shown}]} if shown and event.moment != "other" else {}

    def files(self, to: Target) -> tuple[Wanted, ...]:
        folder = to.at(Path(to.folders.home, ".gemini", "config"), ".agents")
        hook: dict[str, Any] = {"enabled": True}
        for row in self.registered():
            hook[row.event] = [{"type": "command", "command": to.programs.hook(self.name), "timeout": row.wait_s}]
        return to.wanted(
            (folder / "hooks.json", "hooks", Member(("vademecum",), hook)),
            (folder / "mcp_config.json", "mcp", Member(("mcpServers", "vademecum"), server(to.programs))),
        )

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        own = Path(folders.home) / ".gemini"
        return tuple((str(own / name / "brain"), "*/.system_generated/logs/transcript.jsonl") for name in FOLDERS)


def last_prompt(path: Path) -> str:
    """Return the last prompt at the end of a transcript; "" if it cannot be read or has none there."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            tail = file.read()
    except OSError:
        return ""
    for line in reversed(tail.splitlines()):
        if b"USER_INPUT" in line and (text := _said(line)):
            return text
    return ""


def _said(line: bytes) -> str:
    """Return the request in a transcript line; "" if the line is no step of the person, or is incomplete."""
    try:
        step = json.loads(line)
    except ValueError:
        return ""
    if not isinstance(step, dict) or step.get("type") != "USER_INPUT" or not isinstance(step.get("content"), str):
        return ""
    match = _REQUEST.search(step["content"])
    return match[1] if match else step["content"].strip()


HOSTS = (Antigravity(),)
