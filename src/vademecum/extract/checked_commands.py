"""Find an agent's commands that prove something (tests, checks, commits and the like) and how they ended."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from vademecum.domain.session import Turn
from vademecum.extract.commits import TASK_RUNNERS, TEST_RUNNERS, commands_of
from vademecum.extract.numbers import COMMAND_MAX_CHARS, OUTCOME_MAX_CHARS
from vademecum.extract.paired_calls import answered_calls
from vademecum.language.text import brief

_PROVING = re.compile(
    r"\bgit (?:-\S+ )*(?:commit|push|tag|merge)\b|\bgh \w+ (?:create|merge)\b"
    rf"|\b(?:{TEST_RUNNERS}|eslint|tsc|mypy|ruff|biome)\b"
    rf"|\b(?:{TASK_RUNNERS})(?: run)? (?:-\S+ )*(?:tests?|check|lint|typecheck|build|vet)\b"
)
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:?|exited with code)\s+(\d+)", re.IGNORECASE | re.MULTILINE)
_FAILS = re.compile(
    r"^.*(?:\b[1-9]\d* (?:tests? )?(?:fail(?:ed|ing|ures?)?|errors?)\b|\berror(?:\[\w+\])?:|\bfatal:|npm ERR!|\bFAIL(?:ED)?\b|✗|✖"
    r"|(?:script|command|hook|husky).{0,40}\b(?:failed|exited with code [1-9])).*$",
    re.MULTILINE,
)
#: Signs that a command line's exit code may not be that of its first command.
_HIDES_EXIT = re.compile(r"[|;&]|\n")
#: Lines that programs end with on success, whatever else they printed.
_WELL = re.compile(
    r"^\[[^\]\n]+ [0-9a-f]{7,}\] .*$|^(?:OK|ok\b.*|test result: ok.*)$"
    r"|^(?![^\n]*\b[1-9]\d* (?:tests? )?fail).*\b[1-9]\d* (?:tests? )?pass(?:ed|ing)?\b"
    r"(?=(?:[^\n]*\n){0,3}?[^\n]*\b0 fail|[^\n]* in [\d.]+ ?m?s).*$",
    re.MULTILINE,
)


class CheckedCommand(Struct, frozen=True):
    """A command that an agent ran.

    Attributes:
        ref: ref of the turn that calls it.
        command: the command as given, on one line.
        outcome: the most informative line of its output.
    """

    ref: str
    command: str
    outcome: str
    failed: bool


def checked_commands(turns: Sequence[Turn]) -> Iterator[CheckedCommand]:
    """Yield the commands that prove something and have a result, in the order of the calls."""
    for call, answer in answered_calls(turns):
        if answer is None:
            continue
        for command in commands_of(call):
            if _PROVING.search(command):
                well, wrong = _WELL.search(answer.text), _FAILS.search(answer.text)
                failed = _failed(command, answer, shown=wrong is not None and well is None)
                lines = [line for line in answer.text.splitlines() if line.strip()]
                match = wrong if failed else well
                outcome = match[0] if match else lines[-1] if lines else ""
                yield CheckedCommand(call.ref, brief(command, COMMAND_MAX_CHARS), brief(outcome, OUTCOME_MAX_CHARS), failed)


def failed_commands(turns: Sequence[Turn], most: int) -> Iterator[tuple[str, str]]:
    """Yield (command, output) of those among the last `most` calls that failed by their exit code or the host's report."""
    answered = [(call, answer) for call, answer in answered_calls(turns) if answer is not None]
    for call, answer in answered[-most:]:
        yield from ((command, answer.text) for command in commands_of(call) if _failed(command, answer, shown=False))


def _failed(command: str, answer: Turn, *, shown: bool) -> bool:
    """Return whether a command failed: by its exit code or the host's report; by its output where a pipe may hide both."""
    code = _EXIT.search(answer.text)
    if code is not None and code[1] != "0":
        return True
    if answer.outcome in ("failed", "refused"):
        return True
    known = code is not None or answer.outcome == "succeeded"
    return shown if not known or _HIDES_EXIT.search(command) else False
