"""A team's server as a process of its own, on PostgreSQL and over TLS; what its door lets in; and the demonstration of all of it."""

import asyncio
import datetime
import json
import os
import socket
import ssl
import subprocess
import sys
from datetime import UTC

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.entrypoints.http.test_http import send
from tests.plugins.team.memory_team import MemoryTeam
from tests.plugins.team.people import listening, person, server  # noqa: F401

from vademecum.adapters.http_client import Refusal, post
from vademecum.domain.errors import Refused, TeamUnavailable
from vademecum.plugins.team.app import BODY_MAX_BYTES, build_team_app
from vademecum.plugins.team.client import TeamFiles
from vademecum.plugins.team.commands import bound
from vademecum.plugins.team.demo import run_team
from vademecum.plugins.team.service import TeamService
from vademecum.plugins.team.set_up import Place
from vademecum.plugins.team.values import Joined, invitation_of


@pytest.fixture
def certificate(tmp_path):
    """A certificate for this machine that vouches for itself, and its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, private = tmp_path / "cert.pem", tmp_path / "key.pem"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return pem, private


def reasons(error):
    """The errors behind one, the nearest first; urllib keeps the one it had in `reason`."""
    while error is not None:
        yield from (error, getattr(error, "reason", None))
        error = error.__cause__


def test_served_over_tls(team_database, certificate, tmp_path, monkeypatch):
    """`vade team serve` answers over TLS from PostgreSQL; who does not know its certificate sends no token."""
    pem, private = certificate
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    settings = {
        "HOME": tmp_path, "PATH": os.environ["PATH"], "VADEMECUM_TEAM_OWNER": team_database.owner,
        "VADEMECUM_TEAM_DATABASE": team_database.service, "VADEMECUM_TEAM_HOST": "localhost", "VADEMECUM_TEAM_PORT": port,
        "VADEMECUM_TEAM_CERTIFICATE": pem, "VADEMECUM_TEAM_KEY": private, "VADEMECUM_EMBEDDER": "none",
    }  # fmt: skip
    environment = {name: str(value) for name, value in settings.items()}
    vade = [sys.executable, "-m", "vademecum", "team"]
    opened = subprocess.run(
        [*vade, "open", "tls", "--keeper", "ana", "--json"], env=environment, capture_output=True, check=True
    )
    url, space, token = invitation_of(json.loads(opened.stdout)["invitation"])
    assert url == f"https://localhost:{port}"
    joined, teams = Joined(space, url, token), TeamFiles(tmp_path / "data")
    with subprocess.Popen([*vade, "serve"], env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            answer = None
            while answer is None and process.poll() is None:
                with monkeypatch.context() as patch:
                    patch.setenv("SSL_CERT_FILE", str(pem))
                    try:
                        answer = teams.ask(joined, "me", {})
                    except TeamUnavailable:
                        continue
            assert answer["role"] == "keeper"
            with pytest.raises(TeamUnavailable) as untrusted:
                teams.ask(joined, "me", {})
            assert any(isinstance(reason, ssl.SSLCertVerificationError) for reason in reasons(untrusted.value))
        finally:
            process.terminate()


def test_not_in_the_clear(person, monkeypatch):  # noqa: F811
    """Without a certificate nothing is served to other machines, and without a database nothing at all."""
    ana = person("ana")
    monkeypatch.setenv("VADEMECUM_TEAM_HOST", "0.0.0.0")
    assert "tokens in the clear" in ana.refused("team serve")
    monkeypatch.delenv("VADEMECUM_TEAM_HOST")
    assert "VADEMECUM_TEAM_DATABASE is empty" in ana.refused("team serve")


def asked(url, deed, body=None, token="nobody"):
    """Status of a request that is refused."""
    with pytest.raises(Refusal) as refused:
        post(f"{url}/v1/atlas/{deed}", body or {}, {"Authorization": f"Bearer {token}"}, 5)
    return refused.value.status


def test_door(server):  # noqa: F811
    """Without a token, with another space's, with a body that is too long, with a deed or arguments that there are not: refused."""
    token = server.opened("atlas", "ana").partition("#")[2]
    other = server.opened("other", "bob").partition("#")[2]
    assert [asked(server.url, "me", token=one) for one in ("", "nobody", other)] == [401, 401, 401]
    assert asked(server.url, "drop", token=token) == 404
    assert asked(server.url, "publish", {"id": 5}, token) == 422
    assert asked(server.url, "publish", {"nonsense": "x"}, token) == 422
    assert asked(server.url, "search", {"question": "x" * BODY_MAX_BYTES}, token) == 422
    assert asked(server.url, "changes/../../health", token=token) == 404


def test_rate_limit(server):  # noqa: F811
    """A token that asks too often waits; another member's does not."""
    ana = server.opened("atlas", "ana").partition("#")[2]
    bob = server.opened("other", "bob").partition("#")[2]
    with listening(build_team_app(server.service, lambda: 0.0, per_token=3)) as port:
        url = f"http://127.0.0.1:{port}"
        for _ in range(3):
            post(f"{url}/v1/atlas/me", {}, {"Authorization": f"Bearer {ana}"}, 5)
        assert asked(url, "me", token=ana) == 429
        assert post(f"{url}/v1/other/me", {}, {"Authorization": f"Bearer {bob}"}, 5)["name"] == "bob"


@pytest.mark.slow
def test_demo(team_database):
    """`vade demo --team`: what is shared is recalled with the server switched off, what is private stays, who is shown out gets no more."""
    lines = []
    run_team(lines.append)
    text = "\n".join(lines)
    for told in (
        "Sent to atlas",
        "'Salary' stays here",
        "atlas: 1 came",
        "four bar",
        "opens nothing any more",
        "You left atlas",
    ):
        assert told in text
    assert text.index("switched off") < text.index("1. Pump pressure")


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_health_says_that_the_database_does_not_answer(path):
    """A server whose database is down says so with 503 and the reason, and 200 when it answers again."""

    class Sleeping(MemoryTeam):
        asleep = True

        def must_answer(self):
            if self.asleep:
                raise TeamUnavailable("The team's database does not answer.", "")

    store = Sleeping()
    app = build_team_app(TeamService(store, None, None, None, str), lambda: 0.0)
    down = asyncio.run(send(app, "GET", path))
    store.asleep = False
    up = asyncio.run(send(app, "GET", path))
    assert (down.status, json.loads(down.body)["reason"]) == (503, "The team's database does not answer.")
    assert (up.status, json.loads(up.body)) == (200, {"status": "ok"})


def test_taken_port_is_told_before_serving():
    """A port that another program has is refused with what to do, before anything says that it serves."""
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(Refused, match="cannot be served at") as refused:
        bound(Place("127.0.0.1", other.getsockname()[1], "", ""))
    assert "VADEMECUM_TEAM_PORT" in refused.value.hint
