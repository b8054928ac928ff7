"""Common base of all hosts, `TableHost`: tables of events and field names, which are read and written in one way.

A host is described by data: its events and what each can deliver, its field names, its limits. Only real differences between
hosts are code.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct

from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import Delivery, HookEvent, Moment
from vademecum.domain.tokens import estimate_tokens
from vademecum.ports.host import Host, Piece, Switch
from vademecum.ports.transcripts import Unread

#: Cause of the start of a new session, in hosts that name one.
STARTED = "startup"
#: Seconds that a host waits for our hook; the client's own timeout is much shorter.
WAIT_S = 5

#: The same at a tool call, which is answered from a file.
CALL_WAIT_S = 3

#: A text is cut at the end of a paragraph or line if at least this share of the limit is used, else between words.
_KEPT_AT_LEAST = 0.5

#: Positions between words; in scripts without spaces, every position.
_BETWEEN_WORDS = r"\s|(?<=[\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef])"  # compiled when needed


class Row(Struct, frozen=True):
    """An event of a host.

    Attributes:
        wait_s: timeout in seconds with which it is registered; 0: recognised, but not registered.
        matcher: causes to register for; "" for all.
        shows_text: the answer can contain text for the agent, and a line for the person if the host supports it.
    """

    event: str
    moment: Moment
    wait_s: int = 0
    matcher: str = ""
    shows_text: bool = False


class Fields(Struct, frozen=True):
    """A host's names for the fields that we need; the first one present is used."""

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
    """Most text that a host accepts. 0: no limit in that unit."""

    chars: int = 9000
    tokens: int = 0


class TableHost(Host):
    """A host described by its tables. Subclasses define the files that register it, and the format of an answer if it is their own.

    Attributes:
        other_names: further names that people use.
        known_by: fields that only this host sends. They identify it when it runs the hooks in another host's file.
        causes: the host's own word for a cause -> the common word.
        pieces: pieces for projects that `vade install` can add, by the name on the command line.
        about, at_calls: descriptions for docs/hosts.md, in general and of rules at tool calls.
    """

    rows: ClassVar[tuple[Row, ...]] = ()
    fields: ClassVar[Fields] = Fields()
    limits: ClassVar[Limits] = Limits()
    program: ClassVar[str] = ""
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
            heard=row.shows_text,
            heard_at_prompts=all(other.shows_text for other in self.rows if other.moment == "prompt"),
            conversations=self.conversations,
        )

    def write(self, event: HookEvent, delivery: Delivery) -> str:
        row = self._by_event.get(event.event)
        if row is None or not row.shows_text:
            return ""
        answer = self.answer(event, cut(delivery.text, self.limits), sound(delivery.notice))
        return json.dumps(answer) if answer else ""

    def first_start(self, folder: str) -> dict[str, str] | None:
        """Return the host's hook input when a new session starts in a folder; None: no event at a start can deliver text."""
        row = next((row for row in self.rows if row.moment == "start" and row.shows_text), None)
        if row is None:
            return None
        names = self.fields
        fields = {names.event[0]: row.event, names.session[0]: "first", names.cwd[0]: folder}
        return fields | ({names.cause[0]: STARTED} if STARTED in row.matcher else {})

    def event_of(self, payload: Mapping[str, object]) -> str:
        """Return the host's name of the event; "" when it is unknown."""
        return text(payload, self.fields.event)

    def moment(self, row: Row, payload: Mapping[str, object]) -> Moment:
        """Return the moment of the payload's event."""
        return row.moment

    def folder(self, payload: Mapping[str, object]) -> str:
        """Return the working folder."""
        return text(payload, self.fields.cwd)

    def prompt(self, row: Row, payload: Mapping[str, object]) -> str:
        """Return the text of the prompt."""
        return text(payload, self.fields.prompt) if row.moment in ("prompt", "agent start") else ""

    def by_person(self, row: Row, payload: Mapping[str, object]) -> bool:
        """Return whether a person wrote the prompt."""
        return True

    def answer(self, event: HookEvent, shown: str, notice: str) -> dict[str, Any]:
        """Return the hook's output as an object; empty for nothing. Most hosts adopted this format, which is Claude Code's."""
        context = {"hookSpecificOutput": {"hookEventName": event.event, "additionalContext": shown}} if shown else {}
        return {**context, **({"systemMessage": notice} if notice else {})}

    def registered(self) -> tuple[Row, ...]:
        """Return the events to register."""
        return tuple(row for row in self.rows if row.wait_s)


def text(payload: Mapping[str, object], names: tuple[str, ...]) -> str:
    """Return the first non-empty one of those fields; "" for none or null.

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


def cut(shown: str, limits: Limits) -> str:
    """Return the part of a text that a host accepts; it ends with a paragraph or line if possible, never inside a word."""
    shown = sound(shown).strip()
    if _fits(shown, limits):
        return shown
    low, high = 0, min(len(shown), limits.chars or len(shown))
    while low < high:  # binary search for the longest prefix that fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _fits(shown[:middle], limits) else (low, middle - 1)
    room = shown[: low + 1]  # one character more, because it may be the end of a word
    for end in ("\n\n", "\n"):
        place = room.rfind(end)
        if place >= low * _KEPT_AT_LEAST:
            return room[:place].rstrip()
    ends = [match.start() for match in re.finditer(_BETWEEN_WORDS, room) if match.start() <= low]
    return room[: ends[-1]].rstrip() if ends else ""


def _fits(entry: str, limits: Limits) -> bool:
    too_long = limits.chars and len(entry) > limits.chars
    return not too_long and not (limits.tokens and estimate_tokens(entry) > limits.tokens)


def sound(shown: str) -> str:
    """Return a text without lone surrogates; strict hosts reject the whole output for one (X-49)."""
    return shown.encode("utf-8", "replace").decode("utf-8")
