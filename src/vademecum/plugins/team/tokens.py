"""Tokens of members: which member of a space a request comes from. A token is valid for one space.

A token is one of ours, of which the store has the digest, or one that an identity provider signed (`oidc.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from vademecum.domain.errors import Refused
from vademecum.plugins.team.values import Member, digest_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from vademecum.plugins.team.spread import Spread

_DOTS_OF_JWT = 2


class NotLetIn(Refused):
    """The token belongs to no member of this space."""

    code = "not_let_in"


class Issuer(Protocol):
    """Verifies tokens of an identity provider."""

    def who(self, token: str) -> str:
        """Return the subject of a token.

        Raises:
            NotLetIn: the token is not from the provider, not for this server, or has expired.
            TeamUnavailable: the provider does not answer.
        """


class Tokens(NamedTuple):
    """Checks the tokens of members, and makes new ones.

    Attributes:
        stores: give the store of each space. new: returns a new random token.
        issuer: verifies tokens of single sign-on; None: it is not set up.
    """

    stores: Spread
    new: Callable[[], str]
    issuer: Issuer | None = None

    def member_of(self, space: str, token: str) -> Member:
        """Return the member of a space to whom a token belongs, ours or one of the issuer.

        Raises:
            NotLetIn: it belongs to no member. TeamUnavailable: the store or the issuer does not answer.
        """
        issuer = self.issuer
        signed_in = issuer.who(token) if issuer is not None and token.count(".") == _DOTS_OF_JWT else ""  # ours contain no dot
        with self.stores.of(space) as store:
            if signed_in:
                member = store.member_signed_in(space, signed_in)
            else:
                member = store.member_with(space, digest_of(token)) if token else None
        if member is None:
            raise NotLetIn(f"This token does not open {space}.", "Ask a keeper of the space for another invitation.")
        return member
