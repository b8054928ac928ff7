"""Data from git about a folder: its files, its commits, and the commits of a period. Without git the results are empty."""

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from vademecum.domain.daily import Commit
from vademecum.domain.errors import Refused
from vademecum.ports.repository import Files, Unanswered

#: Timeout of a git command in seconds; most commits of a day that are read.
TIMEOUT_S, DAY_MAX = 10, 50
#: Timeout of a commit, which may read every file.
COMMIT_S = 120
#: Most files of a folder, and most commits, that are read.
FILES_MAX, COMMITS_MAX = 100_000, 200

#: Share of new lines that makes a file count as rewritten; most answers about commits that are cached in a process.
REWRITTEN, KNOWN_MAX = "60%/60%", 400
#: Minimum time for reading the text of a whole commit: a search that is cut off would be started again at each prompt.
READ_ALL_S = 0.1
#: Most commits whose files are cached in a process, parsed and sorted by name.
TREES_MAX = 4
_TREES: dict[tuple[str, str], Files] = {}
#: Longest answer in characters that is cached; the file list of a very large repository is longer.
KEPT_CHARS = 1_000_000
_KNOWN: dict[tuple[str, ...], tuple[str, int]] = {}
#: Files in which names of code are searched: documentation also names removed code, so it is excluded.
_CODE = tuple(f":(exclude,icase)*.{end}" for end in ("md", "txt", "rst", "adoc", "json", "jsonl", "lock", "svg", "csv"))

#: Options that prevent git from running commands of the repository's configuration, because the folder's name comes from a
#: transcript.
_HARMLESS = (
    "--no-pager", "--no-optional-locks", *("-c", "log.showSignature=false"), *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"), *("-c", "core.quotePath=false"), *("-c", "protocol.allow=never"),
)  # fmt: skip
_UNSIGNED = ("-c", "commit.gpgSign=false")
#: Files in the repository's own folder while an operation is in progress.
_UNDER_WAY = tuple(
    word
    for name in ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
    for word in ("--git-path", name)
)
_FIELD = "\x1f"
_HASH = re.compile(r"[0-9a-f]{4,64}")


class GitRepository(Struct, frozen=True, dict=True):
    """The Repository port over the repository that contains a folder.

    Attributes:
        folder: any folder inside.
    """

    folder: Path

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Paths of tracked and new files, relative to the folder; empty when it is in no repository."""
        return tuple(_lines(self.folder, "ls-files", "--cached", "--others", "--exclude-standard")[:FILES_MAX])

    @cached_property
    def subjects(self) -> tuple[tuple[str, str], ...]:
        """(short hash, subject) of the last commits, newest first."""
        lines = _lines(self.folder, "log", f"--max-count={COMMITS_MAX}", "--format=%h %s")
        return tuple((commit, subject) for commit, _, subject in (line.partition(" ") for line in lines))

    def commit_of(self, path: str) -> str:
        return next(iter(_lines(self.folder, "log", "--max-count=1", "--format=%h", "--", path)), "")

    def holding(self, word: str) -> str:
        """Return a tracked file whose text contains the exact word; "" for none."""
        lines = _lines(self.folder, "grep", "--fixed-strings", "--word-regexp", "--files-with-matches", "-e", word)
        return next(iter(lines), "")

    def commit(self, message: str) -> str:
        """Commit the changes in the folder on the current branch; hooks are not run, nothing is signed or pushed.

        Raises:
            Refused: other changes are staged, a merge or similar is in progress, no branch is checked out, or git refuses.
        """
        if _lines(self.folder, "rev-parse", "--is-inside-work-tree") != ["true"]:
            return ""
        staged = _lines(self.folder, "diff", "--cached", "--name-only")
        if set(staged) - set(_lines(self.folder, "diff", "--cached", "--name-only", "--", ".")):
            raise Refused("Changes of yours are staged for a commit, so nothing was committed.", "Commit or unstage them.")
        under_way = [name for path in _lines(self.folder, "rev-parse", *_UNDER_WAY) if (name := self.folder / path).exists()]
        if under_way or not _lines(self.folder, "symbolic-ref", "--quiet", "HEAD"):
            raise Refused(
                "A merge or rebase is in progress, or no branch is checked out, so nothing was committed.", "Finish it."
            )
        _done(self.folder, "add", "--all", "--", ".")
        if not _lines(self.folder, "diff", "--cached", "--name-only", "--", "."):
            return ""
        _done(self.folder, *_UNSIGNED, "commit", "--quiet", "--no-verify", "--only", f"--message={message}", "--", ".")
        return next(iter(_lines(self.folder, "rev-parse", "--short", "HEAD")), "")


class Git(Struct, frozen=True, dict=True):
    """The repository that contains a folder, queried within a time limit.

    Attributes:
        folder: any folder inside. seconds_left: returns the remaining time for git; at 0 git is not called any more.
    """

    folder: Path
    seconds_left: Callable[[], float]

    def _once(self, *arguments: str) -> tuple[str, int]:
        """Return git's output and exit code, cached in the process; only for answers that never change."""
        key = (str(self.folder), *arguments)
        if key in _KNOWN:
            return _KNOWN[key]
        printed, code = self._answer(arguments)
        answer = _text(printed), code
        if len(answer[0]) <= KEPT_CHARS:
            while len(_KNOWN) >= KNOWN_MAX:
                del _KNOWN[next(iter(_KNOWN))]
            _KNOWN[key] = answer
        return answer

    def _said(self, *arguments: str, given: bytes = b"") -> list[str]:
        return _text(self._answer(arguments, given)[0]).splitlines()

    def _answer(self, arguments: Sequence[str], given: bytes = b"") -> tuple[bytes, int]:
        """Return git's output and exit code, 0 or 1.

        Raises:
            Unanswered: git is missing, refuses, or there is no time.
        """
        left = self.seconds_left()
        if left <= 0:
            raise Unanswered
        try:
            done = _asked(self.folder, min(left, TIMEOUT_S), arguments, given)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unanswered from error
        if done.returncode not in (0, 1):
            raise Unanswered
        return done.stdout, done.returncode


class GitHistory(Git, frozen=True, dict=True):
    """The CodeHistory port over the repository that contains a folder. The content of a commit never changes."""

    @cached_property
    def head(self) -> str:
        """The commit that is checked out."""
        return next(iter(self._said("rev-parse", "--verify", "--quiet", "HEAD")), "")

    def commit_at(self, moment: datetime) -> str:
        return self._once("rev-list", "--max-count=1", f"--before={int(moment.timestamp())}", self.head)[0]

    def tree(self, commit: str) -> Files:
        key = (str(self.folder), commit)
        if key not in _TREES:
            text = _text(self._answer(("ls-tree", "-r", "--full-tree", "-z", commit))[0])
            rows = (row.partition("\t") for row in text.split("\0") if row)
            while len(_TREES) >= TREES_MAX:
                del _TREES[next(iter(_TREES))]
            _TREES[key] = Files({path: facts.rpartition(" ")[2] for facts, _, path in rows})
        return _TREES[key]

    def rewritten(self, before: str, after: str, paths: Sequence[str]) -> frozenset[str]:
        how = (f"--break-rewrites={REWRITTEN}", "--no-ext-diff", "--no-renames", "--name-status", "-z")
        once = self._once("diff", *how, before, after, "--", *paths)
        words = once[0].split("\0")
        return frozenset(path for mark, path in zip(words[::2], words[1::2], strict=False) if mark[:1] == "M" and mark[1:])

    def renamed(self, before: str, after: str, paths: Sequence[str]) -> Mapping[str, str]:
        once = self._once(
            "diff", "--find-renames", "--no-ext-diff", "--diff-filter=R", "--name-status", "-z", before, after, "--", *paths
        )
        words = once[0].split("\0")
        return dict(zip(words[1::3], words[2::3], strict=False))

    def holds(self, commit: str, word: str) -> bool:
        words = ("grep", "--quiet", "--fixed-strings", "--word-regexp", "-e", word, commit, "--", *_CODE)
        if self.seconds_left() < READ_ALL_S and (str(self.folder), *words) not in _KNOWN:
            raise Unanswered
        return not self._once(*words)[1]

    def is_dropped(self, commit: str) -> bool:
        if self._once("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")[1]:
            return False  # never fetched, or no commit: nothing is known about it
        return not self._said("for-each-ref", "--count=1", f"--contains={commit}") and commit != self.head


def commits_between(folder: str, since: datetime, until: datetime) -> Sequence[Commit]:
    """Return commits on local branches of the repository that contains a folder, oldest first, by commit time."""
    if not folder:
        return ()
    span = (f"--since={int(since.timestamp())}", f"--until={int(until.timestamp())}")
    shape = (f"--pretty=format:%h{_FIELD}%cI{_FIELD}%s", f"--max-count={DAY_MAX}", "--no-color", "--branches", "HEAD")
    results = filter(None, map(_commit, _lines(Path(folder), "log", *span, *shape, "--")))
    return tuple(sorted(results, key=lambda commit: commit.time))


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
    """Return git's output; empty when git is missing, too slow or refuses. Nothing of the repository is executed."""
    try:
        done = _asked(folder, TIMEOUT_S, arguments) if folder.is_dir() else None
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.decode("utf-8", "replace").splitlines() if done is not None and done.returncode == 0 else []


def _done(folder: Path, *arguments: str) -> None:
    """Run a git command that changes something.

    Raises:
        Refused: it failed; with git's message.
    """
    try:
        done = _asked(folder, COMMIT_S, arguments)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Refused(f"git could not be run: {error}.", "Look at it in a terminal: git status") from error
    if done.returncode:
        raise Refused(f"git failed: {done.stderr.decode('utf-8', 'replace').strip()}", "Look at it in a terminal: git status")


def _text(printed: bytes) -> str:
    return printed.decode("utf-8", "replace").strip("\n")


def _asked(folder: Path, seconds: float, arguments: Sequence[str], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", *_HARMLESS, *arguments], cwd=folder, capture_output=True, timeout=seconds, check=False, input=given
    )
