"""A web made up in memory: the reference of the port, and what tests look things up in."""

from collections.abc import Mapping

from vademecum.domain.errors import WebUnavailable
from vademecum.ports.web import WebPage


class MemoryWeb:
    """Answers from a table.

    Args:
        pages: by address. results: question -> addresses; one that is not listed finds nothing.
    """

    def __init__(self, pages: Mapping[str, WebPage], results: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self._pages = pages
        self._results = results

    def search(self, question: str, within_s: float) -> tuple[str, ...]:
        """Return addresses for that very question."""
        if self._results is None:
            raise WebUnavailable("There is no search service.")
        return self._results.get(question, ())

    def fetch(self, url: str, within_s: float) -> WebPage:
        """Return the page of the table."""
        if url not in self._pages:
            raise WebUnavailable(f"{url} answered 404.")
        return self._pages[url]
