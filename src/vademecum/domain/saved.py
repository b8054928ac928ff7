"""What a save did."""

from typing import Literal

from msgspec import Struct

from vademecum.domain.memory import Memory


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
