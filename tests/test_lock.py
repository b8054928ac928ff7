"""Setting up installs exact versions, checked by hash, on every system and Python; see requirements/."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
LOCKS = ("build.txt", "run.txt", "team.txt", "dev.txt", "site.txt")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
#: (sys_platform, platform_machine) of the machines that are served, as markers name them.
MACHINES = (
    ("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "x86_64"), ("darwin", "arm64"), ("win32", "AMD64"), ("win32", "ARM64"),
)  # fmt: skip


def entries(name):
    """The entries of a lock, each as (requirement, number of its hashes)."""
    text = "\n".join(
        line for line in (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    )
    for entry in re.split(r"\n(?=\S)", text.strip()):
        requirement, *hashes = [part.strip(" \\") for part in entry.splitlines()]
        yield Requirement(requirement), len(hashes)


def locked(name, environment):
    """Package -> its version in that environment."""
    return {
        canonicalize_name(one.name): next(iter(one.specifier)).version
        for one, _ in entries(name)
        if one.marker is None or one.marker.evaluate(environment)
    }


def environments():
    for python in PYTHONS:
        for system, machine in MACHINES:
            yield {
                "python_version": python, "python_full_version": f"{python}.1", "sys_platform": system, "extra": "",
                "platform_machine": machine, "platform_python_implementation": "CPython", "implementation_name": "cpython",
                "os_name": "nt" if system == "win32" else "posix",
                "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[system],
            }  # fmt: skip


@pytest.mark.parametrize("name", LOCKS)
def test_each_entry_is_exact(name):
    """One version each, with a hash, and no address: which index serves it is the machine's own setting."""
    for requirement, hashes in entries(name):
        assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), requirement
        assert hashes, requirement
    assert "://" not in (ROOT / "requirements" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "environment",
    list(environments()),
    ids=lambda one: f"{one['sys_platform']}-{one['platform_machine']}-{one['python_version']}",
)
def test_lock_is_what_the_project_asks_for(environment):
    """In each environment all that pyproject.toml asks for is locked, at a version it allows; the same one in each file."""
    build, run, team, dev, site = (locked(name, environment) for name in LOCKS)
    assert run.items() <= team.items()
    assert team.items() | build.items() <= dev.items()
    extras = PROJECT["project"]["optional-dependencies"]
    asked = {
        "run": (PROJECT["project"]["dependencies"], run),
        "team": (extras["team"], team),
        "dev": ([*extras["team"], *extras["telemetry"], *extras["watch"], *PROJECT["dependency-groups"]["dev"]], dev),
        "build": (PROJECT["build-system"]["requires"], build),
        "site": (PROJECT["dependency-groups"]["site"], site),
    }
    for lines, versions in asked.values():
        for requirement in map(Requirement, lines):
            if requirement.marker is None or requirement.marker.evaluate(environment):
                assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), requirement


def test_the_site_is_apart():
    """What only the site needs is installed by `make site` alone."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert makefile.count("requirements/site.txt") == 2, "the rule of its environment: what it is made from, and the command"
    assert "sphinx" not in {canonicalize_name(requirement.name) for requirement, _ in entries("dev.txt")}
