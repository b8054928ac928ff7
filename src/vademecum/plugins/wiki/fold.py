"""Fold the log: 2^k changes at a time become one page of `wiki/folds/`, word for word, so that the log stays short (HW-30).

Nothing is lost by it: a fold holds the very lines, each with the id of its change, and the log tells those that no fold holds.
"""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from vademecum.domain import wiki
from vademecum.domain.errors import Refused
from vademecum.domain.memory import BY_PERSON, By
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import Line, rendered
from vademecum.plugin_api.views import Entry, Known, changes, folded, keep_views

#: Changes of the journal that are looked at, the newest first.
LOOKED_AT = 50_000


class Fold(Struct, frozen=True):
    """A page of the log. Attributes: path: in the space. entries: how many changes it holds."""

    path: str
    entries: int


class Folded(Struct, frozen=True):
    """What was folded, or would be. Attributes: left: changes that stay in the log: too few for another fold."""

    folds: tuple[Fold, ...]
    left: int
    done: bool


def fold(context: Context, k: int = 4, yes: bool = False, *, by: By = BY_PERSON) -> Folded:
    """Move the oldest changes of the log into pages of their own, 2^k to a page.

    Args:
        yes: do it; else only say what would be folded.

    Raises:
        Refused: there is no wiki, or memory is switched off.
    """
    known = Known(context)
    if not known.has_wiki:
        raise Refused("There is no wiki whose log could be folded.", "Make one: vade init FOLDER --wiki")
    held, size = folded(known), 2**k
    waiting = [entry for entry in changes(known, LOOKED_AT) if entry.id not in held][::-1]
    full = [waiting[at : at + size] for at in range(0, len(waiting) - size + 1, size)]
    pages: dict[str, str] = {}
    for batch in full:
        pages[_free(context, pages, k, batch)] = rendered(_parts(batch))
    if yes and pages:

        def missing(texts: Sequence[str | None]) -> Sequence[str | None]:
            return [fresh if old is None else old for old, fresh in zip(texts, pages.values(), strict=True)]

        context.vault.pages.revise(tuple(pages), missing, op="fold", by=by)
        keep_views(context)
    return Folded(tuple(Fold(path, size) for path in pages), len(waiting) - size * len(full), yes)


def _free(context: Context, taken: dict[str, str], k: int, batch: Sequence[Entry]) -> str:
    """Return where a fold goes: named by its days, numbered where several are of the same."""
    first, last = batch[0].day, batch[-1].day
    name, number = f"{wiki.FOLDER}/{wiki.FOLDS}/fold-k{k}-from-{first}-to-{last}-n{len(batch)}", 1
    path = f"{name}.md"
    while path in taken or context.vault.pages.get(path)[1] is not None:
        number += 1
        path = f"{name}-{number}.md"
    return path


def _parts(batch: Sequence[Entry]) -> list[str | Line]:
    counted = ", ".join(f"{count} {op}" for op, count in Counter(entry.op for entry in batch).most_common())
    head = Line(f"{len(batch)} changes from {batch[0].day} to {batch[-1].day}: {counted}")
    return ["# Fold", "", head, "", *(Line(f"{entry.line.text} ^{entry.id.lower()}", entry.line.ref) for entry in batch)]
