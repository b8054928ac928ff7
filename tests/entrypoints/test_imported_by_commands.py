"""The person waits for every module: a command imports what it uses, and no other verbs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import vademecum
from vademecum.entrypoints.cli import extras
from vademecum.entrypoints.verbs import VERBS, every
from vademecum.entrypoints.verbs.by_word import verbs_of
from vademecum.entrypoints.verbs.table import WORDS
from vademecum.plugin import plugins

#: Command -> most modules of ours that it imports, and modules that it does without. The figures have room for a few more.
COMMANDS = {
    ("list",): (
        262,
        {"numpy", "yaml", "filelock", "shutil", "subprocess", "asyncio", "ssl", "mcp", "starlette", "urllib.request"},
    ),
    ("show", "Kettle"): (
        330,
        {"numpy", "filelock", "merge3", "shutil", "subprocess", "asyncio", "ssl", "mcp", "starlette", "urllib.request"},
    ),
    ("recall", "kettle", "port"): (308, {"yaml", "filelock", "asyncio", "ssl", "mcp", "starlette", "urllib.request"}),
    ("save", "fact", "Teapot", "--body", "It is blue."): (360, {"asyncio", "ssl", "mcp", "starlette", "urllib.request"}),
    ("recall", "--help"): (138, {"numpy", "apsw", "yaml", "filelock", "asyncio", "mcp", "starlette", "pickle"}),
}
#: Ours that no everyday command needs: other verbs, plugins beyond their registration, the helper, the doctor.
NOBODYS = (
    "vademecum.entrypoints.verbs.every",
    "vademecum.entrypoints.verbs.sessions",
    "vademecum.entrypoints.cli.extras",
    "vademecum.entrypoints.daemon",
    "vademecum.entrypoints.http",
    "vademecum.entrypoints.mcp",
    "vademecum.doctor",
    "vademecum.llm_reading",
    "vademecum.ingest.archiver",
)
_REPORTED = (
    "import sys\n"
    "from vademecum.entrypoints.cli.cli import run\n"
    "code = run(sys.argv[1:])\n"
    "print(*sys.modules, file=sys.stderr)\n"
    "sys.exit(code)"
)


@pytest.fixture
def ran(tmp_path):
    """Runs a command in a process of its own, and returns the modules that it imported."""
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "VADEMECUM_EMBEDDER": "none",
    }

    def run(*words: str) -> set[str]:
        command = [sys.executable, "-c", _REPORTED, *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        return set(done.stderr.splitlines()[-1].split())

    run("init", str(tmp_path / "memory"))
    run("save", "fact", "Kettle", "--body", "The kettle service listens on port 4417.")
    return run


def test_everyday_commands(ran):
    for words, (most, without) in COMMANDS.items():
        imported = ran(*words)
        assert not without & imported, words
        assert not [name for name in imported if name.startswith(NOBODYS)], words
        ours = [name for name in imported if name.startswith("vademecum.")]
        assert len(ours) <= most, (words, len(ours))


def test_words_are_those_of_the_verbs():
    """A verb that is named by no table would be found only with all others, and its flag not at all."""
    for module, words in WORDS.items():
        rows = next(group for group in every._GROUPS if group.__name__.endswith(f".{module}")).VERBS
        assert {row.name.partition(" ")[0] for row in rows} == set(words.split()), module
    for plugin in plugins():
        assert {row.name.partition(" ")[0] for row in plugin.verbs()} == set(plugin.words.split()), plugin.name


def test_a_verb_found_alone_is_that_of_the_table():
    """With its flags, those of plugins too, in the same order."""
    for verb in VERBS:
        found = next(row for row in verbs_of(verb.name.partition(" ")[0]) if row.name == verb.name)
        assert [*found.by_flag] == [*verb.by_flag]
        assert [param.name for param in found.params] == [param.name for param in verb.params]
    assert verbs_of("nonsense") == ()


def test_no_command_beside_hides_a_verb():
    assert not {verb.name for verb in VERBS} & {command.name for command in (*extras.COMMANDS, *extras.SERVED)}


def test_client_of_the_helper():
    """What hands a command to the helper imports next to nothing."""
    source = Path(vademecum.__file__).parents[1]
    code = f"import sys; sys.path.append({str(source)!r}); import vademecum.entrypoints.cli.entry; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()).isdisjoint({"collections", "typing", "re", "importlib", "socket", "pathlib"})
