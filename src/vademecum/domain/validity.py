"""Whether a memory holds at a moment, by the dates that it carries."""

from datetime import datetime

from vademecum.domain.item import Item


def validity(item: Item, now: datetime) -> str:
    """Return when an item held or will hold ("until 2026-01-01", "from 2027-06-01"); "" when it holds now.

    A handoff and a conversation carry the time of their session, which says nothing of that.
    """
    if item.source != "memory":
        return ""
    if item.valid_until is not None and item.valid_until <= now:
        return f"until {item.valid_until:%Y-%m-%d}"
    if item.valid_from is not None and item.valid_from > now:
        return f"from {item.valid_from:%Y-%m-%d}"
    return ""
