"""Briefings that are prepared for sessions that are about to start."""

from datetime import datetime

from msgspec import Struct


class Start(Struct, frozen=True):
    """An earlier start of a session.

    Attributes:
        key: name of its briefing. payload: the host's input to the hook.
    """

    key: str
    host: str
    folder: str
    payload: bytes


class Conditions(Struct, frozen=True):
    """Conditions under which a prepared briefing is valid.

    Attributes:
        session: payload member that contains the session. same: (member, value as written) that must be equal; an empty value:
            the member must be absent.
        but: sessions that must not receive it. files: (stamp, path) of the files it was made from.
        until: aware; expiry time.
    """

    session: bytes
    same: tuple[tuple[bytes, bytes], ...]
    but: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    until: datetime


class Printed(Struct, frozen=True):
    """The client's record of a briefing that it printed; fields as in :class:`~vademecum.domain.host.HookEvent`.

    Attributes:
        project: slug of the briefing's project; "" for none, and in records of an earlier version.
    """

    host: str
    event: str
    session: str
    keys: tuple[str, ...]
    tokens: int
    at: datetime
    project: str
