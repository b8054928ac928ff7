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

#: "dropped": it was there, and is gone without having been merged, here or where it was pushed to. "unknown": nothing tells, also of one
#: that was left long ago.
Fate = Literal["open", "merged", "dropped", "unknown"]


class Repository(Protocol):
    """Files and commits of a folder under version control. A folder that is under none has no files and no commits, and raises nothing."""

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of its files, POSIX, relative to it."""

    @property
    def subjects(self) -> tuple[tuple[str, str], ...]:
        """(commit, subject) of its last commits, the newest first."""

    def commit_of(self, path: str) -> str:
        """Return the last commit that changed a file; "" for none."""

    def holding(self, word: str) -> str:
        """Return a file in whose text the word stands; "" for none."""

    def commit(self, message: str) -> str:
        """Make a commit of what changed in the folder and of nothing else, and return the commit; "" when nothing changed.

        Raises:
            Refused: it is not the moment: the person prepared a commit, is merging, or is on no branch; or version control refuses.
        """


class Unanswered(Exception):
    """Version control is missing, refuses, or there is no time: nothing is known."""


class Files(Struct, frozen=True, dict=True):
    """The files of a commit.

    Attributes:
        digests: path from the top, POSIX -> hash of what it says.
    """

    digests: Mapping[str, str]

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[str]]:
        """Name without its folders -> paths."""
        by_key: dict[str, list[str]] = defaultdict(list)
        for path in self.digests:
            by_key[path.rpartition("/")[2]].append(path)
        return by_key


class CodeHistory(Protocol):
    """What a repository held at its commits. A commit is named by its whole hash; every method may raise :class:`Unanswered`."""

    @property
    def head(self) -> str:
        """The commit that is checked out; "" for none."""

    def commit_at(self, moment: datetime) -> str:
        """Return the last commit up to a moment that the one checked out came from; "" for none."""

    def tree(self, commit: str) -> Files:
        """Return the files of a commit."""

    def rewritten(self, before: str, after: str, paths: Sequence[str]) -> frozenset[str]:
        """Return those paths, of files in both commits, of which most was written anew in between."""

    def renamed(self, before: str, after: str, paths: Sequence[str]) -> Mapping[str, str]:
        """Return what those of the paths became that moved to another of them: they say the same there, or most of it."""

    def holds(self, commit: str, word: str) -> bool:
        """Return whether a word stands in the code of a commit. All of it may have to be read, which is not begun with little time."""

    def is_dropped(self, commit: str) -> bool:
        """Return whether a commit (any beginning of its hash) is there and on no branch or tag any more."""


class Branches(Protocol):
    """Which branches of a repository hold where. Every method may raise :class:`Unanswered`."""

    def learnt(self, at: datetime | None = None) -> tuple[str, str] | None:
        """Return the branch that something is learnt on, and the commit it stands at where the default branch has not got that, else "".

        Args:
            at: when; aware. None: now.

        Returns:
            None: the default branch, none at all, one that nothing is known of, or a repository of which nobody knows the default.
        """

    def holding(self, branches: Iterable[Branch]) -> frozenset[Branch]:
        """Return those that hold where the work goes on: the one checked out, and those whose commits it came from."""

    def fate(self, branch: Branch) -> Fate:
        """Return what became of a branch: whether the default branch holds what it brought, by its commits, rebased or squashed."""

    def follow(self, branch: Branch) -> Branch:
        """Return the branch under the name that it was given since."""
