"""Web access, for researching ideas."""

from typing import Protocol

from msgspec import Struct


class WebPage(Struct, frozen=True):
    """A web page as text. `url` is the final address after redirections; title and text are untrusted."""

    url: str
    title: str
    text: str


class Web(Protocol):
    """Web access, for researching ideas. It is used only when the person configured it."""

    def search(self, question: str, within_s: float) -> tuple[str, ...]:
        """Return addresses of pages about a question, best first.

        Raises:
            WebUnavailable: no answer within `within_s` seconds, or no search service is configured.
        """

    def fetch(self, url: str, within_s: float) -> WebPage:
        """Return one page as text, read up to a limit of bytes; redirections are followed and robots.txt is respected.

        Raises:
            WebUnavailable: it is not allowed, missing or no text, or there was no answer within `within_s` seconds.
        """
