"""A host, the program an agent runs in: what its hooks tell us, what we may tell it, and how it is told to call us."""

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

#: What just happened, in our words. "pause": the agent stopped and waits for the person; "shrink": the conversation is about
#: to be compacted; "other": nothing that we act on.
#: "call": a tool is about to be called, or was; the hook client answers that by itself.
Moment = Literal["start", "prompt", "pause", "agent start", "agent end", "shrink", "end", "call", "other"]


class HookEvent(Struct, frozen=True):
    """One call of a hook, told in our words.

    Attributes:
        host: name of the host, as in session URIs.
        event: the host's own name of the event; its answer must repeat it.
        session: the host's id of the conversation; "" when it gives none.
        cwd: folder the work goes on in, absolute; "" when not told.
        prompt: what was asked, for the moments "prompt" and "agent start".
        by_person: False when a program wrote the prompt (a schedule, a loop, a poll); nothing is recalled for those.
        cause: why, in the host's word: startup, resume, clear, compact, fork, restart; or the reason of an end.
        transcript: path of the file the conversation is written to; "" when not told.
        agent: id of the sub-agent that this is about; "" for the main conversation.
        last_message: what the agent said last, when the host tells; its transcript may lag behind.
        model: model of the conversation, when told.
        heard: False when the host has no use for an answer to this event: what is said then never arrives.
        conversations: what the conversations of the host are called in session URIs; "" for its name.
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
    conversations: str = ""


def uri_of(event: HookEvent) -> str:
    """Return the session an event is about; "" when the host names none."""
    return f"session://{event.conversations or event.host}/{event.session}" if event.session else ""


class Waiting(Struct, frozen=True):
    """An event that a hook left for later.

    Attributes:
        path: its file. at: when it was left; aware, UTC.
        payload: what the host said, or None when that is no JSON object.
    """

    path: Path
    host: str
    cwd: str
    payload: Mapping[str, Any] | None
    at: datetime


class Delivery(Struct, frozen=True):
    """What an event is answered with.

    Attributes:
        text: for the agent; "" for nothing.
        notice: one line for the person, never for the agent ("Loaded 3 memories: ..."); "" for none.
        keys: items that `text` holds.
        verdict: "told", or why nothing was: "nothing known", "already told", "not by a person", "disabled", "paused", "held out",
            "too late", "no answer wanted", "could not search".
        trace: id for `vade why`; "" when nothing was looked for.
        skipped: arms of recall that were left out because there was no time for them.
    """

    text: str = ""
    notice: str = ""
    keys: tuple[str, ...] = ()
    verdict: str = "no answer wanted"
    trace: str = ""
    skipped: tuple[str, ...] = ()


#: For whom something is registered: the person everywhere, or whoever works in one project.
Reach = Literal["user", "project"]

#: How a hook command of ours reads on any platform, wherever the client lies: by this it is known again in a host's file.
OUR_COMMAND = re.compile(r"-I -S \S.*?[\\/]hook[\\/]client\.py['\"]? [a-z-]+")


class HostFolders(Struct, frozen=True):
    """Where the hosts keep their files on this machine. All absolute.

    Attributes:
        home: the person's. config, data: XDG's places, which some hosts use on every platform.
        editors: where editors built on VS Code keep their folders of settings.
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
    """What hosts are told to start.

    Attributes:
        python: absolute path of the interpreter that has this package. client: absolute path of the hook client.
        windows: quote for Windows. memories: folders of memories, for what is not about a host.
    """

    python: str
    client: str
    windows: bool = False
    memories: tuple[str, ...] = ()

    def hook(self, word: str) -> str:
        """Return the command line of a hook for a POSIX shell or cmd.exe.

        It ends with 0 whatever happens: Python itself ends with 2 when the client is gone, and hosts read 2 as
        "block the prompt" (X-34). When the interpreter or the client is gone, a shell script tells the person so.
        """
        gone = "" if self.windows else f" || /bin/sh {self._quoted(self.gone)}"
        return f"{self._quoted(self.python)} -I -S {self._quoted(self.client)} {word}{gone} || exit 0"

    def hook_powershell(self, word: str) -> str:
        """Return the same for PowerShell, which calls a quoted path only after `&` and before version 7 knows no `||`."""
        return f"& {self._quoted(self.python)} -I -S {self._quoted(self.client)} {word}; exit 0"

    @property
    def gone(self) -> str:
        """The shell script beside the client that speaks when neither can run."""
        return self.client.removesuffix("client.py") + "gone.sh"

    @property
    def server(self) -> tuple[str, ...]:
        """The MCP server on standard streams. `-P`: a project's own files must not be imported in our stead."""
        return (self.python, "-P", "-m", "vademecum", "mcp")

    def _quoted(self, path: str) -> str:
        if self.windows:
            return '"' + path.replace("\\", "/") + '"'
        return path if re.fullmatch(r"[\w@%+=:,./-]+", path, re.ASCII) else "'" + path.replace("'", "'\"'\"'") + "'"


class Checked(Struct, frozen=True):
    """The versions of a host that its table was compared with.

    Attributes:
        oldest: what we register works from this version on. newest: the last one looked at.
        how: run, vendor (its documents or source), or others (reports of other projects).
    """

    oldest: str
    newest: str
    how: Literal["run", "vendor", "others"]
