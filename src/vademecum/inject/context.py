"""What questions and briefings work with."""

from collections.abc import Callable, Sequence
from functools import cached_property

from vademecum.context.context import Context
from vademecum.domain.host import HookEvent
from vademecum.domain.item import FILED_SOURCES, Item
from vademecum.domain.project_document import ProjectDocument
from vademecum.domain.query import Bundle, Query
from vademecum.inject.limits import Limits
from vademecum.ports.embedder import Embedder
from vademecum.ports.repository import CodeHistory
from vademecum.recall.pipeline import Searcher


class RecallContext:
    """The context of an open memory, with what only questions and briefings need.

    Args:
        project: slug of the project the work goes on in; "" for none.
        folder: what transcripts call the folder where the work goes on, when it is no project; it is briefed like one.
        former: model id -> its embedder, None when it cannot be had; for vectors of a model chosen before.
        code: seconds that it may take -> what the repository of the working folder held at its commits; None: it is none.
        documents: reads what the files of the project say about it.
        follow_edits, places_to_watch: those of :mod:`vademecum.sync.index`, which only briefings need.
        in_hand: (context, event, tokens) -> what the agent of a session had in hand that was compacted.
    """

    def __init__(
        self,
        context: Context,
        limits: Limits,
        project: str,
        folder: str,
        former: Callable[[str], Embedder | None],
        in_hand: Callable[[Context, HookEvent, int], Bundle],
        follow_edits: Callable[[Context, Sequence[str]], bool],
        places_to_watch: Callable[[Context, Sequence[str]], tuple[str, ...]],
        documents: Callable[[], Sequence[ProjectDocument]] = tuple,
        code: Callable[[float], CodeHistory | None] = lambda seconds: None,
    ) -> None:
        self.context = context
        self.limits = limits
        self.project = project
        self.briefed_project = project or folder
        self.in_hand = in_hand
        self.follow_edits = follow_edits
        self.places_to_watch = places_to_watch
        self.documents = documents
        self.code = code
        self._former = former

    @cached_property
    def searcher(self) -> Searcher:
        """What searches the index. Made by the first question: a briefing needs none."""
        context, state = self.context, self.context.state
        return Searcher(
            context.index,
            context.clock,
            context.models.embedder,
            state.usage.of,
            context.models.missing,
            self._former,
            state.topic_locks.get,
            context.models.open_questions(),
        )

    def is_of_project(self, item: Item) -> bool:
        """Return whether an item is a memory of the project that the work goes on in."""
        return bool(self.project) and item.source in FILED_SOURCES and item.project == self.project

    def clean(self, text: str) -> str:
        """Return a text without secrets: what is asked is kept on disk."""
        return self.context.guard.clean(text)

    def prompt(self, waited_s: float) -> Query:
        """Return how a prompt asks that has waited for so many seconds."""
        return self.limits.prompt(self.project, waited_s)
