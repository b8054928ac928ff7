"""The real programs in an empty home, asking a stand-in on the loopback interface instead of a model."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import MEMORY, memory_serves
from tests.real import programs
from tests.real.memories import SAVED, begin, end
from tests.real.model_api import ModelApi
from tests.real.person import Claude, Codex, Copilot, Gemini, OpenCode, Person, Program, remove
from tests.real.recording_hook import RecordingHook
from vademecum import settings
from vademecum.wiring import open_memory


@pytest.fixture(scope="session")
def claude_start():
    """Command line of Claude Code."""
    return programs.command_of(programs.claude_code)


@pytest.fixture(scope="session")
def codex_start():
    """Command line of Codex."""
    return programs.command_of(programs.codex)


@pytest.fixture(scope="session")
def gemini_start():
    """Command line of Gemini CLI."""
    return programs.command_of(programs.gemini_cli)


@pytest.fixture(scope="session")
def opencode_start():
    """Command line of OpenCode."""
    return programs.command_of(programs.opencode)


@pytest.fixture
def model_api():
    with ModelApi() as api:
        yield api


@pytest.fixture
def person(model_api):
    """An empty home. When the test is over nothing may run in it any more, and nobody may have tried to leave the machine."""
    place = MEMORY if memory_serves() else Path("/tmp")  # short: a socket's path may have no more than a hundred bytes
    home = Path(tempfile.mkdtemp(prefix="vade-", dir=place if place.is_dir() else None)).resolve()
    person = Person(home, model_api)
    yield person
    left = person.left_over()
    remove(home)
    assert not left, f"still running: {left}"
    assert not model_api.strays, "something left for the network"


@pytest.fixture
def claude(person, claude_start):
    return Claude(person, claude_start)


@pytest.fixture
def codex(person, codex_start):
    return Codex(person, codex_start)


@pytest.fixture
def gemini(person, gemini_start):
    return Gemini(person, gemini_start)


@pytest.fixture(scope="session")
def copilot_start():
    """Command line of Copilot."""
    return programs.command_of(programs.copilot)


@pytest.fixture
def copilot(person, copilot_start):
    return Copilot(person, copilot_start)


@pytest.fixture
def opencode(person, opencode_start):
    return OpenCode(person, opencode_start)


@pytest.fixture(params=["claude", "codex", "gemini"])
def program(request):
    """Each program in turn."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def recording_hook(person):
    """A hook that keeps what it was told and answers what it is told to."""
    return RecordingHook(person.home / "recording")


@pytest.fixture
def memory(person: Person) -> Iterator[None]:
    """A small memory, made as a person makes it."""
    begin(person)
    for kind, title, text, *options in SAVED:
        person.vade("save", kind, title, "--body", text, *options)
    yield
    end(person)


@pytest.fixture
def light_memory(person: Person) -> Iterator[None]:
    """The same memory by words alone and made at once: for tests of what happens before a search."""
    person.env |= {"VADEMECUM_EMBEDDER": "none"}
    begin(person)
    with open_memory(settings.load(environment=person.env)) as opened:
        for kind, title, text, *options in SAVED:
            opened.notes.save(kind, title, text, always_load=bool(options))
    yield
    end(person)


@pytest.fixture(params=["claude", "codex", pytest.param("gemini", marks=pytest.mark.soak)])
def installed(request, memory) -> Program:
    """Each program in turn, with our hooks."""
    program: Program = request.getfixturevalue(request.param)
    program.person.vade("install", program.name)
    return program


@pytest.fixture(params=["claude", "codex"])
def light(request, light_memory) -> Program:
    """The programs that start quickly, with our hooks and a memory that is made quickly."""
    program: Program = request.getfixturevalue(request.param)
    program.person.vade("install", program.name)
    return program
