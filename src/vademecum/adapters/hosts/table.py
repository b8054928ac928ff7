"""What the hosts have in common: tables of events and of field names, read and written in one way.

A host is data: its events with what each may carry, the names of its fields, its limits. Only where a host's shape really
differs does its file hold code.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct

from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import Checked, Delivery, HookEvent, HostFolders, Moment, Programs, Reach
from vademecum.domain.tokens import estimate_tokens
from vademecum.ports.host import Piece, Switch, Wanted
from vademecum.ports.transcripts import Unread

#: The cause of a start of a session that is new, where hosts name one.
STARTED = "startup"
#: Seconds that a host waits for a hook of ours; the client gives up much earlier by itself.
WAIT_S = 5

#: The same at a tool call, which is answered from a file.
CALL_WAIT_S = 3

#: A text is cut at the end of a paragraph or line that keeps at least this share of the room, else between words.
_KEPT_AT_LEAST = 0.5

#: Scripts without spaces, where any place is between words.
_BETWEEN_WORDS = r"\s|(?<=[\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef])"  # compiled by who needs it


class Row(Struct, frozen=True):
    """An event of a host.

    Attributes:
        wait_s: registered, with that many seconds to wait; 0: understood when it comes, but not registered.
        matcher: which causes to register for; "" for all.
        told: the agent may be given text, and the person a line where the host has a place for one.
    """

    event: str
    moment: Moment
    wait_s: int = 0
    matcher: str = ""
    told: bool = False


class Fields(Struct, frozen=True):
    """A host's names for what we need; the first that is there counts."""

    event: tuple[str, ...] = ("hook_event_name",)
    session: tuple[str, ...] = ("session_id",)
    cwd: tuple[str, ...] = ("cwd",)
    prompt: tuple[str, ...] = ("prompt",)
    cause: tuple[str, ...] = ("source", "reason", "trigger")
    transcript: tuple[str, ...] = ("transcript_path",)
    agent: tuple[str, ...] = ("agent_id",)
    last_message: tuple[str, ...] = ("last_assistant_message",)
    model: tuple[str, ...] = ("model",)


class Limits(Struct, frozen=True):
    """How much text a host takes. 0: no limit in that unit."""

    chars: int = 9000
    tokens: int = 0


class TableHost:
    """A host that is described by its tables. Subclasses say how an answer looks and which files register it.

    Attributes:
        name, title, program, checked, next_step, conversations, switch, unread: as in :class:`vademecum.ports.host.Host`.
        other_names: what people call it besides.
        known_by: fields that only this host sends. Some hosts run the hooks in the files of others, and are known by these.
        causes: its own word for a cause -> the word of the others.
        pieces: what `vade install` puts into files of projects for it, by the name on the command line.
        about, at_calls: what docs/hosts.md says of it, and of rules at a tool call.
    """

    rows: ClassVar[tuple[Row, ...]] = ()
    fields: ClassVar[Fields] = Fields()
    limits: ClassVar[Limits] = Limits()
    title: ClassVar[str]
    name: ClassVar[str]
    program: ClassVar[str] = ""
    checked: ClassVar[Checked]
    next_step: ClassVar[str] = ""
    conversations: ClassVar[str] = ""
    switch: ClassVar[Switch | None] = None
    unread: ClassVar[tuple[Unread, ...]] = ()
    other_names: ClassVar[tuple[str, ...]] = ()
    known_by: ClassVar[tuple[str, ...]] = ()
    causes: ClassVar[Mapping[str, str]] = {}
    pieces: ClassVar[Mapping[str, Piece]] = {}
    about: ClassVar[str] = ""
    at_calls: ClassVar[str] = ""

    def __init__(self) -> None:
        self._by_event = {row.event: row for row in self.rows}

    def read(self, payload: Mapping[str, object], cwd: str = "") -> HookEvent:
        event = self.event_of(payload)
        if not event:
            raise InvalidInput(f"A hook of {self.title} named no event ({' or '.join(self.fields.event)}).")
        row = self._by_event.get(event, Row(event, "other"))
        cause = text(payload, self.fields.cause) if row.moment != "prompt" else ""
        return HookEvent(
            host=self.name,
            moment=self.moment(row, payload),
            event=event,
            session=text(payload, self.fields.session),
            cwd=self.folder(payload) or cwd,
            prompt=self.prompt(row, payload),
            by_person=self.by_person(row, payload),
            cause=self.causes.get(cause, cause),
            transcript=text(payload, self.fields.transcript),
            agent=text(payload, self.fields.agent),
            last_message=text(payload, self.fields.last_message),
            model=text(payload, self.fields.model),
            heard=row.told,
            conversations=self.conversations,
        )

    def write(self, event: HookEvent, delivery: Delivery) -> str:
        row = self._by_event.get(event.event)
        if row is None or not row.told:
            return ""
        answer = self.answer(event, cut(delivery.text, self.limits), sound(delivery.notice))
        return json.dumps(answer) if answer else ""

    def first_start(self, folder: str) -> dict[str, str] | None:
        """Return what the host says when a session starts anew in a folder; None: no hook tells of starts."""
        row = next((row for row in self.rows if row.moment == "start" and row.told), None)
        if row is None:
            return None
        names = self.fields
        fields = {names.event[0]: row.event, names.session[0]: "first", names.cwd[0]: folder}
        return fields | ({names.cause[0]: STARTED} if STARTED in row.matcher else {})

    def event_of(self, payload: Mapping[str, object]) -> str:
        """Return the host's name of the event; "" when it cannot be known."""
        return text(payload, self.fields.event)

    def moment(self, row: Row, payload: Mapping[str, object]) -> Moment:
        """Return our name of the moment that the payload tells of."""
        return row.moment

    def folder(self, payload: Mapping[str, object]) -> str:
        """Return the folder that the work goes on in."""
        return text(payload, self.fields.cwd)

    def prompt(self, row: Row, payload: Mapping[str, object]) -> str:
        """Return the text of the prompt."""
        return text(payload, self.fields.prompt) if row.moment in ("prompt", "agent start") else ""

    def by_person(self, row: Row, payload: Mapping[str, object]) -> bool:
        """Return whether a person wrote the prompt."""
        return True

    def answer(self, event: HookEvent, told: str, notice: str) -> dict[str, Any]:
        """Return what the hook prints, as an object; empty for nothing."""
        raise NotImplementedError

    def registered(self) -> tuple[Row, ...]:
        """Return the events that are worth a process."""
        return tuple(row for row in self.rows if row.wait_s)

    def files(
        self, folders: HostFolders, programs: Programs, reach: Reach, project: str, *, mcp: bool = True
    ) -> "tuple[Wanted, ...]":
        raise NotImplementedError

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        raise NotImplementedError


def text(payload: Mapping[str, object], names: tuple[str, ...]) -> str:
    """Return the first of those fields that is there; "" for none or null.

    Raises:
        InvalidInput: it is no text.
    """
    for name in names:
        value = payload.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise InvalidInput(f"The field {name!r} of a hook is {type(value).__name__}, not text.")
        if value:
            return value
    return ""


def context_answer(event: HookEvent, told: str, notice: str) -> dict[str, Any]:
    """Return the answer that Claude Code introduced and most hosts took over: text for the agent, a line for the person."""
    answer: dict[str, Any] = {}
    if told:
        answer["hookSpecificOutput"] = {"hookEventName": event.event, "additionalContext": told}
    if notice:
        answer["systemMessage"] = notice
    return answer


def cut(told: str, limits: Limits) -> str:
    """Return as much of a text as a host takes; it ends with a paragraph or line where possible, never inside a word."""
    told = sound(told).strip()
    if _fits(told, limits):
        return told
    low, high = 0, min(len(told), limits.chars or len(told))
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _fits(told[:middle], limits) else (low, middle - 1)
    room = told[: low + 1]  # the character behind it may be the end of a word
    for end in ("\n\n", "\n"):
        place = room.rfind(end)
        if place >= low * _KEPT_AT_LEAST:
            return room[:place].rstrip()
    ends = [match.start() for match in re.finditer(_BETWEEN_WORDS, room) if match.start() <= low]
    return room[: ends[-1]].rstrip() if ends else ""


def _fits(entry: str, limits: Limits) -> bool:
    too_long = limits.chars and len(entry) > limits.chars
    return not too_long and not (limits.tokens and estimate_tokens(entry) > limits.tokens)


def sound(told: str) -> str:
    """Return a text without lone surrogates, which strict hosts refuse together with everything around them (X-49)."""
    return told.encode("utf-8", "replace").decode("utf-8")
