"""Single sign-on by OpenID Connect: verifies signed tokens with the published keys of the provider."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import jwt

from vademecum.domain.errors import TeamUnavailable
from vademecum.plugin_api.machine import HttpFailure, get
from vademecum.plugins.team.tokens import NotLetIn

if TYPE_CHECKING:
    from collections.abc import Callable

    from vademecum.plugins.team.set_up import SignOn

#: Accepted signature algorithms: asymmetric ones only, so that the published keys cannot sign.
_SIGNED_BY = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
#: Largest clock difference between two machines, in seconds.
_LEEWAY_S = 60
#: Lifetime of the keys, and least time between two fetches even if tokens name unknown keys, in seconds.
_KEYS_LAST_S, _BETWEEN_S = 3_600.0, 10.0
_WAIT_S = 5.0
_AGAIN = "Sign in again."


class OidcIssuer:
    """The port :class:`vademecum.plugins.team.tokens.Issuer` for ID and access tokens of one provider, which are JWTs.

    Args:
        now: a monotonic clock in seconds.
    """

    def __init__(self, sign_on: SignOn, now: Callable[[], float]) -> None:
        self._sign_on, self._now = sign_on, now
        self._lock = threading.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched: float | None = None

    def who(self, token: str) -> str:
        """Verify a token and return its configured claim."""
        try:
            key = self._key(str(jwt.get_unverified_header(token).get("kid", "")))
            claims = jwt.decode(
                token, key, algorithms=_SIGNED_BY, audience=self._sign_on.audience, issuer=self._sign_on.issuer, leeway=_LEEWAY_S,
                options={"require": ["exp", "iss", "aud"]},
            )  # fmt: skip
        except jwt.PyJWTError as error:
            raise NotLetIn(f"The token of single sign-on was not accepted: {error}.", _AGAIN) from error
        value = claims.get(self._sign_on.claim)
        if self._sign_on.claim == "email" and claims.get("email_verified") is not True:
            raise NotLetIn(
                "The provider did not verify the address of that token.", "Use another claim: VADEMECUM_TEAM_OIDC_CLAIM."
            )
        if not (isinstance(value, str) and value):
            raise NotLetIn(f"The token of single sign-on has no claim {self._sign_on.claim}.", _AGAIN)
        return value

    def _key(self, identity: str) -> jwt.PyJWK:
        """Return a key of the provider. New keys are fetched when a token names one."""
        with self._lock:
            age = None if self._fetched is None else self._now() - self._fetched
            if age is None or age > _KEYS_LAST_S or (identity not in self._keys and age > _BETWEEN_S):
                self._keys = self._fetch()
                self._fetched = self._now()
            if identity not in self._keys:
                raise jwt.InvalidKeyError("the provider has no such key")
            return self._keys[identity]

    def _fetch(self) -> dict[str, jwt.PyJWK]:
        issuer = self._sign_on.issuer
        try:
            about = get(f"{issuer.rstrip('/')}/.well-known/openid-configuration", _WAIT_S)
            if about["issuer"] != issuer:
                raise TeamUnavailable(f"{issuer} calls itself {about['issuer']!r}.", "See VADEMECUM_TEAM_OIDC_ISSUER.")
            published: Any = get(about["jwks_uri"], _WAIT_S)
            return {key.key_id or "": key for key in jwt.PyJWKSet.from_dict(published).keys if key.public_key_use != "enc"}
        except (HttpFailure, KeyError, TypeError, AttributeError, jwt.PyJWTError) as error:
            raise TeamUnavailable(f"The keys of {issuer} cannot be had: {error}", "Try again later.") from error
