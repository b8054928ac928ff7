"""Files of `deploy/`: each command, option, variable and file that they name is there, and what this machine can check holds."""

import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml

from vademecum.entrypoints.cli import cli
from vademecum.plugins.team.commands import STOPPING_MOST_S
from vademecum.plugins.team.set_up import VARIABLES

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.iterdir() if path.is_file())
UNITS = [path for path in FILES if path.suffix in (".service", ".timer")]
PAGE = (ROOT / "docs" / "team.md").read_text(encoding="utf-8")


def text_of(path):
    return path.read_text(encoding="utf-8")


def unit(path):
    """The sections of a unit; a key that stands in it more than once has its last value."""
    parser = configparser.ConfigParser(strict=False, interpolation=None, delimiters="=", comment_prefixes="#")
    parser.optionxform = str
    parser.read_string(text_of(path))
    return parser


def refuses(words):
    """Why the command line does not take words behind `vade`; "" when it does."""
    command = cli.commands()
    try:
        while isinstance(command, click.Group):
            command, words = command.commands[words[0]], words[1:]
        _, rest, _ = command.make_parser(click.Context(command)).parse_args(list(words))
    except (KeyError, IndexError, click.UsageError) as error:
        return repr(error)
    return " ".join(rest)


def compose():
    return yaml.safe_load(text_of(DEPLOY / "compose.yaml"))


def command_lines():
    """(file, words behind `vade`) of each command that a file of `deploy/` runs or tells to run."""
    for path in UNITS:
        for line in re.findall(r"^ExecStart=(.*)$", text_of(path), re.MULTILINE):
            yield path.name, shlex.split(line.partition("/bin/vade ")[2].rstrip("'").replace("'", ""))
    yield "Containerfile", yaml.safe_load(re.search(r"^CMD (.*)$", text_of(DEPLOY / "Containerfile"), re.MULTILINE)[1])
    for name, service in compose()["services"].items():
        if name != "database":
            yield "compose.yaml", service["command"]
    yield "compose.yaml", re.search(r"run --rm prepare (.*)$", text_of(DEPLOY / "compose.yaml"), re.MULTILINE)[1].split()


def test_commands_are_there():
    """Each command that a unit, the container or compose runs is one that the command line takes, with its options."""
    lines = list(command_lines())
    assert {name for name, _ in lines} >= {"vade-team.service", "vade-team-backup@.service", "Containerfile", "compose.yaml"}
    assert [(name, words, why) for name, words in lines if (why := refuses(words))] == []
    assert refuses(["team", "serve", "--nonsense"])
    assert refuses(["team", "nonsense"])


@pytest.mark.parametrize("path", [*FILES, ROOT / "docs" / "team.md"], ids=lambda path: path.name)
def test_variables_are_there(path):
    """Each variable of the environment that a file names is one that the server reads."""
    named = {name.removesuffix("_FILE") for name in re.findall(r"VADEMECUM_TEAM_([A-Z_]*[A-Z])", text_of(path))}
    assert named - VARIABLES.keys() == set()


def test_page_tells_each_variable():
    """The page for whoever runs a server explains each variable, and names each file of `deploy/`."""
    assert [name for name in VARIABLES if f"`VADEMECUM_TEAM_{name}`" not in PAGE] == []
    assert [path.name for path in FILES if f"deploy/{path.name}" not in PAGE and path.suffix != ".dockerignore"] == []


def test_compose_is_whole():
    """Secrets and services that a service names are declared, files that it mounts are there, and secrets are made by secrets.sh."""
    whole = compose()
    for service in whole["services"].values():
        assert set(service["secrets"]) <= whole["secrets"].keys()
        assert set(service.get("depends_on", {})) <= whole["services"].keys()
        for value in service["environment"].values():
            if value.startswith("/run/secrets/"):
                assert value.removeprefix("/run/secrets/") in service["secrets"]
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert (DEPLOY / source).is_file() if source.startswith(".") else source in whole["volumes"]
    assert (DEPLOY / whole["services"]["team"]["build"]["context"]).resolve() == ROOT
    assert whole["services"]["team"]["cap_drop"] == ["ALL"]
    assert "owner" not in whole["services"]["team"]["secrets"]  # what serves cannot change tables


def test_health_check_and_home():
    """Compose asks the image's own health question, and the home is a folder that the container's user may write in every engine."""
    text, team = text_of(DEPLOY / "Containerfile"), compose()["services"]["team"]
    asked = re.search(r"^HEALTHCHECK .*?CMD (\[.*?\])$", text, re.MULTILINE | re.DOTALL)[1]
    assert team["healthcheck"]["test"] == ["CMD", *yaml.safe_load(asked.replace("\\\n", ""))]
    home = re.search(r"^ENV HOME=(\S+)", text, re.MULTILINE)[1]
    assert team["read_only"] and home in team["tmpfs"] == ["/tmp"]


def test_container_runs_as_nobody_special():
    """The container has a user of its own, is asked whether it lives, and copies files that there are."""
    text = text_of(DEPLOY / "Containerfile")
    assert int(re.search(r"^USER (\d+)$", text, re.MULTILINE)[1]) >= 10_000
    assert "HEALTHCHECK" in text
    assert "/health" in text
    for source in re.search(r"^COPY (.*) /tmp/install/$", text, re.MULTILINE)[1].split():
        assert source.startswith("dist/") or (ROOT / source).is_file()
        assert f"!{source}" in text_of(DEPLOY / "Containerfile.dockerignore").split()


def test_units_wait_longer_than_the_server():
    """Whoever stops the server gives it the time in which it answers open requests, and no unit runs as root."""
    assert int(unit(DEPLOY / "vade-team.service")["Service"]["TimeoutStopSec"]) > STOPPING_MOST_S
    assert int(compose()["services"]["team"]["stop_grace_period"].removesuffix("s")) > STOPPING_MOST_S
    for path in UNITS:
        if path.suffix == ".service":
            assert unit(path)["Service"]["DynamicUser"] == "yes"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_units_are_units(tmp_path):
    """systemd takes the units as they are, but for the place of the program."""
    names = []
    for path in UNITS:
        name = path.name.replace("@.", "@atlas.")
        (tmp_path / name).write_text(text_of(path).replace("/opt/vade/bin/vade", sys.executable), encoding="utf-8")
        names.append(str(tmp_path / name))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *names], capture_output=True, text=True, check=False)
    assert "deploy" in str(DEPLOY) and done.returncode == 0 and str(tmp_path) not in done.stderr, done.stderr


@pytest.mark.skipif(not (shutil.which("openssl") and shutil.which("psql")), reason="no openssl or psql here")
def test_secrets_and_roles(tmp_path, postgres):
    """The scripts make the secrets once, and with them a database that is prepared and served, by two plain roles."""
    import psycopg  # noqa: PLC0415 -- only a test that has a database needs its driver
    from psycopg.conninfo import conninfo_to_dict, make_conninfo  # noqa: PLC0415

    from vademecum.plugins.team.postgres.schema import migrate  # noqa: PLC0415
    from vademecum.plugins.team.postgres.team import PostgresTeam  # noqa: PLC0415

    for name in ("secrets.sh", "roles.sh"):
        shutil.copy(DEPLOY / name, tmp_path)
    secrets = tmp_path / "secrets"
    for _ in range(2):
        subprocess.run(["sh", str(tmp_path / "secrets.sh"), "team.example.org"], check=True, capture_output=True)
        kept = kept_before = {path.name: path.read_bytes() for path in secrets.iterdir()}
    assert kept == kept_before
    assert set(compose()["secrets"]) <= kept.keys()
    assert secrets.stat().st_mode & 0o77 == 0
    name = f"deployed_{os.environ.get('PYTEST_XDIST_WORKER', 'one')}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    server = conninfo_to_dict(postgres)
    environment = {
        "PATH": os.environ["PATH"], "PGHOST": server["host"], "POSTGRES_USER": server["user"], "POSTGRES_DB": name,
        "SECRETS": str(secrets),
    }  # fmt: skip
    subprocess.run(["sh", str(tmp_path / "roles.sh")], check=True, env=environment)
    try:
        owner = make_conninfo(postgres, dbname=name, user="vade_owner", password=kept["owner_password"].decode().strip())
        serve = make_conninfo(postgres, dbname=name, user="vade_serve", password=kept["serve_password"].decode().strip())
        assert conninfo_to_dict(kept["owner"].decode().strip())["user"] == "vade_owner"
        migrate(owner, "vade_serve")
        store = PostgresTeam(serve)
        store.must_be_ready()
        store.close()
    finally:
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
            connection.execute("DROP ROLE vade_owner")
            connection.execute("DROP ROLE vade_serve")
