"""Items as they can be written: every text of theirs in UTF-8."""

from dataclasses import fields, replace
from typing import Any

from vademecum.adapters.stores.texts import clean
from vademecum.model.item import Edge, Item, Passage


def clean_item(item: Item) -> Item:
    """`item` with every character that UTF-8 cannot hold replaced; the very same object when there is none."""
    changed: dict[str, Any] = {
        name: tidy
        for name in _TEXTS
        if (tidy := clean(value) if isinstance(value := getattr(item, name), str) else tuple(map(clean, value))) != value
    }
    edges = tuple(Edge(clean(edge.type), clean(edge.target)) for edge in item.edges)
    passages = tuple(map(_clean_passage, item.passages))
    touches = tuple(replace(one, tool=clean(one.tool), file=clean(one.file), ref=clean(one.ref)) for one in item.touches)
    same = not changed and edges == item.edges and touches == item.touches
    if same and all(new is old for new, old in zip(passages, item.passages, strict=True)):
        return item
    return replace(item, **changed, edges=edges, passages=passages, touches=touches)


def _clean_passage(passage: Passage) -> Passage:
    texts = (passage.text, passage.heading, passage.speaker, passage.ref)
    tidy = tuple(map(clean, texts))
    if tidy == texts:
        return passage
    return replace(passage, text=tidy[0], heading=tidy[1], speaker=tidy[2], ref=tidy[3])


#: Fields of an item that hold text or a tuple of texts.
_TEXTS = tuple(field.name for field in fields(Item) if field.type in (str, tuple[str, ...]))
