"""A folder's version control."""

from __future__ import annotations

from typing import Protocol


class Repository(Protocol):
    """Files and commits of a folder under version control. A folder that is under none has no files and no commits, and raises nothing."""

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of its files, POSIX, relative to it."""
        ...

    @property
    def subjects(self) -> tuple[tuple[str, str], ...]:
        """(commit, subject) of its last commits, the newest first."""
        ...

    def commit_of(self, path: str) -> str:
        """Return the last commit that changed a file; "" for none."""
        ...

    def holding(self, word: str) -> str:
        """Return a file in whose text the word stands; "" for none."""
        ...

    def commit(self, message: str) -> str:
        """Make a commit of what changed in the folder and of nothing else, and return the commit; "" when nothing changed.

        Raises:
            Refused: it is not the moment: the person prepared a commit, is merging, or is on no branch; or version control refuses.
        """
        ...
