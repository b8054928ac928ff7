"""Join a memory to others in the operation that writes it: it supersedes them, contradicts them or links to them."""

from collections.abc import Sequence

from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import Memory
from vademecum.domain.relations import MAY_REPLACE, Joining
from vademecum.vault import places
from vademecum.vault.callouts import with_callout, without_callouts
from vademecum.vault.change import added
from vademecum.vault.find import Finder, Found
from vademecum.vault.frontmatter import Value, set_body, set_properties
from vademecum.vault.journal import Change, Version
from vademecum.vault.locations import Locations
from vademecum.vault.property_checks import checked
from vademecum.vault.revise import Reviser, change_of
from vademecum.vault.writer import Operation, Writer, version

#: Default reason for superseding a memory.
REPLACED = "replaced by a newer memory"
#: Reason recorded for joining a new memory to others, by the name of the operation.
_BECAUSE = {"supersede": REPLACED, "dispute": "it says otherwise"}
#: No relation to other memories.
ALONE = Joining()


class Joiner:
    """Computes the changes in a memory and in others when they are joined."""

    def __init__(self, locations: Locations, finder: Finder, writer: Writer, reviser: Reviser) -> None:
        self._locations, self._finder, self._writer, self._reviser = locations, finder, writer, reviser

    def operations(self, memory: Memory, written: Version, joining: Joining) -> Sequence[Operation]:
        """Return the operation that joins a memory, written just before in the same action, to others; empty if there are none."""
        text, others = self.joined(memory, written.text or "", joining, "")
        if text == written.text:
            return []
        changes = [Change(memory.id, written, version(written.space, written.path, text)), *others]
        return [Operation(joining.op, changes, _BECAUSE.get(joining.op, ""))]

    def joined(self, memory: Memory, text: str, joining: Joining, reason: str) -> tuple[str, Sequence[Change]]:
        """Return the memory's text with its relations, and the changes of the related memories."""
        gone = [self._finder.one(reference) for reference in joining.replaces]
        clashing = [self._finder.one(reference) for reference in joining.contradicts]
        named: dict[str, Value] = {}
        for relation, other in (*joining.links, *(("supersedes", found.memory.id) for found in gone)):
            named[relation] = added(named.get(relation) or getattr(memory, relation), other)  # type: ignore[arg-type]
        joined = {
            *(other for relation, other in joining.links if relation != MAY_REPLACE),
            *joining.replaces,
            *joining.contradicts,
        }
        if joined.intersection(memory.may_replace):  # a suspected replacement is now decided
            named[MAY_REPLACE] = [reference for reference in memory.may_replace if reference not in joined] or None
        text = set_properties(text, named) if named else text
        for match in clashing:
            text = self._disputed_text(
                text, self._locations.as_memory(self._locations.space(memory.space), memory.path, text), match.memory
            )
        changes = [self._disputed(found, memory) for found in clashing]
        for match in gone:
            archived = self._reviser.archived(
                match, "superseded", reason or REPLACED, superseded_by=memory.id, until=memory.valid_from
            )
            changes.append(change_of(match, archived))
        return text, changes

    def _disputed(self, match: Found, other: Memory) -> Change:
        memory = match.memory
        return change_of(match, version(memory.space, memory.path, self._disputed_text(match.whole, memory, other)))

    def _disputed_text(self, text: str, memory: Memory, other: Memory) -> str:
        """Return the file's text with the status "disputed" and a callout for `other`."""
        if other.id in memory.contradicts and memory.status == "disputed":
            return text
        properties: dict[str, Value] = {"status": "disputed", "contradicts": added(memory.contradicts, other.id)}
        link = f"{places.stem(other.path)}|{other.title}"
        entry = without_callouts(other.body) or other.title
        changed = set_properties(text, {**properties, "updated": self._writer.now()})
        return set_body(changed, with_callout(memory.body, link, entry))


def must_have_reason(reason: str) -> str:
    if not reason.strip():
        raise InvalidInput("A reason is needed.", "Say in a few words why the old memory no longer holds.")
    return str(checked({"superseded_reason": reason})["superseded_reason"])
