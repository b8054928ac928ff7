"""A handoff as text: its sections, in one order, and only those that have something to tell."""

from vademecum.compose.handoff import LAST_MAX_CHARS, TITLE_MAX_CHARS, handoff_text, handoff_title
from vademecum.domain.outline import Outline

FULL = Outline(
    "session://codex/s", "Move the shop", "codex", turns=4, asked=("Move the shop.",), done=("Moved it.",), decided=("One table.",),
    open=("The index.",), next="Build the index.", last="agent: " + "word " * 160,
    changed=("shop.py",), commits=(("1a2b3c4", "Move the shop"),),
    pushed=True,
    failing=("test_a",),
)  # fmt: skip


def test_sections():
    """IN-51: what was requested, what was done and the last message, beside what is open, next, and changed."""
    text = handoff_text(FULL)
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["Asked", "Done", "Decided", "Open", "Next", "Last message", "Files changed", "Commits"]
    last = text.partition("## Last message\n\n")[2].partition("\n")[0]
    assert last.startswith("agent: word") and len(last) <= LAST_MAX_CHARS and last.endswith("…")
    assert "- failing: test_a" in text


def test_only_what_there_is():
    """A section without lines is left out."""
    assert "## " not in handoff_text(Outline("session://codex/s"))


def test_title():
    """The title is cut between words; without one the goal stands for it."""
    assert handoff_title(Outline("s", asked=("Move the shop.",))) == "Move the shop."
    long = handoff_title(Outline("s", title="word " * 40))
    assert len(long) <= TITLE_MAX_CHARS and long.endswith("word…")


def test_title_tells_where_it_stopped():
    """What is open comes first, then the next step, what was really committed, and only then what the agent says it did."""
    told = {
        "done": ("Wrote the page.", "All tests pass."),
        "commits": (("1a2b3c4", "Add the page"), ("", "[UNVERIFIED] Add more")),
    }
    assert handoff_title(Outline("s", open=("The index.",), **told)) == "The index."
    assert handoff_title(Outline("s", next="Build the index.", **told)) == "Next: Build the index."
    assert handoff_title(Outline("s", **told)) == "Committed: Add the page"
    assert handoff_title(Outline("s", done=told["done"])) == "All tests pass."
    answered = Outline("s", asked=("Write the script.",), done=("It archives: recursive, keeps times.",))
    assert handoff_title(answered) == "Write the script.", "an answer is no deed"
