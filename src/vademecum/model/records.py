"""Immutable classes of data that cost little to define: `@record` gives what `@dataclass(frozen=True, slots=True)` gives.

The standard decorator writes and compiles six functions for each class, about half a millisecond; a hook that answers by itself
defines seventy such classes and has 200 ms. Here all classes share five of the six, and `__init__` is compiled when the first object
is made, which of most classes never happens in such a process. `fields`, `replace` and `asdict` of :mod:`dataclasses` work as ever.
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[T], T]:
        """What a type checker must know; at run time nothing."""
        return lambda decorator: decorator


T = TypeVar("T")

_set = object.__setattr__
#: Marks a field whose value was not given and must be made.
_NOT_GIVEN: Any = object()


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """The class with slots, a constructor, equality, hash and text by its fields in order, and nobody changes its objects.

    `field(default=..., default_factory=...)`, defaults, inheritance from other records and `__post_init__` work as in dataclasses.

    Raises:
        TypeError: a field asks for something else.
    """
    plain = dataclass(init=False, repr=False, eq=False)(cls)
    for one in fields(plain):  # type: ignore[arg-type]  # it is a dataclass now
        if not (one.init and one.repr and one.compare and one.hash is None) or one.kw_only:
            raise TypeError(f"{cls.__name__}.{one.name}: a record knows default and default_factory only.")
    return _slotted(plain)


def _slotted(cls: type[Any]) -> type[Any]:
    """The same class again, with a slot for each field that no base has, and the methods that all records share."""
    inherited = {name for base in cls.__mro__[1:] for name in getattr(base, "__slots__", ())}
    names = [one.name for one in fields(cls)]
    body = {name: value for name, value in cls.__dict__.items() if name not in (*names, "__dict__", "__weakref__")}
    body["__slots__"] = tuple(name for name in names if name not in inherited)
    if any(isinstance(value, cached_property) for value in body.values()):
        body["__slots__"] += ("__dict__",)  # where what was computed is kept
    body["_values"] = attrgetter(*names) if names else staticmethod(_nothing)
    body |= {name: method for name, method in _SHARED.items() if name not in body}
    kind: Any = type(cls)  # `type`, unless the class is of a kind of its own
    made = kind(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    made.__init__ = _compiled_when_called(made)
    return made  # type: ignore[no-any-return]  # a class that was just made


def _compiled_when_called(cls: type[Any]) -> Callable[..., None]:
    def __init__(self: Any, *given: Any, **named: Any) -> None:  # noqa: N807 -- it is one
        cls.__init__ = _init_of(cls)
        cls.__init__(self, *given, **named)

    return __init__


def _init_of(cls: type[Any]) -> Callable[..., None]:
    """The constructor: parameters by the fields in order."""
    names: dict[str, Any] = {"_set": _set, "_NOT_GIVEN": _NOT_GIVEN}
    parameters, lines = ["self"], []
    for one in fields(cls):
        value = one.name
        if one.default is not MISSING:
            names[f"_default_{one.name}"] = one.default
            parameters.append(f"{one.name}=_default_{one.name}")
        elif one.default_factory is not MISSING:
            names[f"_make_{one.name}"] = one.default_factory
            parameters.append(f"{one.name}=_NOT_GIVEN")
            value = f"_make_{one.name}() if {one.name} is _NOT_GIVEN else {one.name}"
        else:
            parameters.append(one.name)
        lines.append(f"    _set(self, {one.name!r}, {value})\n")
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()\n")
    exec(f"def __init__({', '.join(parameters)}):\n{''.join(lines) or '    pass'}", names)
    names["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    made: Callable[..., None] = names["__init__"]
    return made


def _nothing(_: object) -> None:
    """The values of a record without fields."""


def _setattr(self: Any, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _eq(self: Any, other: Any) -> Any:
    return self._values(self) == self._values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(self._values(self))


def _repr(self: Any) -> str:
    given = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)
    return f"{self.__class__.__qualname__}({given})"


def _getstate(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in self.__dataclass_fields__)


def _setstate(self: Any, state: tuple[Any, ...]) -> None:
    for name, value in zip(self.__dataclass_fields__, state, strict=True):
        _set(self, name, value)


_SHARED = {
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
