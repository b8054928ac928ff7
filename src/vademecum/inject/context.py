"""What questions and briefings work with."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.item import FILED_SOURCES, Item
from vademecum.domain.project_document import ProjectDocument
from vademecum.domain.query import Query
from vademecum.inject.limits import Limits
from vademecum.ports.embedder import Embedder
from vademecum.ports.repository import CodeHistory

if TYPE_CHECKING:
    from vademecum.recall.pipeline import Searcher


class RecallContext(Struct, frozen=True, dict=True):
    """The context of an open memory, with what only questions and briefings need. `wiring` makes it; nobody else does.

    Attributes:
        project: slug of the project the work goes on in; "" for none.
        folder: what transcripts call the folder where the work goes on, when it is no project; it is briefed like one.
        former: model id -> its embedder, None when it cannot be had; for vectors of a model chosen before.
        documents: reads what the files of the project say about it.
        open_searcher: makes `searcher`; a hook without a helper has none.
        code: seconds that it may take -> what the repository of the working folder held at its commits; None: it is none.
    """

    context: Context
    limits: Limits
    project: str
    folder: str
    former: Callable[[str], Embedder | None]
    documents: Callable[[], Sequence[ProjectDocument]]
    code: Callable[[float], CodeHistory | None]
    open_searcher: "Callable[[RecallContext], Searcher]"

    @property
    def briefed_project(self) -> str:
        """The project that a session is briefed for: that of the folder, or the folder itself."""
        return self.project or self.folder

    @cached_property
    def searcher(self) -> "Searcher":
        """What searches the index. Made by the first question: a briefing needs none."""
        return self.open_searcher(self)

    def is_of_project(self, item: Item) -> bool:
        """Return whether an item is a memory of the project that the work goes on in."""
        return bool(self.project) and item.source in FILED_SOURCES and item.project == self.project

    def clean(self, text: str) -> str:
        """Return a text without secrets: what is asked is kept on disk."""
        return self.context.guard.clean(text)

    def prompt(self, waited_s: float) -> Query:
        """Return how a prompt asks that has waited for so many seconds."""
        return self.limits.prompt(self.project, waited_s)
