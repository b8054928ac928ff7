"""A team's server in a thread, and members with homes of their own, as the command line sees them."""

import contextlib
import json
import shlex
import socket
import threading
from functools import partial

import pytest
import uvicorn
from tests.plugins.team.memory_team import MemoryTeam

from vademecum.adapters.clock import new_token
from vademecum.domain.guarding import Policy
from vademecum.entrypoints.cli import cli
from vademecum.guard import Guard
from vademecum.plugins.team.app import build_team_app
from vademecum.plugins.team.operation import Operation
from vademecum.plugins.team.service import TeamService
from vademecum.plugins.team.set_up import Limits
from vademecum.plugins.team.spread import Spread
from vademecum.plugins.team.tokens import Tokens
from vademecum.plugins.team.values import Member, digest_of


@contextlib.contextmanager
def listening(app, **config):
    """Serve an application on a free port; gives the port."""
    opened = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, **config))
    thread = threading.Thread(target=partial(server.run, sockets=[opened]))
    thread.start()
    try:
        yield opened.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)
        opened.close()


def spread(store):
    """The one database of a server."""
    return Spread({"team": lambda: store}, lambda: 0.0)


def operation(store, metrics_token=""):
    """What counts and logs the requests of a server."""
    from vademecum.plugins.team.metrics import Metrics  # noqa: PLC0415 -- only a server needs its package

    return Operation(Metrics(spread(store).load), metrics_token)


class Server:
    """A team's server.

    Attributes:
        store: what it keeps.
    """

    def __init__(self, store, open_space, clock, url="", issuer=None):
        self.store, self.open_space, self.clock, self.url = store, open_space, clock, url
        stores = spread(store)
        self.service = TeamService(stores, Guard(Policy()), clock, None, Tokens(stores, new_token, issuer))

    def answer(self, space, token, operation, body):
        """Answer one request."""
        return self.service.do(self.service.tokens.member_of(space, token), operation, body).body

    def opened(self, space, keeper):
        """Open a space; gives the keeper's invitation."""
        token = new_token()
        self.open_space(Member(space, keeper, "keeper", self.clock.now()), digest_of(token))
        return f"{self.url}/{space}#{token}"


@pytest.fixture
def server(clock):
    """A server whose store is in memory."""
    store = MemoryTeam()
    made = Server(store, store.open_space, clock)
    with listening(build_team_app(made.service, operation(store), lambda: 0.0, Limits())) as port:
        made.url = f"http://127.0.0.1:{port}"
        yield made


class Person:
    """Somebody with a home of their own, who types commands."""

    def __init__(self, home, monkeypatch, capsys):
        self.home, self._monkeypatch, self._capsys = home, monkeypatch, capsys
        (home / "Notes").mkdir(parents=True)
        self.vade("init Notes")

    def _type(self, line, *more):
        with self._monkeypatch.context() as patch:
            values = {
                "HOME": self.home, "XDG_CONFIG_HOME": self.home / "config", "XDG_DATA_HOME": self.home / "data",
                "XDG_CACHE_HOME": self.home / "cache", "VADEMECUM_EMBEDDER": "none",
                "VADEMECUM_DEVICE": self.home.name,
            }  # fmt: skip
            for name, value in values.items():
                patch.setenv(name, str(value))
            patch.chdir(self.home)
            code = cli.run([*shlex.split(line), *more])
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def vade(self, line, *more):
        """Type a command that works; gives what it prints."""
        code, out, err = self._type(line, *more)
        assert code == 0, (line, out, err)
        return out

    def previews(self, line, *more):
        """Type a command that shows what it would do, where nobody can be asked; gives what it prints."""
        code, out, err = self._type(line, *more)
        assert (code, "add: --yes" in err) == (3, True), (line, out, err)
        return out

    def asks(self, line, *more):
        """Type a command that works; gives its answer as a value."""
        return json.loads(self.vade(f"{line} --json", *more))

    def refused(self, line, *more):
        """Type a command that is refused; gives what it tells."""
        code, out, err = self._type(line, *more)
        assert code not in (0, 64), (line, out, err)
        return out + err

    def recalls(self, question):
        """Titles of what a question finds."""
        return [hit["title"] for hit in self.asks(f"recall {shlex.quote(question)}")["hits"]]

    def save(self, title, body, *more):
        """Save a fact by hand."""
        self.vade("save fact", title, "--body", body, *more)


@pytest.fixture
def person(tmp_path, monkeypatch, capsys):
    """Makes somebody of a name."""
    return lambda name: Person(tmp_path / name, monkeypatch, capsys)
