"""Notes as HTML. HTML in a note is shown as text, nothing is loaded, and links may only lead to web pages, mail and our pages."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup

from vademecum.plugins.pages.machine import PAGES

#: Longer notes are truncated, with a link to all of it as plain text.
SHOWN_CHARS = 20_000

_OUTSIDE = ("http", "https", "mailto")
_OURS = {"memory": "m", "session": "s"}


def rendered(text: str, known: Mapping[str, str] | None = None) -> Markup:
    """Return a note as HTML.

    Args:
        known: case-folded name -> URI for `[[name]]`; others stay as they are.
    """
    return Markup(_MARKDOWN.render(text, {"known": known or {}}))


def own_address(uri: str) -> str:
    """Return the address of our page for a memory or conversation; "" if there is none."""
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


def _wikilink(state: StateInline, silent: bool) -> bool:
    """Parse `[[name]]` or `[[name|words]]` as a link, if the name is known."""
    end = state.src.find("]]", state.pos, state.posMax) if state.src.startswith("[[", state.pos) else -1
    name, _, words = state.src[state.pos + 2 : end].partition("|")
    uri = state.env["known"].get(name.strip().casefold()) if end >= 0 else None
    if not uri:
        return False
    if not silent:
        state.push("link_open", "a", 1).attrs = {"href": uri}
        state.push("text", "", 0).content = (words or name).strip()
        state.push("link_close", "a", -1)
    state.pos = end + 2
    return True


def _image(self: Any, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
    """Show an image as text, without loading it."""
    token = tokens[place]
    return f"[{escapeHtml(token.content or 'picture')}: {escapeHtml(str(token.attrGet('src') or ''))}]"


def _made() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    made.inline.ruler.before("link", "wikilink", _wikilink)
    made.validateLink = _is_good  # type: ignore[method-assign]
    made.add_render_rule("link_open", _link_open)
    made.add_render_rule("image", _image)
    return made


_MARKDOWN = _made()
