"""A whole memory in temporary folders, put together as the command line does it, with time that tests decide."""

import contextlib
import gc
import os
import re
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import hypothesis
import pytest

import weights
from tests.plugins.team.database import postgres, team_database  # noqa: F401
from vademecum.adapters.clock import FixedClock
from vademecum.domain.query import Query
from vademecum.plugin import entry_points
from vademecum.settings import Settings, plugin_rows
from vademecum.wiring import open_memory

# Every process that tests start imports the package: without compiled files, each would compile all of it again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if not (weights.FOLDER / weights.WEIGHTS).exists():  # the checkout was built before the model's file had this name
    with contextlib.suppress(weights.WeightsMissingError):
        weights.provide(weights.FOLDER)

#: The machine's memory as a folder, and how much of it there must be: tests write many small files and wait for each.
MEMORY, ROOM_B = Path("/dev/shm"), 4 * 2**30


def memory_serves(folder=MEMORY):
    """Whether the machine lends enough of its memory as a folder, from which programs may be started."""
    if not os.access(folder, os.W_OK):
        return False
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize >= ROOM_B and not room.f_flag & os.ST_NOEXEC


if memory_serves():
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_configure(config):
    """Stop where the package was installed before a plugin of ours was added: it would be missing without a word."""
    declared = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = declared["project"]["entry-points"]["vademecum.plugins"].keys()
    if missing := wanted - dict(entry_points(sys.path)).keys():
        command = f"{sys.executable} -m pip install --no-deps --no-build-isolation -e ."
        pytest.exit(f"Not installed: plugin {', '.join(sorted(missing))}. Run: {command}", returncode=4)


def pytest_collection():
    """What is imported and collected stays to the end: to look through it for garbage, over and over, frees nothing."""
    gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


#: Examples of a property that names no number of its own; `make soak` tries many.
_ANY_MACHINE = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}  # how busy it is decides nothing
hypothesis.settings.register_profile("few", max_examples=20, **_ANY_MACHINE)
hypothesis.settings.register_profile("many", max_examples=1000, **_ANY_MACHINE)
hypothesis.settings.load_profile("few")


#: What a test that is about processes or terminals of Unix imports at its head.
OF_UNIX = re.compile(r"^(?:import|from) (?:fcntl|pty|pwd|resource|termios)\b", re.MULTILINE)


def pytest_ignore_collect(collection_path):
    """On Windows, leave out files that could not even be imported there."""
    return is_left_out(collection_path, sys.platform) or None


def is_left_out(path, platform):
    """Whether a test file is about what this platform does not have."""
    return platform == "win32" and path.suffix == ".py" and bool(OF_UNIX.search(path.read_text(encoding="utf-8")))


START = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def clock():
    """It stands still until a test says otherwise, so nothing here depends on how fast the machine is."""
    return FixedClock(START)


@pytest.fixture
def home(tmp_path):
    return tmp_path / "Vault" / "Vademecum"


@pytest.fixture
def settings(tmp_path, home):
    """Settings over temporary folders, by words alone unless told otherwise."""
    home.mkdir(parents=True)

    def made(**more):
        values = {
            "home": str(home),
            "data_dir": str(tmp_path / "data"),
            "cache_dir": str(tmp_path / "cache"),
            "device": "laptop",
            "embedder": "none",
        }
        added = {row.name for row in plugin_rows()}
        of_plugins = tuple((name, value) for name, value in more.items() if name in added)
        own = {name: value for name, value in more.items() if name not in added}
        made_of = Settings(**(values | own), of_plugins=of_plugins)
        Path(made_of.home).mkdir(parents=True, exist_ok=True)
        return made_of

    return made


@pytest.fixture
def opened(settings, clock):
    """Opens the memory, as one more process would."""
    memories = []

    def open_one(**more):
        memories.append(open_memory(settings(**more), clock=clock))
        return memories[-1]

    yield open_one
    for memory in memories:
        memory.close()


@pytest.fixture
def memory(opened):
    return opened()


@pytest.fixture
def told():
    """Titles of what recall answers, best first."""

    def titles(memory, question, **more):
        return [hit.item.title for hit in memory.recall.ask(Query(question, **more)).hits]

    return titles
