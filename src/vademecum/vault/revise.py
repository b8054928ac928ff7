"""Rewrite one memory's file: with other properties, another text, or at another place."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from vademecum.domain.errors import Conflict
from vademecum.domain.item import Status
from vademecum.domain.memory import TRUST_OF, TRUSTS, By, Memory
from vademecum.vault import places
from vademecum.vault.find import Found
from vademecum.vault.frontmatter import Value, set_body, set_properties, with_line_ends
from vademecum.vault.locations import Locations
from vademecum.vault.property_checks import checked
from vademecum.vault.read import Reader
from vademecum.vault.writer import Writer


class Revision(Struct, frozen=True):
    """Changes to a memory's file.

    Attributes:
        properties: to set; None removes one. body: new text; None: unchanged.
        path, space: new place; None and "": unchanged.
        touch: set `updated`. follow: move the file if it is at the place given by its old properties. reason: for the history.
    """

    properties: Mapping[str, Value]
    body: str | None = None
    path: str | None = None
    space: str = ""
    touch: bool = True
    follow: bool = False
    reason: str = ""


class Reviser:
    """Rewrites one memory's file. The caller must hold the lock."""

    def __init__(self, locations: Locations, reader: Reader, writer: Writer) -> None:
        self._locations, self._reader, self._writer = locations, reader, writer

    def commit(self, op: str, found: Found, revision: Revision, by: By) -> Memory:
        """Write a file as one operation, if anything changes. A missing id or kind is added as well.

        Raises:
            AlreadyExists: there is a file at the new place. Conflict: the file lost its text.
        """
        old = found.memory
        if not found.text.strip(" \t\r\n\0\ufeff"):
            raise Conflict(
                f"The file of {old.title!r} is empty. Nothing was written.", "See what became of its text: vade sync"
            )
        changes, body, path = revision.properties, revision.body, revision.path
        body = None if body is None else with_line_ends(found.text, body)
        if body is not None and not by.verbatim and old.body in (f"{body}\n", f"{body}\r\n"):
            body = old.body  # only the final newline is missing, which would be added again
        words = {"title": old.title, "summary": old.summary}
        if body not in (None, old.body) or any(changes.get(name, held) != held for name, held in words.items()):
            changes = {**changes, **no_more_trusted(old, by)}
        whole = found.whole
        text = set_properties(whole, changes) if changes else whole
        if text == whole and body in (None, old.body) and path is None and not revision.space:
            return old
        due: dict[str, Value] = {**found.reading.repairs, **({"updated": self._writer.now()} if revision.touch else {})}
        due = {name: value for name, value in due.items() if name not in changes}
        text = set_properties(text, due) if due else text
        text = text if body is None else set_body(text, body)
        target = self._locations.space(revision.space or old.space)
        if revision.follow and path is None:
            path = self._locations.followed(old, target, text)
        path = path or old.path
        if (target.name, path) == (old.space, old.path) and text == whole:
            return old
        is_same_file = target.name == old.space and places.on_any_disk(path) == places.on_any_disk(old.path)
        if not is_same_file:
            self._locations.must_be_free(target, path)
        self._writer.commit(op, [found.to(text, path, target.name)], by, reason=revision.reason)
        return self._reader.read(target.name, path)

    def archived(
        self, found: Found, status: Status, reason: str, superseded_by: str = "", until: datetime | None = None
    ) -> tuple[str, str]:
        """Return the text and path of a file as it goes to the archive, with status, date and reason.

        Args:
            until: end of its validity; None: now.
        """
        memory, now, number = found.memory, self._writer.now(), 1
        root = Path(self._locations.space(memory.space).root)
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
        return set_properties(found.whole, properties), places.archive_place(original, now, number)


def no_more_trusted(memory: Memory, by: By) -> dict[str, Value]:
    """Return the property that lowers a memory's trust to that of `by`, who changed its text; {} if it is no higher."""
    own = "user" if by.quoted else TRUST_OF[by.actor]
    return {"trust": own} if TRUSTS.index(own) > TRUSTS.index(memory.trust) else {}
