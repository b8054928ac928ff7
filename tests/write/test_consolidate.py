"""After a reading: of two memories of a project of which one says less, one remains."""

import pytest

from vademecum.domain.memory import BY_PERSON, Draft
from vademecum.write.candidates import BY_EXTRACTION
from vademecum.write.consolidate import consolidate
from vademecum.write.gate import keep

FULL = "The mesh wrapper does not know pnpm, so mesh pnpm test fails; run pnpm test and pnpm lint without it."
PART = "The mesh wrapper does not know pnpm, so mesh pnpm test fails; run pnpm test without it."


@pytest.fixture
def meaning(opened):
    """A memory that compares by meaning."""
    return opened(embedder="use")


def taken(memory, text, kind="fact", project="shop", by=BY_EXTRACTION, **more):
    given = {"project": project, "trust": "extracted" if by is BY_EXTRACTION else "user", **more}
    return keep(memory.context, Draft(kind, text[:60], text, properties=given), by=by, unique=True)


def statuses(memory, *saved):
    return [memory.notes.get(one.memory.id).status for one in saved]


@pytest.mark.parametrize(("first", "second", "remaining"), [(FULL, PART, 0), (PART, FULL, 1)])
@pytest.mark.parametrize("kind", ["fact", "procedure"])
def test_what_says_less_gives_way(meaning, first, second, remaining, kind):
    """Whichever came first, the memory that says less gives way to the other, and one undo brings it back."""
    one, two = taken(meaning, first, kind), taken(meaning, second, kind)
    (outcome,) = consolidate(meaning.context, (two,), by=BY_EXTRACTION)
    assert (outcome.action, outcome.memory.id) == (("confirmed", "saved")[remaining], (one, two)[remaining].memory.id)
    expected = ["superseded", "superseded"]
    expected[remaining] = "active"
    assert statuses(meaning, one, two) == expected
    meaning.notes.undo((two, one)[remaining].memory.id)
    assert statuses(meaning, one, two) == ["active", "active"]


@pytest.mark.parametrize(
    ("known", "new", "given"),
    [
        (FULL, PART, {"project": "blog"}),  # of another project
        (
            "The nightly import takes 40 minutes on the small machine.",
            "The nightly import takes 55 minutes on the small machine.",
            {},
        ),
        ("The nightly import locks the orders table while it runs.", "The nightly import does not lock the orders table.", {}),
        ("The nightly import writes to the orders table.", "The lamps in the shop window burn until midnight.", {}),
    ],
)
def test_what_says_something_else_stays(meaning, known, new, given):
    """Of another project, with another number, a denial or another subject nothing is merged."""
    one = taken(meaning, known)
    two = taken(meaning, new, **given)
    assert consolidate(meaning.context, (two,), by=BY_EXTRACTION) == (two,)
    assert "superseded" not in statuses(meaning, one, two)


@pytest.mark.parametrize("kept", [{"by": BY_PERSON}, {"always_load": True}, {"pin": True}])
def test_what_the_person_wrote_or_keeps_in_sight_stays(meaning, kept):
    """What says less stays when it is the person's own, or kept in sight."""
    one = taken(meaning, PART, **kept)
    two = taken(meaning, FULL)
    assert consolidate(meaning.context, (two,), by=BY_EXTRACTION) == (two,)
    assert statuses(meaning, one, two) == ["active", "active"]


STALE = (
    "The stock hook runs every spec below build/, left by earlier exports, and fails on missing gems; delete build/ to go on."
)
ADDED = (
    "Leftover specs of earlier exports in build/ make the stock hook fail on missing gems; the shop itself does not need them."
)
AGAIN = "Foreign specs of old exports in build/ are run by the stock hook, which fails on missing gems."
OTHER = "The stock hook formats every file below src/, so the changes of others land in the same commit."


@pytest.mark.parametrize(("kind", "text"), [("lesson", AGAIN), ("fix", AGAIN), ("lesson", ADDED)])
def test_lesson_learned_again(meaning, kind, text):
    """The same lesson in other words is merged, and the wording that says more remains; another lesson stays."""
    one, other, two = taken(meaning, STALE, "lesson"), taken(meaning, OTHER, "lesson"), taken(meaning, text, kind)
    (outcome,) = consolidate(meaning.context, (two,), by=BY_EXTRACTION)
    assert (outcome.action, outcome.memory.id) == ("confirmed", one.memory.id)
    assert statuses(meaning, one, other, two) == ["active", "active", "superseded"]


@pytest.mark.parametrize(
    "new",
    [
        "Run the stock hook with specs below build/: without gems of earlier exports it fails, so never delete build/ to go on.",
        "The stock hook is slow.",
        "The blog hook runs every page below drafts/, left by earlier authors, and fails on missing links; delete drafts/ to go on.",
    ],
)
def test_another_lesson_stays(meaning, new):
    """The opposite way out, a lesson of a few words, and the same on other things are lessons of their own."""
    one, two = taken(meaning, STALE, "lesson"), taken(meaning, new, "lesson")
    assert two.memory.id != one.memory.id and consolidate(meaning.context, (two,), by=BY_EXTRACTION) == (two,)
    assert statuses(meaning, one, two) == ["active", "active"]


def test_facts_in_other_words_stay(meaning):
    """Only lessons are merged in other words: of what the person laid down both wordings stay."""
    one, two = taken(meaning, STALE), taken(meaning, AGAIN)
    assert consolidate(meaning.context, (two,), by=BY_EXTRACTION) == (two,)
    assert statuses(meaning, one, two) == ["active", "active"]
