"""The session: one conversation of a host with an agent, a list of turns."""

import re
from datetime import datetime
from typing import Literal

from msgspec import Struct

from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.relations import Relation

#: Sessions with fewer spoken turns yield only memories that were explicitly requested.
MIN_TURNS = 4
#: Side of the conversation. "note" is the host's bookkeeping, "injected" is text that a host, a hook or we inserted.
Role = Literal["user", "agent", "tool", "note", "injected"]

#: Origin of a turn's words, from the host's own structure and never from their content: typed by the person ("user"), the
#: person's answer to a question of the agent or the host ("answer"), typed when they refused a tool call ("refusal"), a
#: document that they provided ("document"), the prompt of a program that drives the host ("program"); the rest as in `Role`.
Speaker = Literal["user", "answer", "refusal", "document", "program", "agent", "tool", "note", "injected"]

#: Roles of speech: only these are searched as statements of somebody.
SPOKEN: frozenset[Role] = frozenset({"user", "agent"})

#: Speakers whose words are the person's own. Only these can become preferences, decisions or facts about the person.
PERSON: frozenset[Speaker] = frozenset({"user", "answer", "refusal"})

_ROLES: dict[Speaker, Role] = {"answer": "user", "refusal": "user", "document": "user", "program": "user"}

#: Result of a tool call, as the transcript states it; "" when it does not.
Outcome = Literal["", "succeeded", "failed", "refused"]

_WRITES = late_pattern(r"edit|write|create|patch|replace|insert|update_file|notebook", re.IGNORECASE)
#: Id that links conversations that continue in another tool: "thread-<date>-<six hexadecimal digits>".
THREAD = late_pattern(r"\bthread-\d{4}-\d\d-\d\d-[0-9a-f]{6}\b")


def writes_files(tool: str) -> bool:
    """Return whether a tool, by its name, writes the files it touches rather than reading them."""
    return _WRITES.search(tool) is not None


class Turn(Struct, frozen=True):
    """One message of one speaker.

    Attributes:
        ref: identifies the turn within its session; unique there, and stable when the file grows.
        speaker: origin of the words. role: side of that speaker.
        text: as said; never empty.
        name: of the speaker when the transcript gives one, or of the tool that answers; else "".
        time: aware, UTC, or None when the transcript has none.
        start, end: byte offsets of the lines that contained it, end exclusive; a turn made of several lines spans them all.
        tools: names of the tools the turn called. files: paths it touched.
        sidechain: said by or to a sub-agent, or in a conversation driven by a program, so not the person's speech.
        call: the host's id of the tool call that the turn makes or answers, or "". outcome: of the call that it answers.
        question: the question that an "answer" answers, or "".
        cwd: working folder when it was said, or "" when the record does not contain it.
    """

    ref: str
    speaker: Speaker
    text: str
    name: str = ""
    time: datetime | None = None
    start: int = 0
    end: int = 0
    tools: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    sidechain: bool = False
    call: str = ""
    outcome: Outcome = ""
    question: str = ""
    cwd: str = ""

    @property
    def role(self) -> Role:
        """The side of the conversation to which the speaker belongs."""
        return _ROLES.get(self.speaker, self.speaker)  # type: ignore[arg-type]  # the other speakers are roles

    @property
    def is_persons(self) -> bool:
        """Whether the words are the person's own, spoken in the main conversation."""
        return self.speaker in PERSON and not self.sidechain


class Session(Struct, frozen=True):
    """One conversation.

    Attributes:
        host: "claude-code", "codex", "plain", ...
        id: as the host names it.
        path: absolute path of its transcript.
        project: slug, or "".  cwd: working folder, or "".  folders: (working folder, turns said there) in the order of their
            first turns.
        branch: of its repository when it began, or "".
        title: given by the host, or the beginning of the person's first message.
        started, ended: aware, UTC, or None when no turn has a time.
        summary: of the conversation, by the language model that read it; "" when none did.
        turns: in chronological order.
        tags: in addition to those that its turns name.
        is_named_by_file: its host gave it no id, so `id` is the name of its file.
    """

    host: str
    id: str
    path: str
    turns: tuple[Turn, ...]
    project: str = ""
    cwd: str = ""
    branch: str = ""
    title: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    summary: str = ""
    tags: tuple[str, ...] = ()
    folders: tuple[tuple[str, int], ...] = ()
    is_named_by_file: bool = False

    @property
    def uri(self) -> str:
        """The URI by which memories refer to the session."""
        return f"session://{self.host}/{self.id}"


class Snapshot(Struct, frozen=True):
    """The last messages of a session.

    Attributes:
        session: its URI. project: slug, or "".
        when: time of its last turn; aware, UTC.
        messages: (ref of the turn, "[role]: text"), in chronological order.
        finished: whether it ended regularly: no message was left unanswered, or its host reported the end.
    """

    session: str
    project: str
    when: datetime
    messages: tuple[tuple[str, str], ...]
    finished: bool


class Cursor(Struct, frozen=True):
    """How far a transcript was read.

    Attributes:
        offset: bytes, always directly after a complete line.
        prefix_hash: of the bytes before `offset`; when it no longer matches, the file was rewritten and is read again from the
            start.
        carry: opaque state of the parser (JSON) that continued parsing needs.
    """

    offset: int = 0
    prefix_hash: str = ""
    carry: str = ""


class Candidate(Struct, frozen=True):
    """A memory that extraction proposes. It becomes a memory only through routing.

    Attributes:
        kind, title, text: as in the memory.
        confidence: "high" is saved, "medium" is reviewed, "low" waits in the inbox.
        importance: 0..1.
        source: URI of the session. span: refs of the first and last turn it was extracted from.
        rationale: why it was proposed: the pattern's name and the words that matched.
        excerpt: the source passage, shown beside the candidate.
        time: when it was said; aware, UTC, or None.
        replaces: words for what it replaces ("Fly" in "we moved off Fly"), or "". Routing uses them to identify the superseded
            memory.
        about: the subject of the replacement ("recipes" in "we dropped Markdown for the recipes"), or ""; the old memory must
            name it too.
        occurrences: how often the same was said in this batch.
        pattern: name of the pattern that matched. trust: who said it.
        topics: labels. mentions: addresses named beside it.
        relation: to the memory whose id is `target`, as stated by the reader of the conversation ("new": to none).
        folder: where it was said; "": unknown.
        agent: agent of the chat in which the person said it; "" for a session in a host.
        until: end of validity, UTC; None: no end was named.
        when: patterns of the tool calls at which it is shown (:mod:`vademecum.domain.call_patterns`).
    """

    kind: str
    title: str
    text: str
    confidence: Literal["low", "medium", "high"]
    importance: float
    source: str
    span: tuple[str, str]
    rationale: str
    excerpt: str
    time: datetime | None = None
    project: str = ""
    replaces: str = ""
    about: str = ""
    occurrences: int = 1
    pattern: str = ""
    trust: Literal["user", "agent", "external"] = "user"
    topics: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    relation: Relation = "new"
    target: str = ""
    agent: str = ""
    until: datetime | None = None
    folder: str = ""
    when: tuple[str, ...] = ()
