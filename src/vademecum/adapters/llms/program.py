"""Runs a person's own program (Claude Code, Codex) once, in an empty temporary folder, and cleans up after it."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from vademecum.adapters.llms.endpoint import PassingFailure, is_refusal
from vademecum.domain.errors import LLMRefused, LLMUnavailable

#: Most characters of a program's error message that are passed on.
SAID_MAX_CHARS = 300


class Ran(Struct, frozen=True):
    """The exit code and output of a program."""

    code: int
    stdout: str
    stderr: str


def run(name: str, arguments: Callable[[Path], list[str]], text: str, environment: Mapping[str, str], timeout_s: float) -> Ran:
    """Run the program `name` to its end.

    Args:
        arguments: returns the command line's arguments, given the empty working folder, which is deleted afterwards.
        text: its standard input.

    Raises:
        LLMRefused: it is not installed. PassingFailure: it took longer than `timeout_s`, and was killed with its child
            processes.
    """
    which = shutil.which(name, path=environment.get("PATH"))
    if which is None:
        raise LLMRefused(f"{name} is not on this machine.", f"Install {name}, or choose another model: setting llm")
    with tempfile.TemporaryDirectory(prefix="vade-ask-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        with _started([which, *arguments(place)], place, environment) as process:
            try:
                out, err = process.communicate(text, timeout=timeout_s)
            except subprocess.TimeoutExpired as error:
                raise PassingFailure(f"{name} gave no answer within {timeout_s:.0f} s.", "It is tried again later.") from error
    return Ran(process.returncode, out, err)


@contextlib.contextmanager
def _started(command: list[str], folder: Path, environment: Mapping[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """Start a program in a process group of its own, which is killed at the end of the block."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=folder, env=dict(environment), stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8",
        errors="replace", start_new_session=True,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            if process.poll() is None:
                _end(process)


def _end(process: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def failure(name: str, said: str) -> LLMUnavailable:
    """Return the error for a program's message."""
    text = " ".join(said.split())[:SAID_MAX_CHARS] or "it printed nothing"
    if is_refusal(said):
        return LLMRefused(
            f"{name} refused to answer: {text}", f"Start {name} once by hand and log in; then: vade reader queue --retry"
        )
    return PassingFailure(f"{name} failed: {text}", "It is tried again later.")
