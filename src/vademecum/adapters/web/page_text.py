"""Converts HTML to title and text, without scripts, menus, comments and hidden content."""

import re
from html.parser import HTMLParser

#: Elements with invisible content, or around the main content.
_SKIPPED = frozenset(
    "script style noscript template svg canvas iframe object head nav footer aside form button select option".split()
)
#: Elements without an end tag.
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_BLOCKS = frozenset(
    "p div section article main header h1 h2 h3 h4 h5 h6 li ul ol dl dt dd table tr blockquote pre figcaption br hr".split()
)
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?!\.?[1-9])|opacity\s*:\s*0(?!\.?\d*[1-9])", re.I
)
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*(?:\n\s*)*")


def read_html(html: str) -> tuple[str, str]:
    """Return (title, text) of a page; paragraphs are lines of the text."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return " ".join("".join(reader.title).split()), _LINES.sub("\n", _SPACES.sub(" ", "".join(reader.words))).strip()


class _Reader(HTMLParser):
    """Collects visible text. A skipped element hides everything up to its own end tag."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.words: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title"
        if tag in _BLOCKS:
            self.words.append("\n")
        if tag not in _VOID:
            self._open.append((tag, tag in _SKIPPED or _is_hidden(dict(attrs))))

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if tag in _BLOCKS:
            self.words.append("\n")
        if any(name == tag for name, _ in self._open):
            while self._open and self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif not any(hidden for _, hidden in self._open):
            self.words.append(data)


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    return (
        "hidden" in attributes
        or (attributes.get("aria-hidden") or "").lower() == "true"
        or bool(_HIDING.search(attributes.get("style") or ""))
    )
