"""The second half of `vade review` in a terminal: memories that may have taken the place of others, one key each."""

from collections.abc import Callable
from dataclasses import dataclass, field

from vademecum.memory import Vademecum
from vademecum.model.errors import VademecumError
from vademecum.model.query import Doubt

HELP = "y it took its place  b both hold  s skip  u undo  q quit"


@dataclass(slots=True)
class DoubtsScreen:
    """One sitting.

    Attributes:
        key: waits for one key. say: shows a line. quit: keys that leave.
    """

    memory: Vademecum
    key: Callable[[], str]
    say: Callable[[str], object]
    quit: tuple[str, ...]
    _done: list[tuple[int, str]] = field(default_factory=list)

    def run(self) -> int:
        """Go through the doubts until all are decided or the person leaves; gives how many were decided."""
        doubts = self.memory.doubts()
        if doubts:
            count = "1 memory" if len(doubts) == 1 else f"{len(doubts)} memories"
            self.say(f"\n{count} may have taken the place of {'another' if len(doubts) == 1 else 'others'}. {HELP}")
        place: int | None = 0
        while place is not None and place < len(doubts):
            self._show(doubts[place], place, len(doubts))
            place = self._press(doubts, place)
        return len(self._done)

    def _press(self, doubts: tuple[Doubt, ...], place: int) -> int | None:
        """Do what keys say until one decides; the place to go on at, or None to leave."""
        while True:
            key = self.key()
            if key in self.quit:
                return None
            if key in ("s", " "):
                return place + 1
            try:
                if key == "u" and self._done:
                    return self._undo()
                if key in ("y", "b"):
                    return self._settle(doubts[place], place, both=key == "b")
            except VademecumError as error:
                self.say(f"  {error.message}")
                return place + 1
            self.say(f"  {HELP}")

    def _settle(self, doubt: Doubt, place: int, *, both: bool) -> int:
        later = doubt.later.key.removeprefix("memory://")
        self.memory.settle(later, both=both)
        self._done.append((place, later))
        self.say("  both hold" if both else f"  replaced: {doubt.earlier.title}")
        return place + 1

    def _undo(self) -> int:
        place, later = self._done.pop()
        self.memory.undo(later)
        self.say("  taken back")
        return place

    def _show(self, doubt: Doubt, place: int, of: int) -> None:
        self.say(f"\n[{place + 1}/{of}] {_told(self.memory, doubt.later.key)}")
        self.say(f"  instead of?  {_told(self.memory, doubt.earlier.key)}")


def _told(memory: Vademecum, key: str) -> str:
    """What a memory says, on one line, and since when."""
    one = memory.get(key)
    said = " ".join(one.body.split()) or one.title
    return f"{said}  ({one.kind}, {one.valid_from or one.created:%Y-%m-%d})"
