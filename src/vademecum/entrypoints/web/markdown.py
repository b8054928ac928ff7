"""Notes as HTML: HTML in them is text, nothing in them is loaded, and links lead to web pages, mail and our own pages alone."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token
from markupsafe import Markup

from vademecum.entrypoints.http.access import PAGES

#: A longer note is cut, with a link to the whole as plain text.
SHOWN_CHARS = 20_000

_OUTSIDE = ("http", "https", "mailto")
_OURS = {"memory": "m", "session": "s"}


def rendered(text: str) -> Markup:
    """Return a note as HTML."""
    return Markup(_MARKDOWN.render(text))


def own_address(uri: str) -> str:
    """Return the address of our page about a memory or conversation; "" when there is none."""
    scheme, _, rest = uri.partition("://")
    return f"{PAGES}/{_OURS[scheme]}/{quote(rest)}" if scheme in _OURS and rest else ""


def _is_good(url: str) -> bool:
    try:
        return urlsplit(url).scheme.lower() in (*_OUTSIDE, *_OURS)
    except ValueError:
        return False


def _link_open(self: Any, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
    token = tokens[place]
    href = str(token.attrGet("href") or "")
    ours = own_address(href)
    token.attrs = {"href": ours} if ours else {"href": href, "rel": "noopener noreferrer nofollow", "target": "_blank"}
    return str(self.renderToken(tokens, place, options, env))


def _image(self: Any, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
    """Show a picture as what it says of itself: it is not loaded."""
    token = tokens[place]
    return f"[{escapeHtml(token.content or 'picture')}: {escapeHtml(str(token.attrGet('src') or ''))}]"


def _made() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    made.validateLink = _is_good  # type: ignore[method-assign]
    made.add_render_rule("link_open", _link_open)
    made.add_render_rule("image", _image)
    return made


_MARKDOWN = _made()
