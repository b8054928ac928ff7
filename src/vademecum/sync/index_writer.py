"""The only writer of the index: builds items, cleans them with the guard, and writes them.

No text enters an index in any other way, so secrets and hidden text in a hand-written note are neither searched nor shown
(X-21, X-37), whatever verb touches the note. A house rule enforces this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import IndexDamaged, Locked, WriteFailed
from vademecum.domain.memory import Memory
from vademecum.index.items import document_item, items_of, memory_item
from vademecum.sync.behind import fall_behind
from vademecum.sync.embed_backlog import embed_now, remember_labels
from vademecum.vault.markup import has_merge_marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vademecum.context.context import Context
    from vademecum.domain.item import Item
    from vademecum.domain.memory import Document
    from vademecum.domain.session import Session
    from vademecum.guard import Guard
    from vademecum.ports.embedder import Embedder
    from vademecum.ports.index import Index


#: Properties that decide whether and where a memory is shown, none of which contains its text.
_PROPERTIES = (
    "space", "path", "status", "tags", "topics", "aliases", "project", "visibility", "trust", "confidence", "importance",
    "confirmations", "always_load", "priority", "pin", "updated", "valid_from", "valid_until", "last_confirmed",
)  # fmt: skip


class Indexed(Struct, frozen=True):
    """A note that was indexed.

    Attributes:
        key, topics: of its item. redacted: the guard removed part of the text.
    """

    key: str
    topics: tuple[str, ...]
    redacted: bool


class IndexWriter(Struct, frozen=True):
    """Writes to one index. Every method raises what :class:`vademecum.ports.Index` raises.

    Attributes:
        guard: cleans every text. embedder: makes the vectors; None: no vectors.
    """

    index: Index
    guard: Guard
    embedder: Embedder | None = None

    def over(self, index: Index) -> IndexWriter:
        """Return a writer for another index, such as a temporary one in memory."""
        return replace(self, index=index)

    def item_of(self, note: Memory | Document) -> Item:
        """Return the clean item of a memory or a note of the person's, without writing it."""
        return self._cleaned([_item(note, "")])[0]

    def put_notes(self, notes: Iterable[tuple[Memory | Document, str]], gone: Iterable[str] = ()) -> tuple[Indexed, ...]:
        """Write memories and notes, each with its stat, over their current items, and drop the keys in `gone`, as one write.

        A renamed note keeps its vectors if its old key is in `gone`. For a memory with conflict markers of an unfinished merge
        the index keeps the earlier text and updates only the properties.
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
        """Write complete conversations, each with its stat, over their current items: the turns and the tool calls."""
        self.index.apply(self._cleaned([item for session, stat in sessions for item in items_of(session, stat)]))

    def extend_session(self, session: Session, stat: str) -> None:
        """Append new turns to the stored ones. Properties of the whole conversation are kept."""
        result, log = self._cleaned(items_of(session, stat))
        standing = self.index.items([result.key, log.key])
        for item in (log, result):  # the conversation last: its stat says that both items are complete up to here
            known = standing.get(item.key)
            title = known.title if known and not session.title else item.title
            project = known.project if known and not item.project else item.project
            tags = tuple(dict.fromkeys((*(known.tags if known else ()), *item.tags)))
            self.index.extend(replace(item, title=title, project=project, tags=tags))

    def _set_properties(self, items: Sequence[Item]) -> None:
        """Update properties of indexed memories; their text and their stat stay, so that the file is read again later."""
        standing = self.index.items([item.key for item in items])
        for item in items:
            if known := standing.get(item.key):
                self.index.extend(
                    replace(known, **{name: getattr(item, name) for name in _PROPERTIES}, passages=(), touches=())
                )

    def set_tags(self, item: Item, tags: tuple[str, ...]) -> None:
        """Replace the tags of an indexed item; its passages stay."""
        self.index.extend(replace(item, tags=tags, passages=(), touches=()))

    def set_project(self, item: Item, project: str, folder: str) -> None:
        """Replace the project of an indexed conversation, and the folder it was derived from; its passages stay."""
        self.index.extend(replace(item, project=project, folder=folder, passages=(), touches=()))

    def remove(self, keys: Iterable[str]) -> None:
        """Drop items by their keys; unknown ones are ignored."""
        self.index.apply([], keys)

    def waiting(self) -> int:
        """Return the number of passages without a vector of the chosen model."""
        if self.embedder is None:
            return 0
        stats = self.index.stats()
        return max(0, stats.passages - stats.vectors.get(self.embedder.model_id, 0))

    def _cleaned(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return the items cleaned by the guard. Key and place of an item stay as on disk."""
        clean = self.guard.clean_value(tuple(items))
        return [
            after
            if after is before
            else replace(after, key=before.key, space=before.space, path=before.path, stat=before.stat, digest=before.digest)
            for before, after in zip(items, clean, strict=True)
        ]


def index_written(context: Context, memories: Sequence[tuple[Memory, str]], gone: Iterable[str]) -> None:
    """Index and embed what an operation of the vault wrote, and drop what it removed, so that the next question sees it.

    The vault calls this after each operation but an erasure; other code need not. A damaged index is rebuilt instead. If the index
    cannot be written now, a later sync catches up from the files.

    Args:
        memories: each with the stat of its file. gone: ids of memories without a file.

    Raises:
        IndexDamaged: it cannot be rebuilt.
    """
    try:
        indexed = context.indexer.put_notes(memories, [f"memory://{identity}" for identity in gone])
        embed_now(context.index, context.models.embedder, (memory.uri for memory, _ in memories))
        remember_labels(context.models.embedder, (topic for note in indexed for topic in note.topics))
    except IndexDamaged:
        if context.rebuild_index is None:
            raise
        context.rebuild_index(context)
    except (Locked, WriteFailed) as error:
        fall_behind(context, error)


def _item(note: Memory | Document, stat: str) -> Item:
    return memory_item(note, stat) if isinstance(note, Memory) else document_item(note, stat)
