"""Packages that are only there if the person asked for them."""

import importlib
from typing import Any

from vademecum.model.errors import EmbedderUnavailable


def load(package: str, extra: str) -> Any:
    """The package, imported now.

    Raises:
        EmbedderUnavailable: it is not installed; the hint is the command that installs it.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise EmbedderUnavailable(
            f"The package {package} is not installed ({error}).", f"Install it with: pip install 'vademecum[{extra}]'"
        ) from error
