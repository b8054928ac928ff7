"""Tags and links in a note's text. Those in code and comments do not count."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote

from msgspec import Struct

from vademecum.domain import wiki
from vademecum.domain.item import Edge
from vademecum.domain.kinds import KINDS
from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.memory import RELATIONS
from vademecum.domain.uris import SCHEMES, parse_uri
from vademecum.vault.places import TAG_SIGNS

#: Type of a link without a stated type.
PLAIN_LINK = "links"

_FENCE = late_pattern(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<mark>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$")
_CLOSING_FENCE = late_pattern(r"[ \t>]*(?P<mark>`{3,}|~{3,})[ \t]*$")
_COMMENT = late_pattern(r"%%.*?%%|<!--.*?-->", re.DOTALL)
#: A formula between two pairs of dollar signs, without a blank line.
_FORMULA = late_pattern(r"\$\$(?:[^\n$]|\n(?![ \t]*\n)|\$(?!\$))*\$\$")
#: A text without any of these has no code blocks.
_OF_BLOCKS = ("```", "~~~", "    ", "\t")
_TICKS = late_pattern(r"`+")
_BLANK_LINE = late_pattern(r"\n[ \t>]*\n")
_LIST_ITEM = late_pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
#: Conflict markers that git leaves in a file; they must occur in this order.
_MERGE_MARKS = tuple(late_pattern(mark, re.MULTILINE) for mark in (r"^<{7} ", r"^={7} *$", r"^>{7} "))
_TAG = late_pattern(rf"(?<![^\s\u200b])#(?P<tag>[\w/{TAG_SIGNS}-]*(?:[^\W\d]|[{TAG_SIGNS}])[\w/{TAG_SIGNS}-]*)")
#: In a table the bar after the target has a backslash before it. A # with nothing after it belongs to the name ("Notes on F#").
#: Two brackets before an address are the bracketed text of a Markdown link, as in footnotes.
_WIKILINK = late_pattern(
    r"!?\[\[(?P<target>[^\[\]|#^\n]+?(?:#(?=\\?[|\]]))?)\\?(?=[|#^\]])(?P<place>[^\[\]|\n]*)[^\[\]\n]*\]\]"
    r"(?!\((?:[a-z][a-z0-9+.-]*:|www\.|#|/|\.{1,2}/|[^()\s]+\.md[)#]))"
)
_MARKDOWN_LINK = late_pattern(r"\]\((?P<target><[^<>\n]+>|(?:[^()\s]|\([^()\s]*\))+)(?:[ \t]+\"[^\"\n]*\")?\)")
#: A link to a place in the same note.
_OWN_PLACE = late_pattern(r"!?\[\[(?P<place>#[^\[\]|\n]+?)\\?(?:\|[^\[\]\n]*)?\]\]")
_URI = late_pattern(r"(?:memory|session|vault)://[^\s)\]>\"'`]+|\bfact:(?://)?[0-9A-Za-z]+")
_ANY_URI = late_pattern(rf"(?:{'|'.join(SCHEMES)})://[^\s<>\"'`\]]+", re.IGNORECASE)
#: Keys as assigned: all of them in brackets; without brackets only those of decisions, incidents, lessons and open threads.
_KEY = late_pattern(
    rf"\[(?P<key>(?:{'|'.join(kind.key_prefix for kind in KINDS.values() if kind.key_prefix)})\d{{2,4}})\](?![(\[])"
    rf"|(?<![\w/#.-])(?P<listed>(?:COE|KD|LL|OT|RC|(?:{'|'.join(wiki.KEYS)})-)\d{{2,4}})(?![\w/-])"
)
_FIRST_MARK = "<<<<<<< "
_TYPED = late_pattern(
    r"(?:^[ \t]*(?:[-*+][ \t]+)?|[(\[])(?P<field>[^\W\d][\w -]{0,40}?)[ \t]*::"
    rf"|^[ \t]*[-*+][ \t]+(?P<relation>{'|'.join(RELATIONS)}|[a-z]+(?:_[a-z]+)+)[ \t]+(?=\[\[)",
    re.MULTILINE,
)


def has_merge_marks(text: str) -> bool:
    """Return whether a text has conflict markers of an unfinished merge outside code, or begins with one.

    A merge of two files without a common line starts with a marker.
    """
    if text and (text.startswith(_FIRST_MARK) or _FIRST_MARK.startswith(text)):
        return True
    if _FIRST_MARK not in text or ">>>>>>> " not in text:
        return False
    prose, at = without_code(text), 0
    for mark in _MERGE_MARKS:
        match = mark.search(prose, at)
        if match is None:
            return False
        at = match.end()
    return True


def inline_tags(body: str) -> tuple[str, ...]:
    """Return tags in the text (#like/this, #or-that), in order, without duplicates."""
    if "#" not in body:
        return ()
    prose = without_code(body)
    prose = prose if prose.isascii() else unicodedata.normalize("NFC", prose)
    return tuple(dict.fromkeys(match["tag"].rstrip("/") for match in _TAG.finditer(prose)))


def links(body: str) -> tuple[Edge, ...]:
    """Return links in the text, in order, without duplicates.

    Typed by an inline field ("caused_by:: [[X]]") or a list item that starts with a relation ("- derived_from [[X]]").
    """
    if "](" not in body and "[[" not in body and "://" not in body and "fact:" not in body:
        return ()
    text = without_code(body)
    ends, types = _types(text)
    edges: dict[Edge, None] = {}
    for at, target in sorted(_targets(text)):
        last = bisect_right(ends, at) - 1
        typed = last >= 0 and "\n" not in text[ends[last] : at]
        edges[Edge(types[last] if typed else PLAIN_LINK, target)] = None
    return tuple(edges)


def wikilinks(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the targets of wikilinks and embeds outside code."""
    if "[[" in text:
        yield from (match.span("target") for match in _WIKILINK.finditer(without_code(text)))


class Written(Struct, frozen=True):
    """A link as written in a text.

    Attributes:
        target: as in its edge. place: the heading ("#Care", "#Home#Care") or block ("#^id") that it leads to, or "".
        text: the complete link, for display.
    """

    target: str
    place: str
    text: str


def written_links(text: str) -> Iterator[Written]:
    """Yield the links to notes in a text outside code, including those to a place in the same note (target "")."""
    prose = without_code(text)
    for match in _WIKILINK.finditer(prose):
        yield Written(match["target"].strip(), match["place"].rstrip("\\").strip(), match.group().lstrip("!"))
    for match in _OWN_PLACE.finditer(prose):
        yield Written("", match["place"].rstrip("\\").strip(), match.group().lstrip("!"))
    for match in _MARKDOWN_LINK.finditer(prose):
        target, _, place = unquote(match["target"].strip("<>")).partition("#")
        if target.endswith(".md") and "://" not in target:
            label = prose.rfind("[", max(prose.rfind("\n", 0, match.start()), 0), match.start())
            shown = prose[label if label >= 0 else match.start() : match.end()]
            yield Written(target.removesuffix(".md").removeprefix("./"), f"#{place}" if place else "", shown)


def markdown_links(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the targets of Markdown links outside code, angle brackets included."""
    if "](" in text:
        yield from (match.span("target") for match in _MARKDOWN_LINK.finditer(without_code(text)))


def keys_named(body: str) -> tuple[str, ...]:
    """Return the keys of memories named in a text outside code, in order, without duplicates: `[PR07]`, or bare ones such as KD07."""
    if not _KEY.search(body):
        return ()
    return tuple(dict.fromkeys(match["listed"] or match["key"] for match in _KEY.finditer(without_code(body))))


def mentions(text: str) -> tuple[str, ...]:
    """Return URIs mentioned in a text outside code, in order, without duplicates.

    Notes become vault://X.md; other links and bare addresses are unchanged. Mail addresses, and links that consist only of a
    heading or a query, do not count. Punctuation after an address is left out.
    """
    plain = without_code(text)
    pairs = [(match.start(), _note_uri(match["target"])) for match in _WIKILINK.finditer(plain) if match["target"].strip()]
    for match in _MARKDOWN_LINK.finditer(plain):
        target = unquote(match["target"].strip("<>")).strip()
        if target and not target.startswith(("#", "?", "mailto:")):
            pairs.append((match.start(), target if parse_uri(target).kind != "unknown" else _note_uri(target)))
    taken = [match.span("target") for match in _MARKDOWN_LINK.finditer(plain)]
    for match in _ANY_URI.finditer(plain):
        if not any(start <= match.start() < end for start, end in taken):
            pairs.append((match.start(), _unpunctuated(match.group())))
    return tuple(dict.fromkeys(uri for _, uri in sorted(pairs)))


def _note_uri(target: str) -> str:
    path = target.strip().removeprefix("./").partition("#")[0]
    return f"vault://{path if '.' in path.rpartition('/')[2] else path + '.md'}"


def _unpunctuated(uri: str) -> str:
    bare = uri.rstrip(".,;:!?\"'")
    while bare.endswith(")") and bare.count("(") < bare.count(")"):
        bare = bare[:-1].rstrip(".,;:!?")
    return bare


def link_targets(value: object) -> list[str]:
    """Return targets of the wikilinks in a property's value, which may be a list."""
    if isinstance(value, list):
        return [target for item in value for target in link_targets(item)]
    return [match["target"].strip() for match in _WIKILINK.finditer(value)] if isinstance(value, str) else []


def _targets(text: str) -> Iterator[tuple[int, str]]:
    for match in _WIKILINK.finditer(text):
        if match["target"].strip():
            yield match.start(), match["target"].strip()
    for match in _MARKDOWN_LINK.finditer(text):
        target = unquote(match["target"].strip("<>")).partition("#")[0]
        if target.endswith(".md") and "://" not in target and not target.startswith("mailto:"):
            yield match.start(), target.removesuffix(".md").removeprefix("./")
    for match in _URI.finditer(text):
        yield match.start(), match.group().rstrip(".,;:")


def _types(text: str) -> tuple[list[int], list[str]]:
    """Return the end positions of link types in the text, and the types."""
    pairs = [(match.end(), match["field"] or match["relation"]) for match in _TYPED.finditer(text)]
    return [end for end, _ in pairs], [re.sub(r"[\s-]+", "_", name.strip().lower()) for _, name in pairs]


@lru_cache(maxsize=2)  # tags, links and mentions of one text are computed one after the other
def without_code(body: str) -> str:
    """Return `body` with code, formulas and comments blanked out; every other character keeps its position."""
    text = body.replace("\r", " ")
    if any(mark in text for mark in _OF_BLOCKS):
        text = _blank_blocks(text)
    if "`" in text:
        text = "".join(_blank_spans(part) if "`" in part else part for part in _paragraphs(text))
    if "$$" in text:
        text = _FORMULA.sub(lambda match: _blank(match.group()), text)
    if "%%" in text or "<!--" in text:
        text = _COMMENT.sub(lambda match: _blank(match.group()), text)
    return text


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _blank_blocks(text: str) -> str:
    """Blank out fenced code, and indented code outside of lists."""
    lines, mark, after_blank, in_list, in_code = text.split("\n"), "", True, False, False
    for number, line in enumerate(lines):
        if mark:
            closing = _CLOSING_FENCE.match(line)
            if closing and closing["mark"][0] == mark[0] and len(closing["mark"]) >= len(mark):
                mark = ""
            lines[number] = _blank(line)
            continue
        fence = _FENCE.match(line)
        indented = line.startswith(("    ", "\t"))
        in_code = indented and not in_list and (after_blank or in_code)
        if fence and not in_code:
            mark = fence["mark"]
        if fence or in_code:
            lines[number] = _blank(line)
        after_blank = not line.strip()
        if not after_blank and not indented:
            in_list = bool(_LIST_ITEM.match(line))
    return "\n".join(lines)


def _paragraphs(text: str) -> Iterator[str]:
    start = 0
    for match in _BLANK_LINE.finditer(text):
        yield text[start : match.end()]
        start = match.end()
    yield text[start:]


def _blank_spans(paragraph: str) -> str:
    """Blank out code between runs of backticks of equal length. One pass: unmatched runs cost no search."""
    runs = [match.span() for match in _TICKS.finditer(paragraph)]
    later: dict[int, list[int]] = {}
    for index in reversed(range(len(runs))):
        later.setdefault(runs[index][1] - runs[index][0], []).append(index)
    pieces, copied, index = [], 0, 0
    while index < len(runs):
        start, end = runs[index]
        same = later[end - start]
        while same and same[-1] <= index:
            same.pop()
        if same:
            stop = runs[same[-1]][1]
            pieces += [paragraph[copied:start], _blank(paragraph[start:stop])]
            copied, index = stop, same[-1]
        index += 1
    return "".join([*pieces, paragraph[copied:]])
