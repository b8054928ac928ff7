"""Programs that agents run in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from vademecum.domain.host import Checked, Delivery, HookEvent, HostFolders, Programs, Reach
    from vademecum.ports.transcripts import Unread


class Edit(Protocol):
    """An edit of a text file that changes nothing else: comments, order, indentation and newline style stay.

    `put(put(t)) == put(t)`. A text that cannot be parsed is refused, never repaired.
    """

    def put(self, text: str) -> str:
        """Return `text` ("" for a missing file) with our entry, which replaces an older one of ours.

        Raises:
            InvalidInput: the host could not read the text. Refused: another program's text is where ours would go.
        """

    def take(self, text: str, before: str = "") -> str:
        """Return `text` without our entry; "" when nothing remains of a file that is entirely ours.

        Args:
            before: the text before our first change; its content is restored or stays.
        """

    def ours(self, text: str) -> bool:
        """Return whether the text contains an entry of ours, in this form or an older one."""


class Wanted(Struct, frozen=True):
    """Required content of a host's file.

    Attributes:
        role: purpose of the file in the host: hooks, mcp, rule, plugin, instructions, tasks.
    """

    path: str
    role: str
    edits: tuple[Edit, ...]


class Target(Struct, frozen=True):
    """What is registered with a host, and where.

    Attributes:
        project: folder of the project, for reach "project". mcp: register the MCP server as well.
    """

    folders: HostFolders
    programs: Programs
    reach: Reach
    project: str
    mcp: bool

    def at(self, user: str | Path, project: str) -> Path:
        """Return a path for the person's account, or one below the project."""
        return Path(user) if self.reach == "user" else Path(self.project, project)

    def wanted(self, *entries: tuple[Path, str, *tuple[Edit, ...]]) -> tuple[Wanted, ...]:
        """Return (path, role, edits) as required files, without the MCP server where it is not wanted."""
        return tuple(Wanted(str(path), role, tuple(edits)) for path, role, *edits in entries if self.mcp or role != "mcp")


class Piece(Struct, frozen=True):
    """An entry in a project's files that `vade install` can add besides hooks, such as a task of an editor.

    Attributes:
        title: what it is. next_step: what a person still has to do; "" for nothing.
        files: returns the required content of files, given the folder of a project.
    """

    title: str
    next_step: str
    files: Callable[[str, Programs], tuple[Wanted, ...]]


class Switch(Struct, frozen=True):
    """A setting of a host that disables all hooks.

    Attributes:
        folder: the field of :class:`HostFolders` with the folder of its file. file: its file. way: the keys that lead to it.
        off: the value that disables hooks.
    """

    folder: str
    file: str
    way: tuple[str, ...]
    off: bool


class Host(Protocol):
    """A program in which an agent runs, and the protocol of its hooks.

    An event without a text to deliver must be answered with no output at all.

    Attributes:
        name: as on the command line and, for most hosts, in session URIs.
        conversations: name of its conversations in session URIs; "": the same as `name`.
        title: its usual name, for people.
        program: name of its executable, called with `--version`; "" when it has none.
        checked: the versions with which the table of this host was checked.
        switch: its setting that disables all hooks, if it has one.
        unread: its stores of conversations that we do not read.
        next_step: what a person still has to do after an installation; "" for nothing.
    """

    name: ClassVar[str]
    conversations: ClassVar[str]
    title: ClassVar[str]
    program: ClassVar[str]
    checked: ClassVar[Checked]
    switch: ClassVar[Switch | None]
    unread: ClassVar[tuple[Unread, ...]]
    next_step: ClassVar[str]

    def read(self, payload: Mapping[str, object], cwd: str = "") -> HookEvent:
        """Parse the JSON object on a hook's standard input. Unknown fields are ignored, missing ones are empty.

        Args:
            cwd: folder in which the hook was started, for hosts that do not report it.

        Raises:
            InvalidInput: no event name, or a required field of the wrong type.
        """

    def write(self, event: HookEvent, delivery: Delivery) -> str:
        """Return the output of the hook: exactly the keys that this host allows at this event, within its size limits; "" for
        nothing.

        A text over the limit is cut at the end of a paragraph or line, never inside a word.
        """

    def first_start(self, folder: str) -> dict[str, str] | None:
        """Return the host's hook input at a new session in a folder; None: its hooks cannot add text at that moment."""

    def files(self, to: Target) -> tuple[Wanted, ...]:
        """Return the required content of the files by which this host calls us. Nothing is read or written.

        Raises:
            InvalidInput: this host has no files of that reach.
        """

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        """Return (folder, pattern below it) of the host's conversation files, for counting."""
