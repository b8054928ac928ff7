"""Identity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.adapters.clock import SystemClock
from vademecum.domain.ids import ENTROPY_BYTES, id_time_ms, is_id, make_id

MOMENT = st.integers(0, 2**48 - 1)
ENTROPY = st.binary(min_size=ENTROPY_BYTES, max_size=ENTROPY_BYTES)


@given(MOMENT, ENTROPY)
def test_time_in_id(moment, entropy):
    """An id tells when it was allocated."""
    identity = make_id(moment, entropy)
    assert is_id(identity)
    assert id_time_ms(identity) == moment


@given(MOMENT, MOMENT, ENTROPY, ENTROPY)
def test_sorts_by_time(first, second, one, other):
    """Ids sort as the moments they were allocated at."""
    if first < second:
        assert make_id(first, one) < make_id(second, other)


def test_rising_within_process():
    """Ids of one process rise, however fast they are asked for."""
    clock = SystemClock()
    drawn = [clock.new_id() for _ in range(1000)]
    assert drawn == sorted(set(drawn))


@pytest.mark.parametrize(("moment", "entropy"), [(-1, bytes(10)), (2**48, bytes(10)), (0, bytes(9))])
def test_refuses_out_of_range(moment, entropy):
    """A value that does not fit is an error, not a shorter id."""
    with pytest.raises(ValueError, match="milliseconds"):
        make_id(moment, entropy)
