"""Ideas on their way: what capturing, looking up, promoting and tidying gives back."""

from datetime import datetime

from msgspec import Struct

from vademecum.domain.memory import Memory
from vademecum.plugin_api.writing import Saved

#: Research for one idea at most: seconds, requests, tokens kept (MV-52). A caller may ask for less.
RESEARCH_SECONDS, RESEARCH_FETCHES, RESEARCH_TOKENS = 300, 3, 5000
#: An idea untouched for so many months is asked about.
GC_MONTHS = 6


class Budget(Struct, frozen=True):
    """What looking up one idea may take: seconds in all, requests (searching is one), and tokens that are kept."""

    seconds: float = RESEARCH_SECONDS
    fetches: int = RESEARCH_FETCHES
    tokens: int = RESEARCH_TOKENS


class Researched(Struct, frozen=True):
    """What looking up an idea gave.

    Attributes:
        found: notes that wait for the person, one for each page.
        fetches: requests made. tokens: kept, estimated. seconds: taken.
        stopped: "" when all was looked at, else what was used up: "time", "fetches" or "tokens".
        problems: pages that gave nothing, and why.
    """

    found: tuple[Saved, ...] = ()
    fetches: int = 0
    tokens: int = 0
    seconds: float = 0.0
    stopped: str = ""
    problems: tuple[str, ...] = ()


class Idea(Struct, frozen=True):
    """An idea after something was done with it.

    Attributes:
        memory: the idea; None when the guard refused it.
        action: "incubating", "known" (it was there already), "inbox" (it waits for the person), "promoted", "kept", "archived"
            or "deleted".
        related: titles of what memory and vault know about it.
        page: path of Ideas.md when it was written; note: why it was not, or what else to know.
        research: what was looked up; None: nothing was.
        warnings: what the guard noticed.
    """

    memory: Memory | None
    action: str
    related: tuple[str, ...] = ()
    page: str = ""
    note: str = ""
    research: Researched | None = None
    warnings: tuple[str, ...] = ()


class Surfaced(Struct, frozen=True):
    """Ideas put into the person's list of ideas.

    Attributes:
        titles: of those that it did not name. page: its path when it was written; note: why it was not.
    """

    titles: tuple[str, ...]
    page: str = ""
    note: str = ""


class Stale(Struct, frozen=True):
    """An idea that nobody touched for long. `touched`: when last; `found`: how many notes were found about it."""

    memory: Memory
    touched: datetime
    found: int
