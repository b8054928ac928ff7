"""Ports of a team: the store of the server, and the joined spaces of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    import numpy as np

    from vademecum.plugins.team.values import AuditEntry, Change, Found, Joined, KeptCopy, Member, Published, SpaceState

#: A word in at least so many passages of a space matches nothing by itself.
COMMON = 5_000
#: Weight of words in a score; the rest is meaning. Not tuned, because prompts use recall on the mirrors.
WORDS_SHARE = 0.5


class TeamStore(Protocol):
    """Members and published copies. Each call is for one space only; an unknown space is empty.

    `by` is the name of the calling member. Each operation and its audit line are written together or not at all. The store enforces
    roles again, independently of the service.

    Raises:
        Refused: the role does not allow it, or the member is revoked. Nothing was written.
        TeamUnavailable: the store cannot be reached.
    """

    def must_be_ready(self) -> None:
        """Check that the store answers and its tables are of this version or a later one.

        Raises:
            Refused: they are of an earlier version.
        """

    def load(self) -> Mapping[str, int]:
        """Return the state of the connection pool: `size`, `available`, `most`, and `waiting` calls."""

    def holds(self, space: str) -> bool:
        """Return whether there is a space of that name, whoever asks."""

    def member_with(self, space: str, digest: bytes) -> Member | None:
        """Return the member with that token digest; None if there is none or it is revoked."""

    def member_signed_in(self, space: str, sign_in: str) -> Member | None:
        """Return the member with that subject of single sign-on; None if there is none or it is revoked."""

    def members(self, space: str) -> tuple[Member, ...]:
        """Return all members by name, revoked ones included."""

    def add_member(self, member: Member, digest: bytes, *, by: str) -> None:
        """Add a member, or replace token and role of the member of that name.

        Raises:
            AlreadyExists: another member of the space has that `sign_in`.
        """

    def rotate(self, space: str, digest: bytes, at: datetime, *, by: str) -> None:
        """Replace the token of the calling member."""

    def revoke(self, space: str, name: str, at: datetime, *, by: str) -> bool:
        """Revoke a member, which anybody may do for themselves; return whether there was one."""

    def publish(
        self, space: str, copy: Published, passages: Sequence[str], vectors: np.ndarray | None, at: datetime, *, by: str
    ) -> int:
        """Insert or replace a copy of this author, and return the cursor of the change.

        Args:
            passages: searchable text. vectors: a unit vector for each; None: search by words alone.

        Raises:
            Refused: also if the copy belongs to another author.
        """

    def withdraw(self, space: str, identity: str, at: datetime, *, by: str) -> int:
        """Delete a copy except its id and cursor, and return the cursor of the change; 0 if there is none.

        Raises:
            Refused: also if it belongs to another author and the caller is no keeper.
        """

    def changes(self, space: str, after: int, limit: int, at: datetime, *, by: str) -> tuple[Change, ...]:
        """Return the changes after a cursor, in order; of each copy only the last one. For a cursor that this store never gave out, all
        changes: the store was restored to an earlier state."""

    def search(
        self, space: str, question: str, vector: np.ndarray | None, limit: int, at: datetime, *, by: str
    ) -> tuple[Found, ...]:
        """Search copies; return each once with its best passage, best first, ties by id.

        The weight of a word is ln(1 + COMMON / passages of the space with the word); one in COMMON or more matches nothing. The word
        score of a passage is its share of the weight of the question, its meaning score the cosine; its score combines both by
        `WORDS_SHARE`, or is the word score without a vector. Passages with none of the words and no vector do not match.
        """

    def audit(self, space: str, limit: int, *, by: str) -> tuple[AuditEntry, ...]:
        """Return the latest audit lines, newest first."""

    def close(self) -> None:
        """Close all connections."""


class KeptSpace(NamedTuple):
    """A snapshot of a space: `copies` in the order of their changes, `audit` in their order. Each can be iterated once."""

    state: SpaceState
    copies: Iterator[KeptCopy]
    audit: Iterator[AuditEntry]


class SpaceWriter(Protocol):
    """Writes a new space: first its state, then copies and audit lines in order."""

    def space(self, state: SpaceState) -> None:
        """Create the space with its members, on a new timeline.

        Raises:
            AlreadyExists: there is one of that name.
        """

    def copy(self, copy: KeptCopy, passages: Sequence[str], vectors: np.ndarray | None) -> None:
        """Append a copy; passages and vectors as in :meth:`TeamStore.publish`."""

    def audit(self, entries: Sequence[AuditEntry]) -> None:
        """Append audit lines."""


class SpaceOwner(Protocol):
    """Whole spaces, for the owner of the database. The audit names `OWNER` as the actor.

    Raises:
        Refused: the tables are not of this version. TeamUnavailable.
    """

    def reading(self, space: str, at: datetime) -> AbstractContextManager[KeptSpace]:
        """Give a snapshot of a space; an audit line is added when the block succeeds.

        Raises:
            NotFound: there is none of that name.
        """

    def restoring(self, at: datetime) -> AbstractContextManager[SpaceWriter]:
        """Give a writer for a space: everything is committed when the block succeeds, nothing otherwise."""


class Teams(Protocol):
    """The joined spaces, and requests to their servers."""

    def joined(self) -> tuple[Joined, ...]:
        """Return the joined spaces by name."""

    def keep(self, joined: Joined) -> None:
        """Store a space, readable by its owner only, replacing its former state; its mirror folder is created."""

    def drop(self, joined: Joined) -> None:
        """Delete a space: its token, and its mirror."""

    def ask(self, joined: Joined, operation: str, values: Mapping[str, object]) -> object:
        """Send a request (:class:`vademecum.plugins.team.service.TeamService`) to the server and return the parsed JSON.

        Raises:
            Refused: the token is no longer valid, or by role or guard. InvalidInput, NotFound.
            TeamUnavailable: no answer, or an invalid one.
        """
