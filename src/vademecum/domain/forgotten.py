"""Tombstones of content that was forgotten at the person's request, which do not reveal it, and the report of a forgetting."""

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct

#: What a name to forget by is: any reference to a memory, a URI, words that a memory contains, or a question that finds it.
Forgettable = Literal["memory", "source", "subject", "query"]


class Digest(Struct, frozen=True):
    """A keyed hash of a sequence of words that must not return.

    Attributes:
        words: number of words. gate: 16 bits of the hash of the first one, to skip most positions of a text cheaply.
        value: 128 bits of the hash of all, hexadecimal.
        alone: only a sentence of these words alone is meant; they are too common to identify a longer one.
    """

    words: int
    gate: int
    value: str
    alone: bool = False


class Tombstone(Struct, frozen=True):
    """One forgetting. It is stored in the vault, so that every device applies it and nothing is extracted again.

    Attributes:
        id: sortable by time. salt: key of the hashes; shared by the tombstones of a vault.
        memories: ids of forgotten memories. sources: URIs from which nothing may be extracted any more.
        digests: of their sentences, or of the words that were named.
        everywhere: remove the words from every text of ours; False: only from copies of conversations and from handoffs,
            because another memory may contain them.
    """

    id: str
    time: str
    salt: str
    memories: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    digests: tuple[Digest, ...] = ()
    everywhere: bool = False


class ToErase(Struct, frozen=True):
    """A memory in a plan or a list, as a person recognises it, and why it is listed."""

    id: str
    title: str
    place: str
    why: str = ""


class Beyond(Struct, frozen=True):
    """A copy that we cannot or must not change, and what the person can do about it."""

    what: str
    command: str = ""


class Searched(Struct, frozen=True):
    """One line of the final search that proves the removal.

    Attributes:
        place: what was searched. files, bytes: amount that was searched. found: where the words still occur.
    """

    place: str
    files: int
    bytes: int
    found: tuple[str, ...] = ()


class Forgetting(Struct, frozen=True):
    """The plan (`done` False) or the result of a forgetting.

    Attributes:
        memories: memories that are removed. conversations: URIs of conversations removed completely. quoting: conversations
            from which sentences are removed.
        derived: memories that were derived from the forgotten ones or quote them; the person decides about these.
        removed: place -> number of removed entries.
        beyond: copies out of reach. proof: the search at the end.
        words_known: False: the words themselves are no longer known (an interrupted forgetting was completed), so the proof
            searched for their hashes.
        notes: paths of the person's own notes that contain the words; they are not changed and remain indexed.
    """

    done: bool
    tombstone: str = ""
    memories: tuple[ToErase, ...] = ()
    conversations: tuple[str, ...] = ()
    quoting: tuple[str, ...] = ()
    derived: tuple[ToErase, ...] = ()
    removed: Mapping[str, int] = msgspec.field(default_factory=dict)
    beyond: tuple[Beyond, ...] = ()
    proof: tuple[Searched, ...] = ()
    words_known: bool = True
    completed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
