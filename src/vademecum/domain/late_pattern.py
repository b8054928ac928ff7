"""Regular expressions that are compiled with their first use: a short-lived process uses few of those that its modules define."""

import re
from typing import Any, AnyStr, cast

_made: list["_LatePattern"] = []


class _LatePattern:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Look up a method or property of the compiled pattern; it is then an attribute of this object, found as fast."""
        if name == "compiled":
            found: Any = re.compile(*self._given)
        else:
            found = getattr(self.compiled, name)
        vars(self)[name] = found
        return found


def late_pattern(pattern: AnyStr, flags: int = 0) -> "re.Pattern[AnyStr]":
    """Return what `re.compile` returns, compiled with its first use. For constants of modules, which live as long as the process.

    The functions of `re` do not accept it; use its methods.
    """
    late = _LatePattern(pattern, flags)
    _made.append(late)
    return cast("re.Pattern[AnyStr]", late)


def compile_late_patterns() -> None:
    """Compile all patterns made so far, for a process that will fork or must answer fast.

    Raises:
        re.error: one is no valid regular expression.
    """
    for late in tuple(_made):
        _ = late.compiled
