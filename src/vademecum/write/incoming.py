"""Clean text on its way into memory: remove what this program added for display, and parse a frontmatter block at the top.

An agent reads a memory and writes back what it read; a person pastes an answer or a complete note. Every text passes here,
whatever the entry point (:mod:`vademecum.write.gate`).
"""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.ids import SHORT_ID_CHARS
from vademecum.domain.kinds import FACETS, KINDS
from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.memory import PROPERTY_ORDER, STATUSES, Draft
from vademecum.domain.query import PREAMBLE
from vademecum.language.checkboxes import without_box
from vademecum.vault.frontmatter import read
from vademecum.vault.property_checks import UNCHANGEABLE

#: Maximum length of a title derived from a text, in characters.
TITLE_CHARS = 80
#: Tags around remembered text, also in the altered form used inside it.
_MARK = late_pattern(r"[ \t]*</?\s*memory[-_]data\s*>[ \t]*", re.IGNORECASE)
#: Facts after a line shown by this program: `(decision, active, 3 days ago, trust: agent, F18MDH37)`.
_FACTS = late_pattern(r"[ \t]*\((?P<facts>[^()\n]{8,300})\)[ \t]*$", re.MULTILINE)
_SHORT_ID = late_pattern(rf"(?=[A-Z]*\d)[0-9A-HJKMNP-TV-Z]{{{SHORT_ID_CHARS}}}")
_AGE = late_pattern(r"today|\d+ (?:day|week|month|year)s? ago")
#: Table below a memory printed by `vade show`: names and values, the id first.
_SHOWN_BELOW = late_pattern(r"\n\n  id {6,}[0-9A-HJKMNP-TV-Z]{26}(?:\n  [a-z ]+ {2,}\S.*)*\s*\Z")
_HEADING = late_pattern(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_BEFORE_WORDS = late_pattern(r"(?:`{3,}|~{3,})[^`\n]*\n\s*|>[ \t]*\[![\w-]+\][+-]?(?:[ \t]*\n>)?[ \t]*")
_BOLD = late_pattern(r"\*\*(?=\S)([^*]+)(?<=\S)\*\*")
_SENTENCE_END = late_pattern(r"[.!?](?=\s|$)|[。！？]")
#: From this length in characters, a title may be a truncated sentence.
_CUT_FROM = 40
#: From this number of words, a title that its text begins with is a statement, not only a name.
_SAYS_FROM = 4
#: Other programs' names for our properties.
_OURS = {"name": "title", "description": "summary", "tag": "tags", "alias": "aliases"}
#: Properties accepted from a text. Our other properties are set by the program, or given in another way.
_BROUGHT = frozenset({"title", "summary", "tags", "topics", "aliases", "importance", "confidence", "valid_from", "valid_until"})


class Incoming(Struct, frozen=True):
    """A text to be saved, and the properties from the block above it, by our names."""

    body: str
    properties: Mapping[str, object]


def without_envelope(text: str) -> str:
    """Return a text without what this program added for display: preamble, tags, header, facts after lines."""
    if not _may_hold_ours(text):
        return text
    bare = _SHOWN_BELOW.sub("\n", text)
    lines = bare.split("\n")
    kept: list[str] = []
    is_first = True
    for line in lines:
        plain = _MARK.sub("", line).replace(PREAMBLE, "")
        if not plain.strip() and plain != line:
            is_first = True  # a header may follow a tag or the preamble
            continue
        if is_first and _is_header(plain):
            continue
        is_first = is_first and not plain.strip()
        kept.append(_FACTS.sub(lambda match: "" if _is_ours(match["facts"]) else match.group(), plain))
    entry = "\n".join(kept)
    return entry if entry == text else entry.strip("\n") + ("\n" if text.endswith("\n") and entry.strip() else "")


def _may_hold_ours(text: str) -> bool:
    """Return whether a text has any of our additions; most have none and are not searched line by line."""
    return "memory-data" in text or "memory_data" in text or PREAMBLE in text or bool(_SHOWN_BELOW.search(text)) or any(
        _is_ours(match["facts"]) for match in _FACTS.finditer(text)
    )  # fmt: skip


def _is_ours(facts: str) -> bool:
    """Return whether the text in brackets after a line is the list of facts about a memory, with its id."""
    texts = [fact.strip() for fact in facts.split(",")]
    known = (_AGE.fullmatch(fact) or fact.startswith("trust: ") or fact in KINDS or fact in FACETS for fact in texts)
    return any(_SHORT_ID.fullmatch(fact) for fact in texts) and any(known)


def _is_header(line: str) -> bool:
    """Return whether a line is the header of a fully displayed memory: title, kind, status, age and id."""
    match = _FACTS.search(line)
    if match is None or line.lstrip().startswith("- "):
        return False
    return _is_ours(match["facts"]) and any(fact.strip() in STATUSES for fact in match["facts"].split(","))


def taken_apart(text: str) -> Incoming:
    """Return a text without our additions and without the frontmatter above it, plus the accepted properties.

    Raises:
        InvalidInput: it begins with properties that cannot be parsed, or that memories do not have.
    """
    bare = without_envelope(text)
    front = read(bare.lstrip("\n") if bare.lstrip("\n").startswith("---") else bare)
    if not front.head.strip("\ufeff"):
        return Incoming(bare, {})
    if front.damage:
        raise InvalidInput(f"The text begins with properties that cannot be read: {front.damage}", "Leave that block out.")
    given = {_OURS.get(name.lower(), name.lower()): value for name, value in front.values().items()}
    foreign = sorted(given.keys() - _BROUGHT - set(PROPERTY_ORDER) - UNCHANGEABLE)
    if foreign:
        raise InvalidInput(
            f"The text begins with a property that memories do not have: {foreign[0]}.",
            "Say it in the text, or leave it out.",
        )
    kept = {name: _value(name, value) for name, value in given.items() if name in _BROUGHT and value not in (None, "", [])}
    return Incoming(front.body.lstrip("\n"), kept)


def _value(name: str, value: object) -> object:
    if name in ("tags", "topics", "aliases"):
        listed = value if isinstance(value, list) else re.split(r"[,\s]+" if name == "tags" else r",", str(value))
        return tuple(str(entry).strip().removeprefix("#") for entry in listed if str(entry).strip())
    return value if isinstance(value, (int, float, bool)) else str(value)


def incoming(draft: Draft) -> Draft:
    """Return a draft with a cleaned text. Title, tags and properties that were not given are taken from the text."""
    came = taken_apart(draft.body)
    properties = dict(came.properties)
    written, tags = str(properties.pop("title", "")), properties.pop("tags", ())
    title, is_ticked = without_box(" ".join(without_envelope(draft.title).split()) or written or headline(came.body))
    if is_ticked and draft.kind == "task":
        properties["status"] = "resolved"
    summary = properties.get("summary")
    if isinstance(summary, str) and len(summary) > 200:
        properties["summary"] = summary[:199].rsplit(" ", 1)[0] + "…"
    if (title, came.body, properties) == (draft.title, draft.body, {}):
        return draft
    return replace(
        draft,
        title=title,
        body=came.body,
        tags=tuple(dict.fromkeys((*draft.tags, *_texts(tags)))),
        properties={**properties, **draft.properties},
    )


def _texts(values: object) -> Iterable[str]:
    return map(str, values) if isinstance(values, tuple) else ()


def headline(body: str) -> str:
    """Return a title for a text without one: its first heading if it begins with one, else its first line, cut between words.

    The signs of a fence, a callout and bold words are no part of it.
    """
    text = _BEFORE_WORDS.sub("", body.lstrip(), count=1)
    heading = _HEADING.match(text)
    line = heading[1] if heading else " ".join(_BOLD.sub(r"\1", text.split("\n", 1)[0]).lstrip("#-* ").split())
    return line if len(line) <= TITLE_CHARS else line[:TITLE_CHARS].rsplit(" ", 1)[0]


def title_that_follows(title: str, old: str, new: str) -> str:
    """Return the title for a memory's new text.

    A title that was taken from the old text is replaced by one from the new text, so that it never states the opposite; any
    other title stays.
    """
    name, line = _plain(title), headline(old)
    is_sentence = name in {_plain(line), _plain(_SENTENCE_END.split(line)[0])} - {""}
    is_long = len(title) >= _CUT_FROM or len(name.split()) >= _SAYS_FROM
    is_cut = is_long and _plain(old).startswith(name) and not _plain(new).startswith(name)
    return headline(new) or title if is_sentence or is_cut else title


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", " ", text.casefold()).split())
