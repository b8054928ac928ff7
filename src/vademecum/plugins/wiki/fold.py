"""Fold the log: each 2^k changes become one page of `wiki/folds/`, unchanged, so that the log stays short (HW-30).

Nothing is lost: a fold contains the same lines with the ids of their changes, and the log has the lines that are in no fold.
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

#: Most changes of the journal read, newest first.
LOOKED_AT = 50_000


class Fold(Struct, frozen=True):
    """A page of folded changes.

    Attributes:
        path: in the space.
        entries: number of changes in it.
    """

    path: str
    entries: int


class Folded(Struct, frozen=True):
    """Result of folding, or a preview of it.

    Attributes:
        left: number of changes that stay in the log, too few for another fold.
    """

    folds: tuple[Fold, ...]
    left: int
    done: bool


def fold(context: Context, k: int = 4, yes: bool = False, *, by: By = BY_PERSON) -> Folded:
    """Move the oldest changes of the log into separate pages, 2^k per page.

    Args:
        yes: do it; otherwise only report what would be folded.

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
    """Return the path of a fold, named by its days; numbered if that name is taken."""
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
