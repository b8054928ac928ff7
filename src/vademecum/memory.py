"""The road as methods: every door calls this and nothing deeper.

Each method reads like the sentence it stands for; what happens on the way is in the stations. `wiring` puts the parts together.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Any

from vademecum.compose.briefing import compose_briefing, kinds_wanted
from vademecum.compose.bundle import compose_bundle
from vademecum.model.errors import InvalidInput, NotFound, Problem, Refused
from vademecum.model.item import Item
from vademecum.model.kinds import KINDS, resolve_kind
from vademecum.model.errors import UnknownWord
from vademecum.model.memory import Draft, Memory
from vademecum.model.query import Query, Recall, Scope
from vademecum.model.reports import Bundle, CaptureReport, Saved, Status, SyncReport, Version
from vademecum.recall.pipeline import Searcher
from vademecum.recall.profiles import profile_named
from vademecum.recall.story import read_story, write_story
from vademecum.upkeep.absorb import absorb
from vademecum.upkeep.follow import follow, waiting
from vademecum.upkeep.keep import changed, keep
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.refine import try_refine

#: Items that a briefing chooses from.
BRIEFED_FROM = 400


class Vademecum:
    """One person's memory. Use as a context manager, or call :meth:`close`.

    Every method that changes something takes `actor` ("user", "agent") and `interface` ("cli", "mcp", ...) for the journal.
    """

    def __init__(self, parts: Parts, *, default_profile: str = "auto", briefing_tokens: int = 2000, project: str = "") -> None:
                self._default_project = project
        self._briefing_tokens = briefing_tokens
        self.default_profile = default_profile
        self.parts = parts
        self._searcher = Searcher(parts.index, parts.clock, parts.embedder, parts.quick, parts.state.uses, parts.missing)

    def __enter__(self) -> "Vademecum":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Release files."""
        self.parts.index.close()
        self.parts.state.close()

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
        actor: str = "user",
        interface: str = "cli",
        **properties: Any,
    ) -> Saved:
        """Keep one thing worth knowing.

        Args:
            kind: a kind, or another system's word for one (kept as the facet).
            properties: confidence, importance, summary, project, always_load, source: empty ones are left out.

        Raises:
            UnknownWord: no such kind. AlreadyExists: a memory stands there; use evolve. Refused: by guard or settings.
        """
        known, facet = _kind(kind)
        given = {name: value for name, value in properties.items() if value not in (None, "", False, ())}
        if facet:
            given["facet"] = facet
        draft = Draft(known, title, body, tags, space, given)
        older = [self.get(ref).id for ref in supersedes]
        return keep(self.parts, draft, actor=actor, interface=interface, replaces=older)

    def get(self, ref: str) -> Memory:
        """One memory, read from its file.

        Raises:
            NotFound, Ambiguous.
        """
        return self.parts.vault.get(ref)

    def list(self, limit: int = 50, **where: Any) -> tuple[Item, ...]:
        """Memories in scope, newest first."""
        where.setdefault("source", ())
        scope = self.scope(**{**where, "source": where["source"] or ("memory",)})
        return self.parts.index.select(scope, limit=limit)

    def edit(
        self,
        ref: str,
        *,
        body: str | None = None,
        properties: Mapping[str, Any] | None = None,
        etag: str | None = None,
        actor: str = "user",
        interface: str = "cli",
    ) -> Memory:
        """Change a memory in place: its text, single properties, or both; every other byte stays.

        Raises:
            Conflict: the file is no longer the one with `etag`. InvalidInput: nothing to change, or a property cannot be set.
        """
        self._must_be_enabled()
        if body is None and not properties:
            raise InvalidInput("Nothing to change.", "Give --body or --set key=value.")
        return changed(self.parts, self.parts.vault.edit(ref, body=body, properties=properties, etag=etag, actor=actor, interface=interface))

    def evolve(self, ref: str, reason: str, body: str, *, title: str = "", actor: str = "user", interface: str = "cli") -> Saved:
        """Replace what a memory says. The old text is archived whole under its own id; the new one says what it supersedes.

        Raises:
            InvalidInput: no reason, or the memory is not active.
        """
        self._must_be_enabled()
        evolved = self.parts.vault.evolve(ref, body, reason, new_title=title or None, actor=actor, interface=interface)
        changed(self.parts, evolved.new, evolved.old)
        return Saved("superseded", evolved.new, (evolved.old.id,))

    def supersede(self, old: str, new: str, reason: str = "", *, actor: str = "user", interface: str = "cli") -> Memory:
        """Say that `old` gave way to `new`; both know each other, the old one moves to the archive."""
        self._must_be_enabled()
        gone = self.parts.vault.supersede(old, new, reason, actor=actor, interface=interface)
        return changed(self.parts, gone, self.get(new))

    def resolve(self, ref: str, reason: str = "", *, actor: str = "user", interface: str = "cli") -> Memory:
        """Mark as done or settled: kept, no longer recalled."""
        self._must_be_enabled()
        return changed(self.parts, self.parts.vault.resolve(ref, reason, actor=actor, interface=interface))

    def archive(self, ref: str, reason: str = "", *, actor: str = "user", interface: str = "cli") -> Memory:
        """Put away; `restore` brings it back."""
        self._must_be_enabled()
        return changed(self.parts, self.parts.vault.archive(ref, reason, actor=actor, interface=interface))

    def restore(self, ref: str, reason: str = "", *, actor: str = "user", interface: str = "cli") -> Memory:
        """Bring back from the archive, the inbox or a resolved state."""
        self._must_be_enabled()
        return changed(self.parts, self.parts.vault.restore(ref, reason, actor=actor, interface=interface))

    def move(
        self, ref: str, *, kind: str = "", space: str = "", title: str = "", actor: str = "user", interface: str = "cli"
    ) -> Memory:
        """Give a memory another kind, space or title. Its id stays, so every reference stays valid."""
        self._must_be_enabled()
        if not (kind or space or title):
            raise InvalidInput("Nothing to change.", "Give --kind, --space or --title.")
        known = _kind(kind)[0] if kind else None
        moved = self.parts.vault.move(ref, kind=known, space=space or None, title=title or None, actor=actor, interface=interface)
        return changed(self.parts, moved)

    def tag(
        self, ref: str, *, add: tuple[str, ...] = (), remove: tuple[str, ...] = (), actor: str = "user", interface: str = "cli"
    ) -> Memory:
        """Add and remove tags."""
        self._must_be_enabled()
        return changed(self.parts, self.parts.vault.tag(ref, add=add, remove=remove, actor=actor, interface=interface))

    def link(self, ref: str, relation: str, target: str, *, actor: str = "user", interface: str = "cli") -> Memory:
        """Relate a memory to another (by any reference) or to a URI."""
        self._must_be_enabled()
        return changed(self.parts, self.parts.vault.link(ref, relation, target, actor=actor, interface=interface))

    def confirm(self, ref: str, *, actor: str = "user", interface: str = "cli") -> Memory:
        """Say that it still holds: counts, and it ages from now on."""
        self._must_be_enabled()
        return changed(self.parts, self.parts.vault.confirm(ref, actor=actor, interface=interface))

    def history(self, ref: str) -> tuple[Version, ...]:
        """Every version of a memory, oldest first."""
        return self.parts.vault.history(ref)

    def undo(self, operation: str = "", *, actor: str = "user", interface: str = "cli") -> Version:
        """Take back a change: the one named, or the last. Undoing an undo brings it back.

        Raises:
            Conflict: the file was changed since. NotFound: no such change.
        """
        self._must_be_enabled()
        undone = self.parts.vault.undo(operation or None, actor=actor, interface=interface)
        follow(self.parts, quick=True)
        return undone

    # read

    def recall(self, query: Query) -> Recall:
        """What memory knows about a question; nothing when it knows nothing. The story is kept for :meth:`why`."""
        project = query.project or self._default_project
        found = self._searcher.recall(replace(query, project=project))
        kept = replace(found, trace=self.parts.clock.new_id()) if found.hits or found.left else found
        if kept.trace:
            self.parts.state.keep_trace(kept.trace, json.dumps(write_story(kept), ensure_ascii=False))
        return kept

    def bundle(self, query: Query) -> Bundle:
        """The text that an agent is given for a prompt. What it holds counts as used."""
        found = self.recall(query)
        budget = query.budget_tokens or profile_named(query.profile).budget_tokens
        bundle = compose_bundle(found, budget, self.parts.clock.now())
        self.parts.state.record_use(list(dict.fromkeys(hit.item.key for hit in found.hits)), self.parts.clock.now())
        return bundle

    def briefing(self, project: str = "", budget: int = 0) -> Bundle:
        """What a session starts with, for a project (the working folder's when empty), never over budget."""
        project = project or self._default_project
        scope = Scope(sources=("memory",), statuses=("active",), projects=(project,) if project else ("",))
        items = self.parts.index.select(replace(scope, kinds=kinds_wanted()), order="importance", limit=BRIEFED_FROM)
        pinned = self.parts.index.select(scope, order="priority", limit=BRIEFED_FROM)
        chosen = {item.key: item for item in (*items, *(one for one in pinned if one.always_load))}
        texts = {key: "\n".join(stored.passage.text for stored in self.parts.index.passages_of(key, 0, 3)) for key in chosen}
        return compose_briefing(list(chosen.values()), texts, budget or self._briefing_tokens, self.parts.clock.now())

    def why(self, trace: str = "") -> Recall:
        """The whole story of a recall: the last one, or the one named.

        Raises:
            NotFound: no such recall is remembered.
        """
        story = self.parts.state.trace(trace)
        if story is None:
            raise NotFound("No recall of that id is remembered." if trace else "Nothing was recalled yet.", "Ask something: vade recall ...")
        return read_story(json.loads(story))

    # follow

    def capture(self, paths: tuple[str, ...] = (), mine: bool = True) -> CaptureReport:
        """Read transcripts that grew, make every turn searchable, and propose memories."""
        return absorb(self.parts, paths, mined=mine)

    def sync(self, confirm_loss: bool = False, quick: bool = False) -> SyncReport:
        """Make the index follow the files."""
        return follow(self.parts, confirm_loss=confirm_loss, quick=quick)

    def refine(self, seconds: float | None = None) -> int:
        """Give passages their finer vectors; how many got one."""
        done, _ = try_refine(self.parts.index, self.parts.embedder, self.parts.clock, self.parts.progress, seconds=seconds)
        return done

    def rebuild(self) -> SyncReport:
        """Delete the index and build it again from vault and transcripts; answers stay the same."""
        paths = tuple(mark.path for mark in self.parts.index.fingerprints("sessions").values())
        self.parts.index.wipe()
        report = follow(self.parts, confirm_loss=True)
        if not paths:
            return report
        again = absorb(self.parts, [path for path in paths], mined=False)
        return replace(report, problems=report.problems + again.problems)

    def status(self, deep: bool = False) -> Status:
        """Where things lie, how many there are, and what does not work."""
        parts = self.parts
        health = parts.index.health(deep=deep)
        degraded = list(parts.missing) + ([f"index: {health.damage}"] if health.damage else [])
        counts = {} if health.damage else parts.index.counts()
        memories = {status: count for (source, status), count in counts.items() if source == "memory"}
        return Status(
            home=parts.vault.spaces[0].root,
            vault=parts.vault.spaces[0].documents_root,
            memories=memories,
            documents=sum(count for (source, _), count in counts.items() if source == "document"),
            sessions=sum(count for (source, _), count in counts.items() if source == "session"),
            passages=health.passages,
            index_bytes=health.bytes,
            vectors=dict(health.vectors),
            waiting=0 if health.damage else waiting(parts),
            embedder=parts.embedder.model_id if parts.embedder else "none",
            inbox=memories.get("inbox", 0),
            degraded=tuple(degraded),
        )

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
    ) -> Scope:
        """Where to look, from the words a person uses; empty means everything that recall looks at.

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
        )
        return replace(scope, statuses=status) if status else scope

    def _must_be_enabled(self) -> None:
        if not self.parts.enabled:
            raise Refused("Memory is switched off; nothing was written.", "Switch it on with: enabled = true")


def _kind(word: str) -> tuple[str, str | None]:
    try:
        kind, facet = resolve_kind(word)
    except KeyError:
        raise UnknownWord("kind of memory", word, KINDS) from None
    return kind.name, facet
