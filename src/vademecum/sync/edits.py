"""Notice edits of the person in the memories that are about to be told, so that nobody is told a text that they have changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.vault.scan import stat_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vademecum.context.context import Context
    from vademecum.domain.item import Item
    from vademecum.domain.memory import Memory


def is_edited(context: Context, keys: Sequence[str]) -> bool:
    """Return whether the file of one of these memories differs from the index."""
    return any(item.stat != stat_of(context, item) for item in memories_among(context, keys))


def memories_among(context: Context, keys: Sequence[str]) -> list[Item]:
    """Return the memories among these keys whose space is in this context."""
    spaces = {space.name for space in context.vault.spaces}
    return [item for item in context.index.items(keys).values() if item.source == "memory" and item.space in spaces]


def stat_of(context: Context, memory: Memory | Item) -> str:
    """Return the stat of a memory's file as in a scan; "" if it has just disappeared."""
    try:
        return stat_text(file_of(context, memory).stat())
    except FileNotFoundError:
        return ""


def file_of(context: Context, memory: Memory | Item) -> Path:
    """Return the file of a memory."""
    root = next(space.root for space in context.vault.spaces if space.name == memory.space)
    return Path(root) / memory.path
