"""The network, for looking up ideas."""

from typing import Protocol

from msgspec import Struct


class WebPage(Struct, frozen=True):
    """A page of the web as text. `url` is where it was in the end; title and text are not to be trusted."""

    url: str
    title: str
    text: str


class Web(Protocol):
    """The network, for looking up ideas. It is asked only when the person configured it."""

    def search(self, question: str, within_s: float) -> tuple[str, ...]:
        """Return addresses of pages about a question, best first.

        Raises:
            WebUnavailable: no answer within so many seconds, or there is nobody to ask.
        """

    def fetch(self, url: str, within_s: float) -> WebPage:
        """Return one page as text, read up to a limit of bytes; redirections are followed, and rules for robots kept.

        Raises:
            WebUnavailable: it is not allowed, not there, no text, or there was no answer within so many seconds.
        """
