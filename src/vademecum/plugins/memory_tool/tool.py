"""Anthropic's memory tool (`memory_20250818`) for the vault: six commands on files under /memories, with the messages of that protocol.

This module does not need Anthropic's SDK. To use it with the SDK, put it before their base class:

    class Memory(VaultMemoryTool, BetaAbstractMemoryTool):
        pass
    tool = Memory(vademecum)          # BetaAbstractMemoryTool.__init__ takes no arguments

Deleting archives: `vade restore` brings back what a model deleted.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace

from vademecum.domain.errors import AlreadyExists, NeedsPerson, NotFound, Proposed, Refused, VademecumError
from vademecum.domain.memory import By, Memory
from vademecum.plugin_api.mcp import Tool
from vademecum.plugin_api.memory import READS, WRITES, Needs, Vademecum, run
from vademecum.plugin_api.verbs import BadArgument, Param, checked
from vademecum.plugins.memory_tool.files import MemoryFiles

ROOT = "/memories"
LINES_MAX = 999_999
LINE_NUMBER_WIDTH = 6
#: Lines shown before and after a change.
AROUND = 2
BY_TOOL = By("agent", "memory-tool")

_UNITS = ("B", "K", "M", "G")


class MemoryToolError(VademecumError):
    """A command of the memory tool failed. Nothing was changed."""

    code = "memory_tool"


Command = Callable[["VaultMemoryTool", Any], str]


def _needing(needs: Needs) -> Callable[[Command], Command]:
    """Return a decorator that runs a command with its needs satisfied; refusals become errors of this tool."""

    def decorated(command: Command) -> Command:
        @wraps(command)
        def done(tool: "VaultMemoryTool", given: Any) -> str:
            try:
                return run(tool._context, needs, lambda: command(tool, given))
            except Proposed as waiting:
                return f"{waiting.message} {waiting.hint}"
            except Refused as error:
                raise _told(error) from error

        return done

    return decorated


class VaultMemoryTool:
    """The six commands. Each takes an object with the command's fields and returns the protocol's answer.

    Args:
        memory: its personal space is shown as /memories.
        by: who acts, for the journal.

    Every command raises MemoryToolError, with the protocol's message if it defines one.
    """

    def __init__(self, memory: Vademecum, *, by: By = BY_TOOL) -> None:
        super().__init__()
        self._context, self._files = memory.context, MemoryFiles(memory.seen_by(by).context)
        self._by = replace(by, verbatim=True)

    def run(self, command: Mapping[str, Any]) -> str:
        """Return the answer to a command as the model sent it.

        Raises:
            BadArgument: a field is missing or invalid.
        """
        values = checked(MEMORY_TOOL, command)
        name = values["command"]
        missing = [field for field in _NEEDED[name] if values[field] is None]
        if missing:
            raise BadArgument(f"{name} needs {missing[0]}.", "It takes: " + ", ".join(_NEEDED[name]) + ".")
        return str(getattr(self, name)(SimpleNamespace(**values)))

    @_needing(READS)
    def view(self, command: Any) -> str:
        """Show a folder's files with sizes, or a file's lines with numbers."""
        path = _relative(command.path)
        if self._files.is_folder(path):
            return self._listing(command.path, path)
        text = self._read(command.path, path).body
        lines = text.split("\n")
        if len(lines) > LINES_MAX:
            raise MemoryToolError(f"File {command.path} exceeds maximum line limit of 999,999 lines.")
        first, last = _range(command.view_range, len(lines))
        shown = _numbered(lines, first, last)
        return f"Here's the content of {command.path} with line numbers:\n" + "\n".join(shown)

    @_needing(WRITES)
    def create(self, command: Any) -> str:
        """Create a file. An existing one is never overwritten."""
        try:
            _, texts = self._files.create(_relative(command.path), command.file_text, by=self._by)
        except AlreadyExists as error:
            raise MemoryToolError(f"File {command.path} already exists", error.hint) from error
        except NeedsPerson:
            raise
        except VademecumError as error:
            raise _told(error) from error
        return _with(f"File created successfully at: {command.path}", texts)

    @_needing(WRITES)
    def str_replace(self, command: Any) -> str:
        """Replace a text in a file; it must occur exactly once."""
        memory = self._file(command.path)
        places = _places(memory.body, command.old_str)
        if not places:
            raise MemoryToolError(
                f"No replacement was performed, old_str `{command.old_str}` did not appear verbatim in {command.path}."
            )
        if len(places) > 1:
            lines = ", ".join(str(memory.body.count("\n", 0, place) + 1) for place in places)
            raise MemoryToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{command.old_str}` in lines: {lines}. "
                "Please ensure it is unique"
            )
        text = memory.body.replace(command.old_str, command.new_str or "")
        written, texts = self._write(memory, text)
        line = memory.body.count("\n", 0, places[0])
        snippet = _numbered(written.body.split("\n"), max(0, line - AROUND), line + AROUND + 1)
        head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return _with("\n".join([head, *snippet]), texts)

    @_needing(WRITES)
    def insert(self, command: Any) -> str:
        """Insert a text after the line of that number; 0 inserts at the beginning."""
        memory = self._file(command.path)
        lines = memory.body.removesuffix("\n").split("\n") if memory.body else []
        if not 0 <= command.insert_line <= len(lines):
            raise MemoryToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the range [0, {len(lines)}]."
            )
        last = command.insert_line == len(lines)
        ends = (command.insert_text if last and not memory.body.endswith("\n") else memory.body).endswith("\n")
        lines.insert(command.insert_line, command.insert_text.removesuffix("\n"))
        _, texts = self._write(memory, "\n".join(lines) + "\n" * ends)
        return _with(f"The file {command.path} has been edited.", texts)

    @_needing(WRITES)
    def delete(self, command: Any) -> str:
        """Move a file or a folder into the archive."""
        path = _relative(command.path)
        if not path:
            raise MemoryToolError("Cannot delete the /memories directory itself")
        try:
            self._files.remove(path, by=self._by)
        except NotFound as error:
            raise MemoryToolError(f"The path {command.path} does not exist", error.hint) from error
        except NeedsPerson:
            raise
        except VademecumError as error:
            raise _told(error) from error
        return f"Successfully deleted {command.path}"

    @_needing(WRITES)
    def rename(self, command: Any) -> str:
        """Move a file or a folder to another place."""
        old, new = _relative(command.old_path), _relative(command.new_path)
        if not old:
            raise MemoryToolError("Cannot rename the /memories directory itself")
        try:
            self._files.rename(old, new, by=self._by)
        except NotFound as error:
            raise MemoryToolError(f"The path {command.old_path} does not exist", error.hint) from error
        except AlreadyExists as error:
            raise MemoryToolError(f"The destination {command.new_path} already exists", error.hint) from error
        except NeedsPerson:
            raise
        except VademecumError as error:
            raise _told(error) from error
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Refuse: a model may not delete all memories."""
        raise MemoryToolError("All memories at once cannot be cleared by a tool.", "Delete single files.")

    def _listing(self, shown: str, path: str) -> str:
        entries = self._files.entries(path)
        whole = sum(entry.size for entry in entries if entry.path.count("/") == (path.count("/") + 1 if path else 0))
        lines = [f"{_size(whole)}\t{shown}"]
        lines += [f"{_size(entry.size)}\t{ROOT}/{entry.path}{'/' if entry.is_folder else ''}" for entry in entries]
        head = f"Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items:"
        return "\n".join([head, *lines])

    def _file(self, shown: str) -> Memory:
        path = _relative(shown)
        if self._files.is_folder(path):
            raise MemoryToolError(f"The path {shown} is not a file.")
        return self._read(shown, path)

    def _read(self, shown: str, path: str) -> Memory:
        try:
            return self._files.read(path)
        except NotFound as error:
            raise MemoryToolError(f"The path {shown} does not exist. Please provide a valid path.") from error
        except NeedsPerson:
            raise
        except VademecumError as error:
            raise _told(error) from error

    def _write(self, memory: Memory, text: str) -> tuple[Memory, tuple[str, ...]]:
        try:
            return self._files.write(memory, text, by=self._by)
        except NeedsPerson:
            raise
        except VademecumError as error:
            raise _told(error) from error


def _relative(path: str) -> str:
    """Return the path below the root; "" for the root itself."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise MemoryToolError(f"Path must start with /memories, got: {path}")
    names = path.removeprefix(ROOT).strip("/")
    if any(name in ("", ".", "..") for name in names.split("/")) and names:
        raise MemoryToolError(f"Path {path} would escape /memories directory", "Give a plain path.")
    return names


def _range(given: Sequence[int] | None, count: int) -> tuple[int, int]:
    """Return (first, end) of the lines to show, from 0, end exclusive. In `given`, -1 as the end means the last line."""
    if not given:
        return 0, count
    if len(given) != 2 or given[0] < 1 or (given[1] != -1 and given[1] < given[0]):
        raise MemoryToolError(f"Invalid `view_range` parameter: {list(given)}.", "Give [first, last], from 1; last may be -1.")
    return given[0] - 1, count if given[1] == -1 else given[1]


def _numbered(lines: Sequence[str], first: int, last: int) -> list[str]:
    return [f"{number:>{LINE_NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines[first:last], first + 1)]


def _places(text: str, wanted: str) -> list[int]:
    """Return the positions at which `wanted` occurs in `text`, overlaps included."""
    result: list[int] = []
    place = text.find(wanted) if wanted else -1
    while place >= 0:
        result.append(place)
        place = text.find(wanted, place + 1)
    return result


def _size(count: int) -> str:
    """Format a size in short: 1536 as 1.5K."""
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.0f}{_UNITS[unit]}" if size == int(size) else f"{size:.1f}{_UNITS[unit]}"


def _with(text: str, texts: Sequence[str]) -> str:
    return "\n".join([text, *(f"Note: {entry}" for entry in texts)])


def _told(error: VademecumError) -> MemoryToolError:
    return MemoryToolError(error.message, error.hint)


def _run(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    return {"text": VaultMemoryTool(memory, by=by).run(values)}


_PATH = Param("path", "text", "Under /memories.", None, max_chars=1000)
_FILE_TEXT = Param("file_text", "text", "", None)
_NEEDED = {
    "view": ("path",), "create": ("path", "file_text"), "str_replace": ("path", "old_str"),
    "insert": ("path", "insert_line", "insert_text"), "delete": ("path",), "rename": ("old_path", "new_path"),
}  # fmt: skip

MEMORY_TOOL = Tool(
    "memory", "Memory files",
    "Memories as files under /memories. Deleting archives.",
    (
        Param("command", "text", "", choices=tuple(_NEEDED)), _PATH, _FILE_TEXT,
        Param("old_str", "text", "", None), Param("new_str", "text", "", None),
        Param("insert_line", "number", "", None), Param("insert_text", "text", "", None),
        Param("view_range", "numbers", "", None, least=-1, max_items=2),
        Param("old_path", "text", "", None, max_chars=1000), Param("new_path", "text", "", None, max_chars=1000),
    ),
    _run, lambda fields: str(fields["text"]), {"text": "text"}, destroys=True, cost="medium", scoped=True,
    own_needs=READS,  # each command declares its own needs
    on_request=True,
)  # fmt: skip

TOOLS = (MEMORY_TOOL,)
