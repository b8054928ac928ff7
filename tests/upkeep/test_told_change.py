"""A change told in a conversation: what stood beside it and what the agent took for granted tell what it is of."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from vademecum.capture.mine import ANSWERED_CHARS, ONLY_IF_CHANGED, mine
from vademecum.model.memory import By
from vademecum.model.query import Query
from vademecum.model.session import Session, Turn
from vademecum.upkeep.statements import compare
from vademecum.upkeep.subject import NO_TIE, tie_of
from vademecum.upkeep.successor import Telling, takes_place

FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)
#: The agent goes by what it remembers, and the person puts it right.
PUT_RIGHT = (
    "Can you plan my meals for the week?",
    "Sure. As you're a district nurse on nights, four on and four off, I'd put the main meal at five in the afternoon.",
    "That's out of date, I've been on days since March.",
    "Noted. Then the main meal goes to the evening.",
)


@pytest.fixture
def hold(memory, tmp_path):
    """Write a conversation down, turn by turn, and capture it; gives back what became of it."""

    def _hold(name, *turns):
        lines = [{"type": "session", "id": name, "host": "chatgpt", "time": FIRST.isoformat()}]
        for number, text in enumerate(turns):
            said = FIRST + timedelta(days=7, minutes=number)
            lines.append(
                {"id": f"t{number}", "role": ("user", "assistant")[number % 2], "text": text, "time": said.isoformat()}
            )
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        (captured,) = memory.capture((str(path),)).sessions
        return captured.saved

    return _hold


def _known(memory, kind, text, **more):
    return memory.save(kind, text[:40], text, by=By("extraction", "codex"), valid_from=FIRST, **more).memory


def test_what_the_agent_took_for_granted_is_put_right(memory, hold):
    """The person names only what holds now; what no longer does, the agent had just said."""
    old = _known(memory, "identity", "I'm a district nurse and work nights, four on, four off.")
    hold("shifts", *PUT_RIGHT)
    gone = memory.get(old.id)
    assert gone.status == "superseded"
    kept = memory.get(gone.superseded_by[0])
    assert (kept.kind, kept.body.strip()) == (
        "identity",
        f"That's out of date, I've been on days since March.\n\n(Before: {old.body.strip()})",
    )
    assert memory.recall(Query("which shifts do I work as a district nurse")).hits[0].item.key == kept.uri


def test_what_is_told_to_few_stays_where_it_is(memory, hold):
    """The words of a memory that is withheld are not copied into the one that takes its place, which is withheld as well."""
    old = _known(memory, "identity", "I'm a district nurse and work nights, four on, four off.", tags=("visibility/pii",))
    hold("shifts", *PUT_RIGHT)
    gone = memory.get(old.id)
    assert gone.status == "superseded"
    kept = memory.get(gone.superseded_by[0])
    assert "nurse" not in kept.body and "visibility/pii" in kept.tags


def test_it_is_filed_where_the_earlier_one_was(memory, hold):
    """A change that reads like a mended fault is no fix when it takes the place of a fact."""
    old = _known(memory, "fact", "Our backups run on the old NAS in the cellar every night.")
    saved = hold(
        "backups",
        "How do I list snapshots?",
        "With restic snapshots.",
        "The cellar flooded, so since the spring our nightly backups no longer run on the old NAS but go to Backblaze; no failures since.",
        "Good to know.",
    )
    (kept,) = [one for one in saved if old.id in one.replaced]
    assert kept.memory.kind == "fact"


def test_read_on_the_answer_before_is_remembered(memory, hold):
    """Read in two goes, the second of which begins with what the person says, the agent's words before it still count."""
    old = _known(memory, "identity", "I'm a district nurse and work nights, four on, four off.")
    said = (
        "Can you plan my meals for the week?",
        "Sure, with what you have in the house.",
        "Thanks, and drinks?",
        "As you're a district nurse on nights, four on and four off, no coffee behind two in the morning.",
    )
    hold("shifts", *said)
    assert memory.get(old.id).status == "active"
    hold("shifts", *said, "That's out of date, I've been on days since March.", "Noted.")
    assert memory.get(old.id).status == "superseded"


def test_what_candidates_carry():
    """Each candidate carries what was said beside it and the answer before it, cut."""
    turns = (
        Turn("1", "user", "hello there, can you help me with a recipe?"),
        Turn("2", "agent", "x" * 1000),
        Turn("3", "user", "Guess what. We no longer eat meat at home, the whole family voted for it. Any ideas for Sunday?"),
        Turn("4", "agent", "Yes."),
    )
    found = mine(Session("codex", "s", "/s", turns))
    (one,) = [one for one in found if "no longer eat meat" in one.text]
    assert one.around.startswith("Guess what.") and "Any ideas for Sunday?" in one.around
    assert one.answered == "x" * ANSWERED_CHARS
    assert all(one.answered == "" for one in found if one.span[0] == "1")


def test_what_the_agent_said_speaks_for_it():
    """The same words take something's place more likely where the agent had just gone by it, and less likely where nothing lasts."""
    old, new = "I'm a district nurse on nights.", "that's out of date, I'm on days since March"
    tie, compared = tie_of(old, new, {}), compare(old, new)
    answered = tie_of(old, "As a district nurse on nights you sleep until two.", {})
    alone = takes_place(3.0, tie, compared, Telling(tie, NO_TIE, 0.0))
    assert takes_place(3.0, tie, compared, Telling(tie, answered, 0.0)) > alone
    assert takes_place(3.0, tie, compared, Telling(tie, NO_TIE, 4.0)) < alone


def test_nothing_known_nothing_kept(memory, hold):
    """What only may tell of a change leaves nothing behind where nothing is known that it could be of."""
    told = "We've handed the flat back to the landlord."
    (candidate,) = mine(Session("codex", "s", "/s", (Turn("1", "user", told),)))
    assert candidate.pattern == ONLY_IF_CHANGED
    saved = hold("flat", "Plan my Saturday.", "Is there anything to be done at home?", told, "Then Saturday is free.")
    assert saved == ()
    assert memory.list() == ()
