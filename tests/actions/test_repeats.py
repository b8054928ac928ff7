"""`vade rule --repeats`: what failed or was refused in more than one session, and whether a memory tells it."""

import pytest
from tests.actions.talks import ran, refused, talked

from vademecum.domain.memory import By
from vademecum.entrypoints.verbs.actions import repeats_text

NO_SUCH = "error: unknown command 'pack'"
AGENT = By("agent", "mcp")


@pytest.fixture
def repeats(memory, tmp_path):
    """A command that failed in two sessions, one that the person refused in two, and one that failed once."""
    talks = [
        (ran("ship pack", NO_SUCH, failed=True), ran("ship pack", NO_SUCH, failed=True), refused("git push --force", "rebase")),
        (ran("ship pack | tail -3", NO_SUCH), refused("git push --force", "I said rebase"), ran("lode", "lode: not found", failed=True)),
    ]  # fmt: skip
    for number, calls in enumerate(talks):
        memory.maintenance.capture((talked(tmp_path / "talk", f"s{number}", *calls, day=number),))
    return memory.actions.repeats


def test_what_repeats(repeats):
    """How often, in how many sessions, from when to when, what was said, and that a proposal tells it."""
    pack, push = sorted(repeats(""), key=lambda one: one.refused)
    assert (pack.pattern, pack.times, pack.sessions, pack.said, pack.shown) == ("run: ship pack", 3, 2, NO_SUCH, True)
    assert (f"{pack.first:%m-%d}", f"{pack.last:%m-%d}") == ("02-02", "02-03")
    assert (push.pattern, push.refused, push.said, push.waits) == ("run: git push --force", True, "I said rebase", True)
    assert repeats("harbour") == repeats("") and not repeats("elsewhere")
    text = repeats_text(repeats(""))
    assert (
        "failed 3 times in 2 sessions, 2026-02-02 to 2026-02-03" in text and "proposed in the inbox: `ship pack` fails" in text
    )


def test_no_more(memory, repeats, tmp_path):
    """What succeeded since is shown with that, and is told no more."""
    memory.maintenance.capture((talked(tmp_path / "talk", "s9", *[ran("ship pack")] * 3, day=9),))
    pack = next(one for one in repeats("") if one.pattern == "run: ship pack")
    assert not pack.shown and "not shown at the next such call; not again since 2026-02-03, 3 succeeded" in repeats_text([pack])


def test_withheld(memory, repeats):
    """An agent sees what repeats, and nothing of a memory that is withheld from agents."""
    memory.notes.save(
        "fix", "Private crate", "It packs.", project="harbour", when=["run: ship pack"], tags=("visibility/internal",)
    )
    theirs = next(one for one in memory.seen_by(AGENT).actions.repeats("") if one.pattern == "run: ship pack")
    mine = next(one for one in repeats("") if one.pattern == "run: ship pack")
    assert mine.title == "Private crate" and theirs.title != "Private crate"
