"""The facade: one open memory with its stations."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from vademecum.api.station import station

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from types import TracebackType

    from vademecum.api.actions import ActionsAPI
    from vademecum.api.conversations import ConversationsAPI
    from vademecum.api.inbox import InboxAPI
    from vademecum.api.jobs import JobsAPI
    from vademecum.api.llm import LLMAPI
    from vademecum.api.maintenance import MaintenanceAPI
    from vademecum.api.notes import NotesAPI
    from vademecum.api.person import PersonAPI
    from vademecum.api.projects import ProjectsAPI
    from vademecum.api.recall import RecallAPI
    from vademecum.api.sessions import SessionsAPI
    from vademecum.context.context import Context
    from vademecum.domain.memory import By
    from vademecum.inject.context import RecallContext
    from vademecum.inject.seen import SeenIndex
    from vademecum.maintenance.as_of import Past
    from vademecum.ports.index import Index

#: Agents whose view of the memory is cached.
AGENTS_KEPT = 16


class Vademecum:
    """One person's memory. Use as a context manager, or call :meth:`close`.

    Args:
        recall: the context of questions and briefings.
        substitute: creates an empty in-memory index, used if the real one cannot be opened.

    The stations neither repair a damaged index nor check that memory is switched on: :func:`vademecum.api.runner.run` does. The vault
    itself writes nothing while memory is switched off.
    """

    def __init__(self, recall: RecallContext, substitute: Callable[[], Index]) -> None:
        self._asking, self._substitute = recall, substitute
        self._agents: dict[str, Vademecum] = {}

    notes: station[NotesAPI] = station("notes.NotesAPI", lambda memory: (memory.context, memory._asking, lambda: memory._past))
    recall: station[RecallAPI] = station(
        "recall.RecallAPI", lambda memory: (memory._asking, memory._substitute, lambda: memory._past)
    )
    sessions: station[SessionsAPI] = station("sessions.SessionsAPI", lambda memory: (memory.context, memory._asking))
    conversations: station[ConversationsAPI] = station("conversations.ConversationsAPI", lambda memory: (memory.context,))
    inbox: station[InboxAPI] = station("inbox.InboxAPI", lambda memory: (memory.context, memory.recall))
    projects: station[ProjectsAPI] = station(
        "projects.ProjectsAPI", lambda memory: (memory.context, memory.notes, memory._asking.project)
    )
    person: station[PersonAPI] = station("person.PersonAPI", lambda memory: (memory.context, memory.notes))
    llm: station[LLMAPI] = station("llm.LLMAPI", lambda memory: (memory.context,))
    jobs: station[JobsAPI] = station("jobs.JobsAPI", lambda memory: (memory.context,))
    actions: station[ActionsAPI] = station("actions.ActionsAPI", lambda memory: (memory.context,))
    maintenance: station[MaintenanceAPI] = station("maintenance.MaintenanceAPI", lambda memory: (memory.context,))

    @cached_property
    def _past(self) -> Past:
        from vademecum.maintenance.as_of import Past

        return Past(self.context, self._substitute)

    @property
    def context(self) -> Context:
        """The context of all use cases. Setting it changes that of questions and briefings too."""
        return self._asking.context

    @context.setter
    def context(self, context: Context) -> None:
        self._asking = replace(self._asking, context=context)

    def __enter__(self) -> Vademecum:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def seen_by(self, by: By, agent: str = "") -> Vademecum:
        """Return the memory as seen by whoever acts: the person sees everything, an agent nothing that is withheld
        (:mod:`vademecum.inject.seen`).

        Args:
            agent: name under which the agent saves its own memories; "" for none.
        """
        if by.is_person:
            return self
        from vademecum.inject.seen import seen_by

        if agent not in self._agents:
            if len(self._agents) >= AGENTS_KEPT:
                self._agents.clear()
            seen = replace(self._asking, context=seen_by(self.context, agent))
            self._agents[agent] = Vademecum(seen, self._substitute)
        memory = self._agents[agent]
        cast("SeenIndex", memory.context.index).look_again()
        return memory

    @property
    def default_profile(self) -> str:
        """Recall profile of a question that names none."""
        return self._asking.limits.profile

    @property
    def project(self) -> str:
        """Slug of the current project; "" for none."""
        return self._asking.project

    def now(self) -> datetime:
        """Return the current time (aware, UTC) of the clock that all of this memory uses."""
        return self.context.clock.now()

    def close(self) -> None:
        """Release files."""
        self.context.close()
