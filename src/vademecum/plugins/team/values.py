"""A team: spaces on a server that hold published copies of memories, and who may do what there."""

import hashlib
from datetime import datetime
from typing import Literal, get_args
from urllib.parse import urlsplit

from msgspec import Struct

from vademecum.domain.errors import InvalidInput

#: reader: takes copies. writer: also publishes, and withdraws what is theirs. keeper: also withdraws anything, and decides who is in.
Role = Literal["reader", "writer", "keeper"]
ROLES: tuple[Role, ...] = get_args(Role)

#: Kinds that are published and taken in. What speaks of a person, to an agent, or of one session stays at home.
SHARED_KINDS = frozenset(
    {
        "fact", "event", "decision", "spec", "plan", "lesson", "fix", "incident", "procedure", "task", "project", "idea", "source",
        "module", "component", "dependency", "flow", "entity", "concept",
    }
)  # fmt: skip

#: Begins the names of spaces of memories that hold copies.
MIRROR = "team-"
#: Longest text of a published copy, in characters.
COPY_MAX_CHARS = 100_000
#: Most changes in one answer.
PAGE = 200


#: service: an account of a program, which cannot be a keeper.
Account = Literal["person", "service"]


class Member(Struct, frozen=True):
    """Somebody who may enter a space.

    Attributes:
        since, revoked: aware, UTC. revoked: from then on their token opens nothing; None: it does.
        sign_in: what the claim of a token of the configured issuer says of them; "": they come in by their own token.
    """

    space: str
    name: str
    role: Role
    since: datetime
    revoked: datetime | None = None
    kind: Account = "person"
    sign_in: str = ""


class Published(Struct, frozen=True):
    """The copy of a memory that a space holds.

    Attributes:
        id: of the memory. author: name of the member who published it last. text: Markdown with frontmatter.
    """

    id: str
    author: str
    title: str
    text: str


class Change(Struct, frozen=True):
    """What became of one copy last.

    Attributes:
        cursor: its place in the order of changes of its space; later ones are larger, and none comes in before one that was read.
        copy: the copy as it is; None: it was withdrawn.
    """

    cursor: int
    id: str
    at: datetime
    copy: Published | None = None


class Found(Struct, frozen=True):
    """A passage of a copy that a question found. `score` is 0..1."""

    id: str
    title: str
    author: str
    text: str
    score: float


#: invite, revoke: of a member. rotate: of one's own token. publish, withdraw: of a copy. read: what changed since a cursor.
#: search: anything. backup, restore: of all.
What = Literal["open", "invite", "revoke", "rotate", "publish", "withdraw", "read", "search", "backup", "restore"]
#: Stands in the audit for whoever has the database's owner as login; no member can be called so.
OWNER = "(owner)"


class Deed(Struct, frozen=True):
    """A line of the audit: who did what. Holds no text of a copy and no question."""

    at: datetime
    member: str
    what: What
    subject: str = ""


class KeptMember(Struct, frozen=True):
    """A member as a backup keeps them: with the hash of their token, by which it goes on opening the space."""

    member: Member
    digest: bytes


class KeptCopy(Struct, frozen=True):
    """A copy as a backup keeps it. `title` and `text` are None: it was withdrawn."""

    id: str
    author: str
    at: datetime
    title: str | None = None
    text: str | None = None


class SpaceState(Struct, frozen=True):
    """What a space is beside its copies and its audit.

    Attributes:
        cursor: of its last change. version: of the form in which a backup keeps it.
    """

    name: str
    opened: datetime
    cursor: int
    members: tuple[KeptMember, ...]
    version: int = 1


class Joined(Struct, frozen=True):
    """A space that this device is in.

    Attributes:
        url: of the server, without the space. member, role: as the server knew them when it was joined.
        token_file: a file that holds the token at each moment, in place of `token`; "" for none.
        cursor: how far the mirror has followed. shared: ids of the memories that were sent there from here.
        missing: ids of copies that are here, or were sent from here, and that the server does not hold since it was restored.
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
        """Name of the space of memories that holds the copies here."""
        return MIRROR + self.space


#: The bits of a cursor that count changes. Those above name the timeline: 0, and after a restore the second in which it was done.
_COUNT_BITS = 31


def timeline_of(cursor: int) -> int:
    """Return to which history of its space a cursor belongs. A restore begins another, because changes of the lost one are unknown."""
    return cursor >> _COUNT_BITS


def next_timeline(cursor: int, at: datetime) -> int:
    """Return the cursor with which another timeline begins: behind all that were given, by whatever was lost as well."""
    return max(int(at.timestamp()), timeline_of(cursor) + 1) << _COUNT_BITS


def digest_of(token: str) -> bytes:
    """Return what a store keeps of a token. A token is 32 random bytes, so one round of a hash is enough."""
    return hashlib.sha256(token.encode()).digest()


def invitation_of(address: str, token_file: str = "") -> tuple[str, str, str]:
    """Return the server's address, the space and the token of an invitation: https://HOST:PORT/SPACE#TOKEN.

    Args:
        token_file: where the token stands, for an invitation without one; "": it must have one.

    Raises:
        InvalidInput: it is none, or its token would travel unencrypted over a network.
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
