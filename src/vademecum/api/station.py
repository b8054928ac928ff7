"""Stations of the facade, and use cases as their methods."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C")
S = TypeVar("S")


class Station(Generic[C]):
    """A part of the facade: related use cases over one context."""

    def __init__(self, context: C) -> None:
        self.context = context


class use_case(Generic[C, P, T]):  # noqa: N801 - it reads like a decorator
    """A function of a context as a method of a station, which passes its context."""

    def __init__(self, function: Callable[Concatenate[C, P], T]) -> None:
        self.function = function

    @overload
    def __get__(self, station: None, owner: type) -> Callable[Concatenate[C, P], T]: ...

    @overload
    def __get__(self, station: Station[C], owner: type) -> Callable[P, T]: ...

    def __get__(self, station: Station[C] | None, owner: type) -> Callable[..., T]:
        return self.function if station is None else partial(self.function, station.context)


class station(Generic[S]):  # noqa: N801 - it reads like cached_property
    """A station of the facade, created with its first use.

    Accessed on the class it returns its methods as functions of a memory: `Vademecum.notes.save(memory, ...)`. Rows of verbs use them.
    """

    def __init__(self, kind: type[S], made: Callable[[Any], S]) -> None:
        self._kind, self._made = kind, made

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, memory: None, owner: type) -> type[S]: ...

    @overload
    def __get__(self, memory: object, owner: type) -> S: ...

    def __get__(self, memory: object | None, owner: type) -> Any:
        if memory is None:
            return _Unbound(self._kind, self._name)
        made = memory.__dict__[self._name] = self._made(memory)
        return made


class _Unbound:
    """The methods of a station as functions of a memory."""

    def __init__(self, kind: type, name: str) -> None:
        self._kind, self._name = kind, name

    def __getattr__(self, method: str) -> Callable[..., Any]:
        @wraps(getattr(self._kind, method))
        def of_memory(memory: object, *args: Any, **values: Any) -> Any:
            return getattr(getattr(memory, self._name), method)(*args, **values)

        return of_memory
