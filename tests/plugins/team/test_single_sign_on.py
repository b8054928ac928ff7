"""Single sign-on: tokens of a provider that the test runs, with keys of its own; accounts of programs, and rotation of tokens."""

import time

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from tests.plugins.team.memory_team import MemoryTeam
from tests.plugins.team.people import Server, listening, operation, person, server  # noqa: F401

from vademecum.domain.errors import InvalidInput, TeamUnavailable
from vademecum.plugins.team.app import build_team_app
from vademecum.plugins.team.oidc import OidcIssuer
from vademecum.plugins.team.set_up import Limits, SignOn, sign_on
from vademecum.plugins.team.tokens import NotLetIn

AUDIENCE = "vade-team"


class Provider:
    """A provider of identities.

    Attributes:
        keys: name of a key -> the key; those that it publishes. url: its address; issuer: what it calls itself.
    """

    def __init__(self):
        self.keys = {"first": ec.generate_private_key(ec.SECP256R1())}
        self.url = self.issuer = ""
        self.asked = 0

    def about(self, _):
        return JSONResponse({"issuer": self.issuer, "jwks_uri": f"{self.url}/keys"})

    def published(self, _):
        self.asked += 1
        keys = []
        for name, key in self.keys.items():
            kind = jwt.algorithms.ECAlgorithm if isinstance(key, ec.EllipticCurvePrivateKey) else jwt.algorithms.RSAAlgorithm
            keys.append({**kind.to_jwk(key.public_key(), as_dict=True), "kid": name, "use": "sig"})
        return JSONResponse({"keys": keys})

    def token(self, *, key="first", signed_with=None, algorithm="ES256", **claims):
        """A token for somebody, signed as asked."""
        now = time.time()
        usual = {"iss": self.issuer, "aud": AUDIENCE, "sub": "sue", "iat": now, "exp": now + 300}
        given = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        chosen = self.keys[key] if signed_with is None else signed_with
        return jwt.encode(given, chosen, algorithm, headers={"kid": key})


@pytest.fixture
def provider():
    """A provider that answers over HTTP."""
    made = Provider()
    routes = [Route("/.well-known/openid-configuration", made.about), Route("/keys", made.published)]
    with listening(Starlette(routes=routes)) as port:
        made.url = made.issuer = f"http://127.0.0.1:{port}"
        yield made


class Seconds:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def seconds():
    return Seconds()


@pytest.fixture
def issuer(provider, seconds):
    return OidcIssuer(SignOn(provider.issuer, AUDIENCE, "sub"), seconds)


def test_a_token_of_the_provider_names_its_owner(provider, issuer):
    """A signed token for this server says who has it; keys are fetched once for many."""
    assert [issuer.who(provider.token(sub=name)) for name in ("sue", "tom")] == ["sue", "tom"]
    assert provider.asked == 1


@pytest.mark.parametrize(
    ("why", "how"),
    [
        ("expired", {"exp": 1_000_000}),
        ("Audience", {"aud": "another-program"}),
        ("issuer", {"iss": "https://elsewhere.example.org"}),
        ("exp", {"exp": None}),
        ("aud", {"aud": None}),
        ("Signature", {"signed_with": ec.generate_private_key(ec.SECP256R1())}),
        ("no such key", {"key": "unknown", "signed_with": ec.generate_private_key(ec.SECP256R1())}),
        ("not yet valid", {"nbf": 9_999_999_999}),
        ("no claim", {"sub": None}),
    ],
)
def test_other_tokens_are_refused(provider, issuer, why, how):
    """A token that is over, for somebody else, of somebody else, forged, or that names nobody opens nothing, and the reason is said."""
    with pytest.raises(NotLetIn, match=why):
        issuer.who(provider.token(**how))


@pytest.mark.parametrize("forged", ["none", "secret", "garbage"])
def test_unsigned_tokens_are_refused(provider, issuer, forged):
    """Neither a token without a signature, nor one signed with what the provider publishes as if it were a secret, nor no token at all."""
    public = provider.keys["first"].public_key()
    pem = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    token = {
        "none": provider.token(signed_with="", algorithm="none"),
        "secret": provider.token(signed_with=pem * 2, algorithm="HS256"),
        "garbage": "a.b.c",
    }[forged]
    with pytest.raises(NotLetIn):
        issuer.who(token)


def test_rotated_keys(provider, issuer, seconds):
    """A key that the provider rotated in is fetched when a token names it, at most once in ten seconds; one that it took back opens nothing
    once the keys were fetched again."""
    before = provider.token()
    issuer.who(before)
    provider.keys["second"] = rsa.generate_private_key(65537, 2048)
    fresh = provider.token(key="second", algorithm="RS256")
    for _ in range(3):
        with pytest.raises(NotLetIn):
            issuer.who(fresh)
    assert provider.asked == 1
    seconds.now += 11
    assert issuer.who(fresh) == "sue"
    del provider.keys["first"]
    assert issuer.who(before) == "sue"
    seconds.now += 3_601
    with pytest.raises(NotLetIn):
        issuer.who(before)


def test_an_address_counts_when_it_was_verified(provider, seconds):
    """An e-mail address that the provider did not verify may be anybody's, and names nobody."""
    issuer = OidcIssuer(SignOn(provider.issuer, AUDIENCE, "email"), seconds)
    assert issuer.who(provider.token(email="sue@example.org", email_verified=True)) == "sue@example.org"
    for verified in (False, None):
        with pytest.raises(NotLetIn, match="did not verify"):
            issuer.who(provider.token(email="sue@example.org", email_verified=verified))


def test_provider_that_is_away_or_another(provider, issuer, seconds):
    """Without the provider's keys nobody is let in and the reason is said; neither is a provider believed that calls itself another."""
    gone = OidcIssuer(SignOn("http://127.0.0.1:1", AUDIENCE, "sub"), seconds)
    with pytest.raises(TeamUnavailable, match="cannot be had"):
        gone.who(provider.token())
    token = provider.token()
    provider.issuer = "http://127.0.0.1:1"
    with pytest.raises(TeamUnavailable, match="calls itself"):
        issuer.who(token)


def test_set_up(monkeypatch):
    """Single sign-on is off without an issuer, and refused without an audience or over a line on which keys could be exchanged."""
    assert sign_on() is None
    monkeypatch.setenv("VADEMECUM_TEAM_OIDC_ISSUER", "https://login.example.org")
    with pytest.raises(InvalidInput, match="AUDIENCE"):
        sign_on()
    monkeypatch.setenv("VADEMECUM_TEAM_OIDC_AUDIENCE", AUDIENCE)
    assert sign_on() == SignOn("https://login.example.org", AUDIENCE, "sub")
    monkeypatch.setenv("VADEMECUM_TEAM_OIDC_ISSUER", "http://login.example.org")
    with pytest.raises(InvalidInput, match="https"):
        sign_on()


@pytest.fixture
def signed(provider, issuer, clock):
    """A server that lets people in by the provider's tokens as well."""
    store = MemoryTeam()
    made = Server(store, store.open_space, clock, issuer=issuer)
    with listening(build_team_app(made.service, operation(store), lambda: 0.0, Limits())) as port:
        made.url = f"http://127.0.0.1:{port}"
        yield made


def test_member_joins_by_single_sign_on(signed, provider, person, tmp_path):  # noqa: F811
    """A keeper lets somebody in by what the provider calls them. They join with a file that holds their token, which may change in it,
    and are out at once when they are revoked. Somebody whom nobody let in stays out, and has no other token to take."""
    ana, sue = person("ana"), person("sue")
    ana.vade("team join", signed.opened("atlas", "ana"))
    said = ana.vade("team invite atlas sue --sign-in sue@provider")
    assert "--token-file" in said and "#" not in said
    file = tmp_path / "token"
    file.write_text(provider.token(sub="tom@provider"))
    address = f"{signed.url}/atlas"
    assert "does not open atlas" in sue.refused(f"team join {address} --token-file {file}")
    file.write_text(provider.token(sub="sue@provider"))
    sue.vade(f"team join {address} --token-file {file}")
    sue.save("Pump", "The pump runs at four bar.")
    sue.vade("share Pump --to atlas --yes")
    assert ana.asks("team sync")["results"][0]["taken"] == 1
    assert "signs in as sue@provider" in ana.vade("team members atlas")
    assert "sue@provider" not in sue.vade("team members atlas")
    assert "signs in" in sue.refused("team invite --rotate atlas")
    file.write_text(provider.token(sub="sue@provider", exp=1_000_000))
    assert "expired" in sue.refused("team members atlas")
    file.write_text(provider.token(sub="sue@provider"))
    ana.vade("team revoke atlas sue")
    assert "does not open atlas" in sue.refused("team members atlas")


def test_accounts_of_programs(server, person):  # noqa: F811
    """A program has an account that is no keeper, whose token its keeper rotates and revokes: the one before opens nothing."""
    ana, bot = person("ana"), person("bot")
    ana.vade("team join", server.opened("atlas", "ana"))
    assert "no keeper" in ana.refused("team invite atlas bot --service --role keeper")
    assert "no single sign-on" in ana.refused("team invite atlas bot --sign-in bot")
    bot.vade("team join", ana.asks("team invite atlas bot --service")["address"])
    assert ", a program" in ana.vade("team members atlas")
    fresh = ana.asks("team invite --rotate atlas bot")["address"]
    assert "does not open atlas" in bot.refused("team members atlas")
    bot.vade("team leave atlas --yes")
    bot.vade("team join", fresh)
    assert ", a program" in bot.vade("team members atlas")
    assert bot.asks("team spaces")["results"][0]["role"] == "writer"
    assert "no member" in ana.refused("team invite --rotate atlas nobody")
    bot.refused("team invite --rotate atlas ana")
    ana.vade("team revoke atlas bot")
    assert "does not open atlas" in bot.refused("team members atlas")


def test_own_token_is_rotated(server, person):  # noqa: F811
    """Whoever rotates their own token goes on with the new one; a copy of the one before opens nothing."""
    ana = person("ana")
    invitation = server.opened("atlas", "ana")
    ana.vade("team join", invitation)
    assert "uses another token" in ana.vade("team invite --rotate atlas")
    assert "ana" in ana.vade("team members atlas")
    with pytest.raises(NotLetIn):
        server.service.tokens.member_of("atlas", invitation.partition("#")[2])
