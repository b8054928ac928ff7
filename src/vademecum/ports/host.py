"""Programs that agents run in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from vademecum.domain.host import Checked, Delivery, HookEvent, HostFolders, Programs, Reach
    from vademecum.ports.transcripts import Unread


class Edit(Protocol):
    """A change of a text file that touches nothing else: comments, order, indentation and newline style stay.

    `put(put(t)) == put(t)`. A text that cannot be understood is refused, never repaired.
    """

    def put(self, text: str) -> str:
        """Return `text` ("" for a file that is not there) with our entry, in place of an older one of ours.

        Raises:
            InvalidInput: the text is not what the host could read. Refused: somebody else's text stands where ours would.
        """

    def take(self, text: str, before: str = "") -> str:
        """Return `text` without our entry; "" when nothing remains of a file that is wholly ours.

        Args:
            before: the text from before our first change: what stood in it returns or stays.
        """

    def ours(self, text: str) -> bool:
        """Return whether an entry of ours stands there, in this form or an older one."""


class Wanted(Struct, frozen=True):
    """What a file of a host's should hold.

    Attributes:
        role: what the file is to the host: hooks, mcp, rule, plugin, instructions, tasks.
    """

    path: str
    role: str
    edits: tuple[Edit, ...]


class Piece(Struct, frozen=True):
    """What `vade install` puts into a project's files beside hooks, such as a task of an editor.

    Attributes:
        title: what it is. next_step: what a person still has to do; "" for nothing.
        files: given the folder of a project, returns what must stand in which files.
    """

    title: str
    next_step: str
    files: Callable[[str, Programs], tuple[Wanted, ...]]


class Switch(Struct, frozen=True):
    """A setting of a host that turns off every hook.

    Attributes:
        folder: the field of :class:`HostFolders` that its file lies below. file: its file. way: the keys that lead to it.
        off: the value that does it.
    """

    folder: str
    file: str
    way: tuple[str, ...]
    off: bool


class Host(Protocol):
    """A program an agent runs in: how its hooks speak. One that is told nothing must be answered with nothing at all."""

    @property
    def name(self) -> str:
        """As on the command line and, for most, in session URIs (`conversations`)."""

    @property
    def conversations(self) -> str:
        """What its conversations are called in session URIs; "" for its name."""

    @property
    def title(self) -> str:
        """As a person writes it."""

    def read(self, payload: Mapping[str, object], cwd: str = "") -> HookEvent:
        """Read the JSON object on a hook's standard input. Unknown fields are passed over, missing ones are empty.

        Args:
            cwd: folder that the hook was started in, for hosts that do not tell.

        Raises:
            InvalidInput: no event name, or a field of the wrong type that we need.
        """

    def write(self, event: HookEvent, delivery: Delivery) -> str:
        """Return the output of the hook: exactly the keys that this host allows at this event, within its size limits; "" for nothing.

        A text over the limit is cut at the end of a paragraph or line, never inside a word.
        """

    def first_start(self, folder: str) -> dict[str, str] | None:
        """Return what the host says when a session starts anew in a folder; None: it lets no hook tell an agent anything then."""

    @property
    def program(self) -> str:
        """Name of its executable, asked for `--version`; "" when it has none."""

    @property
    def checked(self) -> Checked:
        """The versions that the table of this host was compared with."""

    @property
    def switch(self) -> Switch | None:
        """Its setting that turns off every hook, when it has one."""

    @property
    def unread(self) -> tuple[Unread, ...]:
        """Its stores of conversations that are not read."""

    @property
    def next_step(self) -> str:
        """What a person still has to do after an installation; "" for nothing."""

    def files(
        self, folders: HostFolders, programs: Programs, reach: Reach, project: str, *, mcp: bool = True
    ) -> tuple[Wanted, ...]:
        """Return what must stand in which files so that this host calls us. Nothing is read or written.

        Args:
            project: folder of the project, for reach "project".
            mcp: register the MCP server as well, where this host has a file for that.

        Raises:
            InvalidInput: this host has no files of that reach.
        """

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        """Return (folder, pattern below it) of the files that this host writes conversations to, for counting."""
