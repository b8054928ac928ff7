"""The run-book of docs/team.md, step by step in a bare environment: a wheel, exact packages, a PostgreSQL, two members with own homes."""

import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

pytestmark = pytest.mark.soak

ROOT = Path(__file__).parents[2]


class Bare:
    """A machine with nothing but what the page tells to install.

    Attributes:
        folder: all that it holds. vade: the command that was installed.
    """

    def __init__(self, folder, postgres):
        from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 -- only a test that has a database needs its driver

        self.folder, self.vade, self.process = folder, folder / "vade" / "bin" / "vade", None
        self.secrets = folder / "deploy" / "secrets"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"https://localhost:{self.port}"
        self.server = conninfo_to_dict(postgres)

    def run(self, *command, **environment):
        """Standard output of a command that must succeed, with nothing in its environment but what is given."""
        given = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **environment}
        pip = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "VADEMECUM_WEIGHTS"))}
        done = subprocess.run(
            list(map(str, command)), env={**pip, **given}, cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout

    def set_up(self):
        """What the server's environment says, secrets by file."""
        return {
            "VADEMECUM_TEAM_DATABASE_FILE": str(self.secrets / "database"), "VADEMECUM_TEAM_OWNER_FILE": str(self.secrets / "owner"),
            "VADEMECUM_TEAM_CERTIFICATE": str(self.secrets / "certificate"), "VADEMECUM_TEAM_KEY": str(self.secrets / "key"),
            "VADEMECUM_TEAM_METRICS_TOKEN_FILE": str(self.secrets / "metrics_token"), "VADEMECUM_TEAM_HOST": "localhost",
            "VADEMECUM_TEAM_PORT": str(self.port),
        }  # fmt: skip

    def psql(self, statement, database="postgres"):
        """Type one statement, as a superuser."""
        self.run("psql", "-h", self.server["host"], "-U", self.server["user"], "-d", database, "-qc", statement)

    def install(self):
        """Step 2 of the page: exact packages by hash, and the wheel."""
        self.run(sys.executable, "-m", "venv", self.folder / "vade")
        pip = self.folder / "vade" / "bin" / "pip"
        self.run(pip, "install", "-q", "--require-hashes", "-r", ROOT / "requirements" / "team.txt")
        wheel = ("wheel", "-q", "--no-deps", "--no-build-isolation", "--wheel-dir", self.folder / "dist")
        self.run(sys.executable, "-m", "pip", *wheel, ROOT)
        self.run(pip, "install", "-q", "--no-deps", *(self.folder / "dist").glob("*.whl"))

    def make_database(self):
        """Step 1 of the page, by the scripts of `deploy/`."""
        shutil.copytree(ROOT / "deploy", self.folder / "deploy", ignore=shutil.ignore_patterns("secrets"))
        self.run("sh", "deploy/secrets.sh", "localhost")
        self.psql("CREATE DATABASE runbook")
        host, user = self.server["host"], self.server["user"]
        self.run("sh", "deploy/roles.sh", PGHOST=host, POSTGRES_USER=user, POSTGRES_DB="runbook", SECRETS=str(self.secrets))
        for secret in ("database", "owner"):
            file = self.secrets / secret
            file.write_text(file.read_text().replace("@database/vade", f"@/runbook?host={host}"))

    def lose_database(self):
        """Nobody reaches the database, and nobody who did goes on."""
        self.psql("ALTER DATABASE runbook ALLOW_CONNECTIONS false")
        self.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'runbook'")

    def serve(self):
        """Start the server and wait until it is ready."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **self.set_up()}
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen([str(self.vade), "team", "serve"], env=environment, stdout=log, stderr=log)
        self.until("/ready", 200)

    def until(self, path, status, seconds=60):
        """Wait until a route answers with a status."""
        ends = time.monotonic() + seconds
        while self.get(path)[0] != status:
            assert time.monotonic() < ends, (path, self.get(path), (self.folder / "server.log").read_text()[-2000:])
            time.sleep(0.1)

    def get(self, path, **headers):
        """Status and text of a route; (0, "") when nobody answers."""
        context = ssl.create_default_context(cafile=self.secrets / "certificate")
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + path, headers=headers), context=context) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def person(self, name):
        """Somebody with a home of their own; gives what types a command of theirs."""
        home = self.folder / name
        (home / "Notes").mkdir(parents=True)
        environment = {"HOME": str(home), "SSL_CERT_FILE": str(self.secrets / "certificate"), "VADEMECUM_EMBEDDER": "none"}
        self.run(self.vade, "init", home / "Notes", **environment)
        return lambda *words: self.run(self.vade, *words, **environment)


@pytest.fixture
def bare(tmp_path, postgres):
    """A bare machine beside a PostgreSQL that somebody runs."""
    machine = Bare(tmp_path, postgres)
    yield machine
    if machine.process and machine.process.poll() is None:
        machine.process.kill()
        machine.process.wait()


def test_run_book(bare):
    """Install, prepare, open, serve, join, share, watch, back up, lose the server and the database, restore, update, stop."""
    bare.install()
    bare.make_database()
    assert "ready" in bare.run(bare.vade, "team", "prepare", **bare.set_up())
    opened = json.loads(bare.run(bare.vade, "team", "open", "atlas", "--keeper", "ana", "--json", **bare.set_up()))
    bare.serve()
    ana, ben = bare.person("ana"), bare.person("ben")
    ana("team", "join", opened["invitation"])
    ben("team", "join", json.loads(ana("team", "invite", "atlas", "ben", "--json"))["address"])
    ana("save", "fact", "Pump pressure", "--body", "The canal pump runs at four bar.")
    ana("share", "Pump pressure", "--to", "atlas", "--yes")
    ben("team", "sync")
    asked = ("recall", "which pressure has the canal pump", "--json")
    assert json.loads(ben(*asked))["hits"][0]["title"] == "Pump pressure"

    status, numbers = bare.get("/metrics", Authorization=f"Bearer {(bare.secrets / 'metrics_token').read_text().strip()}")
    assert status == 200
    assert 'vademecum_team_operations_total{result="done",space="atlas",verb="publish"} 1.0' in numbers
    assert "four bar" not in (bare.folder / "server.log").read_text()

    (bare.folder / "passphrase").write_text("seven herons under one bridge\n")
    backup = bare.folder / "atlas.age"
    bare.run(bare.vade, "team", "backup", "atlas", backup, "--passphrase-file", "passphrase", **bare.set_up())

    bare.process.kill()  # the server is lost; another takes its place
    bare.process.wait()
    assert json.loads(ben(*asked))["hits"]
    bare.serve()
    bare.lose_database()
    bare.until("/ready", 503)
    assert bare.get("/health")[0] == 200
    assert json.loads(ben(*asked))["hits"]
    bare.psql("ALTER DATABASE runbook ALLOW_CONNECTIONS true")
    bare.until("/ready", 200)

    assert "0 steps" in bare.run(bare.vade, "team", "prepare", **bare.set_up())
    bare.process.terminate()
    assert bare.process.wait(30) == 0
    bare.psql("DROP DATABASE runbook")
    bare.psql("CREATE DATABASE runbook OWNER vade_owner")
    bare.psql("CREATE EXTENSION vector", "runbook")
    bare.run(bare.vade, "team", "prepare", **bare.set_up())
    said = bare.run(bare.vade, "team", "restore", backup, "--passphrase-file", "passphrase", **bare.set_up())
    assert "1 copies" in said
    bare.serve()
    assert "atlas" in ben("team", "sync")
    assert "Pump pressure" in ben("team", "search", "pump", "--space", "atlas")
    for somebody in (ana, ben):
        somebody("stop")
