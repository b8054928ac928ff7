"""What git knows of a folder: its files, its commits, and what was committed between two moments. Without git nothing is known."""

import re
import subprocess
from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from vademecum.domain.daily import Commit
from vademecum.domain.errors import Refused

#: A question to git is not waited for longer; a day has no more commits than a person reads.
TIMEOUT_S, DAY_MAX = 10, 50
#: A commit may read every file.
COMMIT_S = 120
#: A folder with more files, or commits further back, are not looked at.
FILES_MAX, COMMITS_MAX = 100_000, 200

#: What a repository's own configuration could make git run is switched off: the folder's name comes from a transcript.
_HARMLESS = (
    "--no-pager",
    "--no-optional-locks",
    *("-c", "log.showSignature=false"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.quotePath=false"),
    *("-c", "protocol.allow=never"),
)
_UNSIGNED = ("-c", "commit.gpgSign=false")
#: What stands in the repository's own folder while something is going on.
_UNDER_WAY = tuple(
    word
    for name in ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
    for word in ("--git-path", name)
)
_FIELD = "\x1f"
_HASH = re.compile(r"[0-9a-f]{4,64}")


class GitRepository(Struct, frozen=True, dict=True):
    """The Repository port over the repository that a folder lies in.

    Attributes:
        folder: any folder inside.
    """

    folder: Path

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Paths of tracked and of new files, relative to the folder; nothing when it is in no repository."""
        return tuple(_lines(self.folder, "ls-files", "--cached", "--others", "--exclude-standard")[:FILES_MAX])

    @cached_property
    def subjects(self) -> tuple[tuple[str, str], ...]:
        """(short hash, subject) of the last commits, the newest first."""
        lines = _lines(self.folder, "log", f"--max-count={COMMITS_MAX}", "--format=%h %s")
        return tuple((commit, subject) for commit, _, subject in (line.partition(" ") for line in lines))

    def commit_of(self, path: str) -> str:
        return next(iter(_lines(self.folder, "log", "--max-count=1", "--format=%h", "--", path)), "")

    def holding(self, word: str) -> str:
        """Return a tracked file in whose text the word stands as it is; "" for none."""
        found = _lines(self.folder, "grep", "--fixed-strings", "--word-regexp", "--files-with-matches", "-e", word)
        return next(iter(found), "")

    def commit(self, message: str) -> str:
        """Make a commit of what changed in the folder on the branch that is checked out; hooks are not run, nothing is signed or pushed.

        Raises:
            Refused: something else is staged, a merge or the like is going on, no branch is checked out, or git refuses.
        """
        if _lines(self.folder, "rev-parse", "--is-inside-work-tree") != ["true"]:
            return ""
        staged = _lines(self.folder, "diff", "--cached", "--name-only")
        if set(staged) - set(_lines(self.folder, "diff", "--cached", "--name-only", "--", ".")):
            raise Refused("Changes of yours are staged for a commit, so nothing was committed.", "Commit or unstage them.")
        under_way = [name for path in _lines(self.folder, "rev-parse", *_UNDER_WAY) if (name := self.folder / path).exists()]
        if under_way or not _lines(self.folder, "symbolic-ref", "--quiet", "HEAD"):
            raise Refused(
                "A merge or the like is going on, or no branch is checked out, so nothing was committed.", "Finish it."
            )
        _done(self.folder, "add", "--all", "--", ".")
        if not _lines(self.folder, "diff", "--cached", "--name-only", "--", "."):
            return ""
        _done(self.folder, *_UNSIGNED, "commit", "--quiet", "--no-verify", "--only", f"--message={message}", "--", ".")
        return next(iter(_lines(self.folder, "rev-parse", "--short", "HEAD")), "")


def commits_between(folder: str, since: datetime, until: datetime) -> Sequence[Commit]:
    """Return commits on local branches of the repository that a folder lies in, oldest first, by when they were committed."""
    if not folder:
        return ()
    span = (f"--since={int(since.timestamp())}", f"--until={int(until.timestamp())}")
    shape = (f"--pretty=format:%h{_FIELD}%cI{_FIELD}%s", f"--max-count={DAY_MAX}", "--no-color", "--branches", "HEAD")
    found = filter(None, map(_commit, _lines(Path(folder), "log", *span, *shape, "--")))
    return tuple(sorted(found, key=lambda one: one.time))


def _commit(line: str) -> Commit | None:
    name, _, rest = line.partition(_FIELD)
    moment, _, subject = rest.partition(_FIELD)
    if not _HASH.fullmatch(name):
        return None
    try:
        return Commit(name, datetime.fromisoformat(moment), subject)
    except ValueError:
        return None


def _lines(folder: Path, *arguments: str) -> list[str]:
    """Return what git prints; nothing when it is missing, too slow or refuses. Nothing of the repository is run."""
    try:
        done = _asked(folder, TIMEOUT_S, arguments) if folder.is_dir() else None
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.decode("utf-8", "replace").splitlines() if done is not None and done.returncode == 0 else []


def _done(folder: Path, *arguments: str) -> None:
    """Have git do something.

    Raises:
        Refused: it does not; with what it says.
    """
    try:
        done = _asked(folder, COMMIT_S, arguments)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Refused(f"git could not be asked: {error}.", "Look at it in a terminal: git status") from error
    if done.returncode:
        raise Refused(f"git refused: {done.stderr.decode('utf-8', 'replace').strip()}", "Look at it in a terminal: git status")


def _asked(folder: Path, seconds: float, arguments: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", *_HARMLESS, *arguments],
        cwd=folder,
        capture_output=True,
        timeout=seconds,
        check=False,
        stdin=subprocess.DEVNULL,
    )
