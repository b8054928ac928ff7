"""`vade idea gc` in a terminal: the person decides about each old idea with one key."""

from collections.abc import Callable
from dataclasses import dataclass

import click

from vademecum.domain.errors import VademecumError
from vademecum.plugin_api.memory import READS, Vademecum, run
from vademecum.plugin_api.verbs import QUIT, Keyboard
from vademecum.plugins.ideas.ideas import tidy
from vademecum.plugins.ideas.incubator import stale
from vademecum.plugins.ideas.results import Stale

HELP = "k keep  a archive  d delete permanently  s skip  q quit"
_DECISIONS = {"k": "keep", "a": "archive"}


@dataclass(slots=True)
class IdeasScreen:
    """One session at the terminal. `key` waits for a key, `say` prints a line."""

    memory: Vademecum
    key: Callable[[], str]
    say: Callable[[str], object]

    def run(self) -> None:
        """Ask about each old idea; a skipped one does not change."""
        old = run(self.memory.context, READS, lambda: stale(self.memory.context))
        if not old:
            self.say("No idea is that old.")
            return
        self.say(f"{len(old)} ideas were not touched for six months. {HELP}")
        for number, idea in enumerate(old, 1):
            self.say(f"\n[{number}/{len(old)}] {idea.memory.title}  (last touched {idea.touched:%Y-%m-%d})")
            self.say(f"  {idea.memory.summary or idea.memory.body.strip()[:400]}")
            if idea.found:
                self.say(f"  with {idea.found} notes that were found about it")
            if not self._decided(idea):
                return

    def _decided(self, idea: Stale) -> bool:
        """Handle keys for one idea; return False if the person quits."""
        while True:
            key = self.key()
            if key in QUIT:
                return False
            if key in ("s", " "):
                return True
            try:
                if key in _DECISIONS:
                    self.say(f"  {tidy(self.memory, idea.memory.id, _DECISIONS[key]).action}")  # type: ignore[arg-type]
                    return True
                if key == "d" and self._is_sure():
                    self.say(f"  {tidy(self.memory, idea.memory.id, 'delete').action}")
                    return True
            except VademecumError as error:
                self.say(f"  {error.message}")
                return True
            self.say(f"  {HELP}")

    def _is_sure(self) -> bool:
        self.say("  Delete it permanently, with every copy that Vademecum has? This cannot be undone. y/N")
        return self.key() == "y"


def tidy_in_terminal(memory: Vademecum) -> None:
    """Go through old ideas at this terminal."""
    with Keyboard() as keyboard:
        IdeasScreen(memory, keyboard.key, click.echo).run()
