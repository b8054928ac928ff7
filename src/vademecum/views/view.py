"""Generated pages of one sort, as a plugin adds them."""

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from vademecum.views.texts import Known, Parts


class View(Struct, frozen=True):
    """Generated pages of one sort. Paths are relative to the folder of generated pages.

    Attributes:
        name: unique. owns: matches the paths of its pages as a whole; a page that no installed view owns is left as it is.
        pages: returns path -> what stands on that page, without its mark.
        fixed: lines of such pages that are no line about something, such as headings.
        meant: heading -> kind of what somebody adds below it.
        owner: given a path, returns properties of what somebody adds to that page, such as whose it is.
    """

    name: str
    owns: re.Pattern[str]
    pages: Callable[[Known], Mapping[str, Parts]]
    fixed: frozenset[str] = frozenset()
    meant: Mapping[str, str] = {}
    owner: Callable[[str], Mapping[str, object]] = lambda _: {}
