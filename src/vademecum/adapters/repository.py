"""What a folder's version control can bear witness to: its files and its commits. Asks `git`; without it nothing is known."""

import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

#: A question to git is not waited for longer. A folder with more files, or commits further back, are not looked at.
TIMEOUT_S, FILES_MAX, COMMITS_MAX = 10, 100_000, 200


@dataclass(frozen=True)
class Repository:
    """The repository that a folder lies in.

    Attributes:
        folder: any folder inside.
    """

    folder: Path

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Paths of tracked and of new files, relative to the folder; nothing when it is in no repository."""
        return tuple(self._git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()[:FILES_MAX])

    @cached_property
    def subjects(self) -> tuple[tuple[str, str], ...]:
        """(short hash, subject) of the last commits, the newest first."""
        lines = self._git("log", f"--max-count={COMMITS_MAX}", "--format=%h %s").splitlines()
        return tuple((commit, subject) for commit, _, subject in (line.partition(" ") for line in lines))

    def commit_of(self, path: str) -> str:
        """Short hash of the last commit that changed a file; "" for none."""
        return self._git("log", "--max-count=1", "--format=%h", "--", path).strip()

    def holding(self, word: str) -> str:
        """A tracked file in whose text the word stands as it is; "" for none."""
        return next(
            iter(self._git("grep", "--fixed-strings", "--word-regexp", "--files-with-matches", "-e", word).splitlines()), ""
        )

    def _git(self, *arguments: str) -> str:
        """What git prints; "" when it is missing, too slow or refuses. Nothing of the repository is run: no hooks, no pager, no aliases."""
        program = shutil.which("git")
        if program is None or not self.folder.is_dir():
            return ""
        safe = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")
        try:
            done = subprocess.run(
                [program, "--no-pager", *safe, *arguments], cwd=self.folder, capture_output=True, timeout=TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
