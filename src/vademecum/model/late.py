"""Parts of a package that are imported when they are first asked for: a hook without a helper waits for each import."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def late(package: str, where: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__`: name -> the thing of that name in the module of the package that `where` gives; or, when both are
    the same, that module itself."""

    def get(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(f"{package}.{where[name]}")
        return module if where[name] == name else getattr(module, name)

    return get
