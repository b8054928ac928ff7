"""Summary of a conversation, in the parts that the next session needs."""

from datetime import datetime

from msgspec import Struct

from vademecum.domain.daily import Validation

#: Prefix of an agent's claim that no tool result confirms.
UNVERIFIED = "[UNVERIFIED]"
#: Prefixes of open points: the last request, a question of the agent, uncommitted files, a branch without a pull request.
IN_PROGRESS, WAITS, UNCOMMITTED = "in progress: ", "waits for an answer: ", "changes not committed: "
UNOPENED = "pull request not opened: "


class Handoff(Struct, frozen=True):
    """Where a session stopped, as summarised by the agent or model that read it.

    Attributes:
        asked: the person's request, with later changes; one sentence.
        done: completed work, one step each. decided: the person's decisions for this work alone.
        open: remaining or waiting work, one point each. next: the next step; "" for none.
    """

    asked: str
    done: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    next: str = ""


class Outline(Struct, frozen=True):
    """Summary of a conversation. Every text is one line; lists are in chronological order without duplicates.

    Attributes:
        session: its URI. title, host, project, folder, branch: if known, else "".
        started, ended: first and last moment; aware, UTC, or None.
        turns: spoken turns, without sub-agents. cursor: ref of the last turn it covers, "" when there is none.
        asked: the person's requests; the first is the goal, the last the most recent one.
        done: the agent's reports, the last one last.
        decided, learned: sentences that state decisions and lessons.
        corrected: corrections of the agent by the person.
        open: what was said to be missing or still to do. next: the next step that was named last, "" for none.
        last: the last message: "<role>: <text>".
        changed: files that were written, the last one last. looked_at: files that were only read.
        commands: exact command lines, the last one last. commits: (short hash, subject) of the commits made by commands, the
            hash "" when git did not print it. pushed: whether the last of them was pushed.
        failing: failing tests and errors at the end of the conversation. validation: result of the last test run.
        read: asked, done, open and next come from a reader's summary; else patterns extracted them.
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
        """The first request of the conversation; "" for none."""
        return self.asked[0] if self.asked else ""
