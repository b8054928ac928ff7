"""After a compaction: goal, decisions, exact commands, failing tests and files, never over budget."""

from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.outline import Outline
from vademecum.domain.tokens import estimate_tokens
from vademecum.sessions.working_set import compose_working_set

FULL = Outline(
    "session://codex/s",
    asked=("Move the shop to SQLite.", "Add a test."),
    decided=("We use SQLite.",),
    failing=("tests/a.py::test_x",),
    changed=("/work/a.py", "/work/b.py"),
    open=("The import is not yet tested.",),
    next="Deploy it.",
    commands=("pytest -q -k 'a or b'", 'git commit -m "say `this`"', "cat <<EOF\nfirst\nEOF"),
)


def test_everything():
    """Each section is there, commands as they were typed, the last first."""
    text = compose_working_set(FULL, 1000).text
    for part in (
        "Move the shop to SQLite.",
        "Add a test.",
        "We use SQLite.",
        "tests/a.py::test_x",
        "`/work/b.py`",
        "next: Deploy it.",
    ):
        assert part in text
    assert '``git commit -m "say `this`"``' in text and "```\ncat <<EOF\nfirst\nEOF\n```" in text
    assert text.index("/work/b.py") < text.index("/work/a.py")


def test_nothing_in_hand():
    """An empty conversation has no working set."""
    assert compose_working_set(Outline("session://codex/s"), 1000).text == ""


def test_no_section_pushes_another_out():
    """A thousand commands leave room for the goal, the decision and the failing test."""
    many = Outline(
        "s",
        asked=FULL.asked,
        decided=FULL.decided,
        failing=FULL.failing,
        commands=tuple(f"command number {n}" for n in range(1000)),
    )
    text = compose_working_set(many, 300).text
    assert "Move the shop" in text and "We use SQLite." in text and "test_x" in text and "command number 999" in text


@given(
    st.builds(Outline, st.just("s"), asked=st.lists(st.text(max_size=200), max_size=9).map(tuple),
              commands=st.lists(st.text(max_size=300), max_size=30).map(tuple),
              failing=st.lists(st.text(max_size=90), max_size=9).map(tuple)),
    st.integers(0, 500),
)  # fmt: skip
def test_never_over(found, budget):
    """Whatever was in hand, the budget holds."""
    bundle = compose_working_set(found, budget)
    assert estimate_tokens(bundle.text) <= budget or bundle.text == ""
