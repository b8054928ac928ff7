"""The session: one conversation of a host with an agent, a list of turns."""

import re
from datetime import datetime
from typing import Literal

from msgspec import Struct

from vademecum.domain.relations import Relation

#: Of sessions with fewer spoken turns only what is said outright is saved.
MIN_TURNS = 4
#: The side of the conversation on which a turn stands. "note" is the host's bookkeeping, "injected" is text that a host, a hook or we
#: put there.
Role = Literal["user", "agent", "tool", "note", "injected"]

#: Who the words of a turn come from, as the host's own structure states it and never as they look: what the person typed ("user"), their
#: answer to a question of the agent or the host ("answer"), what they typed when they refused a tool call ("refusal"), a document that
#: they handed over ("document"), the prompt of a program that drives the host ("program"); the rest as in `Role`.
Speaker = Literal["user", "answer", "refusal", "document", "program", "agent", "tool", "note", "injected"]

#: Roles that are speech: only these are searched as something somebody said.
SPOKEN: frozenset[Role] = frozenset({"user", "agent"})

#: Speakers whose words are the person's own. Only these can become what the person prefers, decided or is.
PERSON: frozenset[Speaker] = frozenset({"user", "answer", "refusal"})

_ROLES: dict[Speaker, Role] = {"answer": "user", "refusal": "user", "document": "user", "program": "user"}

#: What became of a tool call, as its result states it; "" when it does not.
Outcome = Literal["", "succeeded", "failed", "refused"]

_WRITES = re.compile(r"edit|write|create|patch|replace|insert|update_file|notebook", re.IGNORECASE)
#: Links conversations that go on in another tool: "thread-<date>-<six hexadecimal digits>".
THREAD = re.compile(r"\bthread-\d{4}-\d\d-\d\d-[0-9a-f]{6}\b")


def writes_files(tool: str) -> bool:
    """Return whether a tool of that name changes the files it touches, rather than reading them."""
    return _WRITES.search(tool) is not None


class Turn(Struct, frozen=True):
    """What one speaker said at a time.

    Attributes:
        ref: names the turn within its session; unique there, stable when the file grows.
        speaker: who the words come from. role: the side on which that speaker stands.
        text: as said; never empty.
        name: of the speaker when the transcript gives one, or of the tool that answers; else "".
        time: aware, UTC, or None when the transcript has none.
        start, end: byte offsets of the lines that held it, end exclusive; a turn made of several lines spans them all.
        tools: names of the tools the turn called. files: paths it touched.
        sidechain: said by or to a sub-agent, or in a conversation that a program leads, so not the person's speech.
        call: the host's id of the tool call that the turn makes or answers, or "". outcome: of the call that it answers.
        question: what an "answer" answers, or "".
        cwd: working folder when it was said, or "" when the record does not say.
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
        """The side of the conversation on which the speaker stands."""
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
        project: slug, or "".  cwd: working folder, or "".  folders: (working folder, turns said there) in the order of their first turns.
        branch: of its repository when it began, or "".
        title: given by the host or taken from the first thing the person said.
        started, ended: aware, UTC, or None when no turn has a time.
        summary: of the conversation, by the language model that read it; "" when none did.
        turns: in the order in which they were said.
        tags: besides those that its turns name.
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
        """How memories name the session they come from."""
        return f"session://{self.host}/{self.id}"


class Snapshot(Struct, frozen=True):
    """The last words of a session.

    Attributes:
        session: its URI. project: slug, or "".
        when: of its last turn; aware, UTC.
        messages: (ref of the turn, "[role]: text"), in the order in which they were said.
        finished: whether it ended as sessions do: nothing was left unanswered, or its host said that it ended.
    """

    session: str
    project: str
    when: datetime
    messages: tuple[tuple[str, str], ...]
    finished: bool


class Cursor(Struct, frozen=True):
    """How far a transcript was read.

    Attributes:
        offset: bytes, always just behind a complete line.
        prefix_hash: of the bytes before `offset`; when it no longer fits, the file was rewritten and is read anew.
        carry: opaque state of the format (JSON) that parsing on needs.
    """

    offset: int = 0
    prefix_hash: str = ""
    carry: str = ""


class Candidate(Struct, frozen=True):
    """Something extraction proposes to remember. It becomes a memory only through routing.

    Attributes:
        kind, title, text: as the memory would have them.
        confidence: "high" saves, "medium" is reviewed, "low" waits in the inbox.
        importance: 0..1.
        source: URI of the session. span: refs of the turns it was taken from, first and last.
        rationale: why it was proposed: the pattern's name and the words that matched.
        excerpt: the passage itself, to be shown beside the candidate.
        time: when it was said; aware, UTC, or None.
        replaces: words of what it does away with ("Fly" in "we moved off Fly"), or "". Lets routing find what is superseded.
        about: what that is about ("recipes" in "we dropped Markdown for the recipes"), or ""; the old memory must name it too.
        occurrences: how often the same was said in this batch.
        pattern: name of what found it. trust: who said it.
        topics: labels. mentions: addresses named beside it.
        relation: to the memory whose id is `target`, as stated by whoever read the conversation ("new": to none).
        folder: where it was said; "": nobody knows.
        agent: whose chat with the person it was said in; "" for a session in a host.
        until: it holds so long, UTC; None: no end was named.
        when: patterns of the tool calls that it is told at (:mod:`vademecum.domain.call_patterns`).
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
