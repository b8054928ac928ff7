"""The road as methods: every door calls this and nothing deeper.

Each method reads like the sentence it stands for; what happens on the way is in the stations. `wiring` puts the parts together.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from vademecum import guard, model, upkeep
from vademecum import recall as recalling
from vademecum.compose.brain import brain_kinds, compose_brain
from vademecum.compose.briefing import candidates, compose_briefing
from vademecum.compose.bundle import compose_bundle
from vademecum.compose.recovery import to_recover
from vademecum.compose.tell import always, is_held_out, tell_at_prompt, tell_at_start
from vademecum.compose.working_set import joined_bundles
from vademecum.model.errors import IndexDamaged, InvalidInput, NotFound, Refused, UnknownWord
from vademecum.model.host import Delivery, uri_of
from vademecum.model.kinds import FACETS, KINDS, resolve_kind
from vademecum.model.memory import STALE, By, Draft
from vademecum.model.pause import going_on
from vademecum.model.procedural import BRIEFED, SELF
from vademecum.model.query import RECALLED_STATUSES, WITHHELD_TAGS, Bundle, Query, Scope
from vademecum.model.relations import MAY_REPLACE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from types import TracebackType

    from vademecum.compose.briefing import Order
    from vademecum.model.checkpoint import Checkpoint, SyncedCheckpoints
    from vademecum.model.conversation import Conversation, HandedOver
    from vademecum.model.daily import DailyNote
    from vademecum.model.errors import Problem
    from vademecum.model.extraction import Extraction
    from vademecum.model.forgotten import Forgetting
    from vademecum.model.guarding import Scanned
    from vademecum.model.host import HookEvent
    from vademecum.model.ideas import Idea, Stale
    from vademecum.model.item import Item
    from vademecum.model.learnt import Evolved, Style
    from vademecum.model.lifecycle import HostSessions, Marker
    from vademecum.model.memory import Memory
    from vademecum.model.onboarding import Known
    from vademecum.model.ports import Embedder, Index
    from vademecum.model.query import Doubt, Recall, SessionSearch
    from vademecum.model.relations import Relation
    from vademecum.model.reports import (
        ArchiveReport,
        CaptureReport,
        Compacted,
        CorpusReport,
        Decided,
        Drift,
        Eligible,
        Exported,
        Foreseen,
        Link,
        Marked,
        Migrated,
        ModelReport,
        ModelUsage,
        PatternFare,
        ProcessReport,
        Proposal,
        Restored,
        Rows,
        Saved,
        SessionLine,
        SourceNote,
        Status,
        SyncReport,
        TendReport,
        Version,
    )
    from vademecum.model.session import Session
    from vademecum.model.topics import Topics
    from vademecum.model.verdict import Inbox
    from vademecum.recall.pipeline import Searcher
    from vademecum.recall.stages import Stage
    from vademecum.upkeep.forget import Target
    from vademecum.upkeep.ideas import Decision as Tidying
    from vademecum.upkeep.memory_files import MemoryFiles
    from vademecum.upkeep.parts import Parts
    from vademecum.upkeep.review import Decision

T = TypeVar("T")

BY_PERSON = By("user", "cli")
BY_SOURCES = By("extraction", "note")
#: Tokens of the working set that a session is given back after its compaction.
WORKING_SET_TOKENS = 1500
#: Items of the curated core at most.
BRAIN_FROM = 2000
#: Disputed memories that a briefing chooses from, beside those that stand undisputed.
DISPUTED_MOST = 50
#: Withheld memories that are looked for; a vault that has more has them all over.
WITHHELD_FROM = 100_000
#: Seconds in which a session is told something once: a session that is taken up again days later may be told again.
ONCE_S = 86400.0


class Vademecum:
    """One person's memory. Use as a context manager, or call :meth:`close`.

    Args:
        folder: what transcripts call the folder where the work goes on, when it is no project; it is briefed like one.
        substitute: makes an empty index in memory, for the day on which the real one cannot be used.
        former: model id -> its embedder, None when it cannot be had; for vectors of a model chosen before.

    Every method that changes something takes `by`: who acts, through which door; the journal keeps it.
    """

    def __init__(
        self,
        parts: Parts,
        *,
        default_profile: str = "auto",
        recall_limit: int = 0,
        recall_tokens: int = 0,
        briefing_tokens: int = 2000,
        prompt_limit: int = 5,
        prompt_tokens: int = 1200,
        prompt_deadline_s: float | None = None,
        holdout_percent: int = 0,
        project: str = "",
        folder: str = "",
        substitute: Callable[[], Index],
        former: Callable[[str], Embedder | None] = lambda _: None,
    ) -> None:
        self.parts = parts
        self._substitute = substitute
        self.default_profile = default_profile
        self._default_project = project
        self._briefed_project = project or folder
        self._briefing_tokens = briefing_tokens
        self._prompt = Query("", profile=default_profile, limit=prompt_limit, deadline_s=prompt_deadline_s, project=project)
        self._prompt_tokens = prompt_tokens
        self._holdout_percent = holdout_percent
        #: A briefing that comes with a first prompt: with what the prompt is told it takes no more than one at a start does.
        self._late_briefing_tokens = max(1, briefing_tokens - prompt_tokens)
        self._recall_limit, self._recall_tokens = recall_limit or None, recall_tokens or None
        self._former = former

    @cached_property
    def _searcher(self) -> Searcher:
        """Made by the first question: a briefing needs none."""
        parts, state = self.parts, self.parts.state
        return recalling.pipeline.Searcher(
            parts.index,
            parts.clock,
            parts.embedder,
            parts.quick,
            state.uses,
            parts.missing,
            self._former,
            state.topic_lock,
            parts.open_questions(),
        )

    def __enter__(self) -> Vademecum:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Release files."""
        self.parts.index.close()
        self.parts.state.close()
        for name in {"markers", "extractions", "ledger"} & self.parts.__dict__.keys():  # those that were used
            getattr(self.parts, name).close()
        if self.parts.archive is not None:
            self.parts.archive.close()

    # write

    def save(
        self,
        kind: str,
        title: str,
        body: str = "",
        *,
        tags: tuple[str, ...] = (),
        space: str = "",
        supersedes: tuple[str, ...] = (),
        by: By = BY_PERSON,
        unique: bool = False,
        relation: Relation = "new",
        **properties: Any,
    ) -> Saved:
        """Keep one thing worth knowing.

        Args:
            kind: a kind, or another system's word for one (kept as the facet).
            unique: number the file when its name is taken, instead of refusing.
            relation: to what is known, when the caller knows it (:mod:`vademecum.upkeep.integrate`).
            properties: confidence, importance, summary, project, always_load, source: empty ones are left out.

        Raises:
            UnknownWord: no such kind. AlreadyExists: a memory stands there; use evolve. Refused: by guard or settings.
        """
        known, facet = _kind(kind)
        given = {name: value for name, value in properties.items() if value not in (None, "", False, ())}
        if facet:
            given["facet"] = facet
        tags = tuple(dict.fromkeys((*tags, facet))) if facet in BRIEFED else tags
        draft = Draft(known, title, body, tags, space, given)
        older = [self.get(ref).id for ref in supersedes]
        kept = self._healed(
            lambda: upkeep.keep.keep(self.parts, draft, by=by, replaces=older, unique=unique, relation=relation)
        )
        return upkeep.procedural.noticed(self.parts, kept)

    def get(self, ref: str, as_of: datetime | None = None) -> Memory:
        """One memory, read from its file, or as it stood at a moment.

        Raises:
            NotFound, Ambiguous.
        """
        return self.parts.vault.one_as_of(ref, as_of) if as_of else self.parts.vault.get(ref)

    def list(self, limit: int = 50, **where: Any) -> tuple[Item, ...]:
        """Memories in scope, newest first."""
        where.setdefault("source", ())
        scope = self.scope(**{**where, "source": where["source"] or ("memory",)})
        if scope.as_of is not None:
            return upkeep.belief.list_as_of(self.parts, scope, limit)
        return self._healed(lambda: self.parts.index.select(scope, limit=limit))

    def edit(
        self,
        ref: str,
        *,
        body: str | None = None,
        properties: Mapping[str, Any] | None = None,
        etag: str | None = None,
        by: By = BY_PERSON,
    ) -> Memory:
        """Change a memory in place: its text, single properties, or both; every other byte stays.

        Raises:
            Conflict: the file is no longer the one with `etag`. InvalidInput: nothing to change, or a property cannot be set.
        """
        self._must_be_enabled()
        if body is None and not properties:
            raise InvalidInput("Nothing to change.", "Give --body or --set key=value.")
        text = upkeep.keep.cleaned(self.parts, body, by)[0] if body is not None else None
        values = upkeep.keep.cleaned_values(self.parts, properties or {}, by)
        return self._indexed(self.parts.vault.edit(ref, body=text, properties=values, etag=etag, by=by))

    def evolve(self, ref: str, reason: str, body: str, *, title: str = "", by: By = BY_PERSON) -> Saved:
        """Replace what a memory says. The old text is archived whole under its own id; the new one says what it supersedes.

        Raises:
            InvalidInput: no reason, or the memory is not active. Refused: by guard or settings.
        """
        self._must_be_enabled()
        saved = upkeep.keep.evolve(self.parts, ref, reason, body, title=title, by=by)
        if saved.memory:
            self._indexed(saved.memory, *map(self.get, saved.replaced))
        return saved

    def supersede(self, old: str, new: str, reason: str = "", *, by: By = BY_PERSON) -> Memory:
        """Say that `old` gave way to `new`; both know each other, the old one moves to the archive. Gives the new one.

        With "STALE" for `new` it no longer holds and nothing is known to hold instead; then the old one is given.
        """
        self._must_be_enabled()
        if new == STALE:
            return self._indexed(
                self.parts.vault.retire(old, upkeep.keep.cleaned(self.parts, reason, by)[0] or "no longer holds", by=by)
            )
        gone = self.get(old).id
        kept = self.parts.vault.supersede(
            gone, new, upkeep.keep.cleaned(self.parts, reason, by)[0] or "superseded by hand", by=by
        )
        return self._indexed(kept, self.get(gone))

    def settle(self, ref: str, reason: str = "", both: bool = False, *, by: By = BY_PERSON) -> Memory:
        """Say what holds of memories that contradict each other, or of one that may have taken the place of others (:meth:`doubts`): this
        one, and the others give way; or all of them.

        Raises:
            InvalidInput: nothing contradicts it, and it replaces nothing.
        """
        self._must_be_enabled()
        return self._indexed(*self.parts.vault.settle(ref, upkeep.keep.cleaned(self.parts, reason, by)[0], both=both, by=by))

    def resolve(self, ref: str, reason: str = "", *, by: By = BY_PERSON) -> Memory:
        """Mark as done or settled: kept, no longer recalled."""
        self._must_be_enabled()
        return self._indexed(self.parts.vault.resolve(ref, upkeep.keep.cleaned(self.parts, reason, by)[0], by=by))

    def archive(self, ref: str, reason: str = "", *, by: By = BY_PERSON) -> Memory:
        """Put away; `restore` brings it back."""
        self._must_be_enabled()
        return self._indexed(self.parts.vault.archive(ref, upkeep.keep.cleaned(self.parts, reason, by)[0], by=by))

    def restore(self, ref: str, *, by: By = BY_PERSON) -> Memory:
        """Bring back from the archive, the inbox or a resolved state."""
        self._must_be_enabled()
        return self._indexed(self.parts.vault.restore(ref, by=by))

    def move(self, ref: str, *, kind: str = "", space: str = "", title: str = "", by: By = BY_PERSON) -> Memory:
        """Give a memory another kind, space or title. Its id stays, so every reference stays valid."""
        self._must_be_enabled()
        if not (kind or space or title):
            raise InvalidInput("Nothing to change.", "Give --kind, --space or --title.")
        identity = self.get(ref).id
        moved = self.parts.vault.edit(identity, properties={"kind": _kind(kind)[0]}, by=by) if kind else None
        moved = self.parts.vault.move(identity, space=space, by=by) if space else moved
        moved = self.parts.vault.rename(identity, upkeep.keep.cleaned(self.parts, title, by)[0], by=by) if title else moved
        return self._indexed(moved or self.get(identity))

    def tag(self, ref: str, *, add: tuple[str, ...] = (), remove: tuple[str, ...] = (), by: By = BY_PERSON) -> Memory:
        """Add and remove tags."""
        self._must_be_enabled()
        return self._indexed(
            self.parts.vault.tag(ref, add=upkeep.keep.cleaned_values(self.parts, {"add": add}, by)["add"], remove=remove, by=by)
        )

    def link(self, ref: str, relation: str, target: str, *, by: By = BY_PERSON) -> Memory:
        """Relate a memory to another (by any reference) or to a URI."""
        self._must_be_enabled()
        return self._indexed(self.parts.vault.link(ref, relation, upkeep.keep.cleaned(self.parts, target, by)[0], by=by))

    def links(self, ref: str, type: tuple[str, ...] = (), hops: int = 1, limit: int = 20) -> tuple[Link, ...]:  # noqa: A002 - the option's name
        """What a memory is linked with, by typed edges, up to three hops away; also URIs, and names that name nothing any more."""
        found = self.get(ref)
        return self._healed(
            lambda: recalling.graph.walk(
                self.parts.index, found.uri, found.edges, hops=hops or 1, types=type, limit=limit or 20
            )
        )

    def confirm(self, ref: str, *, by: By = BY_PERSON) -> Memory:
        """Say that it still holds: counts, and it ages from now on."""
        self._must_be_enabled()
        return self._indexed(self.parts.vault.confirm(ref, by=by))

    def forget(
        self,
        ref: str = "",
        source: str = "",
        subject: str = "",
        query: str = "",
        dry_run: bool = False,
        yes: bool = False,
        *,
        by: By = BY_PERSON,
    ) -> Forgetting:
        """Remove a memory, a source, or everything about some words, with every copy that we made. Cannot be undone.

        Args:
            dry_run: only say what would go; so it is without `yes` too, which is the person's consent.

        Raises:
            InvalidInput: not exactly one thing is named. NotFound, Ambiguous.
        """
        if sum(map(bool, (ref, source, subject, query))) != 1:
            raise InvalidInput("Name one thing to forget.", "A memory, or --source URI, --subject WORDS, --query WORDS.")
        job, parts = upkeep.forget, self.parts

        def target() -> Target:
            if ref:
                return job.of_memory(parts, ref)
            if source:
                return job.of_source(parts, source)
            return (
                job.of_subject(parts, subject)
                if subject
                else job.of_answer(parts, self._searcher.recall(Query(query, limit=20)))
            )

        return self._healed(lambda: job.plan_or_forget(parts, target, do=yes and not dry_run, by=by))

    def guard_scan(self, purge: bool = False, *, by: By = BY_PERSON) -> Scanned:
        """What the guard finds in everything that is stored: memories, journal, archive, index, files of ours; never the values.

        Args:
            purge: put placeholders in the place of what is found, and let no byte of it remain.
        """
        return self._healed(lambda: upkeep.guard_scan.scan(self.parts, purge=purge, by=by))

    def guard_log(self, limit: int = 50) -> tuple[Mapping[str, Any], ...]:
        """What the guard changed or held back on this device, the last first, without any value."""
        noted = list(self.parts.guard_log.lines()) if self.parts.guard_log else []
        return tuple(reversed(noted[-limit:]))

    def history(self, ref: str) -> tuple[Version, ...]:
        """Every change of a memory and of those it replaced, oldest first, each with the whole text that it left."""
        return tuple(
            upkeep.versions.version(record, change) for record in self.parts.vault.history(ref) for change in record.changes
        )

    def sql(self, statement: str, limit: int = 1000, seconds: int = 5) -> Rows:
        """The answer to one SELECT over views of everything that is known; nothing can be changed.

        Raises:
            InvalidInput: it is no SELECT, cannot be read, or took longer than `seconds`. NotFound: there is no index yet.
        """
        if self.parts.ask_sql is None:
            raise NotFound("There is no index to ask.", "Make it with: vade sync")
        self.parts.index.counts()  # an index that was never made, or is damaged, says so here
        return self.parts.ask_sql(statement, lambda: upkeep.audit.audit(self.parts), limit or 1000, float(seconds or 5))

    def undo(self, operation: str = "", *, by: By = BY_PERSON) -> Version:
        """Take back a change: the one named, the last one of a memory, or the last of all. Asked again it goes further back;
        what was taken back returns by undoing the undo, by its id.

        Raises:
            Conflict: the file was changed since. NotFound: no such change.
        """
        self._must_be_enabled()
        record = self.parts.vault.undo(operation or None, by=by)
        self._healed(lambda: upkeep.follow.follow(self.parts, quick=True))
        upkeep.review.undone(self.parts, record, by=by)
        return upkeep.versions.version(record, record.changes[0])

    # read

    def now(self) -> datetime:
        """This moment, by the clock that everything here goes by; aware, UTC."""
        return self.parts.clock.now()

    def recall(self, query: Query) -> Recall:
        """What memory knows about a question; nothing when it knows nothing. The story is kept for :meth:`why`."""
        asked = self._asked(query)
        if asked.scope.as_of is not None:
            return self._with_story(upkeep.belief.recall_as_of(self.parts, self._searcher, asked, self._substitute()))
        found = self._searcher.recall(asked)
        if found.verdict == "could not search" or (
            not any(arm.found for arm in found.arms) and upkeep.heal.is_lost(self.parts)
        ):
            found = upkeep.heal.answer_and_heal(self.parts, self._searcher, asked, self._substitute())
        if asked.multi_hop and found.hits:
            found = self._healed(lambda: recalling.hops.with_one_hop(self.parts.index, found))
        return self._with_story(found)

    def _asked(self, query: Query) -> Query:
        project = query.project or self._default_project
        if query.multi_hop:
            query = replace(query, limit=recalling.hops.limit_of(query))
        text = guard.cleanse(query.text)  # the story is kept on disk, a pasted key is not
        return replace(
            query, text=text, project=project, limit=query.limit or self._recall_limit, scope=self._open_scope(query.scope)
        )

    def _open_scope(self, scope: Scope) -> Scope:
        """The scope without what is told only to who names it: quarantined memories, and those tagged `visibility/...`."""
        with contextlib.suppress(IndexDamaged):  # who asks it next heals it, and hits are looked at once more
            withheld = self._withheld(scope)
            return replace(scope, without=scope.without | withheld) if withheld else scope
        return scope

    def _withheld(self, scope: Scope) -> set[str]:
        withheld: set[str] = set()
        if scope.statuses == RECALLED_STATUSES:
            waiting = self.parts.index.select(Scope(sources=("memory",), statuses=("inbox",)), limit=WITHHELD_FROM)
            withheld |= {item.key for item in waiting if item.trust == upkeep.keep.QUARANTINED}
        tagged = self.parts.index.select(Scope(statuses=None, tags=(*WITHHELD_TAGS, SELF)), limit=WITHHELD_FROM)
        withheld |= {item.key for item in tagged if not _may_be_told(item, scope)}
        return withheld

    def _with_story(self, found: Recall) -> Recall:
        if found.lock is not None and not found.lock.held:
            self.parts.state.set_topic_lock(found.query.session, found.lock)
        found = replace(found, hits=tuple(hit for hit in found.hits if _may_be_told(hit.item, found.query.scope)))
        kept = replace(found, trace=self.parts.clock.new_id()) if found.hits or found.left else found
        if kept.trace:
            self.parts.state.keep_trace(kept.trace, json.dumps(recalling.story.write_story(kept), ensure_ascii=False))
        return kept

    def bundle(self, query: Query) -> Bundle:
        """The text that an agent is given for a prompt. What it holds counts as used.

        An agent at work in a project is told nothing of other projects unless the scope names them (X-43).
        """
        query = self._for_agent(query)
        if query.stage:
            return self._staged(query, recalling.stages.stage_named(query.stage))
        return self._bundle(query)

    def _bundle(self, query: Query) -> Bundle:
        found = self.recall(query)
        budget = query.budget_tokens or self._recall_tokens or recalling.profiles.profile_named(query.profile).budget_tokens
        bundle = compose_bundle(found, budget, self.parts.clock.now())
        self.parts.state.record_use(list(dict.fromkeys(hit.item.key for hit in found.hits)), self.parts.clock.now())
        return bundle

    def _for_agent(self, query: Query) -> Query:
        project = query.project or self._default_project
        if project and query.scope.projects is None:
            return replace(query, scope=replace(query.scope, projects=(project,)))
        return query

    def deliver(self, event: HookEvent, in_time: Callable[[], bool] = always, waited_s: float = 0.0) -> Delivery:
        """What the agent of a host is told when something happens there: a briefing, what is known about a prompt, or nothing.

        Somebody waits, so nothing is repaired here: with an index that cannot be used, the verdict is "could not search".

        Args:
            in_time: whether somebody still waits; asked at the end, because what nobody hears does not count as told.
            waited_s: how long somebody has waited already; it counts towards the deadline of a prompt.
        """
        if why := self._why_silent(event):
            return Delivery(verdict=why)
        now, state = self.parts.clock.now(), self.parts.state
        try:
            if event.moment == "start":
                told = tell_at_start(event, state, now, lambda: self._brief(event), in_time)
                alarm = upkeep.inbox.inbox(self.parts, quick=True).alarm if told.verdict == "told" else ""
                pause = upkeep.model_queue.pause_notice(self.parts) if self.parts.llm_name and told.verdict == "told" else ""
                return replace(told, notice="; ".join(part for part in (told.notice, alarm, pause) if part))
            if event.moment == "prompt":
                late = partial(self._briefing, self._briefed_project, self._late_briefing_tokens, event.session, event.host)
                query = self._waited(waited_s)
                return tell_at_prompt(event, query, state, now, self._recall_now, late, self._prompt_tokens, in_time)
        except IndexDamaged:
            return Delivery(verdict="could not search")
        return Delivery()

    def _waited(self, waited_s: float) -> Query:
        """How a prompt asks that has waited so long: of its time that much is gone."""
        deadline_s = self._prompt.deadline_s
        return self._prompt if deadline_s is None else replace(self._prompt, deadline_s=max(0.0, deadline_s - waited_s))

    def expect(self, event: HookEvent) -> None:
        """Begin with what :meth:`deliver` will need for a prompt, while others are answered. From any thread."""
        if event.moment == "prompt" and event.by_person and self.parts.enabled:
            self._searcher.expect(guard.cleanse(event.prompt))

    def _why_silent(self, event: HookEvent) -> str:
        """Why this session is told nothing, whatever happens in it; "" when it may be."""
        if not self.parts.enabled:
            return "disabled"
        if going_on(self.parts.pauses.all(), uri_of(event)):
            return "paused"
        return "held out" if is_held_out(event, self._holdout_percent) else ""

    def _brief(self, event: HookEvent) -> Bundle:
        """The briefing of a session that starts; one that was compacted first gets back what it had in hand."""
        if event.cause != "compact":
            return self._briefing(self._briefed_project, 0, event.session, event.host)
        held = upkeep.session_texts.in_hand(self.parts, event, min(WORKING_SET_TOKENS, self._briefing_tokens // 2))
        rest = self._briefing(self._briefed_project, self._briefing_tokens - held.tokens, event.session, event.host)
        return joined_bundles(held, rest)

    def _recall_now(self, query: Query) -> Recall:
        return self._with_story(self._searcher.recall(self._asked(self._for_agent(query))))

    def _staged(self, query: Query, stage: Stage) -> Bundle:
        """The bundle of one moment of a session, or an empty one that says why nothing is told then."""
        budget, what = query.budget_tokens or stage.budget_tokens, f"memory at stage {stage.name}"
        if query.channel and not stage.channels:
            return Bundle("", 0, budget, missing=(f"{what}: others read along",))
        if stage.once and not query.session:
            raise InvalidInput("At this stage a session is told something once.", "Name the session with: --session ID")
        if stage.once and not self._first_in_session(stage.name, query.session):
            return Bundle("", 0, budget, missing=(f"{what}: this session was told already",))
        started = self.parts.clock.elapsed_s()
        text = query.text if stage.asks else self._focus(query.scope)
        if not text:
            return Bundle("", 0, budget, missing=(f"{what}: there is no open or recent work to ask about",))
        asked = replace(query, text=text, budget_tokens=budget, deadline_s=stage.deadline_s)
        found = self._bundle(asked)
        if stage.deadline_s is not None and self.parts.clock.elapsed_s() - started > stage.deadline_s:
            late = f"{what}: it took longer than {stage.deadline_s * 1000:.0f} ms"
            return Bundle("", 0, budget, missing=(*found.missing, late))
        return found

    def _first_in_session(self, what: str, session: str) -> bool:
        return self.parts.state.claim(f"{what} of {session}", self.parts.clock.now(), ONCE_S)

    def _focus(self, scope: Scope) -> str:
        """What the work in scope is about, as a question."""
        where = replace(scope, sources=("memory",), statuses=("active",))
        return recalling.stages.focus(
            [
                self.parts.index.select(replace(where, kinds=kinds), limit=recalling.stages.FOCUS_EACH)
                for kinds in recalling.stages.FOCUS_KINDS
            ]
        )

    def brain(self, question: str = "", *, used: float = 0.0, channel: bool = False, project: str = "") -> Bundle:
        """The curated core: whole while it is small, else its index and what has to do with the question.

        Args:
            used: share of the context window that is taken already, 0..1; the more, the less is told.
            channel: others read along: only the index and what is open.
        """
        return self._healed(lambda: self._brain(guard.cleanse(question), used, channel, project or self._default_project))

    def _brain(self, question: str, used: float, channel: bool, project: str) -> Bundle:
        scope = self._briefed_scope(project)
        items = self.parts.index.select(replace(scope, kinds=brain_kinds()), order="importance", limit=BRAIN_FROM)
        near, missing = self._searcher.relevant(question, items) if question else ({}, ())
        now = self.parts.clock.now()
        return compose_brain(
            items, partial(self._text_of, most_passages=None), near, now, used=used, channel=channel, missing=missing
        )

    def warm_up(self) -> None:
        """Load what the first question would have to wait for; a process that stays does it when it starts."""
        self._searcher.warm_up()

    def let_go(self) -> None:
        """Give back memory that is read again when it is asked for; a process that stays does it when it has grown."""
        self.parts.index.let_go()

    def briefing(self, project: str = "", budget: int = 0, session: str = "", context: str = "") -> Bundle:
        """What a session starts with, for a project (the working folder's when empty), never over budget.

        Args:
            session: id of the session that starts; it is told how another one broke off, not itself.
            context: in which the person is talked with; styles for others are left out.
        """
        return self._healed(lambda: self._briefing(project or self._briefed_project, budget, session, context))

    def _briefed_scope(self, project: str) -> Scope:
        projects = (project,) if project else ("",)
        return self._open_scope(Scope(sources=("memory",), statuses=("active",), projects=projects, agents=("",)))

    def _briefing(self, project: str, budget: int, session: str, context: str = "") -> Bundle:
        scope = self._briefed_scope(project)
        disputed = self.parts.index.select(replace(scope, statuses=("disputed",)), order="importance", limit=DISPUTED_MOST)

        def select(fields: Mapping[str, Any], order: Order, most: int) -> tuple[Item, ...]:
            return self.parts.index.select(replace(scope, **fields), order=order, limit=most)

        now = self.parts.clock.now()
        excluded = self.parts.pauses.excluded()
        last_words = [one for one in self.parts.state.snapshots(project) if one.session not in excluded]
        recovery = to_recover(last_words, now, session)
        budget = budget or self._briefing_tokens
        contexts = ("-".join(context.casefold().split()),) if context else ()
        return compose_briefing(
            [*candidates(select), *disputed],
            self._text_of,
            budget,
            now,
            recovery=recovery,
            contexts=contexts,
            doubted_by=self._doubted_by if self.parts.index.with_edge(MAY_REPLACE) else lambda key: "",
        )

    def _doubted_by(self, key: str) -> str:
        later = recalling.doubts.taken_over(self.parts.index, [key]).get(key)
        return later.key if later else ""

    def doubts(self, project: str = "") -> tuple[Doubt, ...]:
        """Memories that may have taken the place of others, beside those: nobody said so for sure yet. `settle` decides."""
        scope = Scope(sources=("memory",), projects=(project,) if project else None)
        return self._healed(lambda: recalling.doubts.open_doubts(self.parts.index, scope))

    def _text_of(self, key: str, most_passages: int | None = 3) -> str:
        return "\n".join(stored.passage.text for stored in self.parts.index.passages_of(key, 0, most_passages))

    def topics(
        self, text: str = "", *, session: str = "", lock: tuple[str, ...] = (), release: bool = False, project: str = ""
    ) -> Topics:
        """Topics in memory; with a text, those nearest to it first; with a session, also what that is about.

        Args:
            lock: topics that the session is about from now on, whatever is asked. release: let go of what it is about.

        Raises:
            InvalidInput: to lock or release a session, it must be named. UnknownWord: no memory has that topic.
        """
        if (lock or release) and not session:
            raise InvalidInput("A lock belongs to a session.", "Name it with: --session ID")
        project = project or self._default_project
        scope = Scope(projects=(project,) if project else None)
        found = self._healed(lambda: self._searcher.topics(guard.cleanse(text), scope))
        if release:
            self.parts.state.set_topic_lock(session, model.topics.TopicLock())
        if lock:
            known = {topic.label.casefold(): topic.label for topic in self._searcher.topics("", scope).matches}
            missing = next((label for label in lock if label.casefold() not in known), None)
            if missing is not None:
                raise UnknownWord("topic", missing, known.values())
            weights = {known[label.casefold()]: 1.0 for label in lock}
            self.parts.state.set_topic_lock(session, model.topics.TopicLock(weights, held=True))
        return replace(found, lock=self.parts.state.topic_lock(session) if session else None)

    def why(self, trace: str = "") -> Recall:
        """The whole story of a recall: the last one, or the one named.

        Raises:
            NotFound: no such recall is remembered.
        """
        story = self.parts.state.trace(trace)
        if story is None:
            raise NotFound(
                "No recall of that id is remembered." if trace else "Nothing was recalled yet.",
                "Ask something: vade recall ...",
            )
        return recalling.story.read_story(json.loads(story))

    def files(self) -> MemoryFiles:
        """The memories of the personal space as files in folders."""
        return upkeep.memory_files.MemoryFiles(self.parts)

    # follow

    def capture(self, paths: tuple[str, ...] = (), mine: bool = True) -> CaptureReport:
        """Read transcripts that grew, make every turn searchable, and propose memories; also from notes that are sources."""
        report = self._healed(lambda: upkeep.absorb.absorb(self.parts, paths, mined=mine))
        if mine and not paths:
            upkeep.sources.read_dirty(self.parts, by=BY_SOURCES)
        return report

    def hand_over(
        self,
        interface: str,
        messages: Sequence[Mapping[str, Any]],
        *,
        title: str = "",
        conversation_id: str = "",
        thread_id: str = "",
        living_document: bool = True,
        create: bool = False,
        at_once: bool = False,
        exclude: bool = False,
        about: Mapping[str, str] | None = None,
    ) -> HandedOver:
        """Keep a conversation whole, as :func:`vademecum.upkeep.converse.hand_over`, and read it unless its tool must wait."""
        return upkeep.converse.hand_over(
            self.parts,
            interface,
            messages,
            title=title,
            conversation_id=conversation_id,
            thread_id=thread_id,
            living=living_document,
            create=create,
            at_once=at_once,
            exclude=exclude,
            about=about,
        )

    def close_conversation(self, conversation_id: str) -> HandedOver:
        """Add nothing more to a conversation unless its id is named."""
        return upkeep.converse.close(self.parts, conversation_id)

    def confirm_conversation(self, conversation_id: str, drop: bool = False) -> HandedOver:
        """The person's word on a conversation that waits: read it, or drop it."""
        return upkeep.converse.settle(self.parts, conversation_id, keep=not drop)

    def conversations(self, pending: bool = False, interface: str = "", limit: int = 50) -> tuple[Conversation, ...]:
        """Conversations that agents handed over, newest first, without what was said."""
        found = self.parts.conversations.newest(limit, interface=interface, pending=True if pending else None)
        return upkeep.converse.without_messages(found)

    def conversation(self, conversation_id: str) -> Conversation:
        """One conversation that an agent handed over, whole."""
        return self.parts.conversations.get(conversation_id)

    def coverage(self) -> tuple[int, tuple[str, ...]]:
        """How many transcripts there are, and those of them that were not read to their end."""
        return upkeep.absorb.coverage(self.parts)

    def mark(
        self,
        session: str = "",
        reason: str = "",
        since: int = 0,
        least: int = 0,
        facts: Sequence[Mapping[str, Any]] = (),
    ) -> Marked:
        """Mine a conversation now, however short it is; the last one when none is named.

        Args:
            facts: what its agent found worth remembering in it, all at once.
        """
        project = self._default_project
        return upkeep.marked.mark(self.parts, session, reason=reason, project=project, since=since, least=least, facts=facts)

    def add_source(self, note: str, write_frontmatter: bool = True, *, by: By = BY_PERSON) -> SourceNote:
        """Take memories from a note that the person wrote, now and whenever it changes."""
        self._must_be_enabled()
        return upkeep.sources.mark(self.parts, note, write_frontmatter=write_frontmatter, by=by)

    def remove_source(
        self, note: str, clear_frontmatter: bool = True, forget: bool = False, *, by: By = BY_PERSON
    ) -> SourceNote:
        """Take nothing more from a note; what was taken stays, unless it shall be forgotten.

        Raises:
            NotFound: the note is not marked. Refused: only the person has something forgotten.
        """
        self._must_be_enabled()
        if forget and by.actor != "user":
            raise Refused("Only the person has something forgotten.", "Leave forget out; they do it with: vade forget --source")
        done = upkeep.sources.unmark(self.parts, note, clear_frontmatter=clear_frontmatter, by=by)
        if not forget:
            return done
        gone = self.forget(source=f"{upkeep.sources.SCHEME}{done.path}", yes=True, by=by)
        return replace(done, note=f"{done.note} Forgotten: {len(gone.memories)} memories.".strip())

    def sources(self, only_dirty: bool = False) -> tuple[SourceNote, ...]:
        """Notes that memories are taken from."""
        return upkeep.sources.listed(self.parts, only_dirty=only_dirty)

    def catch_up(self, refine_s: float | None = None) -> TendReport:
        """Do what is due: follow the files, attend to sessions, read what grew, make finer vectors for so many seconds, and have
        the language model read for so long, if there is one."""
        self.sync(quick=True)
        self.capture()
        report = self.tend()
        self.refine(refine_s)
        if self.parts.llm_name and self.parts.enabled:
            self.queue_run(refine_s)
        return report

    # language model

    def queue(self) -> tuple[Extraction, ...]:
        """Conversations that a language model is still to read, and those it could not."""
        return upkeep.model_queue.listed(self.parts)

    def queue_run(self, seconds: float | None = None) -> ModelReport:
        """Have the language model read what is due."""
        return self._healed(lambda: upkeep.model_reading.drain(self.parts, seconds=seconds))

    def queue_retry(self, session: str = "") -> tuple[Extraction, ...]:
        """Try again what failed, or the conversation named; ask a model again that refused."""
        self._must_be_enabled()
        return upkeep.model_queue.retry(self.parts, session)

    def queue_drop(self, session: str) -> tuple[Extraction, ...]:
        """Have a conversation not read by the model, unless something new is said in it; gives what is left in the queue."""
        return upkeep.model_reading.drop(self.parts, session)

    def usage(self, days: int = 30) -> ModelUsage:
        """What language models took."""
        return upkeep.model_queue.usage(self.parts, days=days)

    # review

    def inbox(self) -> Inbox:
        """How many proposals wait, since when, and whether that is too much."""
        return self._healed(lambda: upkeep.inbox.inbox(self.parts))

    def proposals(self, limit: int = 0, project: str = "") -> tuple[Proposal, ...]:
        """What waits, those that belong together side by side."""
        return self._healed(lambda: upkeep.review.proposals(self.parts, limit, project))

    def rivals(self, proposal: Memory) -> tuple[Item, ...]:
        """Active memories that say something like a proposal."""
        return upkeep.review.rivals(self.parts, proposal)

    def foreseen(self, proposal: Memory) -> Foreseen:
        """What approving a proposal would do to what is known."""
        return self._healed(lambda: upkeep.review.foreseen(self.parts, proposal))

    def decide(
        self, ref: str, decision: Decision, reason: str = "", *, body: str | None = None, older: str = "", by: By = BY_PERSON
    ) -> Decided:
        """The word on a proposal: approve, edit, reject, skip, supersede.

        Raises:
            InvalidInput: it does not wait, or what the decision needs is missing. Refused: only the person may decide it.
        """
        self._must_be_enabled()
        return self._healed(
            lambda: upkeep.review.decide(self.parts, ref, decision, by=by, reason=reason, body=body, older=older)
        )

    def decide_all(
        self,
        decision: Literal["approve", "reject"],
        *,
        kind: str = "",
        confidence: str = "",
        older_than_hours: int = 0,
        by: By = BY_PERSON,
    ) -> tuple[Decided, ...]:
        """The same word on every proposal that fits."""
        self._must_be_enabled()
        return upkeep.review.decide_all(
            self.parts, decision, by=by, kind=kind, confidence=confidence, older_than_hours=older_than_hours
        )

    def take_back(self, decided: Decided, *, by: By = BY_PERSON) -> Memory:
        """Undo a decision: the proposal waits again."""
        self._must_be_enabled()
        return upkeep.review.take_back(self.parts, decided, by=by)

    def patterns(self) -> tuple[PatternFare, ...]:
        """What became of the proposals of each pattern, the worst first."""
        return upkeep.review.fares(self.parts)

    # getting to know each other

    def onboarding(self) -> tuple[Known, ...]:
        """The questions of the interview with what was answered."""
        return upkeep.onboarding.state(self.parts)

    def onboard(self, question: str, answer: str, *, by: By = BY_PERSON) -> tuple[Saved, ...]:
        """Keep an answer as the person's own; it takes the place of an earlier one.

        Raises:
            UnknownWord: no such question. InvalidInput: no answer.
        """
        return self._healed(lambda: upkeep.onboarding.answer(self.parts, question, answer, by=by))

    # how to do things

    def observe(
        self, text: str, session: str = "", kind: str = "preference", project: str = "", *, by: By = BY_PERSON
    ) -> Saved:
        """Note what was observed of the person; it is believed once three sessions agree.

        Raises:
            UnknownWord: no such kind. InvalidInput: no text. Refused: by guard or settings.
        """
        self._must_be_enabled()
        job = upkeep.procedural
        return self._healed(lambda: job.observe(self.parts, text, session=session, kind=_kind(kind)[0], project=project, by=by))

    def evolution(self) -> tuple[Evolved, ...]:
        """Corrections, competence and the rest of what was learnt, each with its id (C001, K001, ...)."""
        return upkeep.procedural.evolution(self.parts)

    def add_style(
        self,
        context: str,
        description: str,
        examples: tuple[str, ...] = (),
        importance: float | None = None,
        *,
        by: By = BY_PERSON,
    ) -> Saved:
        """Keep how to talk with the person in a context."""
        return upkeep.styles.add(self.parts, context, description, examples, importance, by=by)

    def update_style(
        self,
        ref: str,
        context: str = "",
        description: str = "",
        examples: tuple[str, ...] = (),
        importance: float | None = None,
        *,
        by: By = BY_PERSON,
    ) -> Memory:
        """Change what is given of a style.

        Raises:
            InvalidInput: nothing is given, or it is no style.
        """
        self._must_be_enabled()
        patch: dict[str, Any] = {"context": context, "description": description, "examples": examples}
        return upkeep.styles.update(self.parts, ref, **patch, importance=importance, by=by)

    def remove_style(self, ref: str, *, by: By = BY_PERSON) -> Memory:
        """Put a style away.

        Raises:
            InvalidInput: it is no style.
        """
        self._must_be_enabled()
        return upkeep.styles.remove(self.parts, ref, by=by)

    def styles(self, context: str = "") -> tuple[Style, ...]:
        """Styles for a context and those for everywhere, the most important first, five at most; without one, all."""
        return upkeep.styles.matching(self.parts, context)

    def update_soul(
        self,
        category: str,
        text: str,
        importance: float | None = None,
        supersedes: str = "",
        agent: str = "",
        *,
        by: By = BY_PERSON,
    ) -> Saved:
        """Keep one thing that an agent holds about itself; the person's memories never show it as theirs.

        Raises:
            UnknownWord: no such category. InvalidInput: no text, or it would replace what is not its own.
        """
        more: dict[str, Any] = {} if importance is None else {"importance": importance}
        return self._healed(
            lambda: upkeep.soul.update(self.parts, category, text, supersedes=supersedes, agent=agent, by=by, **more)
        )

    def soul(self, agent: str = "") -> Mapping[str, tuple[Item, ...]]:
        """What an agent holds about itself: category -> notes, three at most."""
        return upkeep.soul.shown(self.parts, agent)

    # ideas

    def idea(self, title: str, pitch: str = "", session: str = "", research: bool = False, *, by: By = BY_PERSON) -> Idea:
        """Capture an idea: into the incubator with what is known about it, and into Ideas.md with the person's consent.

        Args:
            pitch: what it is about; the list of ideas shows its first two sentences. session: in which it came up.
            research: also look it up on the web.

        Raises:
            Refused: by guard or settings. InvalidInput: no title.
        """
        self._must_be_enabled()
        done = self._healed(lambda: upkeep.ideas.capture(self.parts, title, pitch, session=session, find=self._about, by=by))
        return upkeep.ideas.with_research(self.parts, done) if research else done

    def _about(self, text: str) -> tuple[Item, ...]:
        """Memories and documents that have to do with a text, each once, best first."""
        found = self.recall(
            Query(text, Scope(sources=("memory", "document")), self.default_profile, upkeep.ideas.RELATED_MAX * 2)
        )
        return tuple({hit.item.key: hit.item for hit in found.hits}.values())

    def ideas(self) -> tuple[Memory, ...]:
        """Ideas that incubate, the newest first."""
        return upkeep.ideas.incubating(self.parts)

    def research_idea(
        self,
        ref: str,
        urls: tuple[str, ...] = (),
        seconds: int = 0,
        fetches: int = 0,
        tokens: int = 0,
    ) -> Idea:
        """Look an idea up on the web, within a budget; what was found waits for the person's word beside the idea.

        Args:
            seconds, fetches, tokens: in all; 0: as much as is ever allowed.

        Raises:
            Refused: it is not configured. InvalidInput: it does not incubate.
        """
        self._must_be_enabled()
        return upkeep.ideas.look_up(self.parts, ref, urls, seconds=seconds, fetches=fetches, tokens=tokens)

    def promote_idea(self, ref: str, slug: str = "", *, by: By = BY_PERSON) -> Idea:
        """Make an idea a project; one undo takes it back.

        Raises:
            InvalidInput: it does not incubate. AlreadyExists: there is such a project.
        """
        self._must_be_enabled()
        return upkeep.ideas.promote(self.parts, ref, slug=slug, by=by)

    def stale_ideas(self, months: int = 0) -> tuple[Stale, ...]:
        """Ideas that nobody touched for so many months (0: six); nothing is done with them."""
        return upkeep.ideas.stale(self.parts, months)

    def tidy_idea(self, ref: str, decision: Tidying, *, by: By = BY_PERSON) -> Idea:
        """The person's word on an idea: keep it, archive it, or delete it for good with what was found about it.

        Raises:
            InvalidInput: it does not incubate.
        """
        self._must_be_enabled()
        return upkeep.ideas.tidy(self.parts, ref, decision, lambda one: self.forget(one, yes=True, by=by), by=by)

    # sessions

    def attend(self, event: HookEvent, at: datetime | None = None) -> Marker | None:
        """Note what a host tells of a session; quick enough for a hook. None when there is nothing to note, or memory is off."""
        return upkeep.attend.attend(self.parts, event, at)

    def tend(self, seconds: float | None = None) -> TendReport:
        """Do what is owed to sessions: events that hooks left, sessions that ended or fell silent, those that failed before."""
        return self._healed(lambda: upkeep.attend.tend(self.parts, seconds=seconds))

    def hosts(self) -> tuple[HostSessions, ...]:
        """How the sessions of each host fare: seen, processed, failed, overdue."""
        return upkeep.attend.fares(self.parts)

    def daily(self, day: str = "") -> DailyNote:
        """The note of a day: what each conversation brought, and whatever the person wrote into it.

        Args:
            day: ISO 8601, "yesterday", or "" for today, in the person's own time.

        Raises:
            InvalidInput: it names no day.
        """
        return upkeep.daily.daily(self.parts, day)

    def key_uses(self, days: int = 7) -> Mapping[str, int]:
        """How often each display key ([KD07]) stands in the notes of the last days, the most frequent first."""
        return upkeep.daily.key_uses(self.parts, days)

    def pause(self, session: str) -> str:
        """Keep nothing from now on of what is said in one conversation, and tell it nothing; gives its URI.

        Raises:
            NotFound, Ambiguous: the session.
        """
        uri = self._healed(lambda: upkeep.session_texts.named(self.parts, session))
        self.parts.pauses.begin(self.parts.clock.now(), uri)
        return uri

    def resume(self, session: str = "") -> datetime | None:
        """End the pause of one conversation, or with "" of all; since when it was, None: it was not paused.

        Raises:
            NotFound, Ambiguous: the session.
        """
        uri = self._healed(lambda: upkeep.session_texts.named(self.parts, session)) if session else ""
        upkeep.pausing.follow_stop(self.parts)
        paused = upkeep.pausing.end(self.parts, uri)
        return paused.start if paused else None

    def exclude(self, session: str = "") -> Eligible:
        """Learn nothing from one conversation, now or later; it stays archived and searchable, and no answer tells of it.

        Raises:
            NotFound, Ambiguous: the session.
        """
        return self._healed(lambda: upkeep.eligible.set_eligible(self.parts, session, eligible=False))

    def include(self, session: str) -> Eligible:
        """Learn from a conversation again, from what is said in it from now on.

        Raises:
            NotFound, Ambiguous: the session.
        """
        return self._healed(lambda: upkeep.eligible.set_eligible(self.parts, session, eligible=True))

    def working_set(self, session: str, budget: int = 0) -> Bundle:
        """What an agent had in its hands in a session, for the briefing after its compaction; never over budget.

        Raises:
            NotFound: there is no transcript of it, here or in the archive.
        """
        return upkeep.session_texts.working_set(self.parts, session, budget or WORKING_SET_TOKENS)

    def handoff(self, session: str = "") -> Saved:
        """Write down where a session stopped, or give back what is written: the one named, else the one that spoke last.

        Raises:
            NotFound: no such session, or it says too little to hand over.
        """
        self._must_be_enabled()
        return self._healed(lambda: upkeep.session_texts.handoff(self.parts, session, self._default_project))

    def sessions(self, limit: int = 50, **where: Any) -> tuple[SessionLine, ...]:
        """Conversations in scope, the last first: how long, in which stage, and whether the archive has them."""
        where["source"] = ("session",)
        return upkeep.session_texts.listed(self.parts, self.scope(**where), limit)

    def search_sessions(
        self,
        question: str = "",
        *,
        role: str = "",
        source: str = "",
        host: tuple[str, ...] = (),
        tool: tuple[str, ...] = (),
        file: tuple[str, ...] = (),
        session: str = "",
        thread: str = "",
        project: str = "",
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 10,
        around: int = 0,
    ) -> SessionSearch:
        """Places in conversations: those that hold the very words first, then the nearest. Every filter works before the limit.

        Args:
            question: words or a text to find as it stands; "" lists the uses of the tools and files that are named.
            role: user, agent or tool. source: "session" for what was said, "log" for what tools were asked and answered.
            session: URI, id, path or title of one conversation. thread: as conversations name it.
            around: turns of context on each side.

        Raises:
            InvalidInput: neither words nor a tool or file are given. NotFound, Ambiguous: the session.
        """
        scope = Scope(
            statuses=None,
            sources=(source,) if source else None,
            roles=(role,) if role else None,
            hosts=host or None,
            tools=tool or None,
            files=file or None,
            tags=(thread,) if thread else None,
            projects=(project,) if project else None,
            since=since,
            until=until,
        )
        asked = guard.cleanse(question)

        def found() -> SessionSearch:
            within = replace(scope, keys=upkeep.session_texts.keys_of(self.parts, session)) if session else scope
            return recalling.verbatim.search_sessions(self._searcher, asked, within, limit=limit or 10, around=around)

        return self._healed(found)

    def session(self, ref: str) -> Session:
        """A whole conversation, from its transcript or, when the host deleted that, from the archive.

        Raises:
            NotFound, Ambiguous.
        """
        return upkeep.session_texts.whole(self.parts, ref)

    def export_session(self, ref: str) -> Exported:
        """The transcript of a conversation as the archive keeps it: verbatim, without secrets.

        Raises:
            NotFound: it is not archived. Ambiguous. ArchiveDamaged.
        """
        return upkeep.session_texts.exported(self.parts, ref)

    def restore_session(self, ref: str, to: str = "") -> Restored:
        """Write a transcript back where its host finds it, or to another place. Nothing is overwritten.

        Raises:
            NotFound: it is not archived. AlreadyExists: a file stands there. ArchiveDamaged, WriteFailed.
        """
        return upkeep.session_texts.restore(self.parts, ref, to)

    def check_archive(self) -> ArchiveReport:
        """Read the whole archive and say what can no longer be given back."""
        return upkeep.session_texts.checked(self.parts)

    def reflect_corpus(
        self, paths: tuple[str, ...] = (), execute: bool = False, batch_size: int = 10, max_batches: int = 0
    ) -> CorpusReport:
        """Go through every transcript: read it, mine it, hand it over. Without `execute` it only says what it would do."""
        return self._healed(
            lambda: upkeep.corpus.reflect_corpus(
                self.parts, paths, execute=execute, batch_size=batch_size, max_batches=max_batches
            )
        )

    def checkpoint(self, agent: str, messages: str, chat: str = "", model: str = "") -> Checkpoint:
        """Keep the last messages of a chat (JSON), without internal ones, so that it can be taken up within a week."""
        return upkeep.checkpoint.checkpoint(self.parts, agent, upkeep.checkpoint.messages_of(messages), chat=chat, model=model)

    def recover(self, agent: str) -> Checkpoint:
        """Where an agent's chat stood.

        Raises:
            NotFound: nothing is kept, or it is older than a week.
        """
        found = upkeep.checkpoint.recover(self.parts, agent)
        if found is None:
            raise NotFound(f"Nothing of the last week is kept of {agent!r}.", "See older ones with: vade sessions list")
        return found

    def sleep(self, agent: str, messages: str = "", summary: str = "", chat: str = "", model: str = "") -> Saved:
        """Close a chat: keep its checkpoint and write a handoff that tells where it stopped."""
        given = upkeep.checkpoint.messages_of(messages)
        return self._healed(
            lambda: upkeep.checkpoint.sleep(self.parts, agent, given, guard.cleanse(summary), chat=chat, model=model)
        )

    def sync_checkpoints(self, folder: str, force: bool = False) -> SyncedCheckpoints:
        """Make checkpoints of the conversations that a program writes into a folder, where they are newer."""
        return upkeep.checkpoint.sync_checkpoints(self.parts, folder, force=force)

    # sync

    def process(self, paths: tuple[str, ...] = (), threshold: int = 5) -> ProcessReport:
        """Read every transcript once, with counts for each session, and do what is owed to sessions: orphans, retries, handoffs,
        notes of days. Those silent for `threshold` minutes have ended.
        """
        waited = timedelta(minutes=threshold)
        return self._healed(lambda: upkeep.process.process(self.parts, paths, threshold=waited))

    def sync(self, confirm_loss: bool = False, quick: bool = False) -> SyncReport:
        """Make the index follow the files, and carry out here what was forgotten on another device, or was interrupted."""
        if self.parts.enabled:
            self._healed(lambda: upkeep.forget.complete(self.parts, by=BY_PERSON))
        return self._healed(lambda: upkeep.follow.follow(self.parts, confirm_loss=confirm_loss, quick=quick))

    def refine(self, seconds: float | None = None) -> int:
        """Give passages their finer vectors, in the background; how many got one."""
        parts = self.parts
        rest = partial(upkeep.refine.rest, parts.pause, parts.background_share)
        done, _ = upkeep.refine.try_refine(parts.index, parts.embedder, parts.clock, parts.progress, seconds=seconds, rest=rest)
        upkeep.follow.drop_former_vectors(self.parts)
        if self.parts.embedder is not None:
            labels = recalling.topics.few_labels(self.parts.index.topics(Scope(), self.parts.embedder.model_id))
            upkeep.refine.remember_labels(self.parts.embedder, labels)
        return done

    def migrate(self, folder: str, dry_run: bool = False, *, by: By = BY_PERSON) -> Migrated:
        """Take over the flat files of an agent-memory folder, `<agent>.md` each; they are only read.

        Raises:
            NotFound: no such folder. Refused: memory is switched off.
        """
        self._must_be_enabled()
        return self._healed(lambda: upkeep.migrate.migrate(self.parts, folder, dry_run=dry_run, by=by))

    def compact(self) -> Compacted:
        """Tidy up: expired checkpoints go, long chats in them are mined and shortened, the index follows the files and gives space back."""
        return self._healed(lambda: upkeep.compact.compact(self.parts))

    def last_compaction(self) -> dict[str, Any] | None:
        """What is noted of the last :meth:`compact` within thirty days, its moment as `at`; None: there was none."""
        return upkeep.compact.last_compaction(self.parts)

    def rebuild(self) -> SyncReport:
        """Delete the index and build it again from vault and transcripts; answers stay the same."""
        return upkeep.heal.rebuild(self.parts)

    def status(self, deep: bool = False) -> Status:
        """Where things lie, how many there are, and what does not work."""
        return upkeep.status.status(self.parts, deep=deep)

    def drift(self) -> Drift:
        """How far the index is behind the files; nothing is changed."""
        return upkeep.follow.drift(self.parts)

    def transcripts_read(self) -> Mapping[str, int]:
        """Transcripts that were captured: path -> bytes read."""
        state = self.parts.state
        return {path: state.cursor(path).offset for path in state.cursor_paths()}

    def strange_lines(self) -> Mapping[tuple[str, str], int]:
        """What of transcripts nobody knows and was passed over: (host, kind of line) -> how many; "" for what could not be read."""
        return self.parts.state.strange()

    def problems(self) -> tuple[Problem, ...]:
        """Files of the vault that could not be understood."""
        return self.parts.vault.problems()

    def scope(
        self,
        kind: tuple[str, ...] = (),
        space: tuple[str, ...] = (),
        source: tuple[str, ...] = (),
        status: tuple[str, ...] = (),
        project: str = "",
        tag: tuple[str, ...] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        as_of: datetime | None = None,
        interface: tuple[str, ...] = (),
        agent: str = "",
    ) -> Scope:
        """Where to look, from the words a person uses; empty means everything that recall looks at.

        Args:
            interface: tools that it was saved or said in. agent: only this agent's own.

        Raises:
            UnknownWord: no such kind.
        """
        scope = Scope(
            kinds=tuple(_kind(word)[0] for word in kind) or None,
            spaces=space or None,
            sources=source or None,
            projects=(project,) if project else None,
            tags=tag or None,
            since=since,
            until=until,
            as_of=as_of,
            hosts=interface or None,
            agents=(agent,) if agent else None,
        )
        return replace(scope, statuses=status) if status else scope

    def _indexed(self, *memories: Memory) -> Memory:
        """The first of memories that stand in their files, now also in the index."""
        try:
            return upkeep.keep.changed(self.parts, *memories)
        except IndexDamaged:
            upkeep.heal.rebuild(self.parts, quick=True)
            return memories[0]

    def _healed(self, work: Callable[[], T]) -> T:
        """What `work` gives; an index that turns out to be damaged is built again first, so `work` asks it before it writes."""
        try:
            return work()
        except IndexDamaged:
            upkeep.heal.rebuild(self.parts, quick=True)
            return work()

    def _must_be_enabled(self) -> None:
        if not self.parts.enabled:
            raise Refused("Memory is switched off; nothing was written.", "Switch it on with: vade resume, or enabled = true")


def _kind(word: str) -> tuple[str, str | None]:
    try:
        kind, facet = resolve_kind(word)
    except KeyError:
        raise UnknownWord("kind of memory", word, [*KINDS, *FACETS]) from None
    return kind.name, facet


def _may_be_told(item: Item, scope: Scope) -> bool:
    """Whether an item may be in an answer that does not ask for it by its status or tag."""
    if item.status == "inbox" and item.trust == upkeep.keep.QUARANTINED and scope.statuses == RECALLED_STATUSES:
        return False
    if item.kind == SELF and scope.kinds is None and scope.agents is None:
        return False  # what an agent holds about itself answers no question about the person
    return not set(WITHHELD_TAGS).intersection(item.tags) or bool(set(WITHHELD_TAGS).intersection(scope.tags or ()))
