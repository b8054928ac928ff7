"""A handoff as text: its sections, in one order, and only those that have something to tell."""

import pytest
from msgspec.structs import replace

from vademecum.domain.outline import Handoff, Outline
from vademecum.sessions.handoff import with_summary
from vademecum.sessions.handoff_text import GOAL_MAX_CHARS, LAST_MAX_CHARS, handoff_text, handoff_title

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
    """The title is what was to be reached, cut between words; without one the first request stands for it."""
    assert handoff_title(Outline("s", asked=("Move the shop.",))) == "Move the shop."
    long = handoff_title(Outline("s", title="word " * 40))
    assert len(long) <= GOAL_MAX_CHARS and long.endswith("word…")
    two = "We took the paragraph on prices out of the page. Can you put it back where it stood before?"
    assert handoff_title(Outline("s", title=two)) == "We took the paragraph on prices out of the page"


@pytest.mark.parametrize(
    ("found", "state"),
    [
        ({"validation": "failed", "commits": (("1a2b3c4", "Add"),)}, "tests fail"),
        ({"open": ("in progress: Now the index.",)}, "in progress: Now the index"),
        ({"open": ('in progress: Now the index. ("I will look at it.")',)}, "in progress: Now the index"),
        ({"open": ("in progress: export as CSV",)}, "in progress"),
        ({"open": ("waits for an answer: Which one?",)}, "waits for an answer"),
        ({"open": ("The index.", "changes not committed: `a.py`")}, "not committed"),
        ({"next": "Build the index.", "commits": (("1a2b3c4", "Add"),)}, "next: Build the index"),
        ({"open": ("Name it.", "Tell the shop.")}, "open: Tell the shop"),
        ({"commits": (("1a2b3c4", "Add"), ("", "[UNVERIFIED] Add more"))}, "committed"),
        ({"done": ("Wrote the page.", "All tests pass.")}, "done"),
        ({"done": ("It archives: recursive, keeps times.",)}, ""),
        ({"commits": (("", "[UNVERIFIED] Add more"),)}, ""),
    ],
)
def test_title_says_how_far_it_is(found, state):
    """Behind the goal is where it stopped: what fails, the request or step that is next, else what was committed or done."""
    behind = f" ({state})" if state else ""
    assert handoff_title(Outline("s", title="Export as CSV", **found)) == f"Export as CSV{behind}"


@pytest.mark.parametrize(
    ("goal", "title"),
    [
        (
            "Write an export of all tables as CSV with a header and then check that the importer takes what it wrote before.",
            "Write an export of all tables as CSV with a header",
        ),
        (
            "Add logos for the shop, the bank and the post office of the little town by the river to the page of opening hours",
            "Add logos for the shop, the bank and the post office of the little town…",
        ),
        ("Could you please mend the gate of the yard?", "Mend the gate of the yard"),
        ("Hmm does the gate of the yard close by itself?", "Does the gate of the yard close by itself"),
        ("I want you to paint the whole fence, please", "Paint the whole fence"),
        (
            "Check that each page (of the shop, the bank and all others in town) says when the door is open, and mend the others.",
            "Check that each page (of the shop, the bank and all others in town)…",
        ),
    ],
)
def test_title_is_a_whole_clause(goal, title):
    """A goal is the request without courtesies; a long one ends with a clause, or else with no function word."""
    assert handoff_title(Outline("s", asked=(goal,))) == title


def test_title_that_the_tool_cut():
    """A title that a tool cut from the request is taken from the request."""
    asked = "Find out which of the assertions is wrong."
    assert handoff_title(Outline("s", title="Find out which of the assertions is…", asked=(asked,))) == asked
    assert handoff_title(Outline("s", title="Find out which of the assertions is…")) == "Find out which of the assertions…"


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        (
            "Move the shop to its own host; tell the customers; mend the links that still go to the former address",
            "Move the shop to its own host; tell the customers",
        ),
        ("Move the shop", "Move the shop"),
    ],
)
def test_title_by_a_reader(asked, title):
    """What a model says was asked is the title, by whole wishes; behind it stands the work that is open, not git."""
    summary = Handoff(asked, (), (), ("The links of the shop", "Nothing pushed"), "")
    found = with_summary(replace(FULL, title="ok, now", commits=(), failing=()), summary)
    assert handoff_title(found) == f"{title} (open: The links of the shop)"
    assert found.asked == (asked, "Move the shop.")


@pytest.mark.parametrize(
    ("asked", "commits", "title"),
    [
        (
            "this should be hidden for guests :",
            (("1a2b3c4", "Hide prices from guests"),),
            "Hide prices from guests (committed)",
        ),
        (
            "looks like the prices are wrong here",
            (("1a2b3c4", "Fix prices"), ("5d6e7f8", "Add tests")),
            "Fix prices (committed)",
        ),
        ("this should be hidden for guests", (), "This should be hidden for guests"),
        ("this should be hidden for guests", (("", "[UNVERIFIED] Hide prices"),), "This should be hidden for guests"),
        ("hide the prices from guests", (("1a2b3c4", "Tidy up"),), "Hide the prices from guests (committed)"),
    ],
)
def test_vague_request(asked, commits, title):
    """The subject of a certain commit stands for a request that only points at something."""
    assert handoff_title(Outline("s", title=asked, asked=(asked,), commits=commits)) == title


def test_state_is_whole_or_left_out():
    """An open point is shown in full, since its beginning may be what is done; a request of the person may end with a clause."""
    point = "The two pages are committed, and the remaining ones of the shop wait for the pictures " + "of the baker " * 4
    assert handoff_title(Outline("s", title="Export", open=(point,))) == "Export (open)"
    whole = "One caveat: the assertions of the second page are only checked when the shop is closed."
    assert handoff_title(Outline("s", title="Export", open=(whole,))) == f"Export (open: {whole.rstrip('.')})"
    request = "in progress: Show the address of the shop on each page, and " + "do it for the baker " * 6
    found = Outline("s", title="Export", open=(request,))
    again = "Add the logos of the shop and of all the other places in town beside the river to the page"
    assert "(in progress)" in handoff_title(Outline("s", title=again, open=(f"in progress: {again} of hours",)))
    assert handoff_title(found) == "Export (in progress: Show the address of the shop on each page)"
