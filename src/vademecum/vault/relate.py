"""Write memories and relate them: what replaces, contradicts, confirms or says the same as another.

Every verb reads under the lock, so that what it decides on is what it replaces.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct, structs

from vademecum.domain.errors import Conflict, InvalidInput, NotFound, UnknownWord
from vademecum.domain.memory import QUARANTINED, RELATIONS, STALE, By, Draft, Memory, Space, Status
from vademecum.domain.relations import MAY_REPLACE, Joining
from vademecum.domain.uris import parse_uri
from vademecum.vault import places
from vademecum.vault.callouts import with_callout, without_callouts
from vademecum.vault.change import PLACING, Changer, added, change_of, must_be_texts, no_more_trusted
from vademecum.vault.find import Found
from vademecum.vault.frontmatter import Value, read, render, set_body, set_properties, with_line_ends
from vademecum.vault.journal import Change, Version
from vademecum.vault.properties import UNCHANGEABLE, checked, known_kind
from vademecum.vault.read import LEAVING, File
from vademecum.vault.writer import USER, Operation, version

#: What a new version does not inherit from the one it replaces.
_OF_THE_OLD_TEXT: dict[str, Value] = {"summary": None, "confirmations": None, "last_confirmed": None, "superseded_by": None}
#: Why a memory gave way, when nobody said it otherwise.
_REPLACED = "replaced by a newer memory"
#: Why a new memory was joined to others, by what history calls it.
_BECAUSE = {"supersede": _REPLACED, "dispute": "it says otherwise"}
#: Joined to nothing.
ALONE = Joining()


class Wanted(Struct, frozen=True):
    """What a proposal would make of one memory.

    Attributes:
        properties: that it would get; None removes one. body: that it would get; None: its own. instead_of: the body that was seen.
        path: relative to its space; None: its own. space: name of another space, "" for its own.
    """

    reference: str
    properties: Mapping[str, object]
    body: str | None = None
    instead_of: str | None = None
    path: str | None = None
    space: str = ""


class Relater(Changer):
    """Verbs that write a memory, and those that say what memories are to each other."""

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
        """Write a new memory, and join it to others: both or neither, whenever it is killed, as one action.

        Args:
            joining: what it is to known ones; its `same_as` and `body` do not count.
            path: exactly there, relative to the space; without it the place follows from kind, scope and status.
            group: instead of the one that kind, project and agent give. slug: instead of the one made of the title.
            unique: put -2, -3... behind the slug when it is taken, instead of refusing.

        Raises:
            AlreadyExists: a memory stands there; nothing is overwritten. InvalidInput, UnknownWord: a value does not fit.
        """
        space, text, where = self._drafted(draft, group=group, slug=slug, path=path)
        with self._writer.held("save"):
            project = str(draft.properties.get("project") or "")
            path = self._free(space, where) if unique else self._free_of_project(space, where, project)
            written = version(space.name, path, text)
            memory = self._as_memory(space, path, text)
            joined = self._joining(memory, written, joining)
            self._writer.commit_in_turn([Operation("save", [Change(memory.id, None, written)]), *joined], by)
        return self._written(memory.id) if joined else self.read(space.name, path)

    def save_together(
        self, drafts: Sequence[Draft], op: str, reason: str = "", *, archived: Sequence[str] = (), by: By = USER
    ) -> tuple[Memory, ...]:
        """Write new memories as one operation: all or none, and one undo takes them back. Names that are taken are numbered.

        Args:
            archived: ids of memories that are set aside whole with them.

        Raises:
            InvalidInput, UnknownWord: a value of one does not fit; nothing was written.
        """
        with self._writer.held(op):
            changes: list[Change] = []
            going = [self._finder.one(one) for one in archived]
            gone = [change_of(one, self._archived(one, "archived", reason)) for one in going]
            freed = {(one.memory.space, one.memory.path) for one in going}
            taken: set[tuple[str, str]] = set()
            for draft in drafts:
                space, text, where = self._drafted(draft)
                path = self._free(space, where, taken, freed)
                taken.add((space.name, path))
                changes.append(Change(self._as_memory(space, path, text).id, None, version(space.name, path, text)))
            self._writer.commit(op, [*gone, *changes], by, reason=reason)
            return tuple(self.read(one.after.space, one.after.path) for one in changes if one.after)

    def put_back(self, files: Sequence[File], op: str, reason: str = "", *, by: By = USER) -> tuple[Memory, ...]:
        """Write memories as they lay in another vault, ids and history's evidence along, as one operation. A space that is not here
        becomes a project of the personal one; a name that is taken is numbered.

        Raises:
            InvalidInput: a path leads elsewhere; nothing was written.
        """
        with self._writer.held(op):
            changes: list[Change] = []
            taken: set[tuple[str, str]] = set()
            for file in files:
                here = next((space for space in self.spaces if space.name == file.space), None)
                space, path = (
                    here or self._personal(),
                    file.path if here else f"projects/{places.slugify(file.space)}/{file.path}",
                )
                path = self._free(space, places.check_path(path), taken)
                taken.add((space.name, path))
                changes.append(Change(file.id, None, version(space.name, path, file.text), file.known))
            self._writer.commit(op, changes, by, reason=reason, as_is=True)
            return tuple(self.read(one.after.space, one.after.path) for one in changes if one.after)

    def _written(self, identity: str) -> Memory:
        """Return a memory that was just written, also when whoever wrote it may not read it."""
        space, path = self._writer.placed[identity]
        return self.read(space, path)

    def _drafted(self, draft: Draft, *, group: str = "", slug: str = "", path: str = "") -> tuple[Space, str, str]:
        """Return the space that a new memory goes to, its file's text, and where that shall stand."""
        kind, facet = known_kind(draft.kind)
        now = self._clock.now()
        given = dict(draft.properties)
        if set(given) & UNCHANGEABLE:
            raise InvalidInput(f"{min(set(given) & UNCHANGEABLE)} is allocated by the vault.", "Leave it out.")
        if draft.tags:
            given["tags"] = list(draft.tags)
        given = {"facet": facet or None, "status": "active", **given, "title": draft.title}
        given = {name: value for name, value in given.items() if name != "said" or not _is_now(value, now)}
        properties = {
            **checked(given),
            "kind": kind.name,
            "id": draft.id or self._clock.new_id(),
            "created": now,
            "updated": now,
        }
        space = self._space_for(draft, kind)
        text = render({name: value for name, value in properties.items() if value not in (None, [])}) + draft.body
        memory = self._as_memory(space, "x.md", text)
        slug = places.check_slug(slug, "slug") if slug else places.slugify(draft.title)
        where = self._place(memory, slug, places.check_group(group) if group else None)
        where = places.check_own_path(path) if path else where
        return space, text, places.archive_place(where, now) if memory.status in LEAVING else where

    def evolve(
        self, reference: str, body: str, reason: str, *, new_title: str | None = None, etag: str | None = None, by: By = USER
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
            signed = no_more_trusted(old, by)
            live = set_properties(found.text, {**_OF_THE_OLD_TEXT, **fresh, **title, **signed})
            live = set_body(live, with_line_ends(found.text, body))
            before = version(old.space, old.path, found.text)
            changes = [Change(old.id, before, kept), Change(new_id, None, version(old.space, old.path, live))]
            self._writer.commit("evolve", changes, by, reason=reason)
            return self.read(old.space, old.path)

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
            properties: dict[str, Value] = {"supersedes": added(kept.memory.supersedes, gone.memory.id)}
            text = set_properties(kept.whole, {**properties, "updated": self._clock.now()})
            changes = [change_of(gone, archive), change_of(kept, version(kept.memory.space, kept.memory.path, text))]
            self._writer.commit("supersede", changes, by, reason=reason)
            return self.read(kept.memory.space, kept.memory.path)

    def retire(self, reference: str, reason: str, *, by: By = USER) -> Memory:
        """Say that a memory no longer holds, and that nothing is known to hold in its place."""
        reason = _must_have_reason(reason)
        with self._writer.held("supersede"):
            found = self._finder.one(reference)
            if places.original_place(found.memory.path):
                raise InvalidInput(f"{found.memory.title!r} is {found.memory.status} already.", "Nothing was written.")
            kept = self._archived(found, "superseded", reason, superseded_by=STALE)
            self._writer.commit("supersede", [change_of(found, kept)], by, reason=reason)
            return self.read(kept.space, kept.path)

    def settle(
        self, reference: str, reason: str = "", *, beside: Sequence[str] = (), both: bool = False, by: By = USER
    ) -> tuple[Memory, ...]:
        """Say what holds of memories that contradict each other, or of one that may have taken the place of others: this one, and the
        others give way; or all of them.

        Args:
            beside: ids of others that are in doubt with it: that may have taken its place, or came from the same earlier memory.
            both: they do not contradict or replace each other after all; they stay and are related.

        Returns:
            The one named, then the others.

        Raises:
            InvalidInput: nothing contradicts it, and it replaces nothing.
        """
        with self._writer.held("settle"):
            found = self._finder.one(reference)
            clashing = list(self._still(found.memory.contradicts, "disputed"))
            older = list(self._still(dict.fromkeys((*found.memory.may_replace, *beside)), "active"))
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
                in_doubt = [other for other in older if found.memory.id in other.memory.may_replace]
                older = [other for other in older if other not in in_doubt]
                changes += [
                    self._settled(other, [found.memory.id], related=[found.memory.id]) for other in (*clashing, *in_doubt)
                ]
            else:
                changes += [self._given_way(other, found.memory, why) for other in (*clashing, *older)]
            self._writer.commit("settle", changes, by, reason=reason)
            unchanged = {one.memory.id: one.memory for one in older} if both else {}
            return tuple(unchanged.get(identity) or self._written(identity) for identity in (found.memory.id, *ids))

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
                changes = [self._confirmed(known, by), change_of(found, gone)]
            else:
                values = {"status": "active", **self._approved(found.memory, by), **checked(properties or {})}
                changes = list(self._taken_in(found, joining, values, reason or _REPLACED))
            self._writer.commit(op, changes, by, reason=reason)
            return self._written(changes[0].memory)

    def carry_out(self, proposal: str, wanted: Sequence[Wanted], reason: str = "", *, by: By = USER) -> tuple[Memory, ...]:
        """Change what a proposal would change and put it away, as one operation that one undo takes back.

        Returns:
            The memories that it changed.

        Raises:
            NotFound: one is gone. Conflict: the text of one is not what the proposal saw. Nothing was written.
        """
        with self._writer.held("approve"):
            found = self._finder.one(proposal)
            changes = [self._carried(one, reason) for one in wanted]
            gone = self._archived(found, "archived", reason or "approved and carried out")
            self._writer.commit("approve", [*changes, change_of(found, gone)], by, reason=reason)
            return tuple(self._written(change.memory) for change in changes)

    def _carried(self, one: Wanted, reason: str) -> Change:
        """Return a memory as a proposal would have it."""
        found = self._finder.one(one.reference)
        memory, space = found.memory, self._space(one.space or found.memory.space)
        if one.body is not None and without_callouts(memory.body) != without_callouts(one.instead_of or ""):
            raise Conflict(f"{memory.title!r} says something else since this was proposed. Nothing was written.", "Reject it.")
        properties = checked(one.properties)
        status = properties.get("status")
        if status in LEAVING and not places.original_place(memory.path):
            kept = self._archived(found, "superseded" if status == "superseded" else "archived", reason)
            rest = {name: value for name, value in properties.items() if name != "status"}
            return change_of(found, version(kept.space, kept.path, set_properties(kept.text or "", rest)))
        text = set_properties(found.whole, {**found.reading.repairs, "updated": self._clock.now(), **properties})
        text = text if one.body is None else set_body(text, one.body)
        path = one.path or self._followed(memory, self._as_memory(space, memory.path, text)) or memory.path
        moved = (space.name, path) != (memory.space, memory.path)
        return change_of(found, version(space.name, self._free(space, path) if moved else path, text))

    def link(self, reference: str, relation: str, target: str, *, by: By = USER) -> Memory:
        """Relate a memory to another one (by its id) or to a URI.

        Raises:
            UnknownWord: no relation of RELATIONS. NotFound: the target names no memory.
        """
        if relation not in RELATIONS:
            raise UnknownWord("relation", relation, RELATIONS)
        with self._writer.held("link"):
            found = self._finder.one(reference)
            uri = parse_uri(target)
            outside = uri.kind != "memory" and "://" in target
            named = target if outside else self._finder.one(uri.name).memory.id
            if named == found.memory.id:
                raise InvalidInput("A memory cannot be related to itself.", "Name another one.")
            must_be_texts(relation, read(found.whole).values().get(relation))
            held = read(found.whole).texts().get(relation)
            listed = [str(item) for item in (held if isinstance(held, list) else [held]) if item]
            return self._rewrite("link", found, {relation: added(listed, named)}, by, touch=True)

    def confirm(
        self,
        reference: str,
        *,
        replaces: Sequence[str] = (),
        said: str = "",
        properties: Mapping[str, object] | None = None,
        by: By = USER,
    ) -> Memory:
        """Note that a memory still holds.

        Args:
            replaces: memories that give way to it, in the same go.
            said: in which words it was said again; history holds them. properties: that it shall have besides.
        """
        values = checked(properties or {})
        with self._writer.held("confirm"):
            found = self._finder.one(reference)
            values = {**values, **self._once_more(found.memory, by)}
            if not replaces:
                return self._rewrite("confirm", found, values, by, reason=said, follow=bool(PLACING & values.keys()))
            text = set_properties(found.whole, values)
            space = self._space(found.memory.space)
            path = self._followed(found.memory, self._as_memory(space, found.memory.path, text)) or found.memory.path
            confirmed = version(space.name, path, text)
            joined = self._joining(self._as_memory(space, path, text), confirmed, Joining(replaces=tuple(replaces)))
            self._writer.commit_in_turn([Operation("confirm", [change_of(found, confirmed)], said), *joined], by)
            return self._written(found.memory.id)

    def _confirmed(self, known: Found, by: By) -> Change:
        text = set_properties(known.whole, self._once_more(known.memory, by))
        return change_of(known, version(known.memory.space, known.memory.path, text))

    def _approved(self, memory: Memory, by: By) -> dict[str, Value]:
        """Confirm what an agent proposed and the person took in."""
        return {"last_confirmed": self._clock.now()} if memory.trust == "agent" and by.actor == "user" else {}

    def _once_more(self, memory: Memory, by: By) -> dict[str, Value]:
        """Count an agent that repeats what an agent said, without confirming anything."""
        counted: dict[str, Value] = {"confirmations": memory.confirmations + 1}
        by_its_like = by.actor == "agent" and memory.trust != "user"
        if memory.trust == QUARANTINED and memory.status == "active" and by.actor in ("user", "hand"):
            counted["trust"] = "user"  # what came from outside counts as theirs from here on
        return counted if by_its_like else {**counted, "last_confirmed": self._clock.now()}

    def _taken_in(self, found: Found, joining: Joining, values: Mapping[str, Value], reason: str) -> Iterator[Change]:
        """Yield the memory first, then those that it is joined to."""
        old, space = found.memory, self._space(found.memory.space)
        text = set_properties(found.whole, {**found.reading.repairs, **values, "updated": self._clock.now()})
        text = text if joining.body is None else set_body(text, joining.body)
        fresh = self._as_memory(space, old.path, text)
        path = self._followed(old, fresh) or old.path
        if fresh.title != old.title:
            path = self._free(space, self._place(fresh, places.slugify(fresh.title), places.said_by_path(old.path)[2] or None))
        text, others = self._joined(self._as_memory(space, path, text), text, joining, reason)
        yield change_of(found, version(space.name, path, text))
        yield from others

    def _joining(self, memory: Memory, written: Version, joining: Joining) -> Sequence[Operation]:
        """Return the step that joins a memory written in the same go to others; nothing when there are none."""
        text, others = self._joined(memory, written.text or "", joining, "")
        if text == written.text:
            return []
        changes = [Change(memory.id, written, version(written.space, written.path, text)), *others]
        return [Operation(joining.op, changes, _BECAUSE.get(joining.op, ""))]

    def _joined(self, memory: Memory, text: str, joining: Joining, reason: str) -> tuple[str, Sequence[Change]]:
        """Return the memory's text when it names those that it is joined to, and what becomes of them."""
        gone = [self._finder.one(one) for one in joining.replaces]
        clashing = [self._finder.one(one) for one in joining.contradicts]
        named: dict[str, Value] = {}
        for relation, other in (*joining.links, *(("supersedes", one.memory.id) for one in gone)):
            named[relation] = added(named.get(relation) or getattr(memory, relation), other)  # type: ignore[arg-type]
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
            changes.append(change_of(one, archived))
        return text, changes

    def _disputed(self, found: Found, other: Memory) -> Change:
        memory = found.memory
        return change_of(found, version(memory.space, memory.path, self._disputed_text(found.whole, memory, other)))

    def _disputed_text(self, text: str, memory: Memory, other: Memory) -> str:
        """Return the file's text, saying that `other` says otherwise."""
        if other.id in memory.contradicts and memory.status == "disputed":
            return text
        properties: dict[str, Value] = {"status": "disputed", "contradicts": added(memory.contradicts, other.id)}
        link = f"{places.stem(other.path)}|{other.title}"
        said = without_callouts(other.body) or other.title
        changed = set_properties(text, {**properties, "updated": self._clock.now()})
        return set_body(changed, with_callout(memory.body, link, said))

    def _still(self, references: Iterable[str], status: Status) -> Iterator[Found]:
        """Yield those of them that still have that status; the others gave way, were put away or forgotten meanwhile."""
        for reference in references:
            with contextlib.suppress(NotFound):
                found = self._finder.one(reference)
                if found.memory.status == status:
                    yield found

    def _settled(
        self, found: Found, others: Sequence[str], *, related: Sequence[str] = (), supersedes: Sequence[str] = ()
    ) -> Change:
        """Return the memory standing again, without what contradicted it."""
        memory = found.memory
        rest = [one for one in memory.contradicts if one not in others]
        properties: dict[str, Value] = {"status": "disputed" if rest else "active", "contradicts": rest or None}
        if memory.may_replace:
            properties[MAY_REPLACE] = [one for one in memory.may_replace if one not in others] or None
        for name, wanted in (("related", related), ("supersedes", supersedes)):
            if wanted:
                properties[name] = list(dict.fromkeys([*getattr(memory, name), *wanted]))
        text = set_properties(found.whole, {**properties, "updated": self._clock.now()})
        body = memory.body if rest else without_callouts(memory.body)
        return change_of(found, version(memory.space, memory.path, set_body(text, body)))

    def _given_way(self, found: Found, to: Memory, reason: str) -> Change:
        """Return the memory gone to the archive, without what contradicted it; one that only was older held until the other began to."""
        if to.id not in found.memory.contradicts:
            return change_of(found, self._archived(found, "superseded", reason, superseded_by=to.id, until=to.valid_from))
        text = set_properties(found.text, {"contradicts": [one for one in found.memory.contradicts if one != to.id] or None})
        gone = structs.replace(found, text=set_body(text, without_callouts(found.memory.body)))
        return change_of(found, self._archived(gone, "superseded", reason, superseded_by=to.id))


def _is_now(said: object, now: datetime) -> bool:
    """Return whether something was said on the day on which it is written; its file's time tells that already."""
    return isinstance(said, datetime) and said.tzinfo is not None and abs(now - said) < timedelta(days=1)


def _must_have_reason(reason: str) -> str:
    if not reason.strip():
        raise InvalidInput("A reason is needed.", "Say in a few words why the old memory no longer holds.")
    return str(checked({"superseded_reason": reason})["superseded_reason"])
