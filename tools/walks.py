"""Count how often one goes back to a file on two walks of docs/architecture.md: python tools/walks.py [--list]

Each walk is run once for real, with a profile function. Counted are the functions of the walk's rooms that are given the value that
walks: a record (or several) that holds the words of the statement, or that is about the edited note and not about the other one. A
function counts where it first runs. A return is each change back to a file already left, on the way back to the caller or into another
function there.
"""

import argparse
import re
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from msgspec import Struct

import vademecum
from vademecum.adapters.clock import FixedClock
from vademecum.api.facade import Vademecum
from vademecum.domain.memory import Draft
from vademecum.domain.session import Candidate
from vademecum.settings import Settings
from vademecum.wiring import open_memory
from vademecum.write.candidates import route_all

PACKAGE = Path(vademecum.__file__).parent
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
SAID = "We deploy the shop with Nomad from now on."
#: How deep an argument is searched; records that lead everywhere; and those of the parser, which every file uses.
DEPTH, OPAQUE, PARSED = 8, ("Context", "IndexWriter"), ("Frontmatter", "Entry", "Node")


def holds(value: object, words: re.Pattern[str], depth: int = DEPTH) -> bool:
    """Return whether one of these words stands in a value: a text, a collection or a record."""
    if isinstance(value, str | bytes):
        return words.search(value if isinstance(value, str) else value.decode(errors="replace")) is not None
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    elif isinstance(value, Path):
        value = [str(value)]
    elif isinstance(value, Struct) and type(value).__name__ not in OPAQUE:
        value = [getattr(value, name) for name in value.__struct_fields__]
    return (
        depth > 0 and isinstance(value, list | tuple | set | frozenset) and any(holds(part, words, depth - 1) for part in value)
    )


def is_record(value: object) -> bool:
    """Return whether a value is a record or a collection of records: a helper that is given bare text is no step of a walk."""
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    parts = value if isinstance(value, list | tuple | set | frozenset) else [value]
    return any(is_record(part) if part is not value else isinstance(part, Struct) for part in parts) and not any(
        type(part).__name__ in PARSED for part in parts
    )


class Trace:
    """The files of the counted functions, in the order in which a reader who follows the run sees them."""

    def __init__(self, rooms: str, value: str, other: str = "(?!)") -> None:
        self.rooms, self.value, self.other = rooms.split(), re.compile(value), re.compile(other)
        self.functions: list[tuple[int, str, str]] = []
        self.files: list[str] = []
        self._known: set[object] = set()
        self._open: list[tuple[FrameType, str, int]] = []  # with the number of functions counted before

    def __call__(self, frame: FrameType, event: str, _result: object) -> None:
        code = frame.f_code
        if event == "return" and self._open and self._open[-1][0] is frame:
            counted_before = self._open.pop()[2]
            if self._open and len(self.functions) > counted_before:  # something was read there
                self._at(self._open[-1][1])
        if event != "call" or not Path(code.co_filename).is_relative_to(PACKAGE):
            return
        file = Path(code.co_filename).relative_to(PACKAGE).as_posix()
        if code in self._known:  # what runs for the first time inside it stands there
            self._open.append((frame, file, len(self.functions)))
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        given = [frame.f_locals.get(name) for name in names if name not in ("self", "cls", "context")]
        if file.split("/")[0] not in self.rooms or code.co_name.startswith("<"):
            return
        if any(is_record(value) and holds(value, self.value) and not holds(value, self.other) for value in given):
            self._known.add(code)
            self._open.append((frame, file, len(self.functions)))
            self.functions.append((len(self._open), file, code.co_name))
            self._at(file)

    def _at(self, file: str) -> None:
        if file and self.files[-1:] != [file]:
            self.files.append(file)

    def returns(self) -> int:
        return sum(file in self.files[:at] for at, file in enumerate(self.files))


def opened(folder: str) -> Vademecum:
    home = Path(folder, "Vault")
    home.mkdir()
    places = {"home": str(home), "data_dir": f"{folder}/data", "cache_dir": f"{folder}/cache", "device": "laptop"}
    memory = open_memory(Settings(**places, embedder="none"), clock=FixedClock(NOW))
    memory.context.vault.save(Draft("fact", "Oven", "The oven takes ten minutes to warm up.\n"))
    memory.context.vault.save(Draft("preference", "Tabs", "The user prefers tabs in Makefiles.\n"))
    return memory


def of_candidate(memory: Vademecum) -> Trace:
    """A candidate becomes a saved memory."""
    candidate = Candidate(
        "decision", "Deploy with Nomad", SAID, "high", 0.7, "session://claude-code/s1", ("1", "1"), "en.decision: from now on", SAID,
        datetime(2026, 3, 2, 8, tzinfo=UTC),
    )  # fmt: skip
    trace = Trace("write reconcile vault sync extract", r"Nomad|nomad")
    sys.setprofile(trace)
    (saved,) = route_all(memory.context, [candidate], "claude-code")
    sys.setprofile(None)
    assert saved.action == "saved"
    return trace


def of_edit(memory: Vademecum) -> Trace:
    """A note that was edited by hand reaches the index."""
    memory.maintenance.sync()
    known, other = memory.context.vault.get("Tabs"), memory.context.vault.get("Oven")
    file = Path(memory.context.vault.file_of(known))
    file.write_text(file.read_text().replace("Makefiles", "every file"))
    trace = Trace("sync vault index", rf"{known.id}|tabs\.md|every file", rf"{other.id}|oven\.md|oven takes")
    sys.setprofile(trace)
    report = memory.maintenance.sync()
    sys.setprofile(None)
    assert report.changed == 1 and len(report.by_hand) == 1
    return trace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="show the functions in order, indented by depth, and the files")
    listed = parser.parse_args().list
    for name, walk in (("candidate -> memory", of_candidate), ("hand edit -> index", of_edit)):
        with tempfile.TemporaryDirectory() as folder:
            memory = opened(folder)
            trace = walk(memory)
            memory.close()
        print(f"{name}: {trace.returns()} returns, {len(set(trace.files))} files, {len(trace.functions)} functions")
        for depth, file, function in trace.functions if listed else ():
            print(f"{'  ' * depth}{file} {function}")
        print("  " + " ".join(trace.files)) if listed else None


if __name__ == "__main__":
    main()
