"""What a team's server keeps, members and published copies of memories by space; and what a member's device knows of its spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    import numpy as np

    from vademecum.plugins.team.values import Change, Deed, Found, Joined, KeptCopy, Member, Published, SpaceState

#: A word that stands in so many passages of a space finds nothing by itself.
COMMON = 5_000
#: Of a score, the words' share; the rest is the meaning's. Not tuned: what prompts are told is ranked by recall on the mirrors.
WORDS_SHARE = 0.5


class TeamStore(Protocol):
    """Members and published copies. Each call names one space and touches no other; an unknown space is one without anything in it.

    `by` is the name of the member who acts. What they did is noted in the audit with the deed itself: both or neither. A store holds
    them to their role a second time, beneath the service that asks it.

    Raises:
        Refused: their role does not allow it, or they were revoked. Nothing was written.
        TeamUnavailable: the store cannot be reached.
    """

    def must_be_ready(self) -> None:
        """Return once the store has answered, and its tables are those of this version or of a later one.

        Raises:
            Refused: they are those of an earlier version.
        """

    def load(self) -> Mapping[str, int]:
        """Return how busy its connections are: `size`, `available`, `most`, and `waiting`, the calls that wait for one."""

    def member_with(self, space: str, digest: bytes) -> Member | None:
        """Return the member whose token has that digest; None: nobody's, or one that was revoked."""

    def member_signed_in(self, space: str, sign_in: str) -> Member | None:
        """Return the member whom the issuer calls so; None: nobody, or one that was revoked."""

    def members(self, space: str) -> tuple[Member, ...]:
        """Return all members by name, also those that were revoked."""

    def add_member(self, member: Member, digest: bytes, *, by: str) -> None:
        """Let somebody in; a member of that name gets this token and role in place of theirs.

        Raises:
            AlreadyExists: another member of the space has that `sign_in`.
        """

    def rotate(self, space: str, digest: bytes, at: datetime, *, by: str) -> None:
        """Give the member who acts another token in place of theirs."""

    def revoke(self, space: str, name: str, at: datetime, *, by: str) -> bool:
        """Close the door to a member, which anybody may do for themselves; whether there was one to close it to."""

    def publish(
        self, space: str, copy: Published, passages: Sequence[str], vectors: np.ndarray | None, at: datetime, *, by: str
    ) -> int:
        """Put a copy in the place of what has its id, of this author, and return the cursor of the change.

        Args:
            passages: what of it is searched. vectors: a unit row for each; None: it is found by words alone.

        Raises:
            Refused: besides, the copy of that id is another author's.
        """

    def withdraw(self, space: str, identity: str, at: datetime, *, by: str) -> int:
        """Erase a copy, of which the id and the cursor stay, and return the cursor of the change; 0: there is none.

        Raises:
            Refused: besides, it is another author's, and who asks is no keeper.
        """

    def changes(self, space: str, after: int, limit: int, at: datetime, *, by: str) -> tuple[Change, ...]:
        """Return what changed behind a cursor, in order; of a copy that changed more than once the last alone. Behind a cursor that was
        not given yet it is everything: the store was put back to an earlier state, and the cursor is of what was lost."""

    def search(
        self, space: str, question: str, vector: np.ndarray | None, limit: int, at: datetime, *, by: str
    ) -> tuple[Found, ...]:
        """Return the copies that a question finds, each once with its best passage, best first, equal ones by id.

        A word weighs ln(1 + COMMON / passages of the space that hold it); one in COMMON or more finds nothing. A passage's words are
        worth the share of the question's weight that it holds, its meaning the cosine, and its score is both by `WORDS_SHARE`; without
        a vector the words'. What has none of the words and no vector is not found.
        """

    def deeds(self, space: str, limit: int, *, by: str) -> tuple[Deed, ...]:
        """Return the last lines of the audit, the latest first."""

    def close(self) -> None:
        """Release connections."""


class KeptSpace(NamedTuple):
    """A space as it stood at one moment: `copies` in the order of their changes, `deeds` as they were done. Each is read once."""

    state: SpaceState
    copies: Iterator[KeptCopy]
    deeds: Iterator[Deed]


class SpaceWriter(Protocol):
    """Puts a space where none of that name is: first what it is, then copies and deeds in their order."""

    def space(self, state: SpaceState) -> None:
        """Make it, with its members. Its changes begin another timeline.

        Raises:
            AlreadyExists: there is one of that name.
        """

    def copy(self, copy: KeptCopy, passages: Sequence[str], vectors: np.ndarray | None) -> None:
        """Put a copy in behind the others; passages and vectors as :meth:`TeamStore.publish`."""

    def deeds(self, deeds: Sequence[Deed]) -> None:
        """Put lines of the audit in behind the others."""


class SpaceOwner(Protocol):
    """Whole spaces, for whoever owns the database. What was done is noted in the audit as by `OWNER`.

    Raises:
        Refused: the tables are not those of this version. TeamUnavailable.
    """

    def reading(self, space: str, at: datetime) -> AbstractContextManager[KeptSpace]:
        """Give a space as it stands; that it was read is noted when the block ends well.

        Raises:
            NotFound: there is none of that name.
        """

    def restoring(self, at: datetime) -> AbstractContextManager[SpaceWriter]:
        """Give what a space is written with: all of it is there once the block ends well, nothing otherwise, killed anywhere."""


class Teams(Protocol):
    """The spaces that this device is in, and the line to their servers."""

    def joined(self) -> tuple[Joined, ...]:
        """Return them by name."""

    def keep(self, joined: Joined) -> None:
        """Note a space in the place of what is known of it, readable by its owner alone; its mirror is a folder from then on."""

    def drop(self, joined: Joined, *, keep_files: bool) -> None:
        """Forget a space and its token, and the folder of its mirror too unless its files are to stay."""

    def folder(self, joined: Joined) -> str:
        """Return the folder of its mirror."""

    def ask(self, joined: Joined, deed: str, values: Mapping[str, object]) -> object:
        """Return what its server answers to a deed (:class:`vademecum.plugins.team.service.TeamService`), as JSON gives it.

        Raises:
            Refused: the token opens nothing any more, or the role or the guard does not allow it. InvalidInput, NotFound.
            TeamUnavailable: no answer, or one that makes no sense.
        """
