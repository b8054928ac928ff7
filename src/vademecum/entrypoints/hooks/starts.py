"""Which starts of sessions are alike: found out by asking the host what it makes of a payload whose members differ."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import HookEvent
from vademecum.domain.ready import Start
from vademecum.entrypoints.hooks.carrier import key_of, members
from vademecum.wiring import first_start

Read = Callable[[Mapping[str, Any]], HookEvent]


class AlikeStarts(Struct, frozen=True):
    """Starts that differ in nothing that decides what is told.

    Attributes:
        key: name of their briefing. event: one of them.
        session: member that names the session. same: (member, value as it is written) that all of them have;
            no value: none of them has the member, which would decide what is told.
    """

    key: str
    event: HookEvent
    session: bytes
    same: tuple[tuple[bytes, bytes], ...]


class _Watched(dict[str, Any]):
    """A payload that notes which of its members were looked at."""

    def __init__(self, payload: Mapping[str, Any]) -> None:
        super().__init__(payload)
        self.seen: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.seen.add(name)
        return super().get(name, default)

    def __getitem__(self, name: str) -> Any:
        self.seen.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.seen.add(str(name))
        return super().__contains__(name)


def alike(read: Read, host: str, folder: str, payload: bytes) -> AlikeStarts | None:
    """Return the starts that are told what this one is; None: it is no start, or the client could not tell that another is like it.

    Args:
        read: tells what a payload says. host: word of the command line. folder: that the hook was run in.
    """
    written = members(payload)
    if not written or any(b" " in name or not name for name in written):
        return None
    fields = json.loads(payload)
    watched = _Watched(fields)
    event = read(watched)
    if event.moment != "start" or not event.heard or not event.session:
        return None
    seen = watched.seen & fields.keys()
    names = [name for name in seen if _names_session(read, event, fields, name)]
    if len(names) != 1 or written[names[0].encode()] != f'"{event.session}"'.encode():
        return None
    same = sorted(name.encode() for name in seen if name not in names and _decides(read, event, fields, name))
    absent = sorted(name.encode() for name in watched.seen - fields.keys() if _would_decide(read, event, fields, name))
    decides = (*((name, written[name]) for name in same), *((name, b"") for name in absent))
    return AlikeStarts(key_of(host, folder), event, names[0].encode(), decides)


def foreseen_starts(host: str, folders: Sequence[str]) -> list[Start]:
    """Return the starts of a host that may come first in these folders."""
    return [Start(key_of(host, folder), host, folder, payload) for folder in folders for payload in first_start(host, folder)]


def _would_decide(read: Read, event: HookEvent, fields: Mapping[str, Any], name: str) -> bool:
    """Return whether something else is told when a member is there that is not."""
    try:
        other = read({**fields, name: "any"})
    except InvalidInput:
        return True
    return replace(other, transcript=event.transcript, model=event.model, last_message=event.last_message) != event


def _names_session(read: Read, event: HookEvent, fields: Mapping[str, Any], name: str) -> bool:
    other = _with_another(read, fields, name)
    return other is not None and other.session != event.session and replace(other, session=event.session) == event


def _decides(read: Read, event: HookEvent, fields: Mapping[str, Any], name: str) -> bool:
    """Return whether something else is told when a member differs. Where the transcript lies, and which model reads, decides nothing."""
    other = _with_another(read, fields, name)
    if other is None:
        return True
    return replace(other, transcript=event.transcript, model=event.model, last_message=event.last_message) != event


def _with_another(read: Read, fields: Mapping[str, Any], name: str) -> HookEvent | None:
    """Return the payload with another value of one member; None: it cannot be understood, or the member is no text."""
    if not isinstance(fields[name], str):
        return None
    try:
        return read({**fields, name: fields[name] + " or another"})
    except InvalidInput:
        return None
