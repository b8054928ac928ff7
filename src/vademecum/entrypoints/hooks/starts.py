"""Which session starts get the same briefing: found by changing members of a payload and parsing it again."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import HookEvent
from vademecum.domain.ready import Start
from vademecum.entrypoints.hooks.carrier import folder_in, key_of, members
from vademecum.wiring import first_start

Read = Callable[[Mapping[str, Any]], HookEvent]


class AlikeStarts(Struct, frozen=True):
    """Session starts that get the same briefing.

    Attributes:
        key: file name of the briefing. event: one of these starts.
        session: the member that holds the session id.
        same: (member, raw value) that all of them share; an empty value: none of them has this member, which would change the briefing.
    """

    key: str
    event: HookEvent
    session: bytes
    same: tuple[tuple[bytes, bytes], ...]


class _Watched(dict[str, Any]):
    """A payload that records which of its members were read."""

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
    """Return the starts that get the same briefing as this one; None if it is no start, or the client could not recognise them.

    Args:
        read: parses a payload. host: the word on the command line. folder: working directory of the hook.
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
    return AlikeStarts(key_of(host, folder_in(written) or folder), event, names[0].encode(), decides)


def foreseen_starts(host: str, folders: Sequence[str]) -> list[Start]:
    """Return the likely first session starts of a host in these folders."""
    return [Start(key_of(host, folder), host, folder, payload) for folder in folders for payload in first_start(host, folder)]


def _would_decide(read: Read, event: HookEvent, fields: Mapping[str, Any], name: str) -> bool:
    """Return whether adding a member would change the briefing."""
    try:
        other = read({**fields, name: "any"})
    except InvalidInput:
        return True
    return replace(other, transcript=event.transcript, model=event.model, last_message=event.last_message) != event


def _names_session(read: Read, event: HookEvent, fields: Mapping[str, Any], name: str) -> bool:
    other = _with_another(read, fields, name)
    return other is not None and other.session != event.session and replace(other, session=event.session) == event


def _decides(read: Read, event: HookEvent, fields: Mapping[str, Any], name: str) -> bool:
    """Return whether another value of a member would change the briefing. The transcript's path and the model never do."""
    other = _with_another(read, fields, name)
    if other is None:
        return True
    return replace(other, transcript=event.transcript, model=event.model, last_message=event.last_message) != event


def _with_another(read: Read, fields: Mapping[str, Any], name: str) -> HookEvent | None:
    """Parse the payload with another value of one member; None if that fails, or the member is no string."""
    if not isinstance(fields[name], str):
        return None
    try:
        return read({**fields, name: fields[name] + " or another"})
    except InvalidInput:
        return None
