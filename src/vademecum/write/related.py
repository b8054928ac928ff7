"""Related items of an idea: links to memories and notes, as written in its file."""

from collections.abc import Callable, Sequence

from vademecum.context.context import Context
from vademecum.domain.item import Item
from vademecum.vault.places import from_root

#: Searches memories and notes for a text, best match first.
Find = Callable[[str], Sequence[Item]]


def nothing(_: str) -> Sequence[Item]:
    """Search that returns nothing, for callers without a search."""
    return ()


#: Maximum number of links of an idea, and minimum number of content words that each must share with it.
RELATED_MAX, ALIKE = 5, 2
_HEADING = "## Related"


def with_related(context: Context, text: str, items: Sequence[Item]) -> str:
    """Return the text of an idea with a list of links below it; unchanged without items."""
    lines = [text.strip()] if text.strip() else []
    if items:
        links = [f"- [[{_place(context, item)}|{item.title.replace('|', ' ').replace(']', ' ')}]]" for item in items]
        lines += ["", _HEADING, "", *links] if lines else [_HEADING, "", *links]
    return "\n".join(lines) + "\n" if lines else ""


def pitch_in(body: str) -> str:
    """Return the text of an idea without the links below it."""
    return body.partition(_HEADING)[0].strip()


def memories_among(items: Sequence[Item]) -> tuple[str, ...]:
    """Return the ids of the items that are memories."""
    return tuple(item.key.removeprefix("memory://") for item in items if item.source == "memory")


def _place(context: Context, item: Item) -> str:
    """Return the link target of an item, relative to the vault's root."""
    space = next((known for known in context.vault.spaces if known.name == item.space), context.vault.spaces[0])
    path = item.path if item.source == "document" else from_root(space.root, space.documents_root, item.path)
    return path.removesuffix(".md")
