"""How a memory is saved, and what the save did."""

from typing import Literal

from msgspec import Struct

from vademecum.domain.memory import Memory
from vademecum.domain.relations import Relation


class SaveOptions(Struct, frozen=True):
    """How a memory is saved, beside its text and properties.

    Attributes:
        space: its name; "": the kind decides.
        supersedes: memories that it replaces, by any reference.
        unique: add a number to the file name if it is taken, instead of refusing.
        relation: to known memories, if the caller knows it (:mod:`vademecum.reconcile.decide`).
        quote: the person's own words on which an agent bases the memory. If they typed them today, it counts as said by them.
        key: short name beside the title, such as KD03; letters alone get the next free number.
        answer_to: the question that it answers, or the id of the recall that asked it; that recall's memories become its sources.
        personal: belongs to no project, even when saved inside one.
    """

    space: str = ""
    supersedes: tuple[str, ...] = ()
    unique: bool = False
    relation: Relation = "new"
    quote: str = ""
    key: str = ""
    answer_to: str = ""
    personal: bool = False


#: Nothing of it is given.
USUAL = SaveOptions()


class Saved(Struct, frozen=True):
    """Result of a save: a memory was written, or an equal one confirmed.

    Attributes:
        action: "saved", "confirmed" (it was already known), "superseded" (it replaced `replaced`), "disputed" (it conflicts
            with `related`, and both stay), "inbox", "refused", or "dropped" (the review mode discards such a candidate).
        replaced: ids of the superseded memories; titles: their titles. related: ids of linked memories.
        unclear: id of a memory on the same subject whose relation to this one cannot be decided from the words; "" for none.
        likely: id of a memory that this one may replace (property `may_replace`); both stay until somebody settles it; "" for none.
        asked: whether a language model will be asked about `unclear`.
        warnings: what the guard changed or noticed; never the secret itself.
        note: what happens later, such as missing embeddings.
    """

    action: Literal["saved", "confirmed", "superseded", "disputed", "inbox", "refused", "dropped"]
    memory: Memory | None
    replaced: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    note: str = ""
    related: tuple[str, ...] = ()
    unclear: str = ""
    likely: str = ""
    asked: bool = False
    titles: tuple[str, ...] = ()
