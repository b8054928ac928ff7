"""Records: what a frozen data class with slots gives, at a fraction of what defining one costs."""

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.model.records import record


@record
class Point:
    """A record of each sort of field."""

    x: int
    name: str = "origin"
    tags: tuple[str, ...] = ()
    more: dict = field(default_factory=dict, metadata={"help": "what else"})

    @property
    def loud(self):
        """Methods stay."""
        return self.name.upper()


@dataclass(frozen=True, slots=True)
class Plain:
    """The same as the standard library makes it."""

    x: int
    name: str = "origin"
    tags: tuple[str, ...] = ()
    more: dict = field(default_factory=dict, metadata={"help": "what else"})


@record
class Dot(Point):
    """A record that adds to another."""

    size: float = 1.0

    def __post_init__(self):
        if self.size < 0:
            raise ValueError("a dot has a size")


@record
class Nothing:
    """Without fields."""


VALUES = st.fixed_dictionaries(
    {"x": st.integers()},
    optional={"name": st.text(), "tags": st.lists(st.text()).map(tuple), "more": st.dictionaries(st.text(), st.integers())},
)


@given(one=VALUES, other=VALUES)
def test_as_the_standard_library(one, other):
    """Values, text, equality, copies with changes and as dictionaries are those of a frozen data class."""
    a, b, plain_a, plain_b = Point(**one), Point(**other), Plain(**one), Plain(**other)
    assert dataclasses.asdict(a) == dataclasses.asdict(plain_a)
    assert repr(a) == repr(plain_a).replace("Plain(", "Point(")
    assert (a == b) == (plain_a == plain_b)
    assert dataclasses.asdict(dataclasses.replace(a, x=7)) == dataclasses.asdict(dataclasses.replace(plain_a, x=7))
    assert pickle.loads(pickle.dumps(a)) == a == copy.deepcopy(a)
    assert a != plain_a
    assert a.loud == a.name.upper()


def test_fields():
    """Names, defaults and metadata are told as for any data class, and patterns match by position."""
    assert [(f.name, f.metadata) for f in dataclasses.fields(Point)] == [
        (f.name, f.metadata) for f in dataclasses.fields(Plain)
    ]
    assert Point.__match_args__ == Plain.__match_args__
    assert dataclasses.is_dataclass(Point) and Point.__slots__ == Plain.__slots__
    assert Point(1).more is not Point(1).more


def test_nobody_changes_it():
    """Setting and deleting are refused, and there is no room for other names."""
    one = Point(1)
    with pytest.raises(FrozenInstanceError):
        one.x = 2
    with pytest.raises(FrozenInstanceError):
        one.other = 2
    with pytest.raises(FrozenInstanceError):
        del one.x
    assert not hasattr(one, "__dict__")


def test_hash():
    """Equal records have equal hashes; one that holds what has none, has none."""
    assert hash(Point(1, more=None)) == hash(Point(1, more=None))
    assert len({Nothing(), Nothing()}) == 1
    with pytest.raises(TypeError):
        hash(Point(1))


@pytest.mark.parametrize("given", [(), (1, "a", (), {}, 5)])
def test_wrong_arguments(given):
    """Too few and too many are errors, also of the first object that is made."""

    @record
    class Fresh(Point):
        """Never made before."""

    with pytest.raises(TypeError, match="__init__"):
        Fresh(*given)
    assert Fresh(1) == Fresh(x=1)


def test_inheritance():
    """Fields of the base come first; what checks an object after it is made is asked."""
    assert Dot(1, size=2.0).size == 2.0 and Dot(1).name == "origin"
    assert Dot(1) != Point(1)
    with pytest.raises(ValueError, match="size"):
        Dot(1, size=-1.0)


def test_what_it_does_not_know():
    """A field that asks for more than defaults is refused when the class is made, not passed over."""
    with pytest.raises(TypeError, match=r"Odd\.x"):

        @record
        class Odd:
            """Its field takes no part in comparing."""

            x: int = field(default=0, compare=False)
