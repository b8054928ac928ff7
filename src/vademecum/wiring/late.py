"""Imports an adapter when it is first called: most processes need few of them."""

import importlib
from collections.abc import Callable
from typing import Any


def late(module: str, name: str, *given: Any) -> Callable[..., Any]:
    """Return a function that calls `name` of `vademecum.<module>` with `given` and its own arguments; it is imported then."""

    def call(*args: Any, **named: Any) -> Any:
        return getattr(importlib.import_module(f"vademecum.{module}"), name)(*given, *args, **named)

    return call
