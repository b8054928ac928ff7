"""Notice edits of the person in memories that are about to be shown, so that nobody is shown a text that they have changed.

The vault is not opened for it: most questions find that nothing was edited.
"""

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
    """Return the memories among these keys that are in the person's own spaces."""
    spaces = {space.name for space in context.spaces}
    return [item for item in context.index.items(keys).values() if item.source == "memory" and item.space in spaces]


def stat_of(context: Context, memory: Memory | Item) -> str:
    """Return the stat of a memory's file as in a scan; "" if it has just disappeared."""
    try:
        return stat_text(file_of(context, memory).stat())
    except FileNotFoundError:
        return ""


def file_of(context: Context, memory: Memory | Item) -> Path:
    roots = {space.name: space.root for space in context.spaces}
    if memory.space not in roots:  # a space of a plugin
        roots = {space.name: space.root for space in context.vault.spaces}
    return Path(roots[memory.space]) / memory.path
