"""`vade review` in a terminal: one key decides, each proposal is shown with its passage, similar proposals are decided together.

Keys come from, and lines go to, functions that are passed in, so that it works with any terminal.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import click

from vademecum.api import Vademecum
from vademecum.api.runner import READS, run
from vademecum.domain.errors import VademecumError
from vademecum.domain.item import Item
from vademecum.entrypoints.decisions import decision_lines, foreseen_lines
from vademecum.entrypoints.screens.conflicts import ConflictsScreen
from vademecum.entrypoints.screens.keyboard import QUIT, Keyboard
from vademecum.entrypoints.text import age_of, found_by
from vademecum.plugin import after_sitting
from vademecum.write.review import Decided, Decision, Proposal

HELP = "a approve  e edit  r reject  s skip  1-3 replaces that memory  A/R approve or reject the whole group  u undo  q quit"

_ONE: Mapping[str, Decision] = {"a": "approve", "r": "reject", "s": "skip", " ": "skip"}
_GROUP: Mapping[str, Decision] = {"A": "approve", "R": "reject"}
#: Most characters of a proposal or passage.
_SHOWN_CHARS = 600


@dataclass(slots=True)
class ReviewScreen:
    """One sitting.

    Attributes:
        key: waits for a key. say: prints a line. edit: lets the person edit a text; returns None if they gave up.
        keys: number of keys pressed. left: whether the person left before the end.
    """

    memory: Vademecum
    key: Callable[[], str]
    say: Callable[[str], object]
    edit: Callable[[str], str | None]
    keys: int = 0
    left: bool = False
    _done: list[tuple[int, list[Decided]]] = field(default_factory=list)

    def run(self, project: str = "") -> tuple[Decided, ...]:
        """Go through the proposals until all are decided or the person leaves; return the decisions."""
        waiting = run(self.memory.context, READS, lambda: self.memory.inbox.proposals(project=project))
        if not waiting:
            self.say("The inbox is empty.")
            return ()
        groups = waiting[-1].cluster + 1
        count = "1 proposal waits" if len(waiting) == 1 else f"{len(waiting)} wait in {groups} group{'s' * (groups > 1)}"
        self.say(f"{count}. {HELP}")
        place = 0
        while place < len(waiting):
            following = self._one(waiting, place)
            if following is None:
                self.left = True
                break
            place = following
        self.say(_summary(self.decided, len(self.memory.inbox.proposals(project=project))))
        return self.decided

    @property
    def decided(self) -> tuple[Decided, ...]:
        """The decisions so far, without undone ones."""
        return tuple(decided for _, step in self._done for decided in step)

    def _one(self, waiting: tuple[Proposal, ...], place: int) -> int | None:
        """Show one proposal and handle its key; return the next position, or None to leave."""
        proposal = waiting[place]
        rivals = self.memory.inbox.rivals(proposal.memory)
        self._show(proposal, place, len(waiting), rivals)
        while True:
            key = self.key()
            self.keys += 1
            if key in QUIT:
                return None
            try:
                following = self._press(key, waiting, place, rivals)
            except VademecumError as error:
                self.say(f"  {error.message}")
                continue
            if following is not None:
                return following

    def _press(self, key: str, waiting: tuple[Proposal, ...], place: int, rivals: tuple[Item, ...]) -> int | None:
        proposal = waiting[place]
        if key == "u":
            return self._undo()
        if key in _GROUP:
            group = [member for member in waiting[place:] if member.cluster == proposal.cluster]
            self._keep(place, [self._decide(member, _GROUP[key]) for member in group])
            return place + len(group)
        if key == "e":
            text = self.edit(proposal.memory.body.strip())
            if text is None or not text.strip():
                self.say("  Nothing was changed.")
                return None
            self._keep(place, [self.memory.inbox.decide(proposal.memory.id, "edit", body=text)])
        elif key.isdigit() and 0 < int(key) <= len(rivals):
            self._keep(place, [self.memory.inbox.decide(proposal.memory.id, "supersede", older=rivals[int(key) - 1].key)])
        elif key in _ONE:
            self._keep(place, [self._decide(proposal, _ONE[key])])
        else:
            self.say(f"  {HELP}")
            return None
        return place + 1

    def _decide(self, proposal: Proposal, decision: Decision) -> Decided:
        return self.memory.inbox.decide(proposal.memory.id, decision)

    def _keep(self, place: int, decided: list[Decided]) -> None:
        self._done.append((place, decided))
        self.say(f"  {decided[0].decision}" + (f" ({len(decided)})" if len(decided) > 1 else ""))
        for line in (line for outcome in decided for line in decision_lines(outcome)):
            self.say(f"  {_cut(line)}")

    def _undo(self) -> int | None:
        """Undo the last step, which may be a whole group, and return to it."""
        if not self._done:
            self.say("  There is nothing to undo.")
            return None
        place, step = self._done[-1]
        while step:
            self.memory.inbox.take_back(step[-1])
            step.pop()
        self._done.pop()
        self.say("  taken back")
        return place

    def _show(self, proposal: Proposal, place: int, of: int, rivals: tuple[Item, ...]) -> None:
        memory, now = proposal.memory, self.memory.now()
        group = f", one of {proposal.of} that belong together" if proposal.of > 1 else ""
        self.say(f"\n[{place + 1}/{of}] {memory.kind}, {memory.confidence}, {age_of(memory.said_at, now)}{group}")
        self.say(f"  {_cut(memory.body.strip() or memory.title)}")
        if proposal.excerpt:
            self.say(f"  said: {_cut(proposal.excerpt)}")
        if proposal.rationale:
            self.say(f"  why:  {_cut(found_by(proposal.rationale))}")
        for line in foreseen_lines(self.memory.inbox.foreseen(memory)):
            self.say(f"  {_cut(line)}")
        for number, item in enumerate(rivals, 1):
            self.say(f"  {number}: {_cut(item.title)}")


def review_in_terminal(memory: Vademecum) -> None:
    """Review the inbox at this terminal, then the conflicts."""
    with Keyboard() as keyboard:
        screen = ReviewScreen(memory, keyboard.key, click.echo, keyboard.edit)
        screen.run()
        if not screen.left:
            ConflictsScreen(memory, keyboard.key, click.echo, QUIT).run()
    for line in after_sitting(memory, screen.decided):
        click.echo(line)


def _summary(decided: tuple[Decided, ...], left: int) -> str:
    counts: dict[str, int] = {}
    for outcome in decided:
        counts[outcome.decision] = counts.get(outcome.decision, 0) + 1
    text = ", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing decided"
    return f"\n{text}; {left} still wait."


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARS else flat[: _SHOWN_CHARS - 1] + "…"
