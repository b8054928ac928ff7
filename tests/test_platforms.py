"""Every system a person may have: what is needed can be installed there, and the tests can be run there."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.conftest import is_left_out

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
WORKFLOW = ROOT / ".github" / "workflows" / "platforms.yml"

#: Rows of the page's table -> the wheels that such a machine takes, and its oldest Python that is served.
MACHINES = {
    "Linux (glibc 2.28) | x86_64": (("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"), "3.11"),
    "Linux (glibc 2.28) | aarch64": (("manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64"), "3.11"),
    "macOS 11 | x86_64": (("macosx_11_0_x86_64",), "3.11"),
    "macOS 11 | arm64": (("macosx_11_0_arm64",), "3.11"),
    "Windows | amd64": (("win_amd64",), "3.11"),
    "Windows | arm64": (("win_arm64",), "3.12"),
}


#: What a package asks for on Windows alone; pip does not see it from elsewhere.
ON_WINDOWS = ("pywin32>=311",)


def requirements():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["watch"]]


def test_each_dependency_was_looked_up():
    """A package that is added is looked up for all systems first: docs/platforms.md names exactly those that are needed."""
    needed = {re.match(r"[\w.-]+", line)[0].lower() for line in requirements()}
    assert needed == set(re.findall(r"^\| ([\w.-]+) \| one for ", PAGE, re.MULTILINE))


@pytest.mark.parametrize("machine", MACHINES)
def test_page_names_each_machine(machine):
    assert f"| {machine} | {MACHINES[machine][1]}" in PAGE


@pytest.mark.soak
@pytest.mark.parametrize("machine", MACHINES)
def test_wheels_for_each_machine(machine, tmp_path):
    """Nobody needs a compiler: all packages, and what those need, are there as wheels. Asks the registry."""
    tags, python = MACHINES[machine]
    platforms = [word for tag in tags for word in ("--platform", tag)]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--target", str(tmp_path)]
    options = ["--only-binary=:all:", "--implementation", "cp", "--python-version", python, *platforms]
    done = subprocess.run(
        [*command, *options, *requirements(), *(ON_WINDOWS if "Windows" in machine else ())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_what_windows_leaves_out():
    """Files about processes and terminals of Unix are left out on Windows and nowhere else; of the rest none imports another of them."""
    files = [path for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py"]
    left_out = {path.stem for path in files if is_left_out(path, "win32")}
    assert "test_terminal" in left_out and "test_store" not in left_out and len(left_out) < 12
    assert not any(is_left_out(path, "linux") or is_left_out(path, "darwin") for path in files)
    imported = re.compile(rf"^(?:from|import) tests\S*\b(?:import )?(?:{'|'.join(left_out)})\b", re.MULTILINE)
    assert [path.name for path in files if path.stem not in left_out and imported.search(path.read_text("utf-8"))] == []


def test_runs_on_all_three_systems_when_asked():
    """The workflow stands ready for Linux, macOS and Windows, and starts by hand only."""
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    assert workflow[True] == {"workflow_dispatch": None}  # YAML reads `on` as a truth
    rows = workflow["jobs"]["test"]["strategy"]["matrix"]["include"]
    assert {row["machine"].partition("-")[0] for row in rows} == {"ubuntu", "macos", "windows"}
