"""Imports modules in less time: what they import and do without is replaced meanwhile. Of ours it imports nothing."""

import importlib
import sys
from collections.abc import Mapping

#: What msgspec does without: module -> its members that are asked for; None: it is not there.
MSGSPEC_WITHOUT: Mapping[str, Mapping[str, object] | None] = {
    "typing_extensions": None,
    "platform": {"system": sys.platform.capitalize},  # for `uuid`, which asks for "Linux"
}


def quick_import(name: str, without: Mapping[str, Mapping[str, object] | None]) -> None:
    """Import a module while others that are not loaded yet are replaced by stand-ins. Who imports those later gets the whole."""
    absent = {other: members for other, members in without.items() if other not in sys.modules}
    for other, members in absent.items():
        sys.modules[other] = type(sys)(other)
        if members is None:
            sys.modules[other] = None  # type: ignore[assignment]
        else:
            vars(sys.modules[other]).update(members)
    try:
        importlib.import_module(name)
    finally:
        for other in absent:
            del sys.modules[other]
