"""Parses URIs. Any text is accepted; a text that is no URI of a known scheme is returned unchanged."""

import re
from typing import Literal

from msgspec import Struct

from vademecum.domain.ids import is_id
from vademecum.domain.late_pattern import late_pattern

UriKind = Literal["memory", "session", "episode", "entity", "thread", "document", "vault", "file", "web", "cloud", "unknown"]

#: Scheme -> kind of the target.
SCHEMES: dict[str, UriKind] = {
    "memory": "memory", "fact": "memory", "session": "session", "episode": "episode", "entity": "entity", "thread": "thread",
    "document": "document", "vault": "vault", "file": "file", "raw": "file", "http": "web", "https": "web", "cloud": "cloud",
}  # fmt: skip
_SCHEME = late_pattern(r"([A-Za-z][A-Za-z0-9+.-]*):(//)?(.*)\Z", re.DOTALL)
#: Characters of a session's id that are shown; a command accepts the beginning of one.
SESSION_REF_CHARS = 13
#: The key of a note: a file's name may contain "#".
_NOTE_KEY = late_pattern(r"document://.*\.(?:md|canvas)(?=#|\Z)", re.DOTALL)


class Uri(Struct, frozen=True):
    """A parsed URI. `name`: the part after the scheme; for an unknown scheme the whole text."""

    kind: UriKind
    name: str
    text: str


def parse_uri(text: str) -> Uri:
    """Return the parts of a text that may be a URI. Never raises."""
    bare = text.strip()
    match = _SCHEME.match(bare)
    kind = SCHEMES.get(match[1].lower(), "unknown") if match else "unknown"
    if match is None or kind == "unknown" or not match[3].strip():
        return Uri("unknown", bare, bare)
    if not match[2] and match[1].lower() != "fact":  # "fact:42" is written without slashes
        return Uri("unknown", bare, bare)
    return Uri(kind, match[3].strip(), bare)


def item_and_place(key: str) -> tuple[str, str]:
    """Return the key of an item, and the place in it: what follows the "#", which may stand in the name of a note as well."""
    note = _NOTE_KEY.match(key)
    if note:
        return note.group(), key[note.end() + 1 :]
    item, _, place = key.partition("#")
    return item, place


def host_of(session: str) -> str:
    """Return the host in the URI of a session."""
    return session.removeprefix("session://").partition("/")[0]


def session_ref(session: str) -> str:
    """Return what a person types for a session: the beginning of its id, long enough to name no other; an id of ours whole."""
    name = session.partition("#")[0].rpartition("/")[2]
    return name if is_id(name) else name[:SESSION_REF_CHARS]


def is_external(text: str) -> bool:
    """Return whether a text is a URI that names no memory, conversation or note of ours."""
    return parse_uri(text).kind in ("episode", "entity", "thread", "file", "web", "cloud")
