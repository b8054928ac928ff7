"""Conversations in the transcripts of hosts: list, read, search, restore, pause, hand over."""

from datetime import datetime
from typing import Unpack

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.memory import BY_PERSON, By
from vademecum.domain.query import ANYWHERE, Scope, SessionFilter, SessionSearch, Where, scope_of
from vademecum.domain.saved import Saved
from vademecum.ingest import pauses
from vademecum.inject.context import RecallContext
from vademecum.inject.scope import scope_for
from vademecum.maintenance import jobs
from vademecum.maintenance.undo_many import undo_session
from vademecum.recall.verbatim import search_sessions
from vademecum.sessions import archived, lifecycle, lookup, turn_pages
from vademecum.sessions.exclude import exclude, include
from vademecum.sessions.lookup import SessionLine


class SessionsAPI(Station[Context]):
    """Sessions.

    Args:
        recall: searches them, and knows the current project.
    """

    def __init__(self, context: Context, recall: RecallContext) -> None:
        super().__init__(context)
        self._recall = recall

    get = use_case(lookup.whole)
    page = use_case(turn_pages.page)
    last_of_projects = use_case(lookup.last_of_projects)
    export = use_case(archived.exported)
    restore = use_case(archived.restore)
    check_archive = use_case(archived.checked)
    working_set = use_case(lookup.working_set)
    stop = use_case(pauses.stop)
    unstop = use_case(pauses.unstop)
    exclude = use_case(exclude)
    undo = use_case(undo_session)
    include = use_case(include)
    record = use_case(lifecycle.record_event)
    process_due = use_case(jobs.process_due)
    hosts = use_case(lifecycle.stats)

    def list(self, limit: int = 50, *, by: By = BY_PERSON, **where: Unpack[Where]) -> tuple[SessionLine, ...]:
        """Return conversations in scope, newest first: length, stage, and whether the archive has them.

        Excluded ones are returned only to the person.
        """
        where["source"] = ("session",)
        return lookup.listed(self.context, scope_for(self.context, scope_of(**where), by), limit)

    def search(
        self,
        question: str = "",
        within: SessionFilter = ANYWHERE,
        *,
        limit: int = 10,
        around: int = 0,
        by: By = BY_PERSON,
    ) -> SessionSearch:
        """Search conversations: exact matches first, then the nearest. Filters apply before the limit.

        Args:
            question: words, or a text to find verbatim; "" lists uses of the named tools and files.
            around: turns of context on each side. by: who asks; excluded conversations are returned only to the person.

        Raises:
            InvalidInput: neither words nor a tool or file are given. NotFound, Ambiguous: the session.
        """
        scope = Scope(
            statuses=None,
            sources=(within.source,) if within.source else None,
            roles=(within.role,) if within.role else None,
            hosts=within.host or None,
            tools=within.tool or None,
            files=within.file or None,
            tags=(within.thread,) if within.thread else None,
            projects=(within.project,) if within.project else None,
            since=within.since,
            until=within.until,
            keys=lookup.keys_of(self.context, within.session) if within.session else None,
        )
        if not within.session:
            scope = scope_for(self.context, scope, by)
        asked = self._recall.clean(question)
        return search_sessions(self._recall.searcher, asked, scope, limit=limit or 10, around=around)

    def pause(self, session: str) -> str:
        """Stop capture and delivery for one conversation; return its URI.

        Raises:
            NotFound, Ambiguous: the session.
        """
        uri = lookup.named(self.context, session)
        self.context.storage.pauses.begin(self.context.clock.now(), uri)
        return uri

    def resume(self, session: str = "") -> datetime | None:
        """End the pause of one conversation ("": of all); return when it began, None if it was not paused.

        Raises:
            NotFound, Ambiguous: the session.
        """
        uri = lookup.named(self.context, session) if session else ""
        pauses.follow_stop(self.context)
        paused = pauses.end(self.context, uri)
        return paused.start if paused else None

    def handoff(self, session: str = "") -> Saved:
        """Write or return the handoff of a session: the named one, else the most recent one.

        Raises:
            NotFound: no such session, or it has too little content.
        """
        return lookup.handoff(self.context, session, self._recall.project)
