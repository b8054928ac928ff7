"""The network: one suite for every adapter of the port, and what only the real one can do wrong."""

import http.server
import socket
import threading

import pytest
from tests.adapters.web_reference import MemoryWeb

from vademecum.adapters.web.http import PAGE_MAX_BYTES, HttpWeb
from vademecum.adapters.web.page_text import read_html
from vademecum.domain.errors import WebUnavailable
from vademecum.ports.web import WebPage

PAGES = {"/one": "<title>One</title><p>First page.</p>", "/two": "<title>Two</title><p>Second page.</p>"}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.partition("?")[0]
        self.server.asked.append(path)
        status, headers, body = self.server.answers.get(path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.answers, made.asked = {}, []
    made.root = f"http://127.0.0.1:{made.server_port}"
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def real(server, **more):
    return HttpWeb(f"{server.root}/search", lambda: 0.0, **({"allowed": ("127.0.0.1",)} | more))


@pytest.fixture(params=["http", "memory"])
def web(request, server):
    """(the web, root of its addresses): two pages, found by asking for "pages"."""
    if request.param == "http":
        for path, body in PAGES.items():
            server.answers[path] = (200, {"Content-Type": "text/html; charset=utf-8"}, body.encode())
        listed = ", ".join(f'{{"url": "{server.root}{path}"}}' for path in PAGES)
        server.answers["/search"] = (200, {}, f'{{"results": [{listed}]}}'.encode())
        return real(server), server.root
    root = "https://made.example"
    table = {
        f"{root}/one": WebPage(f"{root}/one", "One", "First page."),
        f"{root}/two": WebPage(f"{root}/two", "Two", "Second page."),
    }
    return MemoryWeb(table, {"pages": tuple(table)}), root


def test_port(web):
    """Every adapter: a search gives addresses, a page is title and text, what is not there is told so."""
    asked, root = web
    assert asked.search("pages", 5) == (f"{root}/one", f"{root}/two")
    assert asked.fetch(f"{root}/one", 5) == WebPage(f"{root}/one", "One", "First page.")
    with pytest.raises(WebUnavailable, match="404"):
        asked.fetch(f"{root}/none", 5)


def test_private_network(server):
    """X-37: nothing in the person's own network is asked, neither by address, by name, nor behind a redirection."""
    web = real(server, allowed=())
    for url in (
        f"{server.root}/one",
        server.root.replace("127.0.0.1", "localhost"),
        "http://[::1]:80/",
        "http://169.254.169.254/",
    ):
        with pytest.raises(WebUnavailable):
            web.fetch(url, 2)
    assert server.asked == []
    allowed = real(server)
    server.answers["/away"] = (302, {"Location": server.root.replace("127.0.0.1", "localhost") + "/inside"}, b"")
    with pytest.raises(WebUnavailable, match="private network"):
        allowed.fetch(f"{server.root}/away", 2)
    assert "/inside" not in server.asked


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://x.example/", "http://", "http://me@x.example/", "http://x.example:y/"]
)
def test_no_web_address(server, url):
    """Only http and https are possible, without a user name."""
    with pytest.raises(WebUnavailable):
        real(server).fetch(url, 2)


def test_robots(server):
    """What robots.txt forbids is not fetched; one that cannot be read now forbids all; it is asked for once."""
    server.answers["/robots.txt"] = (200, {}, b"User-agent: vademecum-research\nDisallow: /one\n")
    server.answers["/two"] = (200, {"Content-Type": "text/plain"}, b"Second.")
    web = real(server)
    with pytest.raises(WebUnavailable, match="does not allow robots"):
        web.fetch(f"{server.root}/one", 2)
    assert web.fetch(f"{server.root}/two", 2).text == "Second."
    assert server.asked == ["/robots.txt", "/two"]
    server.answers["/robots.txt"] = (503, {}, b"")
    with pytest.raises(WebUnavailable, match="what robots may read"):
        real(server).fetch(f"{server.root}/two", 2)


def test_redirections(server):
    """A page that moved is found; a circle ends."""
    server.answers["/old"] = (301, {"Location": "/one"}, b"")
    server.answers["/one"] = (200, {"Content-Type": "text/plain"}, b"First.")
    server.answers["/circle"] = (302, {"Location": "/circle"}, b"")
    assert real(server).fetch(f"{server.root}/old", 2).url == f"{server.root}/one"
    with pytest.raises(WebUnavailable, match="redirects too often"):
        real(server).fetch(f"{server.root}/circle", 2)


def test_large(server):
    """A page is read up to a limit."""
    server.answers["/one"] = (200, {"Content-Type": "text/plain"}, b"a" * (PAGE_MAX_BYTES + 5000))
    assert len(real(server).fetch(f"{server.root}/one", 5).text) == PAGE_MAX_BYTES


def test_other_encoding(server):
    """The page's own encoding is used; an unknown one does no harm."""
    server.answers["/one"] = (200, {"Content-Type": "text/plain; charset=iso-8859-1"}, "Käse".encode("latin-1"))
    server.answers["/two"] = (200, {"Content-Type": "text/plain; charset=nonsense"}, "Käse".encode())
    assert real(server).fetch(f"{server.root}/one", 2).text == "Käse"
    assert real(server).fetch(f"{server.root}/two", 2).text == "Käse"


def test_no_search_service(server):
    """Without a service, or with one that answers otherwise, the reason is told."""
    server.answers["/search"] = (200, {}, b"<html>blocked</html>")
    with pytest.raises(WebUnavailable, match="as a search service does"):
        real(server).search("x", 2)
    with pytest.raises(WebUnavailable, match="no search service"):
        HttpWeb("", lambda: 0.0).search("x", 2)


def test_silent_server():
    """A server that never answers costs its time and no more."""
    with socket.create_server(("127.0.0.1", 0)) as quiet:
        web = HttpWeb("", lambda: 0.0, ("127.0.0.1",))
        with pytest.raises(WebUnavailable, match="No answer"):
            web.fetch(f"http://127.0.0.1:{quiet.getsockname()[1]}/", 0.2)


def test_read_html():
    """X-37: what a reader does not see is not read: scripts, menus, comments, hidden elements; blocks are lines."""
    page = (
        "<html><head><title> A &amp; B </title><style>p {}</style></head><body><nav>Menu</nav><h1>Top</h1>"
        "<p>One <b>bold</b> word<br>and more.</p><!-- say nothing --><div hidden>no</div><p aria-hidden=true>no</p>"
        "<span style='font-size:0'>no</span><span style='opacity: 0.5'>faint</span><script>no()</script>"
        "<p>Two<img src=x>three</body></html>"
    )
    assert read_html(page) == ("A & B", "Top\nOne bold word\nand more.\nfaint\nTwothree")
