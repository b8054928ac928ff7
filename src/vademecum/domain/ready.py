"""Briefings that lie ready for sessions that are about to start."""

from datetime import datetime

from msgspec import Struct


class Start(Struct, frozen=True):
    """A start of a session that came before.

    Attributes:
        key: name of its briefing. payload: what the host said.
    """

    key: str
    host: str
    folder: str
    payload: bytes


class Conditions(Struct, frozen=True):
    """When a briefing holds.

    Attributes:
        session: name of the member that names the session. same: (member, value as written) that must not differ; no value:
            it must not be there.
        but: sessions that must not be told it. files: (stamp, path) of what it was made from.
        until: aware; from then on it is too old.
    """

    session: bytes
    same: tuple[tuple[bytes, bytes], ...]
    but: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    until: datetime


class Printed(Struct, frozen=True):
    """What the client noted of a briefing that it printed; fields as :class:`~vademecum.domain.host.HookEvent` has them.

    Attributes:
        project: slug of the project that it is a briefing of; "" for none, and in notes of an earlier version.
    """

    host: str
    event: str
    session: str
    keys: tuple[str, ...]
    tokens: int
    at: datetime
    project: str
