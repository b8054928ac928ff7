"""A host, the program that an agent runs in: its hook events, our answers to them, and the commands that it runs."""

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.why_nothing import NO_ANSWER_WANTED, DeliveryEnd

#: What just happened. "pause": the agent stopped and waits for the person; "shrink": the conversation is about to be compacted;
#: "call": a tool is about to be called, or was called, which the hook client answers itself; "other": an event without any
#: action.
Moment = Literal["start", "prompt", "pause", "agent start", "agent end", "shrink", "end", "call", "other"]


class HookEvent(Struct, frozen=True):
    """One hook call, in terms common to all hosts.

    Attributes:
        host: name of the host, as in session URIs.
        event: the host's own name of the event; its answer must repeat it.
        session: the host's id of the conversation; "" when it gives none.
        cwd: working folder, absolute; "" when not given.
        prompt: the prompt's text, for the moments "prompt" and "agent start".
        by_person: False when a program wrote the prompt (a schedule, a loop, a poll); nothing is recalled for those.
        cause: the host's word for the cause: startup, resume, clear, compact, fork, restart; or the reason of an end.
        transcript: path of the conversation's transcript; "" when not given.
        agent: id of the sub-agent concerned; "" for the main conversation.
        last_message: the agent's last message, if the host gives it; the transcript may lag behind.
        model: model of the conversation, if given.
        heard: False when the host ignores the answer to this event, so that no text can be delivered.
        heard_at_prompts: False when the host ignores the answer to some or all prompts of the session.
        conversations: name of the host's conversations in session URIs; "": the same as its name.
    """

    host: str
    moment: Moment
    event: str
    session: str
    cwd: str = ""
    prompt: str = ""
    by_person: bool = True
    cause: str = ""
    transcript: str = ""
    agent: str = ""
    last_message: str = ""
    model: str = ""
    heard: bool = True
    heard_at_prompts: bool = True
    conversations: str = ""


def uri_of(event: HookEvent) -> str:
    """Return the URI of the session of an event; "" when the host gives none."""
    return f"session://{event.conversations or event.host}/{event.session}" if event.session else ""


class Waiting(Struct, frozen=True):
    """An event that a hook queued as a file.

    Attributes:
        path: its file. at: when it was queued; aware, UTC.
        payload: the host's JSON object; None if the input was none.
    """

    path: Path
    host: str
    cwd: str
    payload: Mapping[str, Any] | None
    at: datetime


class Delivery(Struct, frozen=True):
    """The answer to an event.

    Attributes:
        text: for the agent; "" for nothing.
        notice: one line for the person, never for the agent ("Loaded 3 memories: ..."); "" for none.
        keys: items that `text` contains.
        verdict: that something was shown, or why nothing was (:mod:`vademecum.domain.why_nothing`).
        trace: id for `vade why`; "" when no search was made.
        skipped: arms of recall that were skipped for lack of time.
    """

    text: str = ""
    notice: str = ""
    keys: tuple[str, ...] = ()
    verdict: DeliveryEnd = NO_ANSWER_WANTED
    trace: str = ""
    skipped: tuple[str, ...] = ()


#: Reach of a registration: the person's account, or everybody who works in one project.
Reach = Literal["user", "project"]

#: Our hook command on any platform and at any path of the client. Identifies our entries in a host's file.
OUR_COMMAND = late_pattern(r"-I -S \S.*?[\\/]hook[\\/]client\.py['\"]? [a-z-]+")


class HostFolders(Struct, frozen=True):
    """The folders of hosts on this machine. All absolute.

    Attributes:
        home: home folder. config, data: XDG folders, which some hosts use on every platform.
        editors: folder with the settings folders of editors built on VS Code.
        claude, claude_state: Claude Code's folder, and its file of MCP servers. codex: Codex's folder.
        windows: commands are quoted for Windows.
    """

    home: str
    config: str
    data: str
    editors: str
    claude: str
    claude_state: str
    codex: str
    windows: bool = False


class Programs(Struct, frozen=True):
    """The programs that hosts run.

    Attributes:
        python: absolute path of the interpreter that has this package. client: absolute path of the hook client.
        windows: quote for Windows. memories: folders of memories, for uses other than hosts.
    """

    python: str
    client: str
    windows: bool = False
    memories: tuple[str, ...] = ()

    def hook(self, word: str) -> str:
        """Return the command line of a hook for a POSIX shell or cmd.exe.

        It always exits with 0: Python itself exits with 2 when the client is missing, and hosts read 2 as "block the prompt"
        (X-34). When the interpreter or the client is missing, a shell script reports that to the person.
        """
        gone = "" if self.windows else f" || /bin/sh {self._quoted(self.gone)}"
        return f"{self._quoted(self.python)} -I -S {self._quoted(self.client)} {word}{gone} || exit 0"

    def hook_powershell(self, word: str) -> str:
        """Return the command line for PowerShell, which needs `&` before a quoted path and before version 7 has no `||`."""
        return f"& {self._quoted(self.python)} -I -S {self._quoted(self.client)} {word}; exit 0"

    @property
    def gone(self) -> str:
        """The shell script beside the client that runs when the interpreter or the client is missing."""
        return self.client.removesuffix("client.py") + "gone.sh"

    @property
    def server(self) -> tuple[str, ...]:
        """The command of the MCP server on standard streams. `-P`: files of a project must not be imported instead of ours."""
        return (self.python, "-P", "-m", "vademecum", "mcp")

    def _quoted(self, path: str) -> str:
        if self.windows:
            return '"' + path.replace("\\", "/") + '"'
        return path if re.fullmatch(r"[\w@%+=:,./-]+", path, re.ASCII) else "'" + path.replace("'", "'\"'\"'") + "'"


class Checked(Struct, frozen=True):
    """The versions of a host with which its table was checked.

    Attributes:
        oldest: first version in which our registrations work. newest: last version that was checked.
        how: run, vendor (its documentation or source), or others (reports of other projects).
    """

    oldest: str
    newest: str
    how: Literal["run", "vendor", "others"]
