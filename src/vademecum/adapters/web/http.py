"""Web access over HTTP: a search service that answers in JSON (as SearXNG does), and pages within limits.

Nothing inside the person's own network is fetched unless its host is allowed, since a link in a text must not reach a router or
a local service. The connection uses the same address that was checked, so that a name cannot resolve to another host in
between.
"""

import http.client
import ipaddress
import json
import re
import socket
import ssl
import urllib.robotparser
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlencode, urljoin, urlsplit

from msgspec import Struct

from vademecum.adapters.web.page_text import read_html
from vademecum.domain.errors import WebUnavailable
from vademecum.ports.web import WebPage

AGENT = "vademecum-research"
#: Most bytes read of one answer; a longer one is cut.
PAGE_MAX_BYTES = 1_000_000
ROBOTS_MAX_BYTES = 500_000
REDIRECTS_MAX = 3
RESULTS_MAX = 10
#: Longest time in seconds for one answer, whatever the caller allows.
ANSWER_MAX_S = 120.0
_CHUNK = 65_536
_TEXTS = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown")
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)
_MOVED = frozenset({301, 302, 303, 307, 308})


class _Answer(Struct, frozen=True):
    """A server's answer: final address, status, type with charset, redirection target, and bytes."""

    url: str
    status: int
    type: str
    location: str
    data: bytes


@dataclass(slots=True)
class HttpWeb:
    """The Web port over HTTP.

    Attributes:
        search_url: of the search service, such as "https://search.example/search"; "" when there is none.
        elapsed_s: seconds since some fixed moment. allowed: hosts that may be contacted although they are in a private network.
    """

    search_url: str
    elapsed_s: Callable[[], float]
    allowed: tuple[str, ...] = ()
    _rules: dict[str, urllib.robotparser.RobotFileParser] = field(default_factory=dict)

    def search(self, question: str, within_s: float) -> tuple[str, ...]:
        """Return addresses of pages about a question.

        The service is the person's choice, so its robots.txt is not consulted.
        """
        if not self.search_url:
            raise WebUnavailable("There is no search service.", "Set research_search, or name pages with: --url ADDRESS")
        sign = "&" if "?" in self.search_url else "?"
        answer = self._get(
            f"{self.search_url}{sign}{urlencode({'q': question, 'format': 'json'})}", self._until(within_s), _any_host
        )
        try:
            texts = [str(load["url"]) for load in json.loads(answer.data)["results"]]
        except (ValueError, TypeError, KeyError) as error:
            raise WebUnavailable(
                f"{self.search_url} did not answer as a search service does.", "It must give JSON, as SearXNG with format=json."
            ) from error
        return tuple(url for url in dict.fromkeys(texts) if urlsplit(url).scheme in ("http", "https"))[:RESULTS_MAX]

    def fetch(self, url: str, within_s: float) -> WebPage:
        """Return one page as text."""
        until = self._until(within_s)
        for _ in range(REDIRECTS_MAX + 1):
            self._must_be_allowed(url, until)
            answer = self._get(url, until, self._may_be_asked)
            if answer.status not in _MOVED or not answer.location:
                return _page(answer)
            url = urljoin(url, answer.location)
        raise WebUnavailable(f"{url} redirects too often.")

    def _until(self, within_s: float) -> float:
        return self.elapsed_s() + min(within_s, ANSWER_MAX_S)

    def _must_be_allowed(self, url: str, until: float) -> None:
        """Respect the host's robots.txt; without one everything is allowed, according to RFC 9309.

        Raises:
            WebUnavailable: it forbids the page, or cannot be read now.
        """
        parts = urlsplit(url)
        root = f"{parts.scheme}://{parts.netloc}"
        if root not in self._rules:
            answer = self._get(f"{root}/robots.txt", until, self._may_be_asked, ROBOTS_MAX_BYTES)
            if answer.status >= 500:
                raise WebUnavailable(f"{root} did not say what robots may read (robots.txt).")
            rules = urllib.robotparser.RobotFileParser()
            rules.parse(answer.data.decode("utf-8", "replace").splitlines() if answer.status == 200 else [])
            self._rules[root] = rules
        if not self._rules[root].can_fetch(AGENT, url):
            raise WebUnavailable(f"{url} does not allow robots.")

    def _may_be_asked(self, host: str, address: str) -> bool:
        return host in self.allowed or ipaddress.ip_address(address).is_global

    def _get(
        self, url: str, until: float, may_be_asked: Callable[[str, str], bool], max_bytes: int = PAGE_MAX_BYTES
    ) -> _Answer:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise WebUnavailable(f"{url!r} is not the address of a web page.") from error
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise WebUnavailable(
                f"{url!r} is not the address of a web page.", "Only http and https are possible, without a user name."
            )
        kind = _Tls if parts.scheme == "https" else _Plain
        connection = kind(parts.hostname, port, timeout=max(0.1, until - self.elapsed_s()))
        connection.may_be_asked = may_be_asked
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request("GET", path, headers={"User-Agent": AGENT, "Accept": ", ".join(_TEXTS), "Connection": "close"})
            answer = connection.getresponse()
            data = self._read(answer, until, max_bytes)
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            raise WebUnavailable(f"No answer from {url}: {error}.") from error
        finally:
            connection.close()
        return _Answer(url, answer.status, answer.getheader("Content-Type") or "", answer.getheader("Location") or "", data)

    def _read(self, answer: http.client.HTTPResponse, until: float, max_bytes: int) -> bytes:
        data = b""
        while len(data) < max_bytes and (chunk := answer.read1(min(_CHUNK, max_bytes - len(data)))):
            data += chunk
            if self.elapsed_s() > until:
                raise TimeoutError("it takes too long")
        return data


def _any_host(host: str, address: str) -> bool:
    return True


def _page(answer: _Answer) -> WebPage:
    if answer.status != 200:
        raise WebUnavailable(f"{answer.url} answered {answer.status}.")
    kind = answer.type.partition(";")[0].strip().lower()
    if kind and kind not in _TEXTS:
        raise WebUnavailable(f"{answer.url} is no text, but {kind}.")
    named = _CHARSET.search(answer.type) or _CHARSET.search(answer.data[:2000].decode("ascii", "replace"))
    try:
        text = answer.data.decode(named[1] if named else "utf-8", "replace")
    except LookupError:
        text = answer.data.decode("utf-8", "replace")
    title, entry = ("", text.strip()) if kind in ("text/plain", "text/markdown") else read_html(text)
    return WebPage(answer.url, title or urlsplit(answer.url).netloc, entry)


class _Plain(http.client.HTTPConnection):
    """Connects to exactly the address that was checked."""

    may_be_asked: Callable[[str, str], bool] = staticmethod(_any_host)

    def connect(self) -> None:
        getaddrinfo = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        refused: OSError = OSError(f"{self.host} is not found")
        for family, kind, protocol, _, address in getaddrinfo:
            if not self.may_be_asked(self.host, str(address[0])):
                refused = PermissionError(f"{self.host} is in a private network")
                continue
            self.sock = socket.socket(family, kind, protocol)
            self.sock.settimeout(self.timeout)
            try:
                self.sock.connect(address)
            except OSError as error:
                self.sock.close()
                refused = error
                continue
            return
        raise refused


class _Tls(http.client.HTTPSConnection, _Plain):
    """The same with TLS: http.client connects by the next class in the MRO and then wraps the socket."""

    def __init__(self, host: str, port: int | None = None, *, timeout: float) -> None:
        super().__init__(host, port, timeout=timeout, context=ssl.create_default_context())
