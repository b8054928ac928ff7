"""A memory behind a caller, as doors that serve many have it: opened in a thread of its own."""

import asyncio
import contextlib
import io
import json
import os
import shutil

import pytest
from tests.entrypoints import every_verb

from vademecum.entrypoints.cli import cli
from vademecum.entrypoints.mcp.own_thread import OwnThread
from vademecum.wiring import open_memory


@pytest.fixture
def caller(settings, clock):
    """Opens the memory in its own thread: `async with caller() as call`."""
    made = settings()

    @contextlib.asynccontextmanager
    async def opened(setup=None):
        async with OwnThread(lambda: open_memory(made, clock=clock)) as call:
            if setup:
                await call(setup)
            yield call

    return opened


@pytest.fixture
def run():
    """Runs a coroutine to its end, with a limit, so that a hang is a failure."""

    def to_end(work, seconds=60):
        return asyncio.run(asyncio.wait_for(work, seconds))

    return to_end


#: So that verbs that need a language model or the web find one to ask, which is not there.
_MODEL = {"LLM": "openai:small", "LLM_URL": "nowhere", "RESEARCH": "1"}


def settle_in(folder, patch, **more):
    """Make this process one that works on the memory in `folder`, with more settings as they are named in the environment."""
    for name in [name for name in os.environ if name.startswith("VADEMECUM_")]:
        patch.delenv(name)
    for name, value in {"CONFIG": "config.toml", "DATA_DIR": "data", "CACHE_DIR": "cache"}.items():
        patch.setenv(f"VADEMECUM_{name}", str(folder / value))
    for name, value in more.items():
        patch.setenv(f"VADEMECUM_{name}", value)
    patch.setenv("VADEMECUM_EMBEDDER", "none")
    patch.chdir(folder)


@pytest.fixture
def vade(tmp_path, monkeypatch, capfd):
    """Runs a command line: (exit code, standard output, standard error)."""
    settle_in(tmp_path, monkeypatch)

    def typed(*words):
        code = cli.run(list(words))
        said = capfd.readouterr()
        return code, said.out, said.err

    return typed


@pytest.fixture
def person(vade, tmp_path):
    """Somebody who has just made a memory in `notes`: `person(*words)` gives what is printed."""

    def typed(*words):
        return vade(*words)[1]

    typed("init", str(tmp_path / "notes"))
    return typed


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """A folder with a memory in which every verb finds something to do, as `now`, and a copy of it as it was made; beside it the id
    of the conversation that waits there."""
    base = tmp_path_factory.mktemp("everything")
    (base / "now").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        settle_in(base / "now", patch, **_MODEL)
        every_verb.make(base / "now")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            cli.run(["conversations", "--pending", "--json"])
    shutil.copytree(base / "now", base / "as-made")
    return base, json.loads(said.getvalue())["results"][0]["id"]


@pytest.fixture
def everything(made_once, monkeypatch, capfd):
    """Runs one verb where each finds something to do: (exit code, standard output, standard error)."""
    base, waiting = made_once
    shutil.rmtree(base / "now")
    shutil.copytree(base / "as-made", base / "now")
    settle_in(base / "now", monkeypatch, **_MODEL)

    def done(verb):
        code = cli.run(every_verb.words_for(verb, waiting))
        said = capfd.readouterr()
        return code, said.out, said.err

    done.folder = base / "now"
    return done
