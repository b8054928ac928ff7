"""The page of recent handoffs: a generated list, surrounded by the person's own text."""

from collections.abc import Sequence

#: Path in the personal space.
HANDOFFS_PAGE = "handoffs.md"

_BEGIN, _END = "%% generated: the last handoffs %%", "%% end of what is generated %%"
_NEW = "# Where sessions stopped\n"


def with_list(page: str | None, lines: Sequence[str]) -> str:
    """Return the page with these lines as its list. Text around the list stays; a page without a list gets one at its end."""
    before, begun, rest = (_NEW if page is None else page).partition(_BEGIN)
    if not begun:
        before, rest = before.rstrip("\n") + "\n\n" if before.strip() else before, f"{_END}\n"
    return before + "\n".join([_BEGIN, *lines, _END]) + rest.partition(_END)[2]


def without_list(page: str) -> str:
    """Return the page with an empty list; unchanged if it has none."""
    return with_list(page, ()) if _BEGIN in page else page
