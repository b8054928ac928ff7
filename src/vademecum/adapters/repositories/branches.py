"""The fate of branches in a repository, from git's commits and reflogs; nothing is written."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from vademecum.adapters.repositories.git import Git
from vademecum.domain.branches import GONE, Branch
from vademecum.ports.repository import Fate

#: Length of a commit in a memory's property; most commits of the default branch that are compared with a squashed one; most
#: lines of a reflog.
_COMMIT_CHARS, _SQUASHED_MAX, _LOG_MAX = 12, 300, 2000
#: A branch is abandoned when the default branch has a commit this much younger than its last one, in seconds.
_LEFT_S = 30 * 86_400
#: First words of reflog entries for new commits of a branch.
_OWN = ("commit", "cherry-pick", "revert", "am")
_MOVED = "checkout: moving from "
_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color")


class GitBranches(Git, frozen=True, dict=True):
    """The Branches port over the repository that contains a folder."""

    def learnt(self, at: datetime | None = None) -> tuple[str, str] | None:
        name = self._head[1] if at is None else self._checked_out(at)
        if name in ("", "HEAD", self._default) or not self._default:
            return None
        tip = self._tip(name) or self._left(name)[0]
        if not tip:
            return None
        return name, "" if self._in_default({tip}) else tip[:_COMMIT_CHARS]

    def holding(self, branches: Iterable[Branch]) -> frozenset[Branch]:
        commit, name = self._head
        here = {branch for branch in branches if branch.name == name and branch.commit != GONE}
        rest = {
            branch: {branch.commit} if branch.commit else self._own_tips(branch) for branch in branches if branch not in here
        }
        inside = self._inside(frozenset().union(*rest.values()) - {GONE}, commit)
        under_another_name = {branch for branch in rest if not branch.commit and self.follow(branch).name == name}
        return frozenset(here | under_another_name | {branch for branch, tips in rest.items() if tips & inside})

    def fate(self, branch: Branch) -> Fate:
        if not self._default:
            return "unknown"
        tips = self._own_tips(branch)
        if branch.name == self._default or self._in_default(tips) or any(map(self._has_come_in, sorted(tips))):
            return "merged"
        if self._tip(branch.name):
            return "dropped" if self._is_gone_upstream(branch.name) else "unknown" if self._is_left(branch.name) else "open"
        return "dropped" if tips or self._left(branch.name)[0] else "unknown"

    def follow(self, branch: Branch) -> Branch:
        if self._tip(branch.name):
            return branch
        begins = f"Branch: renamed refs/heads/{branch.name} to refs/heads/"
        texts = self._said("log", "--walk-reflogs", "--all", "--fixed-strings", f"--grep-reflog={begins}", "--format=%gs")
        name = texts[0].removeprefix(begins) if texts else branch.name
        return Branch(branch.repository, name, branch.commit) if self._tip(name) else branch

    @cached_property
    def _head(self) -> tuple[str, str]:
        """The commit that is checked out, and its branch; "" for none."""
        commit, name = self._said("rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
        return commit, name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else ""

    @cached_property
    def _default(self) -> str:
        """The default branch; "" when it cannot be determined."""
        of_origin = self._said("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
        if of_origin:
            return of_origin[0].removeprefix("refs/remotes/origin/")
        names = self._said("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
        usual = (*self._once("config", "--get", "init.defaultBranch")[0].split(), "main", "master")
        return next((name for name in usual if name in names), names[0] if len(names) == 1 else "")

    @cached_property
    def _default_tips(self) -> Sequence[str]:
        where = (f"refs/heads/{self._default}", f"refs/remotes/origin/{self._default}")
        return sorted(set(self._said("for-each-ref", "--format=%(objectname)", *where)))

    def _checked_out(self, at: datetime) -> str:
        """Return the branch that was checked out here at a moment; "" when the reflog does not reach back so far."""
        lines = self._said("log", "--walk-reflogs", f"--max-count={_LOG_MAX}", "--date=unix", "--format=%gd %gs", "HEAD", "--")
        name, moment = self._head[1], at.timestamp()
        for line in lines:
            entry, _, text = line.partition(" ")
            if int(entry.removeprefix("HEAD@{").rstrip("}")) <= moment:
                return name
            if text.startswith(_MOVED):
                name = text.removeprefix(_MOVED).partition(" to ")[0]
        return ""

    def _tip(self, name: str) -> str:
        """Return the head of a branch with this name, local or as last fetched; "" for none."""
        where = (f"refs/heads/{name}", f"refs/remotes/*/{name}")
        return next(iter(self._said("for-each-ref", "--format=%(objectname)", *where)), "")

    def _is_gone_upstream(self, name: str) -> bool:
        """Return whether the branch's upstream was deleted, as hosts do after a pull request was closed."""
        return self._said("for-each-ref", "--format=%(upstream:track)", f"refs/heads/{name}") == ["[gone]"]

    def _is_left(self, name: str) -> bool:
        """Return whether the branch is abandoned: not checked out, and much older than the default branch."""
        dates = [self._said("log", "-1", "--format=%ct", tip, "--")[0] for tip in (self._tip(name), *self._default_tips)]
        own, *default = map(int, dates)
        return self._head[1] != name and max(default, default=own) - own > _LEFT_S

    def _own_tips(self, branch: Branch) -> frozenset[str]:
        """Return commits that the default branch can contain only after a merge of this branch."""
        noted = frozenset({branch.commit} if self._there({branch.commit}) else ())
        tip = self._tip(branch.name)
        if not tip:
            tip, own = self._left(branch.name)
        else:
            own = not self._in_default({tip}) or any(
                text.startswith(_OWN) for _, text in self._log(f"refs/heads/{branch.name}")
            )
        return noted | ({tip[:_COMMIT_CHARS]} if tip and own else frozenset())

    def _left(self, name: str) -> tuple[str, bool]:
        """Return the head of a branch when it was last left for another one, and whether it had commits of its own."""
        tip, own, on_it = "", False, False
        for (before, _), (_, text) in pairwise(reversed(self._log("HEAD"))):
            if text.startswith(_MOVED):
                came, _, went = text.removeprefix(_MOVED).partition(" to ")
                tip = before if came == name else tip
                on_it = went == name
            else:
                own = own or (on_it and text.startswith(_OWN))
        return tip, own

    def _log(self, reference: str) -> Sequence[tuple[str, str]]:
        """Return (commit, action) of a reference's reflog, the last first."""
        lines = self._said("log", "--walk-reflogs", f"--max-count={_LOG_MAX}", "--format=%H %gs", reference, "--")
        return [(commit, text) for commit, _, text in (line.partition(" ") for line in lines)]

    def _there(self, commits: Iterable[str]) -> frozenset[str]:
        """Return those of the commits (prefixes of hashes) that exist in the repository."""
        wanted = sorted(commit for commit in commits if commit not in ("", GONE))
        result = self._said("rev-list", "--no-walk=unsorted", "--ignore-missing", *wanted) if wanted else ()
        return frozenset(entry for entry in wanted if any(full.startswith(entry) for full in result))

    def _inside(self, commits: Iterable[str], whole: str) -> frozenset[str]:
        """Return those of the commits that are `whole` or its ancestors."""
        wanted = sorted(commit for commit in commits if commit not in ("", GONE))
        outside = self._once("rev-list", "--ignore-missing", *wanted, f"^{whole}")[0].split() if wanted else ()
        there = self._there(entry for entry in wanted if not any(full.startswith(entry) for full in outside))
        return frozenset(entry for entry in there if not self._once("merge-base", "--is-ancestor", entry, whole)[1])

    def _in_default(self, commits: Iterable[str]) -> bool:
        return any(self._inside(commits, tip) for tip in self._default_tips)

    def _has_come_in(self, commit: str) -> bool:
        """Return whether the default branch contains the changes of a commit, one by one (rebased) or as one (squashed)."""
        return any(self._is_rebased(commit, tip) or self._is_squashed(commit, tip) for tip in self._default_tips)

    def _is_rebased(self, commit: str, tip: str) -> bool:
        marks = self._once("cherry", tip, commit)[0].splitlines()
        return bool(marks) and all(mark.startswith("-") for mark in marks)

    def _is_squashed(self, commit: str, tip: str) -> bool:
        base = self._once("merge-base", tip, commit)[0]
        brought = self._patches("diff", *_DIFF, base, commit) if base else frozenset()
        last = ("log", "--patch", "--no-merges", f"--max-count={_SQUASHED_MAX}", *_DIFF, tip, f"^{base}")
        return bool(brought) and brought <= self._patches(*last)

    def _patches(self, *arguments: str) -> frozenset[str]:
        """Return the patch ids of the patches in a command's output, independent of author and position."""
        return frozenset(line.split()[0] for line in self._said("patch-id", "--stable", given=self._answer(arguments)[0]))
