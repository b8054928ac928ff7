"""Find what a session's commands did to its repository: commits made or refused, and files written but not committed.

A command counts if a shell received it and its output reports no failure. Text in quotation marks, in here-documents and in
messages does not count.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.session import Turn, writes_files
from vademecum.extract.numbers import ANSWER_CHARS, REASON_MAX_CHARS
from vademecum.extract.paired_calls import answered_calls

_SHELLS = late_pattern(
    r"^(?:bash|shell|shell_command|exec|exec_command|execute(?:_(?:bash|command|shell))?|run_(?:shell_|terminal_)?(?:command|cmd)"
    r"|run_in_terminal|terminal|local_shell|powershell|pwsh)\b",
    re.IGNORECASE,
)
#: Programs that run tests, and programs that run a named task. Put these patterns in a group.
TEST_RUNNERS = "pytest|unittest|tox|nox|jest|vitest|mocha|rspec|phpunit"
TASK_RUNNERS = "npm|yarn|pnpm|bun|deno|go|cargo|gradlew?|mvn|make|mise|just|task|dotnet|swift|mix|rake|composer"
#: A here-document: from `<<EOF` to the line that ends it.
HERE_TEXT = late_pattern(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n.*?^\s*\2\b", re.DOTALL | re.MULTILINE)
_QUOTED = late_pattern(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_GIT = r"(?:^|[;&|(]|\b(?:rtk|sudo|command|env|time|xargs|then|do)\s)\s*(?:\w+=\S*\s+)*git(?:\s+-[cC]\s+\S+|\s+--?[\w-]+(?:=\S+)?)*\s+{}\b"
_COMMIT = late_pattern(_GIT.format("commit") + r"(?![^\n;&|]*--dry-run)", re.MULTILINE)
_PUSH = late_pattern(_GIT.format("push") + r"(?![^\n;&|]*--dry-run)", re.MULTILINE)
_UNDOES = late_pattern(_GIT.format(r"(?:stash|reset|restore|checkout|clean|revert)"), re.MULTILINE)
_ANY = late_pattern(_GIT.format(r"[a-z][\w-]*"), re.MULTILINE)
#: Git's output after a commit: "[main 1a2b3c4] Subject".
_MADE = late_pattern(r"^\[[^\]\n]{1,200}? (?P<hash>[0-9a-f]{7,40})\] (?P<subject>\S.*)$", re.MULTILINE)
#: Git's output after a push: "1a2b3c4..5d6e7f8  main -> main".
_SENT = late_pattern(r"^ (?:[ *+!] ?)?(?:[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,}|\[new (?:branch|tag)\]) +\S+ -> \S+", re.MULTILINE)
_FAILED = late_pattern(
    r"\A(?:Error: )?(?:Command failed with )?exit code:? [1-9]|^Process exited with code [1-9]|^FAILED: git|\bscript failed \(code"
    r"|^(?:fatal|error): |\"exit_code\": ?[1-9]|^nothing (?:added )?to commit|^no changes added to commit|rejected by the user"
    r"|doesn't want to (?:proceed|take this action)",
    re.IGNORECASE | re.MULTILINE,
)
_GOES_ON = late_pattern(r"^Process running with session ID", re.MULTILINE)
_REASON = late_pattern(
    r"^.*(?:\b(?:error|fatal|failed|failure|denied|rejected)\b|exited with code).*$", re.IGNORECASE | re.MULTILINE
)
_MESSAGE = late_pattern(
    r"\s(?:-[a-z]*m|--message)[ =]?\s*(?:\"\$\(cat <<-?\s*['\"]?\w+['\"]?\s*\n(?P<here>[^\n]+)"
    r"|\"(?P<double>(?:\\.|[^\"\\\n])+)|'(?P<single>[^'\n]+)|(?P<word>[^\s'\"]+))"
)
#: Lines that report a failure without its cause, including the commands that a hook prints before it runs them.
_SAYS_NO_MORE = late_pattern(r"exit code|husky|process exited|\$ |0 ", re.IGNORECASE)
#: Folders of tools and of the system; files in them are not the session's work.
_ELSEWHERE = late_pattern(r"^(?:/private)?/(?:tmp|var)/|/\.(?:claude|codex|cursor|gemini|git)/")


class RepositoryEffects(Struct, frozen=True):
    """What commands did to the repository.

    Attributes:
        commits: (short hash, subject) of each commit, in order; the hash is "" when git did not print it.
        pushed: whether something was pushed after the last commit.
        refused: why the last attempt to commit failed; "" when none failed or a later one succeeded.
        left: files written since the last commit, when the folder is a repository; in the order of writing.
        left_since: ref of the turn that wrote the first of them; "" for none.
    """

    commits: tuple[tuple[str, str], ...] = ()
    pushed: bool = False
    refused: str = ""
    left: tuple[str, ...] = ()
    left_since: str = ""


def commands_of(turn: Turn) -> Iterator[str]:
    """Yield the command lines that a turn gives to a shell, unchanged."""
    for name in turn.tools:
        if _SHELLS.match(name) and turn.text.startswith(f"{name}: "):
            yield turn.text.removeprefix(f"{name}: ").strip()


def repository_effects(turns: Sequence[Turn], cwd: str = "", branch: str = "") -> RepositoryEffects:
    """Return what a session's commands did to its repository. The caller leaves out turns of sub-agents.

    Args:
        cwd: the session's folder; files outside it are ignored. "" when unknown.
        branch: the session's branch; if not "", the folder is a repository.
    """
    commits: list[tuple[str, str]] = []
    left: dict[str, str] = {}
    versioned, pushed, refused = bool(branch), False, ""
    for command, answer, failed, turn in _runs(turns):
        bare = _QUOTED.sub("''", HERE_TEXT.sub("", command))
        left |= {path: turn.ref for path in _written(turn, cwd) if path not in left}
        versioned = versioned or _ANY.search(bare) is not None
        if _UNDOES.search(bare):
            left.clear()
        if _COMMIT.search(bare):
            made = _commits_in(command, answer, failed=failed)
            commits += made
            refused = "" if made or not answer else _reason(answer, failed=failed)
            pushed, left = (False, {}) if made else (pushed, left)
        if _PUSH.search(bare):
            pushed = pushed or _SENT.search(answer) is not None or not (failed or _FAILED.search(answer))
    waiting = tuple(left) if versioned else ()
    return RepositoryEffects(
        tuple(dict.fromkeys(commits)), pushed, refused, waiting, next(iter(left.values()), "") if waiting else ""
    )


def _runs(turns: Sequence[Turn]) -> Iterator[tuple[str, str, bool, Turn]]:
    """Yield (command, output, whether the host reports a failure, turn that calls) for every tool call, in order.

    Command and output are "" when there is none.
    """
    for call, result in answered_calls(turns):
        answer = result.text if result is not None else ""
        seen = answer if len(answer) <= 2 * ANSWER_CHARS else f"{answer[:ANSWER_CHARS]}\n{answer[-ANSWER_CHARS:]}"
        yield next(commands_of(call), ""), seen, result is not None and result.outcome in ("failed", "refused"), call


def _written(turn: Turn, cwd: str) -> Iterator[str]:
    """Yield files of the session's work that a call wrote."""
    if any(map(writes_files, turn.tools)):
        for path in turn.files:
            inside = not path.startswith("/") or not cwd or PurePosixPath(path).is_relative_to(cwd)
            if inside and not _ELSEWHERE.search(path):
                yield path


def _commits_in(command: str, answer: str, *, failed: bool) -> list[tuple[str, str]]:
    """Return the commits that a command made.

    These are the commits that git prints; else, if nothing failed, one with the message given on the command line.
    """
    named = [(match["hash"], match["subject"].strip()) for match in _MADE.finditer(answer)]
    if named or not answer or failed or _FAILED.search(answer) or _GOES_ON.search(answer):
        return named
    given = _MESSAGE.search(command)
    subject = next(filter(None, given.groups()), "").strip().replace('\\"', '"') if given else ""
    return [("", subject)] if subject and "$" not in subject else []


def _reason(answer: str, *, failed: bool) -> str:
    """Return the last line of a failed command's output that gives the reason; "" when the command did not fail.

    Args:
        failed: whether the host reports a failure.
    """
    if not failed and not _FAILED.search(answer):
        return ""
    lines = [match[0].strip() for match in _REASON.finditer(answer)]
    informative = [line for line in lines if not _SAYS_NO_MORE.match(line)]
    return (informative or lines or ["it failed"])[-1][:REASON_MAX_CHARS]
