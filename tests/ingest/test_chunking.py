"""A transcript falls into the same pieces however far it has grown."""

import io

from hypothesis import given
from hypothesis import strategies as st

from vademecum.ingest.chunking import LEAST_BYTES, LONGEST_BYTES, pieces


def lines(count, seed=0):
    return [b'{"n": %d, "text": "%s"}\n' % (number, b"word%d " % (number * 7919 + seed) * 40) for number in range(count)]


def cut(data):
    return list(pieces(io.BytesIO(data)))


def test_growing_shares():
    """All pieces but the last stay as they were when the file grows, so that they are kept once."""
    whole = lines(6000)
    before, after = cut(b"".join(whole[:4000])), cut(b"".join(whole))
    assert len(before) > 4
    assert before[:-1] == after[: len(before) - 1]
    assert b"".join(after) == b"".join(whole)


def test_common_beginnings():
    """Two conversations that begin alike share the pieces of their beginning."""
    common = b"".join(lines(3000))
    one, other = cut(common + b"".join(lines(500, 1))), cut(common + b"".join(lines(500, 2)))
    assert len(set(one) & set(other)) >= len(cut(common)) - 1


def test_no_block_divided():
    """A key block in plain text is never cut in two, wherever it stands."""
    block = b"-----BEGIN PRIVATE KEY-----\n" + b"MIIE\n" * 30 + b"-----END PRIVATE KEY-----\n"
    text = (b"prose line\n" * 40 + b"\n" + block + b"\n") * 3600
    assert all(piece.count(b"BEGIN") == piece.count(b"END") for piece in cut(text)) and len(cut(text)) > 1


def test_long_line():
    """A line longer than any piece is a piece; one longer than fits in memory is cut."""
    assert max(map(len, cut(b'{"a": "' + b"x" * (LONGEST_BYTES + 5) + b'"}\n'))) == LONGEST_BYTES
    assert [len(piece) > LEAST_BYTES for piece in cut(b"x" * (LEAST_BYTES * 3))] == [True]


@given(st.lists(st.binary(max_size=60), max_size=30))
def test_nothing_lost(parts):
    """The pieces joined are the file."""
    data = b"\n".join(parts)
    assert b"".join(cut(data)) == data
