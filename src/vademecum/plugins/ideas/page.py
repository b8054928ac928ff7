"""Ideas.md, the page of the person's ideas: a dated section for each, with a pitch and a link. Pure text functions.

The page belongs to the person. Existing text stays byte for byte; sections are appended, and a promotion changes only its own
section.
"""

import re
from datetime import datetime

PAGE = "Ideas.md"
#: Most sentences of a pitch.
PITCH_SENTENCES = 2
_FIRST_LINE = "# Ideas"
_SENTENCE = re.compile(r".+?(?:[.!?…](?=\s|$)|[。！？]|$)", re.DOTALL)


def pitch_of(text: str) -> str:
    """Return the first sentences of a text, on one line."""
    flat = " ".join(text.split())
    texts = [match[0].strip() for match in _SENTENCE.finditer(flat) if match[0].strip()]
    return " ".join(texts[:PITCH_SENTENCES])


def section(title: str, pitch: str, target: str, when: datetime) -> str:
    """Return the section of an idea, without blank lines around it.

    Args:
        target: of the link to the idea, a path without `.md`.
    """
    text = f"{pitch_of(pitch)} " if pitch.strip() else ""
    return f"## {when:%Y-%m-%d}: {_plain(title)}\n\n{text}[[{target}|{_plain(title)}]]\n"


def with_section(page: str | None, new: str) -> str:
    """Return the page with a section appended; `page` None: there is no page yet."""
    if page is None:
        return f"{_FIRST_LINE}\n\n{new}"
    newline = "\r\n" if "\r\n" in page else "\n"
    gap = "" if not page else newline if page.endswith("\n") else newline * 2
    return f"{page}{gap}{new.replace(chr(10), newline)}"


def annotated(page: str, target: str, new_target: str, note: str) -> str:
    """Return the page with links to `target` changed to `new_target`, and `note` as a new line after each changed line."""
    link = re.compile(rf"\[\[{re.escape(target)}(?=[\]|#^])")
    if not link.search(page):
        return page
    newline = "\r\n" if "\r\n" in page else "\n"
    lines = page.splitlines(keepends=True)
    fresh = []
    for line in lines:
        changed = link.sub(lambda _: f"[[{new_target}", line)
        fresh.append(changed)
        if changed != line:
            end = "" if changed.endswith(("\n", "\r")) else newline
            fresh.append(f"{end}{newline}{note}{newline}")
    return "".join(fresh)


def links_to(page: str, target: str) -> bool:
    """Return whether the page has a link to `target`."""
    return f"[[{target}|" in page or f"[[{target}]]" in page


def _plain(title: str) -> str:
    """Return a title without characters that are not allowed in a heading or link."""
    return " ".join(re.sub(r"[\[\]|#^]", " ", title).split())
