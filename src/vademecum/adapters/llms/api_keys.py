"""Keys from a command of the person's, such as one that asks their keyring, as an alternative to a setting."""

import shlex
import subprocess
from collections.abc import Callable
from functools import cache

from vademecum.domain.errors import LLMRefused

TIMEOUT_S = 30


def key_from(command: str) -> Callable[[], str]:
    """Return a function that runs `command` (no shell) at its first call and returns the first line of the output.

    It raises LLMRefused when the command fails or prints nothing. The output is never shown.
    """

    @cache
    def key() -> str:
        try:
            done = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise LLMRefused(
                f"The command of the setting llm_key failed ({type(error).__name__}).", "Try it in a terminal."
            ) from None
        lines = done.stdout.splitlines()
        if not lines or not lines[0].strip():
            raise LLMRefused("The command of the setting llm_key printed no key.", "Try it in a terminal.")
        return lines[0].strip()

    return key
