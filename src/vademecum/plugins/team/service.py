"""The operations of a team server, independent of the transport. `tokens.py` says which member a request comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import msgspec
from msgspec import Struct

from vademecum.domain.errors import EmbedderUnavailable, InvalidInput, NotFound, Refused
from vademecum.domain.memory import Memory, Space
from vademecum.plugin_api.vault import check_slug, memory_item
from vademecum.plugins.team.copies import must_be_clean, parsed
from vademecum.plugins.team.values import PAGE, Account, Member, Published, Role, digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    import numpy as np

    from vademecum.plugin_api.writing import Guard
    from vademecum.plugins.team.spread import Spread
    from vademecum.plugins.team.tokens import Tokens
    from vademecum.plugins.team.values import AuditEntry, Change, Found
    from vademecum.ports.clock import Clock
    from vademecum.ports.embedder import Embedder

#: Most audit lines in one answer, and most search results.
_ENTRIES, _FOUND = 1_000, 50


class Publish(Struct, frozen=True, forbid_unknown_fields=True):
    """Argument of publish: a copy, which replaces the one with its id."""

    id: str
    text: str


class Withdraw(Struct, frozen=True, forbid_unknown_fields=True):
    """Argument of withdraw: the id of a copy."""

    id: str


class Changes(Struct, frozen=True, forbid_unknown_fields=True):
    """Argument of changes: the cursor to continue from."""

    after: int = 0


class Search(Struct, frozen=True, forbid_unknown_fields=True):
    """Argument of search: a question."""

    question: str
    limit: int = 10


class Invite(Struct, frozen=True, forbid_unknown_fields=True):
    """Argument of invite: a new member. kind, sign_in: see :class:`vademecum.plugins.team.values.Member`."""

    name: str
    role: Role = "writer"
    kind: Account = "person"
    sign_in: str = ""


class Rotate(Struct, frozen=True, forbid_unknown_fields=True):
    """Argument of rotate: the member who gets a new token; "": oneself."""

    name: str = ""


class Revoke(Struct, frozen=True, forbid_unknown_fields=True):
    """Argument of revoke: a member; "": oneself."""

    name: str = ""


class Audit(Struct, frozen=True, forbid_unknown_fields=True):
    """Argument of audit: the number of lines."""

    limit: int = 100


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """An operation without arguments."""


class Answer(NamedTuple):
    """The JSON result of an operation, and its number of rows (copies, members, audit lines); 1 if it is no list."""

    body: bytes
    rows: int


class TeamService:
    """Serves the members of all spaces.

    Args:
        stores: give the store of each space.
        embedder: embeds copies and questions; None: search uses words alone.

    Attributes:
        tokens: says which member a request comes from.
    """

    def __init__(self, stores: Spread, guard: Guard, clock: Clock, embedder: Embedder | None, tokens: Tokens) -> None:
        self._stores, self._guard, self._clock, self._embedder, self.tokens = stores, guard, clock, embedder, tokens
        self._operations: Mapping[str, tuple[type[Struct], Callable[[Member, Any], Any]]] = {
            "me": (Nothing, lambda member, _: member),
            "publish": (Publish, self._publish),
            "withdraw": (Withdraw, self._withdraw),
            "changes": (Changes, self._changes),
            "search": (Search, self._search),
            "members": (Nothing, self._members),
            "invite": (Invite, self._invite),
            "revoke": (Revoke, self._revoke),
            "rotate": (Rotate, self._rotate),
            "audit": (Audit, self._audit),
        }

    @property
    def operations(self) -> Collection[str]:
        """The names of all operations."""
        return self._operations.keys()

    def must_be_ready(self) -> tuple[str, ...]:
        """Check that members can be served; return the names of databases that do not answer while others do.

        Raises:
            TeamUnavailable: no database answers. Refused: its tables are of an earlier version.
        """
        return self._stores.must_be_ready()

    def do(self, member: Member, operation: str, body: bytes) -> Answer:
        """Carry out one request of an authenticated member.

        Args:
            body: the arguments, one JSON object.

        Raises:
            Refused: by role or guard. NotFound: there is no such operation. InvalidInput: an argument does not fit.
            TeamUnavailable: the store does not answer.
        """
        if operation not in self._operations:
            raise NotFound(f"There is no operation {operation!r}.", "Known: " + ", ".join(self._operations))
        asked, do = self._operations[operation]
        try:
            values = msgspec.json.decode(body or b"{}", type=asked)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InvalidInput(f"The arguments of {operation} do not fit: {error}.") from error
        result = do(member, values)
        return Answer(msgspec.json.encode(result), len(result) if isinstance(result, tuple) else 1)

    def _publish(self, member: Member, asked: Publish) -> int:
        copy = Published(asked.id, member.name, "", asked.text)
        memory = parsed(copy, Space(member.space, "/", ""))
        must_be_clean(self._guard, asked.text)
        copy = msgspec.structs.replace(copy, title=memory.title)
        passages = passages_of(memory)
        vectors, now = vectors_of(self._embedder, passages), self._clock.now()
        with self._stores.of(member.space) as store:
            return store.publish(member.space, copy, passages, vectors, now, by=member.name)

    def _withdraw(self, member: Member, asked: Withdraw) -> int:
        with self._stores.of(member.space) as store:
            return store.withdraw(member.space, asked.id, self._clock.now(), by=member.name)

    def _changes(self, member: Member, asked: Changes) -> tuple[Change, ...]:
        with self._stores.of(member.space) as store:
            return store.changes(member.space, asked.after, PAGE, self._clock.now(), by=member.name)

    def _search(self, member: Member, asked: Search) -> tuple[Found, ...]:
        vectors = vectors_of(self._embedder, [asked.question], question=True)
        near, limit = None if vectors is None else vectors[0], max(1, min(asked.limit, _FOUND))
        with self._stores.of(member.space) as store:
            return store.search(member.space, asked.question, near, limit, self._clock.now(), by=member.name)

    def _members(self, member: Member, _: Nothing) -> tuple[Member, ...]:
        with self._stores.of(member.space) as store:
            members = store.members(member.space)
        return members if member.role == "keeper" else tuple(msgspec.structs.replace(other, sign_in="") for other in members)

    def _invite(self, member: Member, asked: Invite) -> str:
        name = check_slug(asked.name, "name of a member")
        if asked.name == member.name:
            _refuse("Nobody invites themselves: the token in use would be lost.")
        if asked.kind == "service" and asked.role == "keeper":
            _refuse("A program is no keeper: it would let people in.")
        if asked.sign_in and self.tokens.issuer is None:
            _refuse("This server has no single sign-on: VADEMECUM_TEAM_OIDC_ISSUER is not set.")
        token, now = self.tokens.new(), self._clock.now()
        fresh = Member(member.space, name, asked.role, now, kind=asked.kind, sign_in=asked.sign_in)
        with self._stores.of(member.space) as store:
            store.add_member(fresh, digest_of(token), by=member.name)
        return "" if asked.sign_in else token

    def _rotate(self, member: Member, asked: Rotate) -> str:
        token, now = self.tokens.new(), self._clock.now()
        if asked.name in ("", member.name):
            _must_have_a_token(member)
            with self._stores.of(member.space) as store:
                store.rotate(member.space, digest_of(token), now, by=member.name)
            return token
        with self._stores.of(member.space) as store:
            known = next((other for other in store.members(member.space) if other.name == asked.name), None)
        if known is None or known.revoked is not None:
            raise NotFound(f"{asked.name} is no member of {member.space}.", "Let them in: vade team invite")
        _must_have_a_token(known)
        with self._stores.of(member.space) as store:
            store.add_member(msgspec.structs.replace(known, since=now), digest_of(token), by=member.name)
        return token

    def _revoke(self, member: Member, asked: Revoke) -> bool:
        with self._stores.of(member.space) as store:
            return store.revoke(member.space, asked.name or member.name, self._clock.now(), by=member.name)

    def _audit(self, member: Member, asked: Audit) -> tuple[AuditEntry, ...]:
        with self._stores.of(member.space) as store:
            return store.audit(member.space, max(1, min(asked.limit, _ENTRIES)), by=member.name)


def passages_of(memory: Memory) -> list[str]:
    """Return the searchable passages of a copy."""
    return [f"{passage.heading}\n{passage.text}" for passage in memory_item(memory, "").passages]


def vectors_of(embedder: Embedder | None, texts: Sequence[str], *, question: bool = False) -> np.ndarray | None:
    """Return an embedding for each text; None without an embedder."""
    if embedder is None or not texts:
        return None
    try:
        return embedder.embed(texts, role="query" if question else "passage")
    except EmbedderUnavailable:
        return None


def _must_have_a_token(member: Member) -> None:
    if member.sign_in:
        _refuse(f"{member.name} signs in and has no token of this server.")


def _refuse(why: str) -> NoReturn:
    raise Refused(why)
