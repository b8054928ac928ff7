"""Turns in sight: two halves read apart are what is read at once, and candidates are found with what is around them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vademecum.adapters.stores.sqlite.snapshot import IN_MEMORY
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.item import Item, Passage
from vademecum.domain.query import Scored
from vademecum.recall.window import Window, together

WORDS = ("kettle", "iron", "harbour", "crane")
TURNS = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(("", "Ann", "Bo")), st.integers(0, 2)), min_size=1, max_size=8
)


def filled(talks):
    """An index with an item for each talk; of each turn a word, its speaker, and how far it lies behind the one before."""
    index = SqliteIndex(IN_MEMORY)
    for name, said in zip("cab", talks, strict=False):
        turn, passages = 0, []
        for word, speaker, step in said:
            turn += step
            passages.append(Passage(f"{word} {turn}", turn, speaker=speaker))
        index.apply(
            [
                Item(
                    f"document://{name}",
                    "document",
                    "s",
                    name,
                    name,
                    stat="",
                    digest=name,
                    kind="note",
                    passages=tuple(passages),
                )
            ]
        )
    return index


def told(around):
    """The columns as rows."""
    codes = [part.tolist() for part in np.split(around.codes, around.ends[:-1])] if len(around.ends) else []
    columns = (around.numbers, around.turn, around.item, around.speaker)
    return [
        (number, around.keys[item], turn, around.speakers[speaker], own)
        for (number, turn, item, speaker), own in zip(zip(*(c.tolist() for c in columns), strict=True), codes, strict=True)
    ]


@given(talks=st.lists(TURNS, min_size=1, max_size=3), data=st.data())
def test_two_halves(talks, data):
    """What is read in two halves is, put together, what is read at once, whether or not they overlap."""
    index = filled(talks)
    turns = st.lists(st.tuples(st.sampled_from([f"document://{name}" for name in "abc"]), st.integers(0, 9)), max_size=5)
    one, other = data.draw(turns), data.draw(turns)
    both = together(index.window(one, 2), index.window(other, 2))
    assert told(both) == told(index.window([*one, *other], 2))
    assert len(set(both.speakers)) == len(both.speakers)  # else one who speaks all alone would seem to be two


@given(talks=st.lists(TURNS, min_size=1, max_size=3), data=st.data())
def test_candidates(talks, data):
    """Candidates are the turns that were found, those around the strongest, and no turn of another item."""
    index = filled(talks)
    every = [(stored.item, stored.passage.turn) for key in "abc" for stored in index.passages_of(f"document://{key}")]
    chosen = data.draw(st.lists(st.sampled_from(sorted(set(every))), unique=True))
    strong = data.draw(st.integers(0, len(chosen)))
    found = [Scored(0, item, turn, 1.0) for item, turn in chosen]
    window = Window(index.window(chosen, 2), found, found[:strong], 2)
    seen = {(item, turn) for _, item, turn, _, _ in told(window.around)}
    near = {(item, turn + step) for item, turn in chosen[:strong] for step in range(-2, 3)}
    assert list(window.turns) == sorted((set(chosen) | near) & set(every))
    for row, (item, turn) in enumerate(window.turns):
        of_turn = [stored for stored in index.passages_of(item) if stored.passage.turn == turn]
        assert window.numbers_of(row) == [stored.number for stored in of_turn]
        behind = int(window.neighbours(1)[row])
        assert (behind < len(window.start)) == ((item, turn + 1) in seen)
        if behind < len(window.start):
            first = window.start[behind]
            assert (window.around.keys[window.around.item[first]], window.around.turn[first]) == (item, turn + 1)
