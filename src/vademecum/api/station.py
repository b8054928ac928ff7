"""Stations of the facade, and use cases as their methods."""

import importlib
from collections.abc import Callable
from functools import partial
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
        self._find: Callable[[], Callable[Concatenate[C, P], T]] = lambda: function

    @classmethod
    def late(cls, module: str, name: str) -> "use_case[C, P, T]":
        """Return the use case `module.name` of this package's rooms; the module is imported when it is called."""
        made = cls.__new__(cls)
        made._find = lambda: getattr(importlib.import_module(f"vademecum.{module}"), name)
        return made

    @property
    def function(self) -> Callable[Concatenate[C, P], T]:
        """The function itself."""
        return self._find()

    @overload
    def __get__(self, station: None, owner: type) -> Callable[Concatenate[C, P], T]: ...

    @overload
    def __get__(self, station: Station[C], owner: type) -> Callable[P, T]: ...

    def __get__(self, station: Station[C] | None, owner: type) -> Callable[..., T]:
        return self.function if station is None else partial(self.function, station.context)


class station(Generic[S]):  # noqa: N801 - it reads like cached_property
    """A station of the facade, imported and created with its first use.

    Accessed on the class it returns its methods as functions of a memory: `Vademecum.notes.save(memory, ...)`. Rows of verbs use them.

    Args:
        kind: "module.Class" in this package.
        parts: given the memory, returns the arguments of the class.
    """

    def __init__(self, kind: str, parts: Callable[[Any], tuple[Any, ...]]) -> None:
        self._where, self._parts = kind, parts

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, memory: None, owner: type) -> type[S]: ...

    @overload
    def __get__(self, memory: object, owner: type) -> S: ...

    def __get__(self, memory: object | None, owner: type) -> Any:
        if memory is None:
            return _Unbound(self)
        made = memory.__dict__[self._name] = self.kind(*self._parts(memory))
        return made

    @property
    def name(self) -> str:
        """Its name on the facade."""
        return self._name

    @property
    def kind(self) -> type[S]:
        """Its class."""
        module, _, name = self._where.partition(".")
        kind: type[S] = getattr(importlib.import_module(f"vademecum.api.{module}"), name)
        return kind


class _Unbound:
    """The methods of a station as functions of a memory."""

    def __init__(self, of: station[Any]) -> None:
        self._of = of

    def __getattr__(self, method: str) -> "_OfMemory":
        return _OfMemory(self._of, method)


class _OfMemory:
    """A method of a station as a function of a memory; its module is imported when it is called or asked for its signature."""

    def __init__(self, of: station[Any], method: str) -> None:
        self._of, self._method = of, method

    def __call__(self, memory: object, *args: Any, **values: Any) -> Any:
        return getattr(getattr(memory, self._of.name), self._method)(*args, **values)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The method itself, for :func:`inspect.unwrap`."""
        method: Callable[..., Any] = getattr(self._of.kind, self._method)
        return method
