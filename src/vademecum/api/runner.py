"""Runs actions with their needs satisfied: memory is switched on, the index is intact, no secret is returned.

Every interface runs its actions through :func:`run`; each verb declares its :class:`Needs`. What mends an index or makes a proposal is
imported when that is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import IndexDamaged, NeedsPerson, StateReplaced, VademecumError, files_explained
from vademecum.domain.saved import Saved
from vademecum.sync.behind import FOLLOWS, is_behind

if TYPE_CHECKING:
    from collections.abc import Callable

    from vademecum.context.context import Context

T = TypeVar("T")
E = TypeVar("E", bound=VademecumError)


class Needs(Struct, frozen=True):
    """What an action needs of the memory.

    Attributes:
        writes: it changes memories. It is not run again after it has written something.
        heals: a damaged index is rebuilt and the action run again; False: it reports the damage itself.
        enabled: memory must be switched on.
    """

    writes: bool = False
    heals: bool = True
    enabled: bool = False


#: Needs of a read; needs of a write.
READS, WRITES = Needs(), Needs(writes=True, enabled=True)


def run(context: Context, needs: Needs, work: Callable[[], T]) -> T:
    """Satisfy the needs, run `work`, and return its result without secrets.

    Raises:
        Proposed: an agent changed a memory of the person; the change waits in the inbox as a proposal.
        Refused: memory is switched off and the action needs it.
        IndexDamaged: the action does not heal, the rebuilt index is damaged too, or the damage was found after a write.
        VademecumError: as `work` raises, without secrets. FileUnusable: the system refuses a file.
    """
    if needs.enabled:
        context.must_be_enabled("nothing was written")
    try:
        with files_explained():
            result = _repaired(context, needs, work)
    except NeedsPerson as error:
        from vademecum.write.proposing import proposed

        raise _without_secrets_in(context, proposed(context, error)) from error
    except VademecumError as error:
        _without_secrets_in(context, error)
        raise
    return without_secrets(context, _with_what_follows(context, result) if needs.writes else result)


def _without_secrets_in(context: Context, error: E) -> E:
    """Return an error with secrets in its texts replaced by placeholders."""
    error.message, error.hint = context.guard.clean(error.message), context.guard.clean(error.hint)
    error.args = (error.message,)
    return error


def what_follows(context: Context) -> str:
    """Return a note if what was written cannot be searched yet; "" otherwise."""
    return FOLLOWS if is_behind(context) else ""


def _with_what_follows(context: Context, result: T) -> T:
    later = what_follows(context)
    return replace(result, note=later) if later and isinstance(result, Saved) else result


def _repaired(context: Context, needs: Needs, work: Callable[[], T]) -> T:
    """Run `work`; if the index or another derived file turns out to be damaged, rebuild it and run `work` again."""
    before = context.vault.history.marks() if needs.writes else ()
    try:
        if needs.heals:
            _make_whole(context)  # it detects damage before anything is written
        return _done(context, needs, work)
    except (IndexDamaged, StateReplaced) as error:
        if isinstance(error, IndexDamaged) and not needs.heals:
            raise
        written = needs.writes and context.vault.history.marks() != before
        if isinstance(error, IndexDamaged):
            from vademecum.maintenance.rebuild import rebuild

            rebuild(context, quick=True)
        if written:
            again = (
                "the index was rebuilt" if isinstance(error, IndexDamaged) else "not everything that belongs to it was recorded"
            )
            raise type(error)(f"The change was made, and {again}.", "See it with: vade history REF") from error
        return _done(context, needs, work)


def _make_whole(context: Context) -> None:
    """Fill an index that was never completed, and sync one that lacks what was written."""
    if not context.index.is_complete():
        from vademecum.maintenance.rebuild import complete_index

        complete_index(context)
    if is_behind(context):
        from vademecum.sync.index import catch_up

        catch_up(context)


def _done(context: Context, needs: Needs, work: Callable[[], T]) -> T:
    """Run `work`; all that it writes is one operation, so that one undo reverts it (design rule 4)."""
    if not needs.writes:
        return work()
    with context.vault.one_action():
        return work()


def without_secrets(context: Context, result: T) -> T:
    """Return a result with secrets replaced by placeholders. All interfaces return only such results."""
    return context.guard.clean_value(result)
