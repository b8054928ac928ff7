"""What a person installs: the wheel, in an empty environment, without a network."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: Blocks every connection of the process that imports it, loopback included.
NO_NETWORK = """
import socket
def refuse(*args, **kwargs):
    raise OSError("this process has no network")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
"""

RECALL = (
    NO_NETWORK
    + """
import numpy, vademecum
from pathlib import Path
from vademecum.adapters.embedders import create
assert Path(vademecum.__file__).is_relative_to(Path(__import__("sys").prefix)), vademecum.__file__
question = "Where did I leave the car keys?"
notes = ["Maria must not eat peanuts.", "The vehicle's ignition key hangs behind the door.", "Trains to Lisbon leave at six."]
embedder = create()
print(notes[int((embedder.embed(notes) @ embedder.embed([question], role="query")[0]).argmax())])
"""
)


VADE = NO_NETWORK + "from vademecum.entrypoints.cli.cli import main\nmain()"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy of the tree without any weights in it."""
    folder = tmp_path_factory.mktemp("wheel")
    kept_out = shutil.ignore_patterns(".*", "tests", "build", "dist", "__pycache__", "*.safetensors", "SHA256SUMS")
    tree = shutil.copytree(ROOT, folder / "tree", ignore=kept_out)
    shutil.copy(ROOT / ".gitignore", tree)
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", folder, tree)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """The interpreter of an environment that holds the wheel and what it depends on, nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    interpreter = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    lend(Path(run(interpreter, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()))
    run(sys.executable, "-m", "pip", "--python", interpreter, "install", "--quiet", "--no-compile", "--no-index", wheel)
    return interpreter


def lend(site):
    """Link what the package depends on, as requirements/run.txt names it and this environment has it, into another environment."""
    text = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    for name in set(re.findall(r"^([\w.-]+)==", text, re.MULTILINE)):
        with contextlib.suppress(PackageNotFoundError):  # one for another system
            parts = {Path(file).parts[0] for file in distribution(name).files}
            for part in parts - {"..", "__pycache__"}:
                (site / part).symlink_to(Path(distribution(name).locate_file(part)))


def run(*command, cwd=None, env=None):
    """Standard output of a command that must succeed."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=cwd, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def without_network(*command):
    """`command` in a network namespace of its own where the system allows that; the code blocks sockets in any case."""
    unshare = shutil.which("unshare")
    for namespace in ([unshare, "-n"], [unshare, "-rn"]):
        if unshare and subprocess.run([*namespace, "true"], capture_output=True, check=False).returncode == 0:
            return [*namespace, *command]
    return list(command)


@pytest.mark.slow
def test_weights_are_inside(wheel):
    """The wheel carries the model with its vocabulary, its checksum and its licence, and stays below 40 MB."""
    names = zipfile.ZipFile(wheel).namelist()
    folder = "vademecum/adapters/embedders/weights/"
    inside = {name.removeprefix(folder) for name in names if name.startswith(folder)}
    assert inside == {"use-multilingual.safetensors", "SHA256SUMS", "LICENSE", "NOTICE"}
    assert wheel.stat().st_size < 40_000_000
    assert not [name for name in names if "bench" in name]  # measuring is a distribution of its own


@pytest.mark.slow
def test_recall_by_meaning(python, tmp_path):
    """Freshly installed and offline, a question finds its answer in other words."""
    said = run(*without_network(python, "-I", "-c", RECALL), cwd=tmp_path)
    answer = "The vehicle's ignition key hangs behind the door."
    assert said.strip() == answer


@pytest.mark.slow
def test_first_day(python, tmp_path):
    """X-01: freshly installed and offline, the command line makes a memory, keeps things and recalls them in other words."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}

    def vade(*words):
        return run(*without_network(python, "-I", "-c", VADE), *words, cwd=tmp_path, env=environment)

    assert "Memory in" in vade("init", tmp_path / "Notes")
    vade("save", "fact", "Allergy", "--body", "My daughter must not eat hazelnuts.")
    vade("save", "fact", "Kettle", "--body", "Descale the kettle with vinegar every month.")
    found = json.loads(vade("recall", "is there a nut allergy in the family?", "--json"))
    assert [hit["title"] for hit in found["hits"]] == ["Allergy"]
    assert found["missing"] == []
    assert json.loads(vade("recall", "who won the chess championship?", "--json"))["hits"] == []
    assert run(python.parent / "vade", "--version", env=environment).startswith("vade ")
    assert "bench" not in vade("--help")
    assert "That is all" in run(python.parent / "vade", "demo", cwd=tmp_path, env=environment)


@pytest.mark.slow
def test_sdist_of_a_broken_network(tmp_path):
    """Where the weights cannot be fetched, the build says why and what to do next, and can be told to do without."""
    tree = shutil.copytree(ROOT, tmp_path / "tree", ignore=shutil.ignore_patterns(".*", "tests", "*.safetensors", "SHA256SUMS"))
    script = tree / "tools" / "weights.py"
    offline = {"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path), "PIP_NO_INDEX": "1"}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, env=offline)
    assert done.returncode == 1
    assert "VADEMECUM_BUILD_WITHOUT_WEIGHTS=1" in done.stderr
    assert "Traceback" not in done.stderr
