"""Patterns that would be told all the time are shown at no call."""

import pytest
from tests.actions.talks import lines_of, ran

from vademecum.domain.errors import InvalidInput


@pytest.fixture
def worked(memory, tmp_path):
    """Six sessions of twenty calls each: every one looks at the state of the repository, one pushes by force."""
    for number in range(6):
        commands = [
            "git status",
            *(f"cat notes-{number}-{row}.txt" for row in range(18)),
            "git push --force" if number == 3 else "ls",
        ]
        path = tmp_path / f"s{number}.jsonl"
        path.write_text("".join(lines_of(f"s{number}", map(ran, commands), day=number)))
    memory.maintenance.capture((str(tmp_path),))
    return memory


def test_too_wide(worked):
    """A pattern that fits each session, or more than two of a hundred calls, is refused when it is set and left out of what is ready."""
    rule = worked.notes.save("lesson", "State", "`git status` fails in worktrees.").memory
    assert worked.actions.rules() == ()
    for pattern in ("run: git status", "run: cat *"):
        with pytest.raises(InvalidInput, match="fits"):
            worked.actions.rule(rule.id, when=(pattern,))
    assert worked.actions.rule(rule.id, when=("run: git push --force",)).when == ("run: git push --force",)
    assert [line.when for line in worked.actions.rules()] == [("run: git push --force",)]


def test_what_the_person_gave_a_level_is_told(worked):
    """A rule of the person's with a level of its own is told however many calls it fits."""
    rule = worked.notes.save("preference", "State", "Never run `git status`.").memory
    worked.actions.rule(rule.id, "note")
    assert [line.when for line in worked.actions.rules()] == [("run: git status",)]
