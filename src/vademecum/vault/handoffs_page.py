"""The page that names where the last sessions stopped: a generated list, and around it what the person writes."""

from collections.abc import Sequence

#: In the personal space.
HANDOFFS_PAGE = "handoffs.md"

_BEGIN, _END = "%% generated: the last handoffs %%", "%% end of what is generated %%"
_NEW = "# Where sessions stopped\n"


def with_list(page: str | None, lines: Sequence[str]) -> str:
    """Return the page with these lines as its list. What stands around the list stays; a page without a list gets one at its end."""
    before, begun, rest = (_NEW if page is None else page).partition(_BEGIN)
    if not begun:
        before, rest = before.rstrip("\n") + "\n\n" if before.strip() else before, f"{_END}\n"
    return before + "\n".join([_BEGIN, *lines, _END]) + rest.partition(_END)[2]


def without_list(page: str) -> str:
    """Return the page with nothing in its list; one without a list as it is."""
    return with_list(page, ()) if _BEGIN in page else page
