"""`vade demo --team`: a server and two members on one machine, each a process with its own home. One shares, the other recalls it
offline, and is then revoked."""

import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from vademecum.plugins.team.installed import of_server
from vademecum.settings import search_path

Say = Callable[[str], object]


class _Person:
    """A member who runs commands, each in a process of its own."""

    def __init__(self, folder: Path, name: str, say: Say, more: Mapping[str, str] | None = None) -> None:
        self._name, self._say, self._home = name, say, folder / name
        self._home.mkdir()
        places = {f"XDG_{what}_HOME": str(self._home / what.lower()) for what in ("CONFIG", "DATA", "CACHE")}
        quiet = {"VADEMECUM_EMBEDDER": "none", "PYTHONPATH": os.pathsep.join(sys.path)}
        self.environment = {"HOME": str(self._home), "PATH": search_path(), **places, **quiet, **(more or {})}

    def program(self, *words: str) -> list[str]:
        """Return a command line of this program."""
        return [sys.executable, "-m", "vademecum", *words]

    def vade(self, *words: str, show: bool = True) -> str:
        """Run a command, print it with its output, and return the output."""
        done = subprocess.run(
            self.program(*words), env=self.environment, cwd=self._home, capture_output=True, text=True, check=False
        )
        text = (done.stdout + done.stderr).strip()
        if show:
            typed = " ".join(word if "#" not in word else "INVITATION" for word in map(shlex.quote, words))
            self._say(f"\n  {self._name}$ vade {typed}")
            self._say("\n".join(f"    {line}" for line in text.splitlines()))
        return text


def run_team(say: Say) -> None:
    """Run the demo in a temporary folder, which is removed.

    Raises:
        InvalidInput: PostgreSQL or the packages of the server are not installed.
    """
    with tempfile.TemporaryDirectory(prefix="vade-demo-") as name:
        folder = Path(name)
        with of_server("private_team")(folder / "pg") as (owner, service):
            port = _free_port()
            server = _Person(
                folder,
                "server",
                say,
                {"VADEMECUM_TEAM_OWNER": owner, "VADEMECUM_TEAM_DATABASE": service, "VADEMECUM_TEAM_PORT": str(port)},
            )
            say("A server with a database of its own opens a space for the team:")
            server.vade("team", "prepare")
            invitation = json.loads(server.vade("team", "open", "atlas", "--keeper", "ana", "--json", show=False))["invitation"]
            ana, ben = _Person(folder, "ana", say), _Person(folder, "ben", say)
            with _serving(server, port):
                _share(ana, ben, invitation, say)
            say("\nThe server is switched off. Ben asks his own memory:")
            ben.vade("recall", "which pressure has the canal pump")
            with _serving(server, port):
                _show_out(ana, ben, say)
    say("\nA server stores published copies; everybody recalls from a local mirror, so no prompt waits for the server.")


def _share(ana: _Person, ben: _Person, invitation: str, say: Say) -> None:
    say("\nAna keeps the space. She saves a memory, invites Ben and shares it:")
    for person in (ana, ben):
        person.vade("init", "Notes", show=False)
    ana.vade("team", "join", invitation)
    ana.vade("save", "fact", "Pump pressure", "--body", "The canal pump runs at four bar.")
    ana.vade("save", "fact", "Salary", "--body", "Paid on the first.", "--json", show=False)
    ana.vade("tag", "Salary", "--add", "visibility/internal", show=False)
    to_ben = json.loads(ana.vade("team", "invite", "atlas", "ben", "--json", show=False))["address"]
    ana.vade("share", "Pump pressure", "--to", "atlas", "--yes")
    say("\nWhat is private is never sent, whatever is typed:")
    ana.vade("share", "Salary", "--to", "atlas", "--yes")
    say("\nBen joins:")
    ben.vade("team", "join", to_ben)


def _show_out(ana: _Person, ben: _Person, say: Say) -> None:
    say("\nThe server is back. Ana removes Ben, and looks at who did what:")
    ana.vade("team", "revoke", "atlas", "ben")
    ben.vade("team", "sync")
    ben.vade("team", "leave", "atlas", "--yes")
    ana.vade("team", "audit", "atlas")


@contextmanager
def _serving(server: _Person, port: int) -> Iterator[None]:
    """Run the server in a process of its own."""
    with subprocess.Popen(server.program("team", "serve"), env=server.environment, stdout=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None and not _answers(port):
                with suppress(subprocess.TimeoutExpired):
                    process.wait(0.05)
            yield
        finally:
            process.terminate()


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 0.2):
            return True
    except OSError:
        return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
