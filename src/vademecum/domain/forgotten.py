"""What was forgotten at the person's wish, without saying what it was: tombstones, and the report of a forgetting."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct


class Digest(Struct, frozen=True):
    """A sequence of words that must not come back, as a keyed hash.

    Attributes:
        words: how many. gate: 16 bits of the hash of the first one, so that most places need no further look.
        value: 128 bits of the hash of all, hexadecimal.
    """

    words: int
    gate: int
    value: str


class Tombstone(Struct, frozen=True):
    """One forgetting. It travels with the vault, so that every device carries it out and nothing is mined again.

    Attributes:
        id: sortable by time. salt: key of the hashes; shared by the tombstones of a vault.
        memories: ids of memories that were forgotten. sources: URIs of which nothing may be taken any more.
        digests: of their sentences, or of the words that were named.
        everywhere: the words go from every text of ours; False: from copies of conversations and from handoffs only, because
            another memory may say the same.
    """

    id: str
    time: str
    salt: str
    memories: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    digests: tuple[Digest, ...] = ()
    everywhere: bool = False


class ToErase(Struct, frozen=True):
    """A memory in a plan or a list: what a person knows it by, and why it is there."""

    id: str
    title: str
    place: str
    why: str = ""


class Beyond(Struct, frozen=True):
    """A copy that we cannot or must not touch, and what the person can do about it."""

    what: str
    command: str = ""


class Searched(Struct, frozen=True):
    """One line of the proof.

    Attributes:
        place: what was searched. files, bytes: how much of it. found: where the words still stand.
    """

    place: str
    files: int
    bytes: int
    found: tuple[str, ...] = ()


class Forgetting(Struct, frozen=True):
    """What a forgetting will do (`done` False) or did.

    Attributes:
        memories: those that go. conversations: URIs of those that go whole. quoting: conversations that lose sentences.
        derived: memories that came of the forgotten ones or quote them, for the person to decide.
        removed: place -> how many things went from there.
        beyond: copies out of reach. proof: the search at the end.
        words_known: False: the words themselves are no longer known (a killed forgetting was completed), so the proof looked for
            their hashes.
        notes: paths of the person's own notes that hold the words; they are theirs, so the index goes on holding them too.
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
