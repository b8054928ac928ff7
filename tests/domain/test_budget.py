"""Whole pieces into a budget."""

from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.budget import Piece, Section, pack
from vademecum.domain.tokens import estimate_tokens

PIECES = st.lists(st.text(min_size=1, max_size=200), max_size=12).map(
    lambda texts: tuple(Piece(str(row), f"piece {row}", text) for row, text in enumerate(texts))
)
SECTIONS = st.lists(st.builds(Section, st.sampled_from(["", "### Decided"]), PIECES, st.floats(0.05, 1)), max_size=6)


@given(SECTIONS, st.integers(0, 400), st.text(max_size=60))
def test_never_over_budget(sections, budget, frame):
    """X-18: whatever there is to say, the text keeps its budget, its frame included."""
    packed = pack(sections, budget, frame=frame)
    assert packed.tokens <= budget
    assert not packed.taken or estimate_tokens(f"{frame}\n\n{packed.text}" if frame else packed.text) <= budget + 1


@given(SECTIONS, st.integers(0, 400))
def test_nothing_unnamed(sections, budget):
    """Every piece is either told or named as left out."""
    packed = pack(sections, budget)
    assert sorted(map(id, packed.taken + packed.omitted)) == sorted(
        id(piece) for section in sections for piece in section.pieces
    )


def test_skips_and_goes_on():
    """X-18: one entry that is too long does not keep the ones behind it out."""
    long, short = Piece("a", "long", "word " * 200), Piece("b", "short", "kettle")
    packed = pack([Section("", (long, short))], 50)
    assert packed.taken == (short,)
    assert packed.omitted == (long,)


def test_quota_bounds_section():
    """A section takes at most its share, and leaves the rest to the ones behind it."""
    wordy = tuple(Piece(str(row), "", "word " * 10) for row in range(20))
    packed = pack([Section("### First", wordy, quota=0.3), Section("### Second", (Piece("x", "", "kettle"),))], 400)
    assert estimate_tokens(packed.text.split("### Second")[0]) <= 121
    assert "kettle" in packed.text


@given(st.text(max_size=300), st.text(max_size=300))
def test_estimate_adds_up(one, other):
    """Two texts never take more tokens together than apart."""
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other) + 1


def test_chinese_counts():
    """A Chinese character takes a token; a quarter of one, as length / 4 has it, would overrun threefold."""
    assert estimate_tokens("数据库是什么") >= 6
    assert estimate_tokens("") == 0
