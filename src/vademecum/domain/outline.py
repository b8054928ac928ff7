"""What a conversation was about, in the pieces that the next one needs."""

from datetime import datetime

from msgspec import Struct

from vademecum.domain.daily import Validation

#: Stands before an agent's claim that nothing proves.
UNVERIFIED = "[UNVERIFIED]"
#: How what is open begins: the last request, a question of the agent, files that are not committed, a branch that was only pushed.
IN_PROGRESS, WAITS, UNCOMMITTED = "in progress: ", "waits for an answer: ", "changes not committed: "
UNOPENED = "pull request not opened: "


class Handoff(Struct, frozen=True):
    """Where a session stopped, as somebody tells it who read it.

    Attributes:
        asked: what the person asked for, later changes included; one sentence.
        done: what was done, one deed each. decided: what the person laid down for this work alone.
        open: what remains or waits, one thing each. next: the next step; "" for none.
    """

    asked: str
    done: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    next: str = ""


class Outline(Struct, frozen=True):
    """A conversation in short. Every text is one line, in the order in which it was said, each once.

    Attributes:
        session: its URI. title, host, project, folder, branch: as far as known, else "".
        started, ended: first and last moment; aware, UTC, or None.
        turns: of speech, sub-agents not counted. cursor: ref of the last turn it covers, "" when there is none.
        asked: what the person asked for; the first is the goal, the last what was wanted most recently.
        done: what the agent reported, the last report last.
        decided, learned: sentences that say so.
        corrected: where the person put the agent right.
        open: what was said to be missing or still to do. next: the next step that was named last, "" for none.
        last: "<role>: <text>", what was said last.
        changed: files that were written, the last one last. looked_at: files that were only read.
        commands: exact command lines, the last one last. commits: (short hash, subject) of those that
            commands made, the hash "" when git did not say it. pushed: whether the last of them was.
        failing: tests and errors that stood when the conversation stopped. validation: how the last run of tests went.
        read: whether somebody who read it told asked, done, open and next; else patterns found them.
    """

    session: str
    title: str = ""
    host: str = ""
    project: str = ""
    folder: str = ""
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
    last: str = ""
    changed: tuple[str, ...] = ()
    looked_at: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    commits: tuple[tuple[str, str], ...] = ()
    pushed: bool = False
    failing: tuple[str, ...] = ()
    validation: Validation = ""
    read: bool = False

    @property
    def goal(self) -> str:
        """What it was all for."""
        return self.asked[0] if self.asked else ""
