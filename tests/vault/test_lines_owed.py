"""A line that a record added stays until a record of somebody who had it in a file takes it away."""

from datetime import UTC, datetime

import pytest

from vademecum.domain.ids import make_id
from vademecum.vault.files import etag_of
from vademecum.vault.journal import Change, Record, Version
from vademecum.vault.merge import fold

HEAD = "---\nid: 01KJMMDQP0000000000000000Z\n---\n"


def note(*lines):
    text = HEAD + "".join(f"{line}\n" for line in lines)
    return Version("personal", "personal/fact/tea.md", etag_of(text.encode()), text)


def piece(whole, chars):
    text = (whole.text or "")[:-chars]
    return Version(whole.space, whole.path, etag_of(text.encode()), text)


def step(number, device, before, after, actor="user"):
    record = Record(make_id(number, bytes(10)), datetime(2026, 3, 1, 12, tzinfo=UTC), "edit", actor, "", device, ())
    return record, Change("01KJMMDQP0000000000000000Z", before, after)


def said(*steps):
    file = fold(steps).file
    return file.text.removeprefix(HEAD)


def test_line_of_a_text_that_nobody_had():
    """X-38: a tool mixed the characters of two devices' lines; it was compared with what both together come to, which never stood in a
    file, so the lines that it spoilt stay.
    """
    first = note("Warm the pot.")
    ours, theirs = note("Warm the pot.", "Green tea takes 75."), note("White tea takes 70.", "Warm the pot.")
    both = note("White tea takes 70.", "Warm the pot.", "Green tea takes 75.")
    told = said(
        step(1, "laptop", None, first),
        step(2, "laptop", first, ours),
        step(3, "desktop", first, theirs),
        step(4, "laptop", both, note("White tea takes 775.", "Warm the pot."), "hand"),
    )
    for line in ("White tea takes 775.", "White tea takes 70.", "Green tea takes 75.", "Warm the pot."):
        assert told.count(f"{line}\n") == 1


def test_line_that_somebody_took_away():
    """What a person took out of a file that stood somewhere is gone, box and all."""
    first = note("Warm the pot.")
    ours, theirs = note("Warm the pot.", "Green tea takes 75."), note("White tea takes 70.", "Warm the pot.")
    both = note("White tea takes 70.", "Warm the pot.", "Green tea takes 75.")
    steps = [step(1, "laptop", None, first), step(2, "laptop", first, ours), step(3, "desktop", first, theirs)]
    wrote = (step(4, "desktop", None, both)[0], Change("01KJMMDQP0000000000000000Z", theirs, both))
    assert said(*steps, wrote, step(5, "laptop", both, note("Warm the pot."), "hand")) == "Warm the pot.\n"


@pytest.mark.parametrize("chars", [1, 4, 20, 21, 30])
def test_half_a_file_is_no_edit(chars):
    """X-38: the beginning of a text that another device wrote, taken for an edit of an older one, takes nothing away."""
    first, second = note("Warm the pot.", "Boil water."), note("White tea takes 70.", "Warm the pot.", "Boil water.")
    half = piece(second, chars)
    told = said(step(1, "laptop", None, first), step(2, "desktop", first, half, "hand"), step(3, "laptop", first, second))
    assert told == "White tea takes 70.\nWarm the pot.\nBoil water.\n"


def test_edit_that_another_goes_on_behind():
    """An edit by hand stands also when another device adds a line behind it, so that it is the beginning of what that one wrote."""
    first, second = note("Warm the pot.", "Boil water."), note("White tea takes 70.", "Boil water.")
    third = note("White tea takes 70.", "Boil water.", "Pour.")
    steps = [step(1, "laptop", None, first), step(2, "laptop", first, second, "hand"), step(3, "desktop", second, third)]
    assert said(*steps) == "White tea takes 70.\nBoil water.\nPour.\n"


def test_text_that_two_devices_think_made_of_different_ones():
    """X-38: one text, found on two devices, takes away only what both think that its author had before them."""
    first, second = note("Warm the pot.", "Boil water."), note("Heat the pot.", "Boil water.")
    cut = note("Boil water.")
    told = said(
        step(1, "laptop", None, first), step(2, "laptop", first, second), step(3, "laptop", second, cut, "hand"),
        step(4, "desktop", first, cut, "hand"),
    )  # fmt: skip
    assert told == "Boil water.\n> [!conflict] laptop, 2026-03-01 12:00\n> Heat the pot.\n"


def test_text_of_a_verb_that_was_taken_for_an_edit_by_hand():
    """X-38: what a verb wrote elsewhere, found before its record came and thought to be made of another text, takes away what the verb
    had before it, and no more.
    """
    first, second, new = note("Boil water."), note("Warm the pot.", "Boil water."), note("Pour.")
    steps = [step(1, "laptop", None, first), step(2, "laptop", first, second), step(3, "laptop", second, new, "hand")]
    told = said(*steps, step(4, "desktop", first, new))
    assert "Warm the pot." in told and "Pour." in told
    assert said(*steps) == "Pour.\n"


def test_edit_that_is_gone_on_with_elsewhere():
    """X-38: an edit by hand stands although another device, to which no journal had come, first met the note when more was behind it."""
    first, second = note("Boil water."), note("Warm the pot.")
    third = note("Warm the pot.", "White tea takes 70.")
    told = said(
        step(1, "laptop", None, first),
        step(2, "laptop", first, second, "hand"),
        step(3, "laptop", second, third, "hand"),
        step(4, "desktop", None, third, "hand"),
    )
    assert told == "Warm the pot.\nWhite tea takes 70.\n"
