"""A folder's version control."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from vademecum.domain.branches import Branch

#: "dropped": deleted without being merged, locally or on the remote. "unknown": it cannot be determined, for instance after a
#: long time.
Fate = Literal["open", "merged", "dropped", "unknown"]


class Repository(Protocol):
    """Files and commits of a folder under version control.

    A folder without version control has no files and no commits, and raises nothing.
    """

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of its files, POSIX, relative to the folder."""

    @property
    def subjects(self) -> tuple[tuple[str, str], ...]:
        """(commit, subject) of its last commits, newest first."""

    def commit_of(self, path: str) -> str:
        """Return the last commit that changed a file; "" for none."""

    def holding(self, word: str) -> str:
        """Return a file whose text contains the word; "" for none."""

    def commit(self, message: str) -> str:
        """Commit the changes in the folder and nothing else, and return the commit; "" when nothing changed.

        Raises:
            Refused: the person has staged changes, is merging, or is on no branch; or version control refuses.
        """


class Unanswered(Exception):
    """Version control is missing, refuses, or took too long: nothing is known."""


class Files(Struct, frozen=True, dict=True):
    """The files of a commit.

    Attributes:
        digests: path from the top, POSIX -> hash of its content.
    """

    digests: Mapping[str, str]

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[str]]:
        """File name without folders -> paths."""
        by_key: dict[str, list[str]] = defaultdict(list)
        for path in self.digests:
            by_key[path.rpartition("/")[2]].append(path)
        return by_key


class CodeHistory(Protocol):
    """Contents of a repository at its commits.

    A commit is named by its full hash; every method may raise :class:`Unanswered`.
    """

    @property
    def head(self) -> str:
        """The commit that is checked out; "" for none."""

    def commit_at(self, moment: datetime) -> str:
        """Return the last ancestor of the current commit that is not later than a moment; "" for none."""

    def tree(self, commit: str) -> Files:
        """Return the files of a commit."""

    def rewritten(self, before: str, after: str, paths: Sequence[str]) -> frozenset[str]:
        """Return the paths, of files in both commits, whose content was mostly rewritten in between."""

    def renamed(self, before: str, after: str, paths: Sequence[str]) -> Mapping[str, str]:
        """Return old path -> new path of the given paths that were moved to another given path, mostly unchanged."""

    def holds(self, commit: str, word: str) -> bool:
        """Return whether a word occurs in the code of a commit.

        May read all of it, which is not started when little time is left.
        """

    def is_dropped(self, commit: str) -> bool:
        """Return whether a commit (any prefix of its hash) exists but is on no branch or tag any more."""


class Branches(Protocol):
    """Branches of a repository, and where they are valid. Every method may raise :class:`Unanswered`."""

    def learnt(self, at: datetime | None = None) -> tuple[str, str] | None:
        """Return the branch on which something is learnt, and its head commit if the default branch does not contain it, else
        "".

        Args:
            at: when; aware. None: now.

        Returns:
            None: on the default branch, on none, on an unknown one, or in a repository whose default branch is unknown.
        """

    def holding(self, branches: Iterable[Branch]) -> frozenset[Branch]:
        """Return the branches that are valid in the working folder: the current one, and those whose commits it contains."""

    def fate(self, branch: Branch) -> Fate:
        """Return the fate of a branch; merged: the default branch contains its changes by commit, rebased or squashed."""

    def follow(self, branch: Branch) -> Branch:
        """Return the branch under its current name, if it was renamed."""
