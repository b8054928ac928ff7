"""Environment and working directory of this process, and the variables it must set for itself."""

import os
from collections.abc import Mapping
from pathlib import Path

ENVIRONMENT_PREFIX = "VADEMECUM_"
_STARTED = ENVIRONMENT_PREFIX + "STARTED"

#: Set before numpy is imported: spinning threads cost 20 times more on a busy machine than they gain
#: (docs/measurements/experiments.md).
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def environment_of_helper(data_dir: str, home: str = "") -> dict[str, str]:
    """Return the environment of a helper's child processes: this process's, with data folder and `home` ("": configured)."""
    named = {"DATA_DIR": data_dir, **({"HOME": home} if home else {})}
    return {**os.environ, **{ENVIRONMENT_PREFIX + name: value for name, value in named.items()}}


def environment_of_started() -> dict[str, str]:
    """Return the environment of a helper that must find the marker of its start: this process's, with what `start_helper` adds."""
    return {**os.environ, _STARTED: "1"}


def was_started() -> bool:
    """Return whether this helper was started by a hook or by another helper, not by hand. True once: its children are not."""
    return os.environ.pop(_STARTED, "") != ""


def environment() -> Mapping[str, str]:
    """Return this process's environment; adapters look up folders of other programs in it."""
    return os.environ


def environment_of_model() -> dict[str, str]:
    """Return the environment for a program that acts as a model: this process's, with memory switched off.

    So our hooks do not answer in it, and nothing of it is captured.
    """
    return {**os.environ, f"{ENVIRONMENT_PREFIX}DISABLED": "1"}


def working_directory() -> Path:
    """Return the working directory, which decides the current project."""
    return Path.cwd()


def take_environment(environment: Mapping[str, str]) -> None:
    """Replace this process's environment by another one's."""
    os.environ.clear()
    os.environ.update(environment)
    _limit_threads()


def _limit_threads() -> None:
    """Limit linear algebra in this process to one thread. Only effective before numpy is imported."""
    for name in _ONE_THREAD:
        os.environ.setdefault(name, "1")


#: At import, because every entry point imports this module before numpy; a test checks that.
_limit_threads()


def search_path() -> str:
    """Return the search path of executables (PATH)."""
    return os.environ.get("PATH", "")
