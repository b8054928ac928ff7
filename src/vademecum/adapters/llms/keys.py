"""Where a key comes from when it is not a setting: a command of the person's, such as one that asks their keyring."""

import shlex
import subprocess
from collections.abc import Callable
from functools import cache

from vademecum.domain.errors import LLMRefused

TIMEOUT_S = 30


def key_from(command: str) -> Callable[[], str]:
    """Run `command` (no shell) when the key is first needed, and take the first line that it prints.

    The function it gives raises LLMRefused when the command fails or prints nothing. What it prints is never repeated.
    """

    @cache
    def key() -> str:
        try:
            done = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise LLMRefused(
                f"The command of the setting llm_key_command failed ({type(error).__name__}).", "Try it in a terminal."
            ) from None
        lines = done.stdout.splitlines()
        if not lines or not lines[0].strip():
            raise LLMRefused("The command of the setting llm_key_command printed no key.", "Try it in a terminal.")
        return lines[0].strip()

    return key
