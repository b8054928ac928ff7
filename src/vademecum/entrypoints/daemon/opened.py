"""One open memory, seen from several working folders, which share its index and models."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from vademecum.context.context import Context
from vademecum.inject.context import RecallContext
from vademecum.settings import Settings
from vademecum.wiring import open_context, open_memory, open_recall, project_of

if TYPE_CHECKING:  # hooks are answered before the whole memory is loaded, by what answers questions
    from vademecum.api import Vademecum

T = TypeVar("T")

#: Working folders whose view of the memory is cached.
FOLDERS_KEPT = 16
#: A folder and its current project, which may change while the helper runs: a repository may be created or renamed.
Seen = tuple[str, str]
_NOWHERE: Seen = ("", "")


class Opened:
    """Opens the memory with the first use, and keeps it in that thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._context: Context | None = None
        self._memories: OrderedDict[Seen, Vademecum] = OrderedDict()
        self._recalls: OrderedDict[Seen, RecallContext] = OrderedDict()

    def memory_at(self, cwd: str) -> Vademecum:
        """Return the memory as seen from a folder ("" if the folder is unknown).

        Raises:
            VademecumError: there is no memory, or its folder is gone.
        """
        folder = Path(cwd) if cwd else None
        return _kept(
            self._memories,
            (cwd, project_of(self._settings, cwd)),
            lambda: open_memory(self._settings, folder=folder, beside=self._shared()),
        )

    def recall_at(self, cwd: str) -> RecallContext:
        """Return the same for questions and briefings only."""
        folder = Path(cwd) if cwd else None
        return _kept(
            self._recalls, (cwd, project_of(self._settings, cwd)), lambda: open_recall(self._settings, self._shared(), folder)
        )

    def recall_at_once(self) -> RecallContext | None:
        """Return what is open already, of no folder. May be called from any thread."""
        return self._recalls.get(_NOWHERE)

    def let_go(self) -> None:
        """Free caches: the views of folders, with all that they have read, and those of the memory itself."""
        for views in (self._memories, self._recalls):
            for seen in views.keys() - {_NOWHERE}:
                del views[seen]
        for context in (
            *(memory.context for memory in self._memories.values()),
            *(recall.context for recall in self._recalls.values()),
        ):
            context.let_go()

    def close(self) -> None:
        """Release files."""
        if self._context is not None:
            self._context.close()

    def _shared(self) -> Context:
        if self._context is None:
            self._context = open_context(self._settings)
        return self._context


def _kept(known: OrderedDict[Seen, T], seen: Seen, make: Callable[[], T]) -> T:
    """Return the cached view of a folder, created if missing. The least recently used folders are dropped, except ""."""
    if seen not in known:
        known[seen] = make()
        if len(known) > FOLDERS_KEPT:
            known.pop(next(pair for pair in known if pair != _NOWHERE))
    known.move_to_end(seen)
    return known[seen]
