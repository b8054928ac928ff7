"""A team's store in plain Python: the reference that PostgreSQL is held against, gone when its process ends."""

from __future__ import annotations

import threading
from math import log
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from vademecum.adapters.stores.analysis import Words
from vademecum.domain.errors import AlreadyExists, Refused
from vademecum.plugins.team.ports import COMMON, WORDS_SHARE
from vademecum.plugins.team.values import AuditEntry, Change, Found, Member, Published, Role, What

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import numpy as np


class _Passage(NamedTuple):
    text: str
    words: frozenset[str]
    vector: np.ndarray | None


class _Space:
    """What one space holds."""

    def __init__(self) -> None:
        self.cursor = 0
        self.members: dict[str, tuple[Member, bytes]] = {}
        self.changes: dict[str, tuple[Change, str]] = {}
        self.passages: dict[str, list[_Passage]] = {}
        self.entries: list[AuditEntry] = []


class MemoryTeam:
    """The port :class:`vademecum.plugins.team.ports.TeamStore` as dictionaries."""

    def __init__(self) -> None:
        self._spaces: dict[str, _Space] = {}
        self._words = Words()
        self._lock = threading.RLock()

    def open_space(self, keeper: Member, digest: bytes) -> None:
        """Make a space with its first keeper.

        Raises:
            AlreadyExists: there is one of that name.
        """
        if keeper.space in self._spaces:
            raise AlreadyExists(f"There is a space {keeper.space} already.")
        space = self._spaces[keeper.space] = _Space()
        space.members[keeper.name] = (keeper, digest)
        space.entries.append(AuditEntry(keeper.since, keeper.name, "open"))

    def must_be_ready(self) -> None:
        """It is in this process."""

    def load(self) -> dict[str, int]:
        """It has no connections."""
        return {}

    def holds(self, space: str) -> bool:
        """Return whether there is a space of that name."""
        return space in self._spaces

    def member_with(self, space: str, digest: bytes) -> Member | None:
        """Return the member whose token has that digest."""
        known = self._space(space).members.values()
        return next((one for one, theirs in known if theirs == digest and one.revoked is None), None)

    def member_signed_in(self, space: str, sign_in: str) -> Member | None:
        """Return the member whom the issuer calls so."""
        known = (one for one, _ in self._space(space).members.values() if sign_in and one.sign_in == sign_in)
        return next((one for one in known if one.revoked is None), None)

    def rotate(self, space: str, digest: bytes, at: datetime, *, by: str) -> None:
        """Give the member who acts another token."""
        here = self._entered(space, by)
        here.members[by] = (here.members[by][0], digest)
        self._note(here, at, by, "rotate")

    def members(self, space: str) -> tuple[Member, ...]:
        """Return all members by name."""
        return tuple(one for _, (one, _) in sorted(self._space(space).members.items()))

    def add_member(self, member: Member, digest: bytes, *, by: str) -> None:
        """Let somebody in."""
        space = self._entered(member.space, by, "keeper")
        if any(member.sign_in == other.sign_in != "" and name != member.name for name, (other, _) in space.members.items()):
            raise AlreadyExists(f"Another member of {member.space} signs in as {member.sign_in}.")
        space.members[member.name] = (member, digest)
        self._note(space, member.since, by, "invite", member.name)

    def revoke(self, space: str, name: str, at: datetime, *, by: str) -> bool:
        """Close the door to a member."""
        here = self._entered(space, by, *(() if name == by else ("keeper",)))
        known, digest = here.members.get(name, (None, b""))
        if known is None or known.revoked is not None:
            return False
        self._note(here, at, by, "revoke", name)
        here.members[name] = (replace(known, revoked=at), digest)
        return True

    def publish(
        self, space: str, copy: Published, passages: Sequence[str], vectors: np.ndarray | None, at: datetime, *, by: str
    ) -> int:
        """Put a copy in the place of what has its id, of this author."""
        with self._lock:
            here = self._entered(space, by, "writer", "keeper")
            _, author = here.changes.get(copy.id, (None, by))
            if author != by or copy.author != by:
                raise Refused(f"The copy {copy.id} is another member's.", "Share a memory of your own.")
            here.passages[copy.id] = [
                _Passage(text, frozenset(self._words.of(text)), None if vectors is None else vectors[number])
                for number, text in enumerate(passages)
            ]
            return self._changed(here, copy.id, copy, at, by, "publish")

    def withdraw(self, space: str, identity: str, at: datetime, *, by: str) -> int:
        """Erase a copy."""
        with self._lock:
            here = self._entered(space, by, "writer", "keeper")
            known, author = here.changes.get(identity, (None, ""))
            if known is None or known.copy is None:
                return 0
            if author != by and here.members[by][0].role != "keeper":
                raise Refused(f"The copy {identity} is another member's.", "Ask its author, or a keeper of the space.")
            here.passages.pop(identity, None)
            return self._changed(here, identity, None, at, by, "withdraw")

    def changes(self, space: str, after: int, limit: int, at: datetime, *, by: str) -> tuple[Change, ...]:
        """Return what changed behind a cursor, in order."""
        here = self._entered(space, by)
        with self._lock:
            known, after = [one for one, _ in here.changes.values()], after if after <= here.cursor else 0
        later = sorted((one for one in known if one.cursor > after), key=lambda one: one.cursor)[:limit]
        if later:
            self._note(here, at, by, "read", f"{later[0].cursor}-{later[-1].cursor}")
        return tuple(later)

    def search(
        self, space: str, question: str, vector: np.ndarray | None, limit: int, at: datetime, *, by: str
    ) -> tuple[Found, ...]:
        """Return the copies that a question finds, best first."""
        here = self._entered(space, by)
        self._note(here, at, by, "search")
        every = [passage for passages in here.passages.values() for passage in passages]
        counts = {term: sum(term in one.words for one in every) for term in self._words.asked(question)}
        weights = {term: log(1 + COMMON / max(count, 1)) for term, count in counts.items() if count < COMMON}
        found = []
        for identity, passages in here.passages.items():
            scored = [(_score(one, weights, vector), -number, one.text) for number, one in enumerate(passages)]
            score, _, text = max(scored, default=(None, 0, ""), key=lambda one: (one[0] is not None, *one))
            copy = here.changes[identity][0].copy
            if score is not None and copy is not None:
                found.append(Found(identity, copy.title, copy.author, text, score))
        return tuple(sorted(found, key=lambda one: (-one.score, one.id))[:limit])

    def audit(self, space: str, limit: int, *, by: str) -> tuple[AuditEntry, ...]:
        """Return the last lines of the audit."""
        return tuple(reversed(self._entered(space, by, "keeper").entries))[:limit]

    def close(self) -> None:
        """Release nothing: there is nothing to release."""

    def _space(self, name: str) -> _Space:
        return self._spaces.get(name) or _Space()

    def _entered(self, space: str, by: str, *roles: Role) -> _Space:
        here = self._space(space)
        known, _ = here.members.get(by, (None, b""))
        if known is None or known.revoked is not None or (roles and known.role not in roles):
            raise Refused(f"{by or 'Nobody'} may not do that in {space}.", "Ask a keeper of the space.")
        return here

    def _note(self, space: _Space, at: datetime, by: str, what: What, subject: str = "") -> None:
        space.entries.append(AuditEntry(at, by, what, subject))

    def _changed(self, here: _Space, identity: str, copy: Published | None, at: datetime, by: str, what: What) -> int:
        here.cursor += 1
        _, author = here.changes.get(identity, (None, by))
        here.changes[identity] = (Change(here.cursor, identity, at, copy), author)
        self._note(here, at, by, what, identity)
        return here.cursor


def _score(passage: _Passage, weights: dict[str, float], vector: np.ndarray | None) -> float | None:
    """Return what a passage is worth; None: it has none of the words, and there is no vector."""
    held = sum(weight for term, weight in weights.items() if term in passage.words)
    words = held / sum(weights.values()) if held else 0.0
    if vector is None:
        return words or None
    if passage.vector is None:
        return WORDS_SHARE * words or None
    near = float(passage.vector @ vector)
    return WORDS_SHARE * words + (1 - WORDS_SHARE) * max(near, 0.0)
