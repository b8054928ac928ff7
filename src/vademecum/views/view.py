"""A set of generated pages, as added by a plugin."""

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from vademecum.views.texts import Known, Parts


class View(Struct, frozen=True):
    """Generated pages of one type. Paths are relative to the folder of generated pages.

    Attributes:
        name: unique. owns: full match for the paths of its pages; a page that no installed view owns is left unchanged.
        pages: returns path -> content of that page.
        fixed: fixed lines of such pages, such as headings.
        meant: heading -> kind of memories added below it.
        owner: path -> properties of lines added to that page, such as the project.
    """

    name: str
    owns: re.Pattern[str]
    pages: Callable[[Known], Mapping[str, Parts]]
    fixed: frozenset[str] = frozenset()
    meant: Mapping[str, str] = {}
    owner: Callable[[str], Mapping[str, object]] = lambda _: {}
