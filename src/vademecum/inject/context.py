"""The dependencies of searches and briefings."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from vademecum.domain.item import FILED_SOURCES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vademecum.context.context import Context
    from vademecum.domain.item import Item
    from vademecum.domain.project_document import ProjectDocument
    from vademecum.domain.query import Query
    from vademecum.inject.limits import Limits
    from vademecum.ports.embedder import Embedder
    from vademecum.ports.repository import CodeHistory
    from vademecum.recall.pipeline import Searcher


class RecallContext(Struct, frozen=True, dict=True):
    """The context of an open memory, extended by what searches and briefings need. Only `wiring` creates it.

    Attributes:
        project: slug of the project worked on; "" for none.
        folder: the working folder as transcripts name it, if it is not a project; it is briefed like one.
        former: model id -> its embedder, None if it is unavailable; for vectors of a previously chosen model.
        documents: reads the project's own documents.
        open_searcher: creates `searcher`; a hook without a helper has none.
        code: time limit in seconds -> the history of the working folder's repository; None if it is no repository.
    """

    context: Context
    limits: Limits
    project: str
    folder: str
    former: Callable[[str], Embedder | None]
    documents: Callable[[], Sequence[ProjectDocument]]
    code: Callable[[float], CodeHistory | None]
    open_searcher: Callable[[RecallContext], Searcher]

    @property
    def briefed_project(self) -> str:
        """The project that a session is briefed for: that of the folder, or the folder itself."""
        return self.project or self.folder

    @cached_property
    def searcher(self) -> Searcher:
        """The searcher of the index, created at first use, because a briefing does not need it."""
        return self.open_searcher(self)

    def is_of_project(self, item: Item) -> bool:
        """Return whether an item is a memory of the current project."""
        return bool(self.project) and item.source in FILED_SOURCES and item.project == self.project

    def clean(self, text: str) -> str:
        """Return a text without secrets, because queries are stored on disk."""
        return self.context.guard.clean(text)

    def prompt(self, waited_s: float) -> Query:
        """Return the query settings for a prompt whose host has already waited this long, in seconds."""
        return self.limits.prompt(self.project, waited_s)
