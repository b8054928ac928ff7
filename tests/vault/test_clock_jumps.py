"""A clock that is set wrong and right again while memories are written."""

from datetime import UTC, datetime, timedelta

from vademecum.domain.ids import id_time_ms
from vademecum.domain.memory import Draft

from .conftest import Ticking

JUMPS = (timedelta(days=-1), timedelta(days=366), timedelta(days=-366), timedelta(days=-1))


def edited(vault, clock, jumps=JUMPS):
    """Edits a note once after each jump of the clock."""
    vault.save(Draft("fact", "Tea", "Edit 0.\n"))
    for number, jump in enumerate(jumps, 1):
        clock.time += jump
        vault.edit("Tea", body=f"Edit {number}.\n")


def test_order_of_deeds_is_kept(vault, clock):
    """A day back, a year on, a year back and another day: the history has the deeds in their order, and undo takes back the last one."""
    edited(vault, clock)
    told = [change.after.text.splitlines()[-1] for record in vault.history.of("Tea") for change in record.changes]
    assert told == [f"Edit {number}." for number in range(5)]
    vault.history.undo()
    assert vault.get("Tea").body == "Edit 3.\n"


def test_year_too_far_does_not_win_for_ever(vault, clock, open_vault, tmp_path):
    """What was written while a clock was a year ahead is behind what another device with a right clock wrote after it had heard of it."""
    edited(vault, clock, JUMPS[:2])
    right = open_vault(device="desktop", clock=Ticking(datetime(2026, 3, 2, 12, tzinfo=UTC)), lock_dir=tmp_path / "other")
    right.reconcile()
    right.edit("Tea", body="The desktop's.\n")
    vault.reconcile()
    assert vault.get("Tea").body == "The desktop's.\n"
    records = vault.history.of("Tea")
    assert [record.device for record in records][-1] == "desktop"
    assert id_time_ms(records[-1].id) - id_time_ms(records[-2].id) == 1
