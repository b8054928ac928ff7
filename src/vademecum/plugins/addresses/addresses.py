"""Assign an address to each page of the wiki; numbers are taken under the lock of the vault (HW-31)."""

import re
from pathlib import Path

from vademecum.domain.item import Item
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import By
from vademecum.domain.query import Scope
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import LOOKED_AT, Did, Job
from vademecum.plugin_api.vault import Placing

SETTING = "page_addresses"
BY_ADDRESSES = By("extraction", "addresses")
PAGES = tuple(kind.name for kind in KINDS.values() if kind.home == "wiki")
_ADDRESS = re.compile(r"c-(\d{6,})")


def give_addresses(context: Context, _seconds: float | None = None) -> Did:
    """Assign the next address to each active page without one, as an alias. Return a sentence with their number.

    If two pages have one address, because two devices assigned it, the later page gets a new one. This device never assigns a
    number twice, even after its page was forgotten: the highest one is stored beside the index.
    """
    with context.vault.held("addresses"):
        pages = sorted(
            context.index.select(Scope(sources=("memory",), kinds=PAGES), limit=LOOKED_AT), key=lambda item: item.key
        )
        borne: set[int] = set()
        without: list[Item] = []
        for page in pages:
            numbers = {int(match[1]) for alias in page.aliases if (match := _ADDRESS.fullmatch(alias))}
            if page.status == "active" and not numbers - borne:
                without.append(page)
            borne |= numbers
        if not without:
            return "", ()
        first = max(_highest(context), *borne, 0) + 1
        moves = [_addressed(page, first + number, borne) for number, page in enumerate(without)]
        _note(context, first + len(moves) - 1)
        context.vault.place_together("addresses", moves, reason="wiki pages got addresses", by=BY_ADDRESSES)
    return f"addresses given: {len(moves)}", ()


def _addressed(page: Item, number: int, borne: set[int]) -> Placing:
    aliases = [alias for alias in page.aliases if not ((match := _ADDRESS.fullmatch(alias)) and int(match[1]) in borne)]
    return Placing(page.key.removeprefix("memory://"), {"aliases": [*aliases, f"c-{number:06}"]}, page.path)


def _highest(context: Context) -> int:
    """Return the highest number that this device assigned."""
    try:
        return int(_counter(context).read_text())
    except (FileNotFoundError, ValueError):
        return 0


def _note(context: Context, number: int) -> None:
    _counter(context).write_text(str(number))


def _counter(context: Context) -> Path:
    return Path(context.storage.data_dir, "addresses.txt")


JOBS = (
    Job(
        "addresses",
        "Gives pages of the wiki their addresses.",
        give_addresses,
        wanted=lambda context: bool(context.setting(SETTING)),
    ),
)
