"""What git knows of a folder: its files, its commits, and what was committed between two moments. Without git nothing is known."""

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

#: A question to git is not waited for longer; a day has no more commits than a person reads.
TIMEOUT_S, DAY_MAX = 10, 50
#: A commit may read every file.
COMMIT_S = 120
#: A folder with more files, or commits further back, are not looked at.
FILES_MAX, COMMITS_MAX = 100_000, 200

#: Of the lines of a file this share is new when it counts as rewritten. So many answers about commits are kept in a process.
REWRITTEN, KNOWN_MAX = "60%/60%", 400
#: With less time the text of a whole commit is not read: what was begun and cut off would be begun anew at each prompt.
READ_ALL_S = 0.1
#: So many commits' files are kept in a process, read and sorted by name.
TREES_MAX = 4
_TREES: dict[tuple[str, str], Files] = {}
#: An answer with more characters is not kept, such as the files of a very large repository.
KEPT_CHARS = 1_000_000
_KNOWN: dict[tuple[str, ...], tuple[str, int]] = {}
#: Where names of code are looked for: what is written for people names what is gone, too.
_CODE = tuple(f":(exclude,icase)*.{end}" for end in ("md", "txt", "rst", "adoc", "json", "jsonl", "lock", "svg", "csv"))

#: What a repository's own configuration could make git run is switched off: the folder's name comes from a transcript.
_HARMLESS = (
    "--no-pager", "--no-optional-locks", *("-c", "log.showSignature=false"), *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"), *("-c", "core.quotePath=false"), *("-c", "protocol.allow=never"),
)  # fmt: skip
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
        lines = _lines(self.folder, "grep", "--fixed-strings", "--word-regexp", "--files-with-matches", "-e", word)
        return next(iter(lines), "")

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
                "A merge or rebase is in progress, or no branch is checked out, so nothing was committed.", "Finish it."
            )
        _done(self.folder, "add", "--all", "--", ".")
        if not _lines(self.folder, "diff", "--cached", "--name-only", "--", "."):
            return ""
        _done(self.folder, *_UNSIGNED, "commit", "--quiet", "--no-verify", "--only", f"--message={message}", "--", ".")
        return next(iter(_lines(self.folder, "rev-parse", "--short", "HEAD")), "")


class Git(Struct, frozen=True, dict=True):
    """The repository that a folder lies in, asked within a time.

    Attributes:
        folder: any folder inside. seconds_left: gives how long git may still take; at 0 nothing is asked any more.
    """

    folder: Path
    seconds_left: Callable[[], float]

    def _once(self, *arguments: str) -> tuple[str, int]:
        """Return what git prints and its exit code; of what never changes, so that it is asked once in a process."""
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

    def _print(self, *arguments: str) -> bytes:
        return self._answer(arguments)[0]

    def _answer(self, arguments: Sequence[str], given: bytes = b"") -> tuple[bytes, int]:
        """Return what git prints and its exit code, 0 or 1.

        Raises:
            Unanswered: it is missing, refuses, or there is no time.
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
    """The CodeHistory port over the repository that a folder lies in. What a commit holds never changes."""

    @cached_property
    def head(self) -> str:
        """The commit that is checked out."""
        return next(iter(self._said("rev-parse", "--verify", "--quiet", "HEAD")), "")

    def commit_at(self, moment: datetime) -> str:
        return self._once("rev-list", "--max-count=1", f"--before={int(moment.timestamp())}", self.head)[0]

    def tree(self, commit: str) -> Files:
        key = (str(self.folder), commit)
        if key not in _TREES:
            text = _text(self._print("ls-tree", "-r", "--full-tree", "-z", commit))
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
            return False  # never fetched, or no commit: nothing is known of it
        return not self._said("for-each-ref", "--count=1", f"--contains={commit}") and commit != self.head


def commits_between(folder: str, since: datetime, until: datetime) -> Sequence[Commit]:
    """Return commits on local branches of the repository that a folder lies in, oldest first, by when they were committed."""
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
        raise Refused(f"git could not be run: {error}.", "Look at it in a terminal: git status") from error
    if done.returncode:
        raise Refused(f"git failed: {done.stderr.decode('utf-8', 'replace').strip()}", "Look at it in a terminal: git status")


def _text(printed: bytes) -> str:
    return printed.decode("utf-8", "replace").strip("\n")


def _asked(folder: Path, seconds: float, arguments: Sequence[str], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", *_HARMLESS, *arguments], cwd=folder, capture_output=True, timeout=seconds, check=False, input=given
    )
