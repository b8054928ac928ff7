"""Memories: save, read, change, link, archive, forget. A use case is imported when it is called."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from vademecum.api.station import Station
from vademecum.context.context import Context
from vademecum.domain.errors import IndexDamaged, InvalidInput, Locked, NeedsPerson, NotFound, Refused
from vademecum.domain.forgotten import Forgettable, Forgetting
from vademecum.domain.item import Item, place_of
from vademecum.domain.kinds import kind_named
from vademecum.domain.memory import BY_PERSON, QUARANTINED, STALE, By, Draft, Memory
from vademecum.domain.procedural import BRIEFED
from vademecum.domain.project import check_name
from vademecum.domain.provenance import Provenance, Version
from vademecum.domain.query import MemoryConflict, Query, Scope, Where, scope_of
from vademecum.domain.relations import SUPERSEDING
from vademecum.domain.saved import USUAL, Saved, SaveOptions
from vademecum.inject.context import RecallContext
from vademecum.inject.scope import scope_for
from vademecum.maintenance.browse import Facets, Listing, facets, listing
from vademecum.ports.index import Index
from vademecum.recall.graph import Link, Reach, walk

if TYPE_CHECKING:
    from vademecum.domain.session import Candidate
    from vademecum.maintenance.as_of import Past
    from vademecum.maintenance.forget import Target
    from vademecum.write.gate import Stated

#: Most memories that one query may forget.
FORGOTTEN_MOST = 20


class NotesAPI(Station[Context]):
    """The memories. Methods that change something take `by`: who acts, and through which interface; the journal records it.

    Args:
        recall: finds the memories that a query matches.
        past: returns the memory at an earlier time.
    """

    def __init__(self, context: Context, recall: RecallContext, past: "Callable[[], Past]") -> None:
        super().__init__(context)
        self._recall, self._past = recall, past

    scope = staticmethod(scope_of)

    def save(
        self,
        kind: str,
        title: str,
        body: str = "",
        options: SaveOptions = USUAL,
        *,
        by: By = BY_PERSON,
        **properties: Any,
    ) -> Saved:
        """Save one memory.

        Args:
            kind: a kind, or another system's word for one (saved as the facet); without title and body, a sentence to save.
            title: "": taken from the text: its property, its heading, or its first line.
            properties: tags, confidence, importance, summary, project, agent, always_load, source; empty ones are left out.

        Raises:
            TypeError: a field of `options` is given as a property.
            UnknownWord: no such kind.
            InvalidInput: a kind alone.
            AlreadyExists: a memory has that name; use evolve.
            Refused: by guard or settings.
        """
        from vademecum.write.gate import Stated
        from vademecum.write.keys import keep_under
        from vademecum.write.repetition import noticed

        if wrong := properties.keys() & SaveOptions.__struct_fields__:
            raise TypeError(f"SaveOptions has {', '.join(sorted(wrong))}; it is no property.")
        if not title and not body:
            kind, title, body = _of_a_sentence(kind.strip())
        known, facet = kind_named(kind)
        tags = tuple(properties.pop("tags", ()))
        given = self._properties(known, facet, options, properties)
        if options.answer_to:
            from vademecum.inject.ask import answered

            given |= answered(self._recall, options.answer_to, by=by)
        tags = tuple(dict.fromkeys((*tags, facet))) if facet in BRIEFED else tags
        draft = Draft(known, title, body, tags, options.space, given)
        older = [self.get(ref) for ref in options.supersedes]
        keep = partial(keep_under, self.context, options.key, unique=options.unique, replaces=[memory.id for memory in older])
        stated = Stated(relation=options.relation)
        return noticed(self.context, self._keep_quoted(draft, older, options.quote, stated, keep, by=by))

    def _properties(self, kind: str, facet: str | None, options: SaveOptions, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the properties of a new memory: those that are not empty, its facet, and the project of a person's memory."""
        from vademecum.write.projects import project_for

        kept = {name: value for name, value in given.items() if value not in (None, "", False, ())}
        if facet:
            kept["facet"] = facet
        if not kept.get("agent") and options.space in ("", self.context.vault.spaces[0].name):
            project = project_for(self.context, kind, str(kept.pop("project", "")), personal=options.personal)
            kept |= {"project": project} if project else {}
        return kept

    def _keep_quoted(
        self, draft: Draft, older: Sequence[Memory], quote: str, stated: "Stated", keep: Callable[..., Saved], *, by: By
    ) -> Saved:
        """Save a draft; what an agent bases on a quotation counts as said by the person if they typed it.

        Args:
            older: what it replaces.
        """
        quotes = bool(quote) and by.actor == "agent"
        theirs = _theirs(self.context, draft.kind, f"{draft.title}. {draft.body}", quote) if quotes else None
        if theirs is not None:
            from_turn = {"source": theirs.source, "source_span": theirs.span[0], "mining_excerpt": theirs.excerpt}
            draft = replace(draft, properties={**draft.properties, **from_turn})
        is_known = theirs is not None and all(
            _states_change(self.context, quote, memory, f"{draft.title} {draft.body}") for memory in older
        )
        try:
            kept = keep(draft, by=replace(by, quoted=is_known), stated=replace(stated, vouched=theirs is not None))
        except NeedsPerson as error:
            kept = _proposed(self.context, error)
        if quotes and theirs is None:
            from vademecum.llm_reading.quoted import UNFOUND

            kept = replace(kept, warnings=(*kept.warnings, UNFOUND))
        return kept

    def get(self, ref: str, as_of: datetime | None = None) -> Memory:
        """Return one memory, read from its file, or its state at an earlier time.

        Raises:
            NotFound, Ambiguous.
        """
        if as_of:
            return self.context.vault.history.one_as_of(ref, as_of)
        try:
            return self.context.vault.get(ref)
        except NotFound as error:
            from vademecum.views.lessons import evolved

            with suppress(NotFound):
                return evolved(self.context, ref)
            raise error

    def provenance(self, ref: str, as_of: datetime | None = None) -> Provenance:
        """Return a memory as :meth:`get`, with its origin, the reason it was saved, and the times of its confirmations."""
        from vademecum.maintenance.audit import provenance

        return provenance(self.context, self.get(ref, as_of))

    def list(
        self, limit: int = 50, *, after: tuple[datetime, str] | None = None, by: By = BY_PERSON, **where: Unpack[Where]
    ) -> tuple[Item, ...]:
        """Return memories in scope, newest first.

        Args:
            after: `updated` and URI of the last one of the previous page. where: no `source` means
                memories.
            by: who asks; only the person gets withheld memories.
        """
        index, scope = self._seen(where, by)
        return index.select(scope, limit=limit, after=after)

    def browse(self, limit: int = 50, after: str = "", *, by: By = BY_PERSON, **where: Unpack[Where]) -> Listing:
        """Return a page of :meth:`list`; `after` is the `next` of the page before."""
        return listing(self.list(limit + 1, after=place_of(after), by=by, **where), limit)

    def facets(self, days: int = 0, *, by: By = BY_PERSON, **where: Unpack[Where]) -> Facets:
        """Count the results of :meth:`list` by property, and by day for the last `days` days before now or `as_of`."""
        index, scope = self._seen(where, by)
        return facets(index, scope, scope.as_of or self.context.clock.now(), days, self.context.local_time)

    def _seen(self, where: Where, by: By) -> tuple[Index, Scope]:
        """Return the index to search (the current one, or one of an earlier time) and the scope."""
        where["source"] = where.get("source") or ("memory",)
        scope = scope_for(self.context, scope_of(**where), by)
        return (self.context.index if scope.as_of is None else self._past().index(scope.as_of)), scope

    def edit(
        self,
        ref: str,
        *,
        body: str | None = None,
        properties: Mapping[str, Any] | None = None,
        etag: str | None = None,
        by: By = BY_PERSON,
    ) -> Memory:
        """Change text, properties, or both in place; every other byte of the file stays.

        Raises:
            Conflict: the file no longer has this `etag`.
            InvalidInput: nothing to change, or a property cannot be set.
        """
        if body is None and not properties:
            raise InvalidInput("Nothing to change.", "Give --body or --set key=value.")
        from vademecum.write.gate import cleaned_values
        from vademecum.write.incoming import taken_apart, title_that_follows

        if body is not None:
            came, known = taken_apart(body), self.get(ref)
            title = title_that_follows(known.title, known.body, came.body)
            named = {"title": title} if title != known.title else {}
            body, properties = came.body, {**named, **came.properties, **(properties or {})}
        text = self._cleaned(body, by) if body is not None else None
        if named_project := (properties or {}).get("project"):
            check_name(str(named_project))
        values = cleaned_values(self.context, properties or {}, by)
        return self.context.vault.edit(ref, body=text, properties=values, etag=etag, by=by)

    def evolve(self, ref: str, reason: str, body: str, *, title: str = "", quote: str = "", by: By = BY_PERSON) -> Saved:
        """Replace the text of a memory. The old text is archived under its own id; the new memory names it as superseded.

        Args:
            quote: the person's own words behind the change, typed today. With them an agent may change what the person said;
                without them its change becomes a proposal.

        Raises:
            InvalidInput: no reason, or the memory is not active.
            Refused: by guard or settings.
        """
        from vademecum.write.gate import cleaned
        from vademecum.write.incoming import taken_apart, title_that_follows

        came = taken_apart(body)
        text, warnings = cleaned(self.context, came.body, by)
        title = title or str(came.properties.get("title", ""))
        if others := sorted(came.properties.keys() - {"title"}):
            raise InvalidInput(
                f"The text begins with a property that stays as it is here: {others[0]}.", "Use: vade edit REF --set"
            )
        old = self.get(ref)
        follows = title_that_follows(old.title, old.body, text)
        title = title or (follows if follows != old.title else "")
        why, name = self._cleaned(reason, by), self._cleaned(title, by)
        if quote and by.actor == "agent" and _states_change(self.context, quote, old, f"{title} {text}"):
            by = replace(by, quoted=_theirs(self.context, old.kind, f"{title}. {text}", quote) is not None)
        try:
            new = self.context.vault.evolve(old.id, text, why, new_title=name or None, by=by)
        except NeedsPerson as error:
            return _proposed(self.context, error)
        return Saved("superseded", new, (old.id,), warnings, titles=(old.title,))

    def supersede(self, old: str, new: str, reason: str = "", *, by: By = BY_PERSON) -> Memory:
        """Record that `new` replaces `old`: each links to the other, the old one is archived. Return the new one.

        If `new` is "STALE", the old one no longer holds and has no replacement; it is archived and returned.
        """
        why, vault = self._cleaned(reason, by), self.context.vault
        if new == STALE:
            return vault.retire(old, why or "no longer holds", by=by)
        gone = self.get(old).id
        return vault.supersede(gone, new, why or "superseded by hand", by=by)

    def settle(self, ref: str, reason: str = "", both: bool = False, *, by: By = BY_PERSON) -> Memory:
        """Settle a conflict or an uncertain replacement (:meth:`conflicts`): keep this memory and replace the others, or keep all.

        Args:
            both: keep all.

        Raises:
            InvalidInput: nothing contradicts it, and it replaces nothing.
        """
        from vademecum.recall.conflicts import conflicts_with

        memory, vault = self.get(ref), self.context.vault
        beside = tuple(key.removeprefix("memory://") for key in conflicts_with(self.context.index, memory.uri))
        return vault.settle(memory.id, self._cleaned(reason, by), beside=beside, both=both, by=by)[0]

    def resolve(self, ref: str, reason: str = "", *, by: By = BY_PERSON) -> Memory:
        """Mark as done or settled: it stays saved and is no longer recalled."""
        return self.context.vault.resolve(ref, self._cleaned(reason, by), by=by)

    def archive(self, ref: str, reason: str = "", *, by: By = BY_PERSON) -> Memory:
        """Move to the archive; `restore` brings it back."""
        return self.context.vault.archive(ref, self._cleaned(reason, by), by=by)

    def archive_together(self, refs: Sequence[str], reason: str = "", *, by: By = BY_PERSON) -> tuple[Memory, ...]:
        """Archive several as one operation; `undo` of any of them restores all."""
        return self.context.vault.archive_together(refs, self._cleaned(reason, by), by=by)

    def restore(self, ref: str, *, by: By = BY_PERSON) -> Memory:
        """Bring back from the archive, the inbox or a resolved state."""
        return self.context.vault.restore(ref, by=by)

    def move(self, ref: str, *, kind: str = "", space: str = "", title: str = "", by: By = BY_PERSON) -> Memory:
        """Change kind, space or title of a memory. Its id stays, so all references stay valid."""
        if not (kind or space or title):
            raise InvalidInput("Nothing to change.", "Give --kind, --space or --title.")
        name = self._cleaned(title, by)
        return self.context.vault.relocate(self.get(ref).id, kind=kind, space=space, title=name, by=by)

    def tag(self, ref: str, *, add: tuple[str, ...] = (), remove: tuple[str, ...] = (), by: By = BY_PERSON) -> Memory:
        """Add and remove tags."""
        from vademecum.write.gate import cleaned_values

        clean = cleaned_values(self.context, {"add": add}, by)["add"]
        return self.context.vault.tag(ref, add=clean, remove=remove, by=by)

    def link(self, ref: str, relation: str, target: str, *, by: By = BY_PERSON) -> Memory:
        """Link a memory to another (by any reference) or to a URI.

        Raises:
            Refused: an agent tries to record a replacement by a link alone.
        """
        if by.actor == "agent" and relation in SUPERSEDING:
            raise Refused(
                "An agent says with supersede or evolve which memory replaces which.", "The person decides what they said."
            )
        return self.context.vault.link(ref, relation, self._cleaned(target, by), by=by)

    def links(
        self,
        ref: str,
        type: tuple[str, ...] = (),  # noqa: A002 - the option's name
        hops: int = 1,
        limit: int = 20,
        *,
        by: By = BY_PERSON,
    ) -> tuple[Link, ...]:
        """Return the typed links of a memory, up to three hops away, including URIs and unresolved names.

        For agents, withheld memories are neither returned nor followed.
        """
        from vademecum.inject.seen import hidden_from

        memory, index = self.get(ref), self.context.index
        hidden = hidden_from(self.context, by)
        return walk(index, memory.uri, memory.edges, Reach(hops or 1, type, limit or 20), hidden)

    def confirm(self, ref: str, *, by: By = BY_PERSON) -> Memory:
        """Confirm that a memory still holds: it counts as a confirmation, and its age starts again.

        If the person confirms what somebody else said, it counts as theirs. Its source still names the other one; history
        records it.
        """
        known = self.get(ref)
        others = by.actor == "user" and known.trust == QUARANTINED
        text = f"the person stands behind what {known.source or 'somebody else'} said" if others else ""
        return self.context.vault.confirm(known.id, said=text, by=by)

    def history(self, ref: str) -> tuple[Version, ...]:
        """Return every change of a memory and of those it replaced, oldest first, each with the full text after the change."""
        from vademecum.maintenance.audit import version

        return tuple(version(record, change) for record in self.context.vault.history.of(ref) for change in record.changes)

    def undo(self, operation: str = "", *, by: By = BY_PERSON) -> Version:
        """Revert one operation: the given one, the last one on this device, or the last one that changed the given memory.

        Repeated calls go further back. An undo is itself reverted by undoing its id.

        Returns:
            The oldest change that was reverted.

        Raises:
            Conflict: a file was changed since; nothing is reverted.
            NotFound: no such operation.
        """
        from vademecum.maintenance.audit import version
        from vademecum.maintenance.projects import settle_sessions
        from vademecum.maintenance.rebuild import rebuild
        from vademecum.sync.behind import fall_behind
        from vademecum.sync.index import follow
        from vademecum.vault.projects import is_note
        from vademecum.write.review import undone

        records = self.context.vault.history.undo(operation or None, by=by)
        try:
            follow(self.context, quick=True)
        except IndexDamaged:  # the files are changed already; another undo would revert one operation too many
            rebuild(self.context, quick=True)
        except Locked as error:
            fall_behind(self.context, error)
        for record in records:
            undone(self.context, record, by=by)
        if any(
            is_note(side.path)
            for reverted in records
            for change in reverted.changes
            for side in (change.before, change.after)
            if side
        ):
            settle_sessions(self.context)
        return version(records[-1], records[-1].changes[0])

    def conflicts(self, project: str = "", *, by: By = BY_PERSON) -> tuple[MemoryConflict, ...]:
        """Return pairs of memories of which one may have replaced or may contradict the other. `settle` decides."""
        from vademecum.recall.conflicts import open_conflicts

        scope = Scope(sources=("memory",), projects=(project,) if project else None)
        hidden = scope_for(self.context, scope, by).without
        conflicts = open_conflicts(self.context.index, scope)
        return tuple(conflict for conflict in conflicts if hidden.isdisjoint((conflict.later.key, conflict.earlier.key)))

    def forget(self, name: str, what: Forgettable = "memory", *, yes: bool = False, by: By = BY_PERSON) -> Forgetting:
        """Erase a memory, a source, or everything about some words, with every copy that this program made. Cannot be undone.

        Args:
            what: how it is named: "memory" by any reference, "source" by the URI of a conversation, note or page and everything
                made from it, "subject" by words that it contains, "query" by a question that finds it.
            yes: the person's consent; without it, only report what would be erased.

        Raises:
            InvalidInput: no name. NotFound, Ambiguous.
        """
        from vademecum.maintenance import forget as forgetting

        if not name:
            raise InvalidInput("Name what is to be forgotten.")

        def target() -> "Target":
            if what == "memory":
                return forgetting.of_memories(self.context, [name])
            if what == "source":
                return forgetting.of_source(self.context, name)
            if what == "subject":
                return forgetting.of_subject(self.context, name)
            result = self._recall.searcher.recall(Query(name, Scope(branches=None), limit=FORGOTTEN_MOST, everything=True))
            return forgetting.of_answer(self.context, result)

        return forgetting.plan_or_forget(self.context, target, do=yes, by=by)

    def forget_together(self, refs: Sequence[str], *, by: By = BY_PERSON) -> Forgetting:
        """Erase several memories with every copy that this program made, then search once for remains.

        Raises:
            NotFound, Ambiguous: nothing was erased.
        """
        from vademecum.maintenance import forget as forgetting

        return forgetting.plan_or_forget(self.context, lambda: forgetting.of_memories(self.context, refs), do=True, by=by)

    def _cleaned(self, text: str, by: By) -> str:
        from vademecum.write.gate import cleaned

        return cleaned(self.context, text, by)[0]


def _theirs(context: Context, kind: str, text: str, quote: str) -> "Candidate | None":
    from vademecum.llm_reading.quoted import person_said

    return person_said(context, kind, text, quote)


def _states_change(context: Context, quote: str, memory: Memory, text: str) -> bool:
    from vademecum.llm_reading.quoted import states_change

    return states_change(context, quote, memory, text)


def _proposed(context: Context, error: NeedsPerson) -> Saved:
    from vademecum.write.proposing import propose

    return propose(context, error)


def _of_a_sentence(text: str) -> tuple[str, str, str]:
    """Return kind, title and body for a sentence given alone."""
    if text.isascii() and " " not in text:
        raise InvalidInput(
            f"What of {text!r} should be saved?", f"Write: vade save {text or 'fact'} TITLE, or a whole sentence."
        )
    from vademecum.extract.mine import kind_title_and_body

    return kind_title_and_body(text)
