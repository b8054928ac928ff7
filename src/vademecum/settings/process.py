"""This process's environment and folder, and what it has to set for itself."""

import os
from collections.abc import Mapping
from pathlib import Path

ENVIRONMENT_PREFIX = "VADEMECUM_"

#: Set before numpy is imported: spinning threads cost 20 times more on a busy machine than they gain (docs/measurements/experiments.md).
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def environment_of_helper(data_dir: str, home: str = "") -> dict[str, str]:
    """Return the environment of what a helper runs: this process's, where its data lie, and their `home`; "": the configured."""
    named = {"DATA_DIR": data_dir, **({"HOME": home} if home else {})}
    return {**os.environ, **{ENVIRONMENT_PREFIX + name: value for name, value in named.items()}}


def environment() -> Mapping[str, str]:
    """Return this process's environment, for adapters that look up places of other programs in it."""
    return os.environ


def environment_of_model() -> dict[str, str]:
    """Return the environment that a program which stands for a model is run in: this process's, with memory switched off (no hook
    of ours may answer, and nothing of it is captured)."""
    return {**os.environ, f"{ENVIRONMENT_PREFIX}DISABLED": "1"}


def working_directory() -> Path:
    """Return the folder the command was started in: it decides which project's memories are meant."""
    return Path.cwd()


def take_environment(environment: Mapping[str, str]) -> None:
    """Put another process's environment in the place of this one's."""
    os.environ.clear()
    os.environ.update(environment)
    _limit_threads()


def _limit_threads() -> None:
    """Limit linear algebra in this process to one thread. Has an effect only before numpy is imported."""
    for name in _ONE_THREAD:
        os.environ.setdefault(name, "1")


#: At import, because every door imports this module before anything that imports numpy; a test holds that.
_limit_threads()


def search_path() -> str:
    """Return where executables are looked for, as PATH says it."""
    return os.environ.get("PATH", "")
