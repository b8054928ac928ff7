"""What commands of an agent prove, and how they ended."""

import pytest

from vademecum.domain.session import Turn
from vademecum.extract.checked_commands import checked_commands


def ran(command, answer, tool="Bash"):
    turns = [Turn("1", "tool", f"{tool}: {command}", tools=(tool,)), Turn("2", "tool", answer, name=tool)]
    return [(deed.ref, deed.outcome, deed.failed) for deed in checked_commands(turns)]


@pytest.mark.parametrize(
    ("command", "answer", "outcome", "failed"),
    [
        ("pytest -q", "..F\n1 failed, 2 passed in 0.5s", "1 failed, 2 passed in 0.5s", True),
        ("pytest -q", "...\n3 passed in 0.5s", "3 passed in 0.5s", False),
        ("bun test", "error: the cache is cold\n 12 pass\n 0 fail", "12 pass", False),
        ("git commit -m x", "[main 1a2b3c4] x\n 1 file changed", "[main 1a2b3c4] x", False),
        ("git commit -m x", "husky - pre-commit script failed (code 1)", "husky - pre-commit script failed (code 1)", True),
        ("npm run build", "Process exited with code 2\nOutput:\ndone", "done", True),
        ("cargo test", "", "", False),
    ],
)
def test_outcome(command, answer, outcome, failed):
    assert ran(command, answer) == [("1", outcome, failed)]


def test_what_proves_nothing():
    """Other commands are not told, nor what no shell ran, what got no answer, or what a sub-agent did."""
    assert ran("cat notes.md", "text") == []
    assert ran("pytest -q", "1 passed", tool="Read") == []
    call = Turn("1", "tool", "Bash: pytest", tools=("Bash",))
    assert list(checked_commands([call])) == []
    assert list(checked_commands([call, Turn("2", "tool", "1 passed", name="Bash", sidechain=True)])) == []


def test_answers_in_order():
    """Calls made at once are answered in their order; an answer of another tool belongs to none of them."""
    turns = [
        Turn("1", "tool", "Bash: make test", tools=("Bash",)),
        Turn("2", "tool", "Bash: make lint", tools=("Bash",)),
        Turn("3", "tool", "read", name="Read"),
        Turn("4", "tool", "tested", name="Bash"),
        Turn("5", "tool", "clean", name="Bash"),
    ]
    assert [(deed.command, deed.outcome) for deed in checked_commands(turns)] == [
        ("make test", "tested"),
        ("make lint", "clean"),
    ]


def bash(ref, command, call):
    return Turn(ref, "tool", f"Bash: {command}", tools=("Bash",), call=call)


def test_outcomes_by_call():
    """A result belongs to the call whose id it has, in whatever order results come; one without a word is a result too."""
    turns = [
        bash("1", "git stash drop", "a"),
        Turn("2", "tool", "(no output)", name="Bash", call="a", outcome="succeeded"),
        bash("3", "make test", "b"),
        bash("4", "make lint", "c"),
        Turn("5", "tool", "2 errors", name="Bash", call="c", outcome="failed"),
        Turn("6", "tool", "clean", name="Bash", call="b", outcome="succeeded"),
    ]
    assert [(deed.ref, deed.outcome, deed.failed) for deed in checked_commands(turns)] == [
        ("3", "clean", False),
        ("4", "2 errors", True),
    ]


@pytest.mark.parametrize(
    ("command", "answer", "outcome", "failed"),
    [
        ("make test", "error: the log is long", "succeeded", False),
        ("make test", "all is well", "failed", True),
        ("make test", "not now", "refused", True),
        ("make test | tail -3", "1 failed, 2 passed in 1s", "succeeded", True),
        ("make test", "Exit code 2\n3 passed in 1s", "", True),
        ("make test", "1 failed", "", True),
    ],
)
def test_exit_code_decides(command, answer, outcome, failed):
    """How a command ended is what the host says; where a pipe hides it, what the command printed."""
    turns = [bash("1", command, "a"), Turn("2", "tool", answer, name="Bash", call="a", outcome=outcome)]
    assert [deed.failed for deed in checked_commands(turns)] == [failed]


def test_results_without_ids():
    """Hosts without ids leave out results without a word: the last calls of a batch are those that were answered."""
    turns = [bash("1", "git stash drop", ""), bash("2", "make lint", ""), Turn("3", "tool", "clean", name="Bash")]
    assert [(deed.ref, deed.outcome) for deed in checked_commands(turns)] == [("2", "clean")]
