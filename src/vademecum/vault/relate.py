"""Relate memories to each other: replace, contradict, confirm, merge duplicates, link.

Every verb reads under the lock, so that its decision is based on the text that it overwrites.
"""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from vademecum.domain.errors import Conflict, InvalidInput, NotFound, UnknownWord
from vademecum.domain.item import Status
from vademecum.domain.memory import QUARANTINED, RELATIONS, STALE, By, Memory
from vademecum.domain.relations import MAY_REPLACE, Joining
from vademecum.domain.uris import parse_uri
from vademecum.vault import places
from vademecum.vault.callouts import with_callouts_of, without_callouts
from vademecum.vault.change import PLACING, added, must_be_texts
from vademecum.vault.find import Finder, Found
from vademecum.vault.frontmatter import Value, read, set_body, set_properties
from vademecum.vault.journal import Change
from vademecum.vault.locations import Locations
from vademecum.vault.property_checks import LEAVING, checked
from vademecum.vault.read import Reader
from vademecum.vault.revise import Reviser, Revision
from vademecum.vault.save import REPLACED, Joiner, must_have_reason
from vademecum.vault.writer import USER, Operation, Writer


class Wanted(Struct, frozen=True, rename={"reference": "memory", "properties": "set"}):
    """The change to one memory that a proposal asks for. The names of its fields in a proposal are those in `rename`.

    Attributes:
        properties: to set; None removes one. body: new text; None: unchanged. instead_of: the text that the proposal was based on.
        path: relative to its space; None: unchanged. space: name of another space, "" for the same one.
    """

    reference: str
    properties: Mapping[str, object]
    body: str | None = None
    instead_of: str | None = None
    path: str | None = None
    space: str = ""


class Relater:
    """Verbs that relate memories to each other."""

    def __init__(
        self, locations: Locations, finder: Finder, reader: Reader, writer: Writer, reviser: Reviser, joiner: Joiner
    ) -> None:
        self._locations, self._finder, self._reader, self._writer = locations, finder, reader, writer
        self._reviser, self._joiner = reviser, joiner

    def supersede(self, old: str, new: str, reason: str, *, by: By = USER) -> Memory:
        """Replace one existing memory by another: link both, and archive the old one.

        Returns:
            The new one.
        """
        reason = must_have_reason(reason)
        with self._writer.held("supersede"):
            gone, kept = self._finder.one(old), self._finder.one(new)
            if gone.memory.id == kept.memory.id:
                raise InvalidInput("A memory cannot replace itself.", "Name two, or use: vade evolve")
            archived = self._reviser.archived(gone, "superseded", reason, kept.memory.id, kept.memory.valid_from)
            properties: dict[str, Value] = {"supersedes": added(kept.memory.supersedes, gone.memory.id)}
            change = kept.to(set_properties(kept.whole, {**properties, "updated": self._writer.now()}))
            self._writer.commit("supersede", [gone.to(*archived), change], by, reason=reason)
            return self._reader.of([change])[0]

    def retire(self, reference: str, reason: str, *, by: By = USER) -> Memory:
        """Mark a memory as no longer valid, without a known replacement, and archive it."""
        reason = must_have_reason(reason)
        with self._writer.held("supersede"):
            match = self._finder.one(reference)
            if places.original_place(match.memory.path):
                raise InvalidInput(f"{match.memory.title!r} is {match.memory.status} already.", "Nothing was written.")
            change = match.to(*self._reviser.archived(match, "superseded", reason, STALE))
            self._writer.commit("supersede", [change], by, reason=reason)
            return self._reader.of([change])[0]

    def settle(
        self, reference: str, reason: str = "", *, beside: Sequence[str] = (), both: bool = False, by: By = USER
    ) -> tuple[Memory, ...]:
        """Resolve a conflict or possible replacement: keep this memory and supersede the others, or keep all.

        Args:
            beside: ids of further memories in the same conflict: ones it may replace, or ones derived from the same earlier memory.
            both: they do not conflict after all; all stay and are linked as related.

        Returns:
            The given memory, then the others.

        Raises:
            InvalidInput: the memory neither conflicts with another nor may replace one.
        """
        with self._writer.held("settle"):
            found = self._finder.one(reference)
            clashing = list(self._still(found.memory.contradicts, found.memory.status))  # both active: linked by hand
            older = list(self._still(dict.fromkeys((*found.memory.may_replace, *beside)), "active"))
            if found.memory.status != "disputed" and not (clashing or older):
                raise InvalidInput(
                    f"Nothing contradicts {found.memory.title!r}, and it takes no other's place.",
                    "See what is open: vade settle --open, vade list --status disputed",
                )
            ids = [other.memory.id for other in (*clashing, *older)]
            named = [*ids, *(entry for entry in found.memory.contradicts if entry not in ids)]
            changes = [self._settled(found, named, related=ids if both else (), supersedes=() if both else ids)]
            why = reason or f"settled: {found.memory.title} holds"
            if both:
                uncertain = [other for other in older if found.memory.id in other.memory.may_replace]
                older = [other for other in older if other not in uncertain]
                changes += [
                    self._settled(other, [found.memory.id], related=[found.memory.id]) for other in (*clashing, *uncertain)
                ]
            else:
                changes += [self._given_way(other, found.memory, why) for other in (*clashing, *older)]
            self._writer.commit("settle", changes, by, reason=reason)
            unchanged = {match.memory.id: match.memory for match in older} if both else {}
            return tuple(unchanged.get(identity) or self._reader.written(identity) for identity in (found.memory.id, *ids))

    def part(self, references: Iterable[str], gone: Collection[str], *, by: By = USER) -> None:
        """End the conflicts of memories with others that are about to be erased, as one operation.

        Args:
            gone: ids of the others.
        """
        with self._writer.held("settle", always=True):  # a part of forgetting, which works while memory is switched off
            matches = [self._finder.one(reference) for reference in dict.fromkeys(references)]
            changes = [
                self._settled(match, tuple(gone))
                for match in matches
                if not set(gone).isdisjoint((*match.memory.contradicts, *match.memory.may_replace))
            ]
            if changes:
                self._writer.commit("settle", changes, by, reason="the other one is gone")

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
        """Activate a pending memory and join it to others, as one operation with one undo.

        Args:
            properties: further properties to set, or another status.

        Returns:
            The memory that has the content now: this one, or an existing duplicate.
        """
        with self._writer.held(op):
            match = self._finder.one(reference)
            if joining.same_as:
                known = self._finder.one(joining.same_as)
                gone = self._reviser.archived(match, "superseded", reason or "it says the same", known.memory.id)
                confirmed = set_properties(known.whole, self._once_more(known.memory, by))
                changes = [known.to(confirmed), match.to(*gone)]
            else:
                is_theirs = match.memory.trust == "agent" and by.actor == "user"  # the person accepts an agent's proposal
                confirmation: dict[str, Value] = {"last_confirmed": self._writer.now()} if is_theirs else {}
                values = {"status": "active", **confirmation, **checked(properties or {})}
                changes = list(self._taken_in(match, joining, values, reason or REPLACED))
            self._writer.commit(op, changes, by, reason=reason)
            return self._reader.written(changes[0].memory)

    def carry_out(self, proposal: str, wanted: Sequence[Wanted], reason: str = "", *, by: By = USER) -> tuple[Memory, ...]:
        """Apply the changes of a proposal and archive it, as one operation with one undo.

        Returns:
            The changed memories.

        Raises:
            NotFound: one is gone. Conflict: the text of one has changed since the proposal. Nothing was written.
        """
        with self._writer.held("approve"):
            match = self._finder.one(proposal)
            changes = [self._carried(planned, reason) for planned in wanted]
            gone = match.to(*self._reviser.archived(match, "archived", reason or "approved and carried out"))
            self._writer.commit("approve", [*changes, gone], by, reason=reason)
            return tuple(self._reader.written(change.memory) for change in changes)

    def _carried(self, wanted: Wanted, reason: str) -> Change:
        """Return the change that a proposal asks for."""
        match = self._finder.one(wanted.reference)
        memory, space = match.memory, self._locations.space(wanted.space or match.memory.space)
        if wanted.body is not None and without_callouts(memory.body) != without_callouts(wanted.instead_of or ""):
            raise Conflict(f"{memory.title!r} says something else since this was proposed. Nothing was written.", "Reject it.")
        properties = checked(wanted.properties)
        status = properties.get("status")
        if status in LEAVING and not places.original_place(memory.path):
            text, path = self._reviser.archived(match, "superseded" if status == "superseded" else "archived", reason)
            rest = {name: value for name, value in properties.items() if name != "status"}
            return match.to(set_properties(text, rest), path)
        text = set_properties(match.whole, {**match.reading.repairs, "updated": self._writer.now(), **properties})
        text = text if wanted.body is None else set_body(text, wanted.body)
        path = wanted.path or self._locations.followed(memory, space, text)
        moved = (space.name, path) != (memory.space, memory.path)
        return match.to(text, self._locations.free(space, path) if moved else path, space.name)

    def link(self, reference: str, relation: str, target: str, *, by: By = USER) -> Memory:
        """Link a memory to another one (by its id) or to a URI.

        Raises:
            UnknownWord: the relation is not in RELATIONS. NotFound: the target is no memory.
        """
        if relation not in RELATIONS:
            raise UnknownWord("relation", relation, RELATIONS)
        with self._writer.held("link"):
            match = self._finder.one(reference)
            uri = parse_uri(target)
            outside = uri.kind != "memory" and "://" in target
            named = target if outside else self._finder.one(uri.name).memory.id
            if named == match.memory.id:
                raise InvalidInput("A memory cannot be related to itself.", "Name another one.")
            must_be_texts(relation, read(match.whole).values().get(relation))
            held = read(match.whole).texts().get(relation)
            listed = [str(item) for item in (held if isinstance(held, list) else [held]) if item]
            return self._reviser.commit("link", match, Revision({relation: added(listed, named)}), by)

    def confirm(
        self,
        reference: str,
        *,
        replaces: Sequence[str] = (),
        said: str = "",
        properties: Mapping[str, object] | None = None,
        by: By = USER,
    ) -> Memory:
        """Record that a memory is still valid.

        Args:
            replaces: memories that it supersedes in the same operation.
            said: the words by which it was confirmed; saved in history. properties: further properties to set.
        """
        values = checked(properties or {})
        with self._writer.held("confirm"):
            match = self._finder.one(reference)
            values = {**values, **self._once_more(match.memory, by)}
            if not replaces:
                follow = bool(PLACING & values.keys())
                return self._reviser.commit("confirm", match, Revision(values, touch=False, follow=follow, reason=said), by)
            text = set_properties(match.whole, values)
            space = self._locations.space(match.memory.space)
            path = self._locations.followed(match.memory, space, text)
            memory = self._locations.as_memory(space, path, text)
            joined = self._joiner.operations(memory, text, Joining(replaces=tuple(replaces)))
            self._writer.commit_in_turn([Operation("confirm", [match.to(text, path)], said), *joined], by)
            return self._reader.written(match.memory.id)

    def _once_more(self, memory: Memory, by: By) -> dict[str, Value]:
        """Return the properties that count one more confirmation. An agent repeating an agent only increases the count."""
        counted: dict[str, Value] = {"confirmations": memory.confirmations + 1}
        by_its_like = by.actor == "agent" and memory.trust != "user"
        if memory.trust == QUARANTINED and memory.status == "active" and by.actor in ("user", "hand"):
            counted["trust"] = "user"  # external content that the person confirms counts as theirs
        return counted if by_its_like else {**counted, "last_confirmed": self._writer.now()}

    def _taken_in(self, match: Found, joining: Joining, values: Mapping[str, Value], reason: str) -> Iterator[Change]:
        """Yield the change of the memory, then those of the memories that it is joined to."""
        old, space = match.memory, self._locations.space(match.memory.space)
        text = set_properties(match.whole, {**match.reading.repairs, **values, "updated": self._writer.now()})
        text = text if joining.body is None else set_body(text, joining.body)
        fresh = self._locations.as_memory(space, old.path, text)
        path = self._locations.followed(old, space, text)
        if fresh.title != old.title:
            path = self._locations.free(
                space, self._locations.place(fresh, places.slugify(fresh.title), places.said_by_path(old.path)[2] or None)
            )
        text, others = self._joiner.joined(self._locations.as_memory(space, path, text), text, joining, reason)
        yield match.to(text, path)
        yield from others

    def _still(self, references: Iterable[str], status: Status) -> Iterator[Found]:
        """Yield the memories that still have this status; others were superseded, archived or forgotten meanwhile."""
        return (match for match in self._known(references) if match.memory.status == status)

    def _known(self, references: Iterable[str]) -> Iterator[Found]:
        for reference in references:
            with contextlib.suppress(NotFound):
                yield self._finder.one(reference)

    def _settled(
        self, match: Found, others: Sequence[str], *, related: Sequence[str] = (), supersedes: Sequence[str] = ()
    ) -> Change:
        """Return the change that removes settled conflicts from a memory and reactivates it if none is left."""
        memory = match.memory
        rest = [reference for reference in memory.contradicts if reference not in others]
        status = "disputed" if rest and memory.status == "disputed" else "active"
        properties: dict[str, Value] = {"status": status, "contradicts": rest or None}
        if memory.may_replace:
            properties[MAY_REPLACE] = [reference for reference in memory.may_replace if reference not in others] or None
        for name, wanted in (("related", related), ("supersedes", supersedes)):
            if wanted:
                properties[name] = list(dict.fromkeys([*getattr(memory, name), *wanted]))
        text = set_properties(match.whole, {**properties, "updated": self._writer.now()})
        body = with_callouts_of(memory.body, [places.stem(other.memory.path) for other in self._known(rest)])
        return match.to(set_body(text, body))

    def _given_way(self, match: Found, to: Memory, reason: str) -> Change:
        """Return the change that archives a superseded memory, without its conflict with `to`.

        A memory that did not conflict with `to` was valid until `to` began.
        """
        if to.id not in match.memory.contradicts:
            return match.to(*self._reviser.archived(match, "superseded", reason, to.id, to.valid_from))
        text = set_properties(
            match.text, {"contradicts": [reference for reference in match.memory.contradicts if reference != to.id] or None}
        )
        gone = structs.replace(match, text=set_body(text, without_callouts(match.memory.body)))
        return match.to(*self._reviser.archived(gone, "superseded", reason, to.id))
