"""What a conversation was about, in the pieces that the next one needs."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Outline:
    """A conversation in short. Every text is one line, in the order in which it was said, each once.

    Attributes:
        session: its URI. title, host, project, branch: as far as known, else "".
        started, ended: first and last moment; aware, UTC, or None.
        turns: of speech, sub-agents not counted. cursor: ref of the last turn it covers, "" when there is none.
        asked: what the person asked for; the first is the goal, the last what was wanted most recently.
        done: what the agent reported, the last report last.
        decided, learned: sentences that say so.
        corrected: where the person put the agent right.
        open: what was said to be missing or still to do. next: the next step that was named last, "" for none.
        changed: files that were written, the last one last. looked_at: files that were only read.
        commands: exact command lines, the last one last. commits: messages of commits.
        failing: tests and errors that stood when the conversation stopped.
        last: what was said last, by whomever.
    """

    session: str
    title: str = ""
    host: str = ""
    project: str = ""
    branch: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    turns: int = 0
    cursor: str = ""
    asked: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    next: str = ""
    changed: tuple[str, ...] = ()
    looked_at: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    last: str = ""

    @property
    def goal(self) -> str:
        """What it was all for."""
        return self.asked[0] if self.asked else ""
