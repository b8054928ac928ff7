"""Whether a memory is valid at a moment, by its own dates."""

from datetime import datetime

from vademecum.domain.item import Item


def validity(item: Item, now: datetime) -> str:
    """Return when an item was or will be valid ("until 2026-01-01", "from 2027-06-01"); "" when it is valid now.

    The dates of a handoff or a conversation are those of its session and say nothing about validity.
    """
    if item.source != "memory":
        return ""
    if item.valid_until is not None and item.valid_until <= now:
        return f"until {item.valid_until:%Y-%m-%d}"
    if item.valid_from is not None and item.valid_from > now:
        return f"from {item.valid_from:%Y-%m-%d}"
    return ""
