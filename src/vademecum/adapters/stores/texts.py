"""Properties of texts in stores: the tokenizer of FTS5, and characters that UTF-8 can encode."""

from typing import Any

from msgspec.structs import fields, replace

from vademecum.domain.item import Edge, Item, Passage

#: Arguments of the FTS5 tokenizer. Marks count as letters: the vowels of Thai and Hindi are marks.
TOKENIZER = ("porter", "unicode61", "remove_diacritics", "2", "categories", "L* N* Co Mn Mc")


def clean(text: str) -> str:
    """Return `text` with lone surrogates, which UTF-8 cannot encode, replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def clean_item(item: Item) -> Item:
    """Return `item` with every character that UTF-8 cannot encode replaced; the same object when there is none."""
    changed: dict[str, Any] = {
        name: tidy
        for name in _TEXTS
        if (tidy := clean(value) if isinstance(value := getattr(item, name), str) else tuple(map(clean, value))) != value
    }
    edges = tuple(Edge(clean(edge.type), clean(edge.target)) for edge in item.edges)
    passages = tuple(map(_clean_passage, item.passages))
    touches = tuple(
        replace(touch, tool=clean(touch.tool), file=clean(touch.file), ref=clean(touch.ref)) for touch in item.touches
    )
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


#: Fields of an item that contain a text or a tuple of texts.
_TEXTS = tuple(field.name for field in fields(Item) if field.type in (str, tuple[str, ...]))
