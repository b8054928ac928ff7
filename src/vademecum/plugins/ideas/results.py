"""Results of capturing, researching, promoting and tidying ideas."""

from datetime import datetime

from msgspec import Struct

from vademecum.domain.memory import Memory
from vademecum.plugin_api.writing import Saved

#: Maximum for the research of one idea: seconds, requests, tokens stored (MV-52). A caller may ask for less.
RESEARCH_SECONDS, RESEARCH_FETCHES, RESEARCH_TOKENS = 300, 3, 5000
#: Months without a change after which the person is asked about an idea.
GC_MONTHS = 6


class Budget(Struct, frozen=True):
    """Budget of a research: seconds in total, requests (a search is one), and tokens stored."""

    seconds: float = RESEARCH_SECONDS
    fetches: int = RESEARCH_FETCHES
    tokens: int = RESEARCH_TOKENS


class Researched(Struct, frozen=True):
    """Result of a research.

    Attributes:
        found: notes that wait for the person, one for each page.
        fetches: requests made.
        tokens: stored, estimated.
        seconds: used.
        stopped: "" if everything was read, else the limit that was reached: "time", "fetches" or "tokens".
        problems: why pages gave no result.
    """

    found: tuple[Saved, ...] = ()
    fetches: int = 0
    tokens: int = 0
    seconds: float = 0.0
    stopped: str = ""
    problems: tuple[str, ...] = ()


class Idea(Struct, frozen=True):
    """Result of an operation on an idea.

    Attributes:
        memory: the idea; None if the guard refused it.
        action: "incubating", "known" (it existed already), "inbox" (it waits for the person), "promoted", "kept", "archived" or
            "deleted".
        related: titles of related memories and notes.
        page: path of Ideas.md if it was written.
        note: why it was not written, or other information.
        research: result of a research; None if there was none.
        warnings: of the guard.
    """

    memory: Memory | None
    action: str
    related: tuple[str, ...] = ()
    page: str = ""
    note: str = ""
    research: Researched | None = None
    warnings: tuple[str, ...] = ()


class Surfaced(Struct, frozen=True):
    """Ideas added to Ideas.md.

    Attributes:
        titles: of the ideas that were missing there.
        page: its path if it was written.
        note: why it was not.
    """

    titles: tuple[str, ...]
    page: str = ""
    note: str = ""


class Stale(Struct, frozen=True):
    """An idea without changes for a long time.

    Attributes:
        touched: time of the last change or use.
        found: number of notes about it.
    """

    memory: Memory
    touched: datetime
    found: int
