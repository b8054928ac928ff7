"""The vault: what can be done with memories. Each verb decides what should change; the writer does it.

Every verb reads under the lock, so that what it decides on is what it replaces.
"""

import contextlib
import dataclasses
import heapq
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from vademecum.model.errors import AlreadyExists, Conflict, InvalidInput, NotFound, Problem, UnknownWord, VademecumError
from vademecum.model.forgotten import Tombstone
from vademecum.model.ids import is_id
from vademecum.model.kinds import KINDS, Kind
from vademecum.model.memory import RELATIONS, STALE, By, Document, Draft, Memory, Space, Status
from vademecum.model.ports import Clock
from vademecum.model.relations import MAY_REPLACE, Joining
from vademecum.vault import erasing, places
from vademecum.vault.callouts import with_callout, without_callouts
from vademecum.vault.consent import Consent
from vademecum.vault.files import must_be_unchanged, read_bytes
from vademecum.vault.find import Finder, Found, Lookup, is_conflict_copy
from vademecum.vault.frontmatter import Value, read, render, set_body, set_properties
from vademecum.vault.history import memory_records, reversed_changes, to_undo
from vademecum.vault.journal import DOCUMENTS, GENERATED, Change, Record, Version
from vademecum.vault.note import read_document, read_memory, text_of
from vademecum.vault.properties import UNCHANGEABLE, checked, known_kind
from vademecum.vault.reconcile import Known, Reconciled, Reconciler
from vademecum.vault.scan import Listing, SourceFile, modified_at, scan
from vademecum.vault.tombstones import append_tombstone, read_tombstones
from vademecum.vault.writer import Operation, Writer, encoded, version

#: Properties that decide where a file stands.
_PLACING = frozenset({"kind", "status", "always_load", "agent", "project"})

#: What a new version does not inherit from the one it replaces.
_OF_THE_OLD_TEXT: dict[str, Value] = {"summary": None, "confirmations": None, "last_confirmed": None, "superseded_by": None}

#: Who acts when nobody else is named.
USER = By()

#: Texts of pages as they stand -> as they should be, in the same order.
Revision = Callable[[Sequence[str | None]], Sequence[str | None]]

#: Why a memory gave way, when nobody said it otherwise.
_REPLACED = "replaced by a newer memory"
#: Why a new memory was joined to others, by what history calls it.
_BECAUSE = {"supersede": _REPLACED, "dispute": "it says otherwise"}
#: Joined to nothing.
ALONE = Joining()

_LEAVING = {"superseded": "vade evolve or vade supersede", "archived": "vade archive"}


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """A page outside of memory, as it shall be.

    Attributes:
        target: absolute path. etag: of the text that the caller has seen; None: there must be none yet.
        rationale: one sentence for the person. preview: what is new, for the person; "": the text's beginning.
    """

    target: str
    text: str
    etag: str | None
    rationale: str
    preview: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Placing:
    """A memory, the properties it shall have (None removes one), and its place relative to its space."""

    reference: str
    properties: Mapping[str, object]
    path: str


class Vault:
    """Memories of some spaces, on disk.

    Args:
        device: names this computer's journal file; a slug.
        lock_dir: for locks and unfinished operations; outside of any synced folder.
        lookup: asked first for references, usually the index; see :data:`vademecum.vault.find.Lookup`.
        lock_timeout_s: how long to wait for another writer.
    """

    def __init__(
        self,
        spaces: Sequence[Space],
        *,
        device: str,
        lock_dir: str | Path,
        clock: Clock,
        consent: Consent | None = None,
        lookup: Lookup | None = None,
        lock_timeout_s: float = 10.0,
    ) -> None:
        self.spaces = tuple(spaces)
        self._clock = clock
        self._consent = consent or Consent()
        self._writer = Writer(self.spaces, places.check_slug(device, "device"), Path(lock_dir), clock, lock_timeout_s)
        self._finder = Finder(self.spaces, lookup, self._writer.placed)
        self._writer.settle()

    # Reading

    def get(self, reference: str) -> Memory:
        """The memory that `reference` names: id, its beginning (6 or more), alias, path, slug, title, [[link]], memory:// URI.

        Raises:
            NotFound, Ambiguous: none or several are meant.
        """
        return self._finder.one(reference).memory

    def read(self, space: str, path: str) -> Memory:
        """The memory in one file.

        Raises:
            NotFound: no such file. InvalidInput: it is not UTF-8 or leads elsewhere.
        """
        return self._finder.at(self._space(space).name, path).memory

    def scan(self, space: str | None = None) -> Listing:
        """Files of one space or all, unread.

        Raises:
            VaultMissing: a space's folder is not there.
        """
        chosen = self.spaces if space is None else (self._space(space),)
        found = [scan(each, self.spaces) for each in chosen]
        return Listing(
            tuple(file for listing in found for file in listing.files),
            tuple(folder for listing in found for folder in listing.unread),
            tuple(problem for listing in found for problem in listing.problems),
        )

    def open(self, source: SourceFile) -> Memory | Document | Problem:
        """What is in a scanned file; a Problem when it cannot be read."""
        space = self._space(source.space)
        root = space.root if source.sort == "memory" else space.documents_root
        file = Path(root) / source.path
        try:
            raw = file.read_bytes()
            modified = modified_at(source.stat)
            if source.sort == "document":
                return read_document(raw, space.name, source.path, modified)
            return read_memory(raw, space, source.path, modified).memory
        except OSError as error:
            return Problem(str(file), f"It cannot be read: {error.strerror}.")
        except InvalidInput as error:
            return Problem(str(file), f"{error.message} {error.hint}")

    def list(self, space: str | None = None, *, statuses: Iterable[str] | None = None) -> tuple[Memory, ...]:
        """Memories that can be read, of one space or all, with these statuses or any, in path order."""
        wanted = None if statuses is None else set(statuses)
        opened = (self.open(source) for source in self.scan(space).files if source.sort == "memory")
        found = [one for one in opened if isinstance(one, Memory) and (wanted is None or one.status in wanted)]
        return tuple(sorted(found, key=lambda memory: (memory.space, memory.path)))

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the memories' files: unreadable, misunderstood, or the same id twice. Reads every file."""
        listing = self.scan()
        problems, by_id = list(listing.problems), dict[str, list[str]]()
        for source in listing.files:
            if source.sort == "document":
                continue
            file = str(Path(self._space(source.space).root) / source.path)
            try:
                reading = self._finder.at(source.space, source.path).reading
            except VademecumError as error:
                problems.append(Problem(file, error.message))
                continue
            problems += [Problem(file, complaint) for complaint in reading.complaints]
            by_id.setdefault(reading.memory.id, []).append(file)
        return (*problems, *(_same_id(files) for files in by_id.values() if len(files) > 1))

    # Writing

    def save(
        self,
        draft: Draft,
        *,
        by: By = USER,
        group: str = "",
        slug: str = "",
        path: str = "",
        unique: bool = False,
        joining: Joining = ALONE,
    ) -> Memory:
        """Write a new memory, and join it to others: both or neither, whenever it is killed. One undo takes back the joining, a second
        one the memory.

        Args:
            joining: what it is to known ones; its `same_as` and `body` do not count.
            path: exactly there, relative to the space; without it the place follows from kind, scope and status.
            group: instead of the one that kind, project and agent give. slug: instead of the one made of the title.
            unique: put -2, -3... behind the slug when it is taken, instead of refusing.

        Raises:
            AlreadyExists: a memory stands there; nothing is overwritten. InvalidInput, UnknownWord: a value does not fit.
        """
        kind, facet = known_kind(draft.kind)
        now = self._clock.now()
        given = dict(draft.properties)
        if set(given) & UNCHANGEABLE:
            raise InvalidInput(f"{min(set(given) & UNCHANGEABLE)} is allocated by the vault.", "Leave it out.")
        if draft.tags:
            given["tags"] = list(draft.tags)
        given = {"facet": facet or None, "status": "active", **given, "title": draft.title}
        properties = {**checked(given), "kind": kind.name, "id": self._clock.new_id(), "created": now, "updated": now}
        space = self._space_for(draft, kind)
        text = render({name: value for name, value in properties.items() if value not in (None, [])}) + draft.body
        memory = self._as_memory(space, "x.md", text)
        slug = places.check_slug(slug, "slug") if slug else places.slugify(draft.title)
        where = self._place(memory, slug, places.check_group(group) if group else None)
        where = places.check_own_path(path) if path else where
        where = places.archive_place(where, now) if memory.status in _LEAVING else where
        with self._writer.held("save"):
            path = self._free(space, where) if unique else self._must_be_free(space, where)
            written = version(space.name, path, text)
            memory = self._as_memory(space, path, text)
            joined = self._joining(memory, written, joining)
            self._writer.commit_in_turn([Operation("save", [Change(memory.id, None, written)]), *joined], by)
        return self.get(memory.id) if joined else memory

    def edit(
        self,
        reference: str,
        *,
        body: str | None = None,
        properties: Mapping[str, object] | None = None,
        etag: str | None = None,
        by: By = USER,
    ) -> Memory:
        """Change text or properties (None removes one) of a memory that stays the same memory.

        A file that stands where we would put it moves along when kind, status, project or agent change.

        Args:
            etag: of the text that the caller has seen.

        Raises:
            Conflict: the text is another than the caller has seen. InvalidInput: a value does not fit, or the file's
                frontmatter cannot be edited safely.
        """
        changes = checked(properties or {})
        _must_be_editable(changes)
        if isinstance(changes.get("kind"), str):
            kind, facet = known_kind(str(changes["kind"]))
            changes |= {"kind": kind.name} | ({"facet": facet} if facet else {})
        with self._writer.held("edit"):
            found = self._seen(reference, etag)
            return self._rewrite("edit", found, changes, by, body=body, touch=True, follow=bool(_PLACING & changes.keys()))

    def evolve(
        self,
        reference: str,
        body: str,
        reason: str,
        *,
        new_title: str | None = None,
        etag: str | None = None,
        by: By = USER,
    ) -> Memory:
        """Replace a memory by a newer one at the same path; the old text goes to the archive whole, keeping its id.

        Raises:
            InvalidInput: no reason, or the memory is not active.
        """
        reason = _must_have_reason(reason)
        with self._writer.held("evolve"):
            found = self._seen(reference, etag)
            old, now, new_id = found.memory, self._clock.now(), self._clock.new_id()
            if old.status != "active":
                raise InvalidInput(
                    f"{old.title!r} is {old.status}; only an active memory evolves.", f"See: vade history {old.id}"
                )
            kept = self._archived(found, "superseded", reason, superseded_by=new_id)
            fresh: dict[str, Value] = {"id": new_id, "status": "active", "created": now, "updated": now, "supersedes": [old.id]}
            title = checked({"title": new_title}) if new_title else {}
            live = set_body(set_properties(found.text, {**_OF_THE_OLD_TEXT, **fresh, **title}), body)
            before = version(old.space, old.path, found.text)
            changes = [Change(old.id, before, kept), Change(new_id, None, version(old.space, old.path, live))]
            self._writer.commit("evolve", changes, by, reason=reason)
            return self._as_memory(self._space(old.space), old.path, live)

    def supersede(self, old: str, new: str, reason: str, *, by: By = USER) -> Memory:
        """Say that one existing memory replaces another: links both ways, the old one goes to the archive.

        Returns:
            The new one.
        """
        reason = _must_have_reason(reason)
        with self._writer.held("supersede"):
            gone, kept = self._finder.one(old), self._finder.one(new)
            if gone.memory.id == kept.memory.id:
                raise InvalidInput("A memory cannot replace itself.", "Name two, or use: vade evolve")
            archive = self._archived(gone, "superseded", reason, superseded_by=kept.memory.id, until=kept.memory.valid_from)
            properties: dict[str, Value] = {"supersedes": _added(kept.memory.supersedes, gone.memory.id)}
            text = set_properties(kept.text, {**properties, "updated": self._clock.now()})
            changes = [_change(gone, archive), _change(kept, version(kept.memory.space, kept.memory.path, text))]
            self._writer.commit("supersede", changes, by, reason=reason)
            return self._as_memory(self._space(kept.memory.space), kept.memory.path, text)

    def retire(self, reference: str, reason: str, *, by: By = USER) -> Memory:
        """Say that a memory no longer holds, and that nothing is known to hold in its place."""
        reason = _must_have_reason(reason)
        with self._writer.held("supersede"):
            found = self._finder.one(reference)
            if places.original_place(found.memory.path):
                raise InvalidInput(f"{found.memory.title!r} is {found.memory.status} already.", "Nothing was written.")
            kept = self._archived(found, "superseded", reason, superseded_by=STALE)
            self._writer.commit("supersede", [_change(found, kept)], by, reason=reason)
            return self.read(kept.space, kept.path)

    def dispute(self, reference: str, other: str, reason: str = "", *, by: By = USER) -> tuple[Memory, Memory]:
        """Say that two memories contradict each other and nothing tells which holds: both stay, marked, each naming the other.

        Raises:
            InvalidInput: they are one, or one of them no longer holds anyway.
        """
        with self._writer.held("dispute"):
            one, two = self._finder.one(reference), self._finder.one(other)
            if one.memory.id == two.memory.id:
                raise InvalidInput("A memory cannot contradict itself.", "Name two.")
            for found in (one, two):
                if found.memory.status not in ("active", "disputed"):
                    raise InvalidInput(f"{found.memory.title!r} is {found.memory.status}; there is nothing to dispute.")
            changes = [self._disputed(one, two.memory), self._disputed(two, one.memory)]
            self._writer.commit("dispute", changes, by, reason=reason)
            return self.get(one.memory.id), self.get(two.memory.id)

    def settle(self, reference: str, reason: str = "", *, both: bool = False, by: By = USER) -> tuple[Memory, ...]:
        """Say what holds of memories that contradict each other, or of one that may have taken the place of others: this one, and the
        others give way; or all of them.

        Args:
            both: they do not contradict or replace each other after all; they stay and are related.

        Returns:
            The one named, then the others.

        Raises:
            InvalidInput: nothing contradicts it, and it replaces nothing.
        """
        with self._writer.held("settle"):
            found = self._finder.one(reference)
            clashing = list(self._still(found.memory.contradicts, "disputed"))
            older = list(self._still(found.memory.may_replace, "active"))
            if found.memory.status != "disputed" and not older:
                raise InvalidInput(
                    f"Nothing contradicts {found.memory.title!r}, and it takes no other's place.",
                    "See what is open: vade doubts, vade list --status disputed",
                )
            ids = [other.memory.id for other in (*clashing, *older)]
            named = [*ids, *(one for one in found.memory.contradicts if one not in ids)]
            changes = [self._settled(found, named, related=ids if both else (), supersedes=() if both else ids)]
            why = reason or f"settled: {found.memory.title} holds"
            if both:
                changes += [self._settled(other, [found.memory.id], related=[found.memory.id]) for other in clashing]
            else:
                changes += [self._given_way(other, found.memory, why) for other in (*clashing, *older)]
            self._writer.commit("settle", changes, by, reason=reason)
            return tuple(self.get(identity) for identity in (found.memory.id, *ids))

    def resolve(self, reference: str, reason: str = "", *, by: By = USER) -> Memory:
        """Mark as done: it stays where it is and is no longer recalled as current."""
        with self._writer.held("resolve"):
            return self._rewrite("resolve", self._finder.one(reference), {"status": "resolved"}, by, reason=reason, touch=True)

    def archive(self, reference: str, reason: str = "", *, op: str = "archive", by: By = USER) -> Memory:
        """Set aside whole, with its id. `op`: what history calls it."""
        with self._writer.held(op):
            found = self._finder.one(reference)
            if places.original_place(found.memory.path):
                raise InvalidInput(
                    f"{found.memory.title!r} is in the archive already.", f"Bring it back: vade restore {found.memory.id}"
                )
            kept = self._archived(found, "archived", reason)
            self._writer.commit(op, [_change(found, kept)], by, reason=reason)
            return self.read(kept.space, kept.path)

    def restore(self, reference: str, *, by: By = USER) -> Memory:
        """Make an archived, waiting or resolved memory active again, at its place or beside what stands there now."""
        with self._writer.held("restore"):
            found = self._finder.one(reference)
            properties: dict[str, Value] = dict.fromkeys(("superseded_by", "superseded_at", "superseded_reason"))
            if found.memory.status == "superseded":
                properties["valid_until"] = None
            path = places.original_place(found.memory.path)
            to = self._free(self._space(found.memory.space), path) if path else None
            incubates = path is not None and found.memory.kind == "idea" and path.startswith(f"{places.INCUBATOR}/")
            changes: dict[str, Value] = {**properties, "status": "incubating" if incubates else "active"}
            return self._rewrite("restore", found, changes, by, touch=True, to=to, follow=to is None)

    def take_in(
        self,
        reference: str,
        joining: Joining,
        reason: str = "",
        *,
        properties: Mapping[str, object] | None = None,
        op: str = "approve",
        by: By = USER,
    ) -> Memory:
        """Make a memory that waits an active one and join it to others, as one operation that one undo takes back.

        Args:
            properties: that it shall have besides, or another status.

        Returns:
            The memory that says it now: this one, or the one that said the same.
        """
        with self._writer.held(op):
            found = self._finder.one(reference)
            if joining.same_as:
                known = self._finder.one(joining.same_as)
                gone = self._archived(found, "superseded", reason or "it says the same", superseded_by=known.memory.id)
                changes = [self._confirmed(known), _change(found, gone)]
            else:
                values = {"status": "active", **checked(properties or {})}
                changes = list(self._taken_in(found, joining, values, reason or _REPLACED))
            self._writer.commit(op, changes, by, reason=reason)
            return self.get(changes[0].memory)

    def _confirmed(self, known: Found) -> Change:
        text = set_properties(known.text, self._once_more(known.memory))
        return _change(known, version(known.memory.space, known.memory.path, text))

    def _once_more(self, memory: Memory) -> dict[str, Value]:
        return {"confirmations": memory.confirmations + 1, "last_confirmed": self._clock.now()}

    def _taken_in(self, found: Found, joining: Joining, values: Mapping[str, Value], reason: str) -> Iterator[Change]:
        """The memory first, then those that it is joined to."""
        old, space = found.memory, self._space(found.memory.space)
        text = set_properties(found.text, {**found.reading.repairs, **values, "updated": self._clock.now()})
        text = text if joining.body is None else set_body(text, joining.body)
        path = self._followed(old, self._as_memory(space, old.path, text)) or old.path
        text, others = self._joined(self._as_memory(space, path, text), text, joining, reason)
        yield _change(found, version(space.name, path, text))
        yield from others

    def _joining(self, memory: Memory, written: Version, joining: Joining) -> Sequence[Operation]:
        """What joins a memory that is written in the same go to others; nothing when there are none."""
        text, others = self._joined(memory, written.text or "", joining, "")
        if text == written.text:
            return []
        changes = [Change(memory.id, written, version(written.space, written.path, text)), *others]
        return [Operation(joining.op, changes, _BECAUSE.get(joining.op, ""))]

    def _joined(self, memory: Memory, text: str, joining: Joining, reason: str) -> tuple[str, Sequence[Change]]:
        """The memory's text when it names those that it is joined to, and what becomes of them."""
        gone = [self._finder.one(one) for one in joining.replaces]
        clashing = [self._finder.one(one) for one in joining.contradicts]
        named: dict[str, Value] = {}
        for relation, other in (*joining.links, *(("supersedes", one.memory.id) for one in gone)):
            named[relation] = _added(named.get(relation) or getattr(memory, relation), other)  # type: ignore[arg-type]
        joined = {
            *(other for relation, other in joining.links if relation != MAY_REPLACE),
            *joining.replaces,
            *joining.contradicts,
        }
        if joined.intersection(memory.may_replace):  # what was likely is known now
            named[MAY_REPLACE] = [one for one in memory.may_replace if one not in joined] or None
        text = set_properties(text, named) if named else text
        for one in clashing:
            text = self._disputed_text(text, self._as_memory(self._space(memory.space), memory.path, text), one.memory)
        changes = [self._disputed(one, memory) for one in clashing]
        for one in gone:
            archived = self._archived(one, "superseded", reason or _REPLACED, superseded_by=memory.id, until=memory.valid_from)
            changes.append(_change(one, archived))
        return text, changes

    def move(
        self,
        reference: str,
        *,
        space: str | None = None,
        group: str | None = None,
        always_load: bool | None = None,
        path: str | None = None,
        by: By = USER,
    ) -> Memory:
        """Put a memory's file elsewhere; its id goes along.

        Args:
            path: exactly there; without it the place follows from space, group, kind and always_load.

        Raises:
            AlreadyExists: something stands there.
        """
        with self._writer.held("move"):
            found = self._finder.one(reference)
            target = self._space(space or found.memory.space)
            changes: dict[str, Value] = {} if always_load is None else {"always_load": always_load or None}
            text = set_properties(found.text, changes) if changes else found.text
            memory = self._as_memory(target, found.memory.path, text)
            memory = memory if always_load is None else dataclasses.replace(memory, always_load=always_load)
            chosen = places.check_group(group) if group else (None if space else places.said_by_path(memory.path)[2] or None)
            to = places.check_path(path) if path else self._place(memory, places.stem(memory.path), chosen)
            return self._rewrite("move", found, changes, by, to=to, space=target.name)

    def rename(self, reference: str, title: str, *, by: By = USER) -> Memory:
        """Give a memory another title and its file the name that fits; the old title stays as an alias, so links hold."""
        new = checked({"title": title})
        with self._writer.held("rename"):
            found = self._finder.one(reference)
            memory = found.memory
            new["aliases"] = _added(memory.aliases, memory.title)
            folder = memory.path.rpartition("/")[0]
            name = f"{places.slugify(title)}.md"
            to = f"{folder}/{name}" if folder else name
            keep = places.original_place(memory.path) is not None or to == memory.path
            return self._rewrite("rename", found, new, by, touch=True, to=None if keep else to)

    def tag(self, reference: str, *, add: Sequence[str] = (), remove: Sequence[str] = (), by: By = USER) -> Memory:
        """Add tags to the frontmatter or take them out of it. Tags in the text are the person's to edit.

        Raises:
            InvalidInput: no tag by Obsidian's rules, or one to remove that only stands in the text.
        """
        gone = {places.check_tag(tag) for tag in remove}
        with self._writer.held("tag"):
            found = self._finder.one(reference)
            written = read(found.text).texts().get("tags")
            listed = [str(tag).removeprefix("#") for tag in (written if isinstance(written, list) else [written]) if tag]
            in_text = (set(found.memory.tags) - set(listed)) & gone
            if in_text:
                raise InvalidInput(f"#{min(in_text)} stands in the text of {found.memory.title!r}.", "Take it out of the text.")
            tags = dict.fromkeys([*(tag for tag in listed if tag not in gone), *map(places.check_tag, add)])
            return self._rewrite("tag", found, {"tags": list(tags) or None}, by, touch=True)

    def link(self, reference: str, relation: str, target: str, *, by: By = USER) -> Memory:
        """Relate a memory to another one (by its id) or to a URI.

        Raises:
            UnknownWord: no relation of RELATIONS. NotFound: the target names no memory.
        """
        if relation not in RELATIONS:
            raise UnknownWord("relation", relation, RELATIONS)
        with self._writer.held("link"):
            found = self._finder.one(reference)
            named = target if "://" in target and not target.startswith("memory://") else self._finder.one(target).memory.id
            if named == found.memory.id:
                raise InvalidInput("A memory cannot be related to itself.", "Name another one.")
            held = read(found.text).texts().get(relation)
            listed = [str(item) for item in (held if isinstance(held, list) else [held]) if item]
            return self._rewrite("link", found, {relation: _added(listed, named)}, by, touch=True)

    def confirm(self, reference: str, *, replaces: Sequence[str] = (), by: By = USER) -> Memory:
        """Note that a memory still holds.

        Args:
            replaces: memories that give way to it, in the same go.
        """
        with self._writer.held("confirm"):
            found = self._finder.one(reference)
            if not replaces:
                return self._rewrite("confirm", found, self._once_more(found.memory), by)
            text = set_properties(found.text, self._once_more(found.memory))
            confirmed = version(found.memory.space, found.memory.path, text)
            joined = self._joining(found.memory, confirmed, Joining(replaces=tuple(replaces)))
            self._writer.commit_in_turn([Operation("confirm", [_change(found, confirmed)]), *joined], by)
            return self.get(found.memory.id)

    def write_outside(
        self, target: str | Path, text: str, *, etag: str | None, rationale: str, preview: str = "", by: By = USER
    ) -> str:
        """Write a note in the vault around a space, with the person's consent; journaled and undoable like any other.

        Args:
            target: absolute path of the note.
            etag: of the text that the caller has seen; None: there must be no such note yet.
            rationale: one sentence for the person. preview: what is new in it, for the person; "": its beginning.

        Returns:
            The etag of the new text.

        Raises:
            Refused: no consent. Conflict, AlreadyExists: it is another text than the caller has seen.
            InvalidInput: the target is not in a vault around a space.
        """
        page = Page(str(target), text, etag, rationale, preview)
        self.ask_for(page)
        with self._writer.held("write outside"):
            change = self._page_change(page)
            self._writer.commit("write outside", [change], by, reason=rationale)
        return change.after.etag if change.after else ""

    def ask_for(self, page: Page) -> None:
        """Return when a page outside of memory may be written.

        Raises:
            Refused: no consent. InvalidInput: it is not in a vault around a space.
        """
        self._around(Path(page.target))
        self._consent.require(page.target, page.preview or page.text, page.rationale)

    def place_together(
        self, op: str, moves: Sequence[Placing], page: Page | None = None, *, reason: str = "", by: By = USER
    ) -> tuple[Memory, ...]:
        """Give several memories other properties and places, as one operation that one undo takes back.

        Args:
            page: a page outside of memory that goes along; the person was asked for it (:meth:`ask_for`).

        Raises:
            AlreadyExists: something stands in one of the places. Conflict: the page is not as the caller has seen it.
        """
        with self._writer.held(op):
            changes = [self._placed(move) for move in moves]
            pages = [self._page_change(page)] if page else []
            self._writer.commit(op, [*changes, *pages], by, reason=reason)
        return tuple(self.read(change.after.space, change.after.path) for change in changes if change.after)

    def _placed(self, move: Placing) -> Change:
        found = self._finder.one(move.reference)
        space = self._space(found.memory.space)
        path = places.check_path(move.path)
        if path != found.memory.path:
            self._must_be_free(space, path)
        text = set_properties(found.text, {**found.reading.repairs, **checked(move.properties), "updated": self._clock.now()})
        return _change(found, version(space.name, path, text))

    def _page_change(self, page: Page) -> Change:
        space, path = self._around(Path(page.target))
        after = version(space.name + DOCUMENTS, path, page.text)
        if page.etag is None:
            return Change("", None, after)
        file = Path(page.target)
        must_be_unchanged(file, page.etag)
        return Change("", version(after.space, path, text_of(read_bytes(file))), after)

    def page(self, path: str) -> tuple[Path, str | None]:
        """A generated page of the personal space: where it stands, and its text, None when there is none.

        Raises:
            InvalidInput: it is not UTF-8.
        """
        file = Path(self._personal().root) / path
        return file, text_of(read_bytes(file)) if file.exists() else None

    def revise(self, paths: Sequence[str], change: Revision, *, op: str, by: By = USER) -> frozenset[str]:
        """Change generated pages of the personal space together: all or none. The paths of those that changed.

        Args:
            paths: relative to the space. change: their texts as they stand, None for none -> as they should be. Pages whose text
                stays are not touched; none is removed.

        Raises:
            Conflict: somebody wrote to one meanwhile. InvalidInput: one is not UTF-8. Nothing was written.
        """
        space = self._personal()
        name = space.name + GENERATED
        with self._writer.held(op):
            before = [self.page(path)[1] for path in paths]
            after = change(before)
            changes = [
                Change("", None if old is None else version(name, path, old), version(name, path, new))
                for path, old, new in zip(paths, before, after, strict=True)
                if new is not None and new != old
            ]
            if changes:
                self._writer.commit(op, changes, by)
        return frozenset(one.after.path for one in changes if one.after is not None)

    def reconcile(self, known: Mapping[str, Known] | None = None, *, confirm_loss: bool = False) -> Reconciled:
        """Understand and journal what the person did to memories by hand; give new notes an id.

        Args:
            known: memory id -> what the index last knew of its file; None takes what the journals say, which is slower.
            confirm_loss: believe that most notes are gone.

        Raises:
            VaultEmptied: most of a space vanished at once. VaultMissing: a space never seen before is not there.
        """
        return Reconciler(self.spaces, self._finder, self._writer).run(known, confirm_loss)

    # Forgetting

    def tombstones(self) -> tuple[Tombstone, ...]:
        """What was forgotten, on this or another device, oldest first."""
        return read_tombstones(Path(space.root) for space in self.spaces)

    def changes(self) -> Iterator[tuple[Record, Change]]:
        """Every change that the journals hold, newest first."""
        return ((record, change) for record in self._newest_first() for change in record.changes)

    def bodies(self, identity: str) -> Iterator[tuple[str, str]]:
        """(title, text) of every version that the journals hold of a memory, by its id."""
        for record in self._records(identity):
            for change in record.changes:
                for side in (change.before, change.after) if change.memory == identity else ():
                    if side is not None and side.text:
                        note = read(side.text)
                        yield str(note.texts().get("title", "")), note.body

    def bury(self, stone: Tombstone, spaces: Iterable[str] = ()) -> None:
        """Put a tombstone on disk: beside the personal memories, and in those spaces too. What it names may be erased then."""
        with self._writer.held("forget"):
            for space in self.spaces:
                if space is self.spaces[0] or space.name in set(spaces):
                    append_tombstone(Path(space.root), self._writer.device, stone)

    def erase(
        self,
        identities: Collection[str],
        blank: erasing.Change,
        *,
        everywhere: bool,
        sources: Collection[str] = (),
        by: By = USER,
        op: str = "forget",
    ) -> erasing.Erased:
        """Remove the bytes of memories: their files, conflict copies, and every text of theirs in the journals. May be repeated.

        Args:
            blank: made of the texts of handoffs and notes of days, or of all memories (`everywhere`), in files and journals.
            sources: conversations whose blocks in the notes of days go whole.
        """
        removed = lines = pages = 0
        rewritten: list[Change] = []
        with self._writer.held(op):
            there = [space for space in self.spaces if Path(space.root).is_dir()]
            for space in there:
                counts = erasing.erase_files(space, self._finder, identities, blank, everywhere=everywhere)
                removed, rewritten = removed + counts[0], rewritten + counts[1]
                pages += erasing.erase_pages(Path(space.root), sources, blank)
                erasing.drop_empty_folders(Path(space.root))
                lines += erasing.erase_journal(self._writer.journals[space.name], identities, blank, everywhere=everywhere)
            for change in rewritten:
                self._writer.commit(op, [change], by, on_disk=True)
            self._note_gone(identities, by, op)
        return erasing.Erased(removed, len(rewritten) + pages, lines)

    def _note_gone(self, identities: Collection[str], by: By, op: str) -> None:
        """Journal that memories are gone, unless the journals know it, so that no other device takes them for deleted by hand."""
        gone = [
            Change(identity, dataclasses.replace(last, path=erasing.GONE.format(id=identity), etag="", text=None), None)
            for identity, last in sorted(self._writer.latest(identities).items())
            if last is not None
        ]
        if gone:
            self._writer.commit(op, gone, by, on_disk=True)

    # History

    def history(self, reference: str) -> tuple[Record, ...]:
        """Every change of a memory and of those it replaced, oldest first; also of one that is gone, by its id."""
        try:
            identity = self._finder.one(reference).memory.id
        except NotFound:
            if not is_id(reference.upper()):
                raise
            identity = reference.upper()
        return memory_records(self._records, identity)

    def versions(self, reference: str) -> tuple[tuple[Record, Version], ...]:
        """Every text that a memory and those it replaced had, oldest first, each with the change that made it."""
        found: dict[str, tuple[Record, Version]] = {}
        for record in self.history(reference):
            for change in record.changes:
                for one in (change.before, change.after):
                    if one is not None and one.text is not None:
                        found.setdefault(one.etag, (record, one))
        return tuple(found.values())

    def as_of(self, moment: datetime) -> Iterator[Memory]:
        """Every memory as it stood at a moment, by the journals: its text, place and status then. In no order.

        What was done by hand counts from when it was noticed. What was forgotten since is in no journal and never comes.
        """
        seen: set[str] = set()
        for record in self._newest_first():
            if record.time > moment:
                continue
            for change in reversed(record.changes):
                if change.memory in seen:
                    continue
                seen.add(change.memory)
                memory = self._then(change)
                if memory is not None:
                    yield memory

    def one_as_of(self, reference: str, moment: datetime) -> Memory:
        """A memory as it stood at a moment; when it did not exist yet, the one that it took the place of.

        Raises:
            NotFound: nothing of it was known then.
        """
        for record in reversed(self.history(reference)):
            for change in record.changes if record.time <= moment else ():
                memory = self._then(change)
                if memory is not None and memory.status != "superseded":
                    return memory
        raise NotFound(f"Nothing of {reference!r} was known on {moment:%Y-%m-%d %H:%M}.", f"See: vade history {reference}")

    def _then(self, change: Change) -> Memory | None:
        """The memory that a change left; None when it left none, or a note of the person's."""
        after = change.after
        known = {space.name: space for space in self.spaces}
        if not change.memory or after is None or after.text is None or after.space not in known:
            return None
        return self._as_memory(known[after.space], after.path, after.text)

    def undo(self, what: str | None = None, *, by: By = USER) -> Record:
        """Take back an operation (its id), the last one of a memory (any reference), or the last one of all.

        An undo is an operation itself, and can be undone.

        Raises:
            Conflict: the file changed since, so that undoing would lose something. NotFound: there is nothing to undo.
        """
        with self._writer.held("undo"):
            record = to_undo(self._records, self._newest_first(), what, self._id_of)
            try:
                return self._writer.commit("undo", reversed_changes(record), by, reason=f"undo {record.op}", undoes=record.id)
            except (Conflict, NotFound, AlreadyExists) as error:
                hint = f"See what happened since: vade history {record.changes[0].memory}"
                raise Conflict(
                    f"{record.op} of {record.time:%Y-%m-%d %H:%M} cannot be undone: {error.message}", hint
                ) from error

    def _id_of(self, reference: str) -> str:
        try:
            return self._finder.one(reference).memory.id
        except NotFound:
            if is_id(reference.upper()):
                return reference.upper()
            raise

    def _records(self, about: str) -> Sequence[Record]:
        found = {record.id: record for journal in self._writer.journals.values() for record in journal.records(about)}
        return [found[identity] for identity in sorted(found)]

    def _newest_first(self) -> Iterator[Record]:
        """Records of all spaces; one that several spaces hold comes once."""
        streams = [journal.newest_first() for journal in self._writer.journals.values()]
        merged = heapq.merge(*streams, key=lambda record: record.id, reverse=True)
        return (next(same) for _, same in itertools.groupby(merged, key=lambda record: record.id))

    # Deciding

    def _space(self, name: str) -> Space:
        for space in self.spaces:
            if space.name == name:
                return space
        raise UnknownWord("space", name, [space.name for space in self.spaces])

    def _personal(self) -> Space:
        return next((space for space in self.spaces if not space.project), self.spaces[0])

    def _around(self, target: Path) -> tuple[Space, str]:
        """The space in whose surrounding vault a note lies, and its path there."""
        for space in self.spaces:
            own = target.relative_to(space.root).as_posix() if target.is_relative_to(space.root) else ""
            if own and not space.documents_root and places.is_view(own):
                return space, own
            if space.documents_root and target.is_relative_to(space.documents_root):
                if target.is_relative_to(space.root):
                    raise InvalidInput(f"{target} is a memory's place.", "Memories are written by their own verbs.")
                return space, places.check_path(target.relative_to(space.documents_root).as_posix())
        raise InvalidInput(
            f"{target} lies in no vault around a memory folder.", "Only notes beside the memory folder can be written."
        )

    def _space_for(self, draft: Draft, kind: Kind) -> Space:
        """The space a draft names, else its project's, else the personal one."""
        if draft.space:
            return self._space(draft.space)
        project = draft.properties.get("project")
        own = [space for space in self.spaces if project and space.project == project]
        return [*own, self._personal()][0]

    def _place(self, memory: Memory, slug: str, group: str | None = None) -> str:
        kind, space = KINDS[memory.kind], self._space(memory.space)
        own = bool(space.project)
        if group is None:
            group = places.group_for(kind, project=memory.project, agent=memory.agent, own_space=own)
        return places.place(kind, slug, status=memory.status, group=group, always_load=memory.always_load)

    def _as_memory(self, space: Space, path: str, text: str) -> Memory:
        return read_memory(encoded(text), space, path, self._clock.now()).memory

    def _seen(self, reference: str, etag: str | None) -> Found:
        found = self._finder.one(reference)
        if etag is not None and etag != found.memory.etag:
            raise Conflict(
                f"{found.memory.title!r} changed since it was read. Nothing was written.", "Read it again and repeat."
            )
        return found

    def _free(self, space: Space, path: str) -> str:
        """`path`, or the first of its numbered variants where nothing stands."""
        number = 1
        while (Path(space.root) / places.numbered(path, number)).exists():
            number += 1
        return places.numbered(path, number)

    def _must_be_free(self, space: Space, path: str) -> str:
        if (Path(space.root) / path).exists():
            memory = self._finder.at(space.name, path).memory
            raise AlreadyExists(
                f"{path} already holds {memory.title!r}. Nothing was written.", f"To replace it: vade evolve {memory.id}"
            )
        return path

    def _disputed(self, found: Found, other: Memory) -> Change:
        memory = found.memory
        return _change(found, version(memory.space, memory.path, self._disputed_text(found.text, memory, other)))

    def _disputed_text(self, text: str, memory: Memory, other: Memory) -> str:
        """The file's text, saying that `other` says otherwise."""
        if other.id in memory.contradicts and memory.status == "disputed":
            return text
        properties: dict[str, Value] = {"status": "disputed", "contradicts": _added(memory.contradicts, other.id)}
        link = f"{places.stem(other.path)}|{other.title}"
        said = without_callouts(other.body) or other.title
        changed = set_properties(text, {**properties, "updated": self._clock.now()})
        return set_body(changed, with_callout(memory.body, link, said))

    def _still(self, references: Iterable[str], status: Status) -> Iterator[Found]:
        """Those of them that still have that status; the others gave way, were put away or forgotten meanwhile."""
        for reference in references:
            with contextlib.suppress(NotFound):
                found = self._finder.one(reference)
                if found.memory.status == status:
                    yield found

    def _settled(
        self, found: Found, others: Sequence[str], *, related: Sequence[str] = (), supersedes: Sequence[str] = ()
    ) -> Change:
        """The memory standing again, without what contradicted it."""
        memory = found.memory
        rest = [one for one in memory.contradicts if one not in others]
        properties: dict[str, Value] = {"status": "disputed" if rest else "active", "contradicts": rest or None}
        if memory.may_replace:
            properties[MAY_REPLACE] = [one for one in memory.may_replace if one not in others] or None
        for name, wanted in (("related", related), ("supersedes", supersedes)):
            if wanted:
                properties[name] = list(dict.fromkeys([*getattr(memory, name), *wanted]))
        text = set_properties(found.text, {**properties, "updated": self._clock.now()})
        body = memory.body if rest else without_callouts(memory.body)
        return _change(found, version(memory.space, memory.path, set_body(text, body)))

    def _given_way(self, found: Found, to: Memory, reason: str) -> Change:
        """The memory gone to the archive, without what contradicted it; one that only was older held until the other began to."""
        if to.id not in found.memory.contradicts:
            return _change(found, self._archived(found, "superseded", reason, superseded_by=to.id, until=to.valid_from))
        text = set_properties(found.text, {"contradicts": [one for one in found.memory.contradicts if one != to.id] or None})
        gone = dataclasses.replace(found, text=set_body(text, without_callouts(found.memory.body)))
        return _change(found, self._archived(gone, "superseded", reason, superseded_by=to.id))

    def _archived(
        self, found: Found, status: Status, reason: str, superseded_by: str = "", until: datetime | None = None
    ) -> Version:
        """The file as it goes to the archive: whole, with status, date and reason. It held until `until`, else until now."""
        memory, now, number = found.memory, self._clock.now(), 1
        root = Path(self._space(memory.space).root)
        original = places.original_place(memory.path) or memory.path
        while (root / places.archive_place(original, now, number)).exists():
            number += 1
        properties: dict[str, Value] = {"id": memory.id, "status": status}
        if superseded_by:
            properties |= {"superseded_by": [superseded_by], "superseded_at": now}
            began = memory.valid_from
            if memory.valid_until is None:
                properties["valid_until"] = until if until and (began is None or began < until) else now
        if reason.strip():
            properties |= checked({"superseded_reason": reason})
        return version(memory.space, places.archive_place(original, now, number), set_properties(found.text, properties))

    def _rewrite(
        self,
        op: str,
        found: Found,
        changes: Mapping[str, Value],
        by: By,
        *,
        body: str | None = None,
        reason: str = "",
        touch: bool = False,
        follow: bool = False,
        to: str | None = None,
        space: str = "",
    ) -> Memory:
        """One file with other properties, body or place; what it lacked (id, kind) is written along.

        Args:
            touch: set `updated`. follow: move the file when it stood where its old properties put it.
            to, space: new place, or none.
        """
        old = found.memory
        text = set_properties(found.text, changes) if changes else found.text
        if text == found.text and body in (None, old.body) and to is None and not space:
            return old
        due: dict[str, Value] = {**found.reading.repairs, **({"updated": self._clock.now()} if touch else {})}
        due = {name: value for name, value in due.items() if name not in changes}
        text = set_properties(text, due) if due else text
        text = text if body is None else set_body(text, body)
        target = self._space(space or old.space)
        if follow and to is None:
            to = self._followed(old, self._as_memory(target, old.path, text))
        path = to or old.path
        if (target.name, path) == (old.space, old.path) and text == found.text:
            return old
        if (target.name, path) != (old.space, old.path):
            self._must_be_free(target, path)
        self._writer.commit(op, [_change(found, version(target.name, path, text))], by, reason=reason)
        return self._as_memory(target, path, text)

    def _followed(self, old: Memory, new: Memory) -> str | None:
        """Where the file should be now, when it was where it should have been."""
        slug, group = places.stem(old.path), places.said_by_path(old.path)[2] or None
        usual = self._place(old, slug, group) == old.path
        if (old.project, old.agent) != (new.project, new.agent):
            group = None
        if not usual and old.status not in ("inbox", "incubating"):
            return None
        path = self._place(new, slug, group)
        return None if path == old.path else self._free(self._space(new.space), path)


def _change(found: Found, after: Version) -> Change:
    memory = found.memory
    return Change(memory.id, version(memory.space, memory.path, found.text), after)


def _added(items: Iterable[str], item: str) -> "list[str]":
    return [*dict.fromkeys([*items, item])]


def _must_have_reason(reason: str) -> str:
    if not reason.strip():
        raise InvalidInput("A reason is needed.", "Say in a few words why the old memory no longer holds.")
    return str(checked({"superseded_reason": reason})["superseded_reason"])


def _must_be_editable(changes: Mapping[str, Value]) -> None:
    fixed = sorted(UNCHANGEABLE & changes.keys())
    if fixed:
        raise InvalidInput(f"{fixed[0]} never changes.", "Leave it out.")
    status = changes.get("status")
    if isinstance(status, str) and status in _LEAVING:
        raise InvalidInput(f"A memory does not become {status} by an edit.", f"Use: {_LEAVING[status]}")


def _same_id(files: Sequence[str]) -> Problem:
    copies = [file for file in files if is_conflict_copy(file)] or sorted(files, key=len)[1:]
    others = ", ".join(file for file in files if file != copies[0])
    return Problem(copies[0], f"It has the same id as {others}. Both are kept; merge them or give one another id.")
