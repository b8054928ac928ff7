"""A team's server as a process of its own, on PostgreSQL and over TLS; what its door lets in; and the demonstration of all of it."""

import asyncio
import datetime
import http.client
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
from tests.plugins.team.people import listening, operation, person, server, spread  # noqa: F401

from vademecum.adapters.web.http_client import Refusal, post
from vademecum.domain.errors import InvalidInput, Refused, TeamUnavailable
from vademecum.plugins.team.app import BODY_MAX_BYTES, build_team_app
from vademecum.plugins.team.client import TeamFiles
from vademecum.plugins.team.commands import bound
from vademecum.plugins.team.demo import run_team
from vademecum.plugins.team.operation import JsonLines
from vademecum.plugins.team.service import TeamService
from vademecum.plugins.team.set_up import Limits, Place, databases, invitation_url, limits
from vademecum.plugins.team.tokens import Tokens
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


def is_listening(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def test_served_over_tls(team_database, certificate, tmp_path, monkeypatch):
    """`vade team serve` answers over TLS from PostgreSQL; who does not know its certificate sends no token. At SIGTERM it answers the
    request that is open, takes no other, and ends with 0; its log is JSON."""
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
    with subprocess.Popen([*vade, "serve"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
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
            line = http.client.HTTPSConnection("localhost", port, context=ssl.create_default_context(cafile=pem), timeout=10)
            line.putrequest("POST", "/v1/tls/search")
            body = json.dumps({"question": "pump"}).encode()
            line.putheader("Authorization", f"Bearer {token}")
            line.putheader("Content-Length", str(len(body)))
            line.endheaders(body[:5])
            process.terminate()
            while is_listening(port):
                pass
            line.send(body[5:])
            assert line.getresponse().status == 200
            line.close()
            assert process.wait(10) == 0
        finally:
            process.kill()
        lines = [json.loads(line) for line in process.stderr.read().splitlines()]
    assert {line["route"] for line in lines if line["log"] == "vademecum.team.access"} == {"me", "search"}


def test_not_in_the_clear(person, monkeypatch):  # noqa: F811
    """Without a certificate nothing is served to other machines, and without a database nothing at all."""
    ana = person("ana")
    monkeypatch.setenv("VADEMECUM_TEAM_HOST", "0.0.0.0")
    assert "tokens in the clear" in ana.refused("team serve")
    monkeypatch.delenv("VADEMECUM_TEAM_HOST")
    assert "VADEMECUM_TEAM_DATABASE is empty" in ana.refused("team serve")


def asked(url, operation, body=None, token="nobody"):
    """Status of a request that is refused."""
    with pytest.raises(Refusal) as refused:
        post(f"{url}/v1/atlas/{operation}", body or {}, {"Authorization": f"Bearer {token}"}, 5)
    return refused.value.status


def test_door(server):  # noqa: F811
    """Without a token, with another space's, with a body that is too long, with an operation or arguments that there are not: refused."""
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
    with listening(build_team_app(server.service, operation(server.store), lambda: 0.0, Limits(token=3))) as port:
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


class Sleeping(MemoryTeam):
    """A store that says why it cannot serve."""

    reason = None

    def must_be_ready(self):
        if self.reason:
            raise self.reason


@pytest.mark.parametrize(
    "reason",
    [
        TeamUnavailable("The team's database does not answer."),
        Refused("The tables of the team are those of an earlier version."),
    ],
)
def test_ready_says_what_is_missing(reason):
    """A server that cannot serve members says so at /ready with 503 and the reason, while /health says that its process runs."""
    store = Sleeping()
    store.reason = reason
    app = build_team_app(
        TeamService(spread(store), None, None, None, Tokens(spread(store), str)), operation(store), lambda: 0.0, Limits()
    )
    down, alive = asyncio.run(send(app, "GET", "/ready")), asyncio.run(send(app, "GET", "/health"))
    store.reason = None
    up = asyncio.run(send(app, "GET", "/ready"))
    assert (down.status, json.loads(down.body)["reason"]) == (503, reason.message)
    assert (alive.status, json.loads(alive.body)) == (200, {"status": "ok"})
    assert (up.status, json.loads(up.body)) == (200, {"status": "ok"})


WORDS = "The heron sleeps at noon."


def test_numbers_and_log_hold_no_content(server, caplog):  # noqa: F811
    """Requests, seconds by route, and what was published and read in each space are counted; the log says who did what where, and how it
    ended. No text, question, name of a stranger's space or token stands in either, and nobody reads the numbers without their token."""
    token = server.opened("atlas", "ana").partition("#")[2]
    identity = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    text = f"---\nid: {identity}\nkind: fact\ntitle: Heron\n---\n{WORDS}\n"
    app = build_team_app(server.service, operation(server.store, "numbers"), iter(range(100)).__next__, Limits())
    numbers = {"authorization": "Bearer numbers"}

    async def ask(verb, body, given=token, space="atlas"):
        return await send(app, "POST", f"/v1/{space}/{verb}", headers={"authorization": f"Bearer {given}"}, body=body)

    async def talk():
        await ask("publish", {"id": identity, "text": text})
        await ask("changes", {})
        await ask("search", {"question": "heron"})
        await ask("me", {}, given="guessed", space="elsewhere")
        await ask("nonsense", {})
        return await send(app, "GET", "/metrics", headers=numbers), await send(app, "GET", "/metrics")

    with caplog.at_level("INFO", "vademecum.team"):
        told, refused = asyncio.run(talk())
    said = told.body.decode()
    for line in (
        'vademecum_team_requests_total{route="publish",status="200"} 1.0',
        'vademecum_team_requests_total{route="me",status="401"} 1.0',
        'vademecum_team_request_seconds_count{route="search"} 1.0',
        'vademecum_team_operations_total{result="done",space="atlas",verb="publish"} 1.0',
        'vademecum_team_operations_total{result="not_let_in",space="",verb="me"} 1.0',
        'vademecum_team_rows_total{space="atlas",verb="changes"} 1.0',
        "vademecum_team_requests_open 1.0",
    ):
        assert line in said.splitlines()
    assert refused.status == 401
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    audit = [
        (line["space"], line["member"], line["verb"], line["result"]) for line in lines if line["log"] == "vademecum.team.audit"
    ]
    assert audit == [
        ("atlas", "ana", "publish", "done"),
        ("atlas", "ana", "changes", "done"),
        ("atlas", "ana", "search", "done"),
        ("", "", "me", "not_let_in"),
        ("atlas", "ana", "other", "not_found"),
    ]
    access = [(line["route"], line["status"]) for line in lines if line["log"] == "vademecum.team.access"]
    assert access == [("publish", 200), ("changes", 200), ("search", 200), ("me", 401), ("other", 404), ("metrics", 401)]
    for secret in (WORDS, "Heron", "heron", token, "guessed", "elsewhere", "nonsense", "numbers"):
        assert secret not in said + json.dumps(lines)


def test_no_numbers_without_a_token(server):  # noqa: F811
    """A server for which no token of numbers is set has no page of numbers."""
    app = build_team_app(server.service, operation(server.store), lambda: 0.0, Limits())
    assert asyncio.run(send(app, "GET", "/metrics", headers={"authorization": "Bearer "})).status == 404


def test_secrets_by_file(tmp_path, monkeypatch):
    """Each variable may name a file instead; both at once, or a file that is not there, are refused with their names."""
    secret = tmp_path / "database"
    secret.write_text("postgresql://serve@db/vade\n")
    monkeypatch.delenv("VADEMECUM_TEAM_DATABASE", raising=False)
    monkeypatch.setenv("VADEMECUM_TEAM_DATABASE_FILE", str(secret))
    assert databases("DATABASE") == ("postgresql://serve@db/vade",)
    monkeypatch.setenv("VADEMECUM_TEAM_DATABASE", "postgresql://x")
    with pytest.raises(InvalidInput, match="Both"):
        databases("DATABASE")
    monkeypatch.delenv("VADEMECUM_TEAM_DATABASE")
    secret.unlink()
    with pytest.raises(InvalidInput, match="VADEMECUM_TEAM_DATABASE_FILE"):
        databases("DATABASE")


def test_limit_of_an_address(monkeypatch):
    """Behind a proxy all members come from one address: its limit is set by the operator, and a number that is none is refused."""
    assert limits() == Limits(300, 1_200)
    monkeypatch.setenv("VADEMECUM_TEAM_ADDRESS_LIMIT", "60000")
    assert limits() == Limits(300, 60_000)
    monkeypatch.setenv("VADEMECUM_TEAM_ADDRESS_LIMIT", "none")
    with pytest.raises(InvalidInput, match="ADDRESS_LIMIT"):
        limits()


def test_invitation_names_the_public_address(monkeypatch):
    """Behind a name or a proxy, invitations hold the address at which members reach the server."""
    monkeypatch.setenv("VADEMECUM_TEAM_HOST", "0.0.0.0")
    monkeypatch.setenv("VADEMECUM_TEAM_URL", "https://team.example.org/")
    assert invitation_url() == "https://team.example.org"
    monkeypatch.delenv("VADEMECUM_TEAM_URL")
    assert invitation_url() == "http://0.0.0.0:8234"


def test_taken_port_is_told_before_serving():
    """A port that another program has is refused with what to do, before anything says that it serves."""
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(Refused, match="cannot be served at") as refused:
        bound(Place("127.0.0.1", other.getsockname()[1], "", ""))
    assert "VADEMECUM_TEAM_PORT" in refused.value.hint
