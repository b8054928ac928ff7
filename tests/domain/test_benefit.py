"""What counted events say about being told, whatever they were."""

from datetime import UTC, datetime, timedelta

import pytest

from vademecum.domain.benefit import SHARE, SHOWN_AT, Lot, benefit_of, e_value, events_needed, falls_out, interval, p_value

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def lots(*fell, needed=True):
    """Lots that were needed one after the other: True for one that was left out."""
    return [
        Lot(
            f"session://x/{n}",
            f"memory://{n}",
            START,
            not out,
            "said again" if needed else "",
            START + timedelta(days=n) if needed else None,
        )
        for n, out in enumerate(fell)
    ]


def said(*rows):
    return benefit_of([lot for row in rows for lot in row], lambda lot: False, on=True)


def test_exact():
    """One look is the binomial test: of three events all three on what was left out."""
    assert p_value(3, 3) == pytest.approx(SHARE**3)
    assert p_value(0, 7) == pytest.approx(1)


def test_always_valid():
    """With no effect the e-value stays what it is on average, so looking after each event misleads nobody."""
    for told, missed in ((0, 0), (4, 1), (9, 6)):
        events = told + missed
        after = SHARE * e_value(missed + 1, events + 1) + (1 - SHARE) * e_value(missed, events + 1)
        assert after == pytest.approx(e_value(missed, events))


def test_interval_holds_what_is_not_ruled_out():
    """The interval ends where the e-value reaches what shows an effect; nothing is ruled out before anything happened."""
    assert interval(0, 0) == (0.0, None)
    low, high = interval(9, 15)
    for odds in (low, high):
        share = odds * SHARE / (odds * SHARE + 1 - SHARE)
        assert e_value(9, 15, share) == pytest.approx(SHOWN_AT)


def test_shown_stays():
    """What was shown at one look stays shown, with its day; later events move the size of the effect only."""
    found = said(lots(*[True] * 5, *[False] * 30))
    reached = next(n for n in range(1, 6) if e_value(n, n) >= SHOWN_AT)
    assert found.shown == START + timedelta(days=reached - 1)
    assert found.e_value < SHOWN_AT


def test_told_is_needed_more():
    """Events that fall on what was told show no benefit, however many there are."""
    found = said(lots(*[False] * 40))
    assert found.shown is None
    assert found.e_value >= SHOWN_AT
    assert found.high < 1


def test_only_events_count():
    """What nobody needed is counted as told or left out, and says nothing."""
    found = said(lots(True, False, False), lots(*[True] * 10, needed=False))
    assert (found.delivered, found.left_out, found.events) == (2, 11, 3)
    assert found.e_value == pytest.approx(e_value(1, 3))


def test_lots_are_fair():
    """One in five falls out, whichever memory and session it is."""
    out = sum(falls_out(f"seed {n}", "memory://x") for n in range(2000))
    assert abs(out / 2000 - SHARE) < 0.03


def test_enough_is_enough():
    """So many events show a threefold effect when they fall as they should; fewer do not."""
    share = 3 * SHARE / (3 * SHARE + 1 - SHARE)
    enough = events_needed()
    assert e_value(round(share * enough), enough) >= SHOWN_AT
    assert e_value(round(share * (enough // 2)), enough // 2) < SHOWN_AT
