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

#: Begins the source of what a colleague said: then follow the space and their name.
COLLEAGUE = "team://"
#: Begins the names of spaces of memories that hold copies.
MIRROR = "team-"
#: Longest text of a published copy, in characters.
COPY_MAX_CHARS = 100_000
#: Most changes in one answer.
PAGE = 200


class Member(Struct, frozen=True):
    """Somebody who may enter a space.

    Attributes:
        since, revoked: aware, UTC. revoked: from then on their token opens nothing; None: it does.
    """

    space: str
    name: str
    role: Role
    since: datetime
    revoked: datetime | None = None


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


#: invite, revoke: of a member. publish, withdraw: of a copy. read: what changed since a cursor. search: anything.
What = Literal["open", "invite", "revoke", "publish", "withdraw", "read", "search"]


class Deed(Struct, frozen=True):
    """A line of the audit: who did what. Holds no text of a copy and no question."""

    at: datetime
    member: str
    what: What
    subject: str = ""


class Joined(Struct, frozen=True):
    """A space that this device is in.

    Attributes:
        url: of the server, without the space. member, role: as the server knew them when it was joined.
        cursor: how far the mirror has followed. shared: ids of the memories that were sent there from here.
    """

    space: str
    url: str
    token: str
    member: str = ""
    role: Role = "reader"
    cursor: int = 0
    shared: tuple[str, ...] = ()

    @property
    def mirror(self) -> str:
        """Name of the space of memories that holds the copies here."""
        return MIRROR + self.space


def digest_of(token: str) -> bytes:
    """Return what a store keeps of a token. A token is 32 random bytes, so one round of a hash is enough."""
    return hashlib.sha256(token.encode()).digest()


def invitation_of(address: str) -> tuple[str, str, str]:
    """Return the server's address, the space and the token of an invitation: https://HOST:PORT/SPACE#TOKEN.

    Raises:
        InvalidInput: it is none, or its token would travel unencrypted over a network.
    """
    parts = urlsplit(address.strip())
    base, _, space = parts.path.rpartition("/")
    if parts.scheme not in ("http", "https") or not (parts.hostname and space and parts.fragment) or parts.query:
        raise InvalidInput("That is no invitation.", "It looks like https://HOST:PORT/SPACE#TOKEN; put it in quotes.")
    if parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise InvalidInput("Over http:// anybody on the way could read the token.", "Ask for an invitation with https://")
    return f"{parts.scheme}://{parts.netloc}{base}", space, parts.fragment
