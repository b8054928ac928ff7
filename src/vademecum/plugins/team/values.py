"""Values of a team: spaces on a server with published copies of memories, members and roles."""

import hashlib
from datetime import datetime
from typing import Literal, get_args
from urllib.parse import urlsplit

from msgspec import Struct

from vademecum.domain.errors import InvalidInput

#: reader: reads copies. writer: also publishes, and withdraws own copies. keeper: also withdraws any copy, and manages members.
Role = Literal["reader", "writer", "keeper"]
ROLES: tuple[Role, ...] = get_args(Role)

#: Kinds that are shared. Kinds about a person, for an agent, or of one session are not.
SHARED_KINDS = frozenset(
    {
        "fact", "event", "decision", "spec", "plan", "lesson", "fix", "incident", "procedure", "task", "project", "idea", "source",
        "module", "component", "dependency", "flow", "entity", "concept",
    }
)  # fmt: skip

#: Prefix of the names of mirror spaces.
MIRROR = "team-"
#: Longest text of a published copy, in characters.
COPY_MAX_CHARS = 100_000
#: Most changes in one answer.
PAGE = 200


#: service: account of a program, which cannot be a keeper.
Account = Literal["person", "service"]


class Member(Struct, frozen=True):
    """A member of a space.

    Attributes:
        since, revoked: aware, UTC. revoked: when access ended; None: it has not.
        sign_in: the claim of their single sign-on tokens; "": they use a token of ours.
    """

    space: str
    name: str
    role: Role
    since: datetime
    revoked: datetime | None = None
    kind: Account = "person"
    sign_in: str = ""


class Published(Struct, frozen=True):
    """A published copy of a memory.

    Attributes:
        id: of the memory. author: member who published it last. text: Markdown with frontmatter.
    """

    id: str
    author: str
    title: str
    text: str


class Change(Struct, frozen=True):
    """The last change of a copy.

    Attributes:
        cursor: increases with each change of the space; no later change gets a smaller cursor than one that was read.
        copy: the current copy; None: it was withdrawn.
    """

    cursor: int
    id: str
    at: datetime
    copy: Published | None = None


class Found(Struct, frozen=True):
    """A search result: a passage of a copy. `score` is 0..1."""

    id: str
    title: str
    author: str
    text: str
    score: float


#: Operations in the audit. invite, revoke: a member. rotate: a token. publish, withdraw: a copy. read: changes since a cursor.
#: search: copies. backup, restore: the space.
What = Literal["open", "invite", "revoke", "rotate", "publish", "withdraw", "read", "search", "backup", "restore"]
#: Name in the audit for the owner of the database; no member can have it.
OWNER = "(owner)"


class AuditEntry(Struct, frozen=True):
    """An audit line: who did what. It contains neither text of copies nor questions."""

    at: datetime
    member: str
    what: What
    subject: str = ""


class KeptMember(Struct, frozen=True):
    """A member in a backup, with the hash of the token, which stays valid after a restore."""

    member: Member
    digest: bytes


class KeptCopy(Struct, frozen=True):
    """A copy in a backup. `title` and `text` are None if it was withdrawn."""

    id: str
    author: str
    at: datetime
    title: str | None = None
    text: str | None = None


class SpaceState(Struct, frozen=True):
    """The state of a space besides copies and audit.

    Attributes:
        cursor: of its last change. version: of the backup format.
    """

    name: str
    opened: datetime
    cursor: int
    members: tuple[KeptMember, ...]
    version: int = 1


class Joined(Struct, frozen=True):
    """A joined space.

    Attributes:
        url: of the server, without the space. member, role: at the time of joining.
        token_file: file with the current token, instead of `token`; "" for none.
        cursor: of the last change in the mirror. shared: ids of memories that were shared from here.
        missing: ids of copies in the mirror or shared from here that a restored server no longer has.
    """

    space: str
    url: str
    token: str
    member: str = ""
    role: Role = "reader"
    cursor: int = 0
    shared: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    token_file: str = ""

    @property
    def mirror(self) -> str:
        """Name of the mirror space."""
        return MIRROR + self.space


#: Low bits of a cursor: the change counter. High bits: the timeline, 0, or the second of the last restore.
_COUNT_BITS = 31


def timeline_of(cursor: int) -> int:
    """Return the timeline of a cursor. A restore begins a new one, because later changes of the old one are lost."""
    return cursor >> _COUNT_BITS


def next_timeline(cursor: int, at: datetime) -> int:
    """Return the first cursor of a new timeline, greater than all earlier ones, lost ones included."""
    return max(int(at.timestamp()), timeline_of(cursor) + 1) << _COUNT_BITS


def digest_of(token: str) -> bytes:
    """Return the stored hash of a token. A token is 32 random bytes, so one round of hashing is enough."""
    return hashlib.sha256(token.encode()).digest()


def invitation_of(address: str, token_file: str = "") -> tuple[str, str, str]:
    """Parse an invitation, https://HOST:PORT/SPACE#TOKEN, into server address, space and token.

    Args:
        token_file: file with the token, for an invitation without one; "": it must contain one.

    Raises:
        InvalidInput: it is malformed, or its token would be sent unencrypted over a network.
    """
    parts = urlsplit(address.strip())
    base, _, space = parts.path.rpartition("/")
    if parts.scheme not in ("http", "https") or not (parts.hostname and space) or parts.query:
        raise InvalidInput("This is not an invitation.", "It looks like https://HOST:PORT/SPACE#TOKEN; put it in quotes.")
    if bool(parts.fragment) == bool(token_file):
        raise InvalidInput(
            "An invitation has either a token or, for single sign-on, a file that holds one.",
            "It looks like https://HOST:PORT/SPACE#TOKEN in quotes, or https://HOST:PORT/SPACE --token-file FILE.",
        )
    if parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise InvalidInput("Over http:// anybody on the network could read the token.", "Ask for an invitation with https://")
    return f"{parts.scheme}://{parts.netloc}{base}", space, parts.fragment
