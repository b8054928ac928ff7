"""Second half of `vade review` in a terminal: memories that may replace or contradict others, one key each."""

from collections.abc import Callable
from dataclasses import dataclass, field

from vademecum.api import Vademecum
from vademecum.api.runner import READS, run
from vademecum.domain.errors import VademecumError
from vademecum.domain.query import MemoryConflict
from vademecum.entrypoints.text import day

HELP = "y the first holds  o the other holds  b both hold  s skip  u undo  q quit"


@dataclass(slots=True)
class ConflictsScreen:
    """One sitting.

    Attributes:
        key: waits for a key. say: prints a line. quit: keys that leave.
    """

    memory: Vademecum
    key: Callable[[], str]
    say: Callable[[str], object]
    quit: tuple[str, ...]
    _done: list[tuple[int, str]] = field(default_factory=list)

    def run(self) -> int:
        """Go through the conflicts until all are decided or the person leaves; return how many were decided."""
        conflicts = run(self.memory.context, READS, self.memory.notes.conflicts)
        if conflicts:
            count = "1 memory" if len(conflicts) == 1 else f"{len(conflicts)} memories"
            self.say(f"\n{count} may no longer hold. {HELP}")
        place: int | None = 0
        while place is not None and place < len(conflicts):
            self._show(conflicts[place], place, len(conflicts))
            place = self._press(conflicts, place)
        return len(self._done)

    def _press(self, conflicts: tuple[MemoryConflict, ...], place: int) -> int | None:
        """Handle keys until one decides; return the next position, or None to leave."""
        while True:
            key = self.key()
            if key in self.quit:
                return None
            if key in ("s", " "):
                return place + 1
            try:
                if key == "u" and self._done:
                    return self._undo()
                if key in ("y", "o", "b"):
                    return self._settle(conflicts[place], place, key)
            except VademecumError as error:
                self.say(f"  {error.message}")
                return place + 1
            self.say(f"  {HELP}")

    def _settle(self, conflict: MemoryConflict, place: int, key: str) -> int:
        holds, gone = (conflict.earlier, conflict.later) if key == "o" else (conflict.later, conflict.earlier)
        held, notes = holds.key.removeprefix("memory://"), self.memory.notes
        if key == "o" and not conflict.disputed:
            notes.supersede(gone.key.removeprefix("memory://"), held, "the older one holds")
        else:
            notes.settle(held, both=key == "b")
        self._done.append((place, held))
        self.say("  both hold" if key == "b" else f"  replaced: {gone.title}")
        return place + 1

    def _undo(self) -> int:
        place, held = self._done.pop()
        self.memory.notes.undo(held)
        self.say("  taken back")
        return place

    def _show(self, conflict: MemoryConflict, place: int, of: int) -> None:
        self.say(f"\n[{place + 1}/{of}] {_line(self.memory, conflict.later.key)}")
        self.say(f"  {'against' if conflict.disputed else 'instead of'}?  {_line(self.memory, conflict.earlier.key)}")


def _line(memory: Vademecum, key: str) -> str:
    """Return the text of a memory on one line, with its date."""
    notes = memory.notes.get(key)
    text = " ".join(notes.body.split()) or notes.title
    return f"{text}  ({notes.kind}, {day(notes.said_at)})"
