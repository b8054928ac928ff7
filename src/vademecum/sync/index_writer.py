"""The one writer of the index: builds items, cleans them, and puts them in.

No text reaches an index on another way, so what the person typed into a note by hand is neither searched nor told (X-21, X-37),
whatever verb touches the note. A house rule holds this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.memory import Memory
from vademecum.index.items import document_item, items_of, memory_item
from vademecum.vault.markup import has_merge_marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vademecum.domain.item import Item
    from vademecum.domain.memory import Document
    from vademecum.domain.session import Session
    from vademecum.guard import Guard
    from vademecum.ports.embedder import Embedder
    from vademecum.ports.index import Index


#: What decides whether and where a memory is told, and holds no text of it.
_PROPERTIES = (
    "space", "path", "status", "tags", "topics", "aliases", "project", "visibility", "trust", "confidence", "importance",
    "confirmations", "always_load", "priority", "pin", "updated", "valid_from", "valid_until", "last_confirmed",
)  # fmt: skip


class Indexed(Struct, frozen=True):
    """A note that was put into the index.

    Attributes:
        key, topics: of its item. redacted: something was taken out of what the file says.
    """

    key: str
    topics: tuple[str, ...]
    redacted: bool


class IndexWriter(Struct, frozen=True):
    """Writes to one index. Every method raises what :class:`vademecum.ports.Index` raises.

    Attributes:
        guard: cleans every text. embedder: makes the vectors; None: there are none to wait for.
    """

    index: Index
    guard: Guard
    embedder: Embedder | None = None

    def over(self, index: Index) -> IndexWriter:
        """Return a writer for another index, such as a substitute in memory."""
        return replace(self, index=index)

    def item_of(self, note: Memory | Document) -> Item:
        """Return the clean item of a memory or a note of the person's, without putting it in."""
        return self._cleaned([_item(note, "")])[0]

    def put_notes(self, notes: Iterable[tuple[Memory | Document, str]], gone: Iterable[str] = ()) -> tuple[Indexed, ...]:
        """Put memories and notes, each with its stat, in the place of what stands there, and drop the keys of `gone`, as one write.

        A renamed note keeps its vectors when its old key is among `gone`. Of a memory with the marks of a merge that nobody finished
        the text that stands in the index goes on standing, whatever verb touched it; only its properties follow.
        """
        items, half_merged = [], []
        for note, stat in notes:
            items.append(_item(note, stat))
            half_merged.append(isinstance(note, Memory) and has_merge_marks(note.body))
        clean = self._cleaned(items)
        self.index.apply([item for item, half in zip(clean, half_merged, strict=True) if not half], gone)
        if any(half_merged):
            self._set_properties([item for item, half in zip(clean, half_merged, strict=True) if half])
        return tuple(Indexed(after.key, after.topics, after is not before) for before, after in zip(items, clean, strict=True))

    def put_sessions(self, sessions: Iterable[tuple[Session, str]]) -> None:
        """Put whole conversations, each with its stat, in the place of what stands there: what was said, and what tools did."""
        self.index.apply(self._cleaned([item for session, stat in sessions for item in items_of(session, stat)]))

    def extend_session(self, session: Session, stat: str) -> None:
        """Put new turns behind those that stand. What is known of the conversation as a whole stays known."""
        result, log = self._cleaned(items_of(session, stat))
        standing = self.index.items([result.key, log.key])
        for item in (log, result):  # the conversation last: its stat says that both were read so far
            known = standing.get(item.key)
            title = known.title if known and not session.title else item.title
            project = known.project if known and not item.project else item.project
            tags = tuple(dict.fromkeys((*(known.tags if known else ()), *item.tags)))
            self.index.extend(replace(item, title=title, project=project, tags=tags))

    def _set_properties(self, items: Sequence[Item]) -> None:
        """Give memories that stand in the index other properties; what they say stays, and that they are to be read again."""
        standing = self.index.items([item.key for item in items])
        for item in items:
            if known := standing.get(item.key):
                self.index.extend(
                    replace(known, **{name: getattr(item, name) for name in _PROPERTIES}, passages=(), touches=())
                )

    def set_tags(self, item: Item, tags: tuple[str, ...]) -> None:
        """Give an item that stands in the index other tags; its passages stay."""
        self.index.extend(replace(item, tags=tags, passages=(), touches=()))

    def set_project(self, item: Item, project: str, folder: str) -> None:
        """Give a conversation that stands in the index another project, and the folder that it follows from; its passages stay."""
        self.index.extend(replace(item, project=project, folder=folder, passages=(), touches=()))

    def remove(self, keys: Iterable[str]) -> None:
        """Drop items by their keys; unknown ones are no error."""
        self.index.apply([], keys)

    def waiting(self) -> int:
        """Return how many passages have no vector of the chosen model yet."""
        if self.embedder is None:
            return 0
        stats = self.index.stats()
        return max(0, stats.passages - stats.vectors.get(self.embedder.model_id, 0))

    def _cleaned(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return the items without what the guard takes out; what an item is found by in its folder stays as the disk has it."""
        clean = self.guard.clean_value(tuple(items))
        return [
            after
            if after is before
            else replace(after, key=before.key, space=before.space, path=before.path, stat=before.stat, digest=before.digest)
            for before, after in zip(items, clean, strict=True)
        ]


def _item(note: Memory | Document, stat: str) -> Item:
    return memory_item(note, stat) if isinstance(note, Memory) else document_item(note, stat)
