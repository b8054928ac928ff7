"""Tell which words of a turn the person typed, and which are material by others that they handed over.

People hand over plans, review comments, tickets, logs, screens and role prompts, mostly without quotation marks. Such text can
be searched, but it says nothing about the person. It is recognised by its form, never by its subject:

* Plans of an agent that a host hands over in the person's name, known by its phrase.
* Program text: code, logs, diffs, tables, screens.
* Lines that appeared before in a tool's output or in an agent's message.
* Another author: complete sentences without "I" or "we", from a person who usually types in a hurry.
* Documents: signs of an editor or a machine add points (:func:`_points`), signs of hurried typing subtract points.

Of a turn that is a document, only a short beginning or end that addresses the agent is the person's.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from vademecum.domain.session import Turn
from vademecum.extract.numbers import (
    CASTING_MIN_CHARS,
    COPIED_MIN_CHARS,
    DOCUMENT_POINTS,
    EDGE_MAX_CHARS,
    HANDED_POINTS,
    HURRIED_SHARE,
    LONG_CHARS,
    MATERIAL_MIN_CHARS,
    MATERIAL_SHARE,
    OTHER_HAND_MIN_WORDS,
    TIMES_USUAL,
    UNADDRESSED_MIN_WORDS,
    USUAL_MIN_TURNS,
    VERY_LONG_CHARS,
)
from vademecum.language.load import languages
from vademecum.language.patterns import speech
from vademecum.language.sentences import PASTED_MAX_CHARS, PLAN_FEEDBACK, handed_over_plan, not_spoken

_WORD = re.compile(r"\w+")
_LINE = re.compile(r"^.*$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
_HEADING = re.compile(r"^#{1,6} \S", re.MULTILINE)
_BOLD = re.compile(r"(?<!\*)\*\*[^*\n]{2,80}\*\*|^(?:---+|\*\*\*+|===+)$", re.MULTILINE)
#: Headings of review findings: "P1", "[High]", "Critical:", "Nitpick (non-blocking):", coloured circles.
_SEVERITY = re.compile(
    r"^[^\w\n]{0,6}(?:\[?P[0-4]\]?(?=\W)|\[?(?:critical|blocker|high|medium|major|minor|low|nit(?:pick)?|severity|priority)\]?"
    r"(?:\s*\([^)\n]{2,30}\))?\s*(?:\]|[:|–—]|-\s|\*\*))|[🔴🟠🟡🟢🔵🛑]",
    re.IGNORECASE | re.MULTILINE,
)
#: A location in code: "src/a.py:12", "lines 10-20", "#L12", "@@ -1".
_PLACE = re.compile(
    r"(?<![\w./\\-])[\w./\\-]+\.[A-Za-z]{1,5}:\d+|\b(?:lines?|L)\s?#?\d+\s?(?:-|–|to)\s?L?\d+|#L\d+", re.IGNORECASE
)
_IDENTIFIER = re.compile(
    r"`[^`\n]+`|\b\w+\(\)|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b"
)
_BULLET = re.compile(r"^[ \t]*(?:[-*•◦▪‣+–]|\d{1,2}[.)])[ \t]+\S", re.MULTILINE)
_NESTED = re.compile(r"^(?:[ ]{2,}|\t)(?:[-*•◦▪‣+–]|\d{1,2}[.)])[ \t]+\S|^[ \t]*[•◦▪‣][ \t]", re.MULTILINE)
_CHECKBOX = re.compile(r"^[ \t]*[-*] \[[ xX]\] ", re.MULTILINE)
#: A name and a time, "Somebody  10:32 AM", on its own line: the head of a chat message.
_STAMP = re.compile(r"^[^\W\d_][\w .'-]{1,40}[ \t(\[,]+\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?[\])]?:?$", re.MULTILINE)
#: Labels of forms: "Steps to reproduce:", "Expected: ...".
_LABEL = re.compile(r"^[^\w\n]{0,6}[A-Z][\w/&' -]{1,40}:(?:\s|\*|$)", re.MULTILINE)
#: Characters that keyboards do not have.
_TYPESET = re.compile(r"[→←⇒–—•✓✔✗✘✅❌⚠★“”…▶]|[\U0001f300-\U0001faff]")
#: A terminal's screen: frames, prompts, an agent's bullets.
_SCREEN = re.compile(
    r"^.*(?:[─━│┃╭╮╰╯┌┐└┘├┤┬┴┼═║╔╗╚╝▐▛▜█░▒▓]|^[ \t]*[●⏺⎿✻✽✶⧉❯➜]|^[ \t]*[$%#>][ \t]\S|^[\w.-]+@[\w.-]+[ :~].*[$#%>]\s).*$",
    re.MULTILINE,
)
#: Lines of code and JSON. Words that can begin a sentence ("from", "for", "if") count only with program punctuation.
_CODE = re.compile(
    r"^(?:[ \t]*(?:import \S+(?: from .*|;)?$|from \S+ import\b.*|(?:const|let|var) \w+ ?[:=].*|def \w+\(.*|class \w+ ?[({:].*"
    r"|function ?\w*\(.*|(?:if|for|while) ?\(.*[{)]$|export (?:default|const|function|class)\b.*|\"[^\"\n]+\"\s*:\s*\S.*"
    r"|[\w.$@-]+\s*=\s*[\"'\[{\d].*|[}\])]+[;,]?$|</?\w[^>\n]*>.*$|\w+\(.*\);?$)|(?=.*[(){}=\[\]]).*[;{]$)",
    re.MULTILINE,
)
#: Signs of hurried typing: a lower-case first letter, doubled marks, a space before a comma. Words are in each language's data.
_SMALL = re.compile(r"\A\s*[a-zà-ÿ]")
_SLIPS = re.compile(r"\w,,|\w\.\.(?!\.)|\w [,;](?=\s)|\w,[A-Za-z]{2}|[?!]{2,}")
#: A sentence up to its end mark.
_SENTENCE = re.compile(r"\S[^.!?\n]*(?:\.(?=\w)[^.!?\n]*)*[.!?](?=\s|$)")
#: Beginnings of lines and blocks that end by themselves, so that following lines are not part of them.
_ONE_LINE = (">", "#", "```", "~~~", "@", "<", "[")


class _Usual(Struct, frozen=True):
    """How a person types in a session.

    Attributes:
        chars: median length of their messages; 0 when there are too few.
        hurried: whether most messages show hurried typing.
    """

    chars: float = 0
    hurried: bool = False


class Voice(Struct, frozen=True):
    """Whose words a turn contains.

    Attributes:
        pasted: whether it is wholly or mainly material by others.
        typed: (start, end) of the passages that the person typed, in order.
    """

    pasted: bool
    typed: tuple[tuple[int, int], ...]


def voices(turns: Sequence[Turn]) -> Mapping[str, Voice]:
    """Return the voice of every user turn of one session, by `Turn.ref`.

    Messages to a sub-agent are the agent's words.
    """
    all_voices: dict[str, Voice] = {}
    before: set[int] = set()
    usual = _usual(turns)
    for turn in turns:
        if turn.role == "user":
            all_voices[turn.ref] = _voice_of(turn, before, usual)
        if turn.role in ("agent", "tool"):
            before.update(hash(line) for _, _, line in _lines(turn.text) if len(line) >= COPIED_MIN_CHARS)
    return all_voices


def _voice_of(turn: Turn, before: set[int], usual: _Usual) -> Voice:
    """Return the voice of a turn: by its speaker, and by form where a message may contain both."""
    if not turn.is_persons:
        return Voice(True, ())
    if turn.speaker != "user":
        return Voice(False, ((0, len(turn.text)),))
    plan = handed_over_plan(turn.text)
    return _voice_around(turn.text, *plan) if plan else _voice(turn.text, before, usual)


def _voice_around(text: str, start: int, end: int) -> Voice:
    """Return the voice of a turn that hands over a plan: the phrase and the words about the plan are the person's."""
    words = min(end + len(PLAN_FEEDBACK), len(text))
    return Voice(True, tuple(span for span in ((0, start), (words, len(text))) if text[slice(*span)].strip()))


def typed_text(turn: Turn, voice: Voice | None) -> str:
    """Return a turn's text with spaces in place of what the person did not type, so that positions stay valid.

    Newlines are preserved, and one is put in front of a typed passage within a line: spaces there would look like indented
    code. Without a voice, and for an agent's turn, the text is returned unchanged.
    """
    if voice is None or turn.role == "agent":
        return turn.text
    kept = [" " if char != "\n" else char for char in turn.text]
    for start, end in voice.typed:
        kept[start:end] = turn.text[start:end]
        if start > 0:
            kept[start - 1] = "\n"
    return "".join(kept)


def _usual(turns: Sequence[Turn]) -> _Usual:
    """Return how the person types in the session, from all of their messages."""
    texts = [turn.text for turn in turns if turn.speaker == "user" and not turn.sidechain]
    if len(texts) < USUAL_MIN_TURNS:
        return _Usual()
    lengths = sorted(map(len, texts))
    median = (lengths[(len(lengths) - 1) // 2] + lengths[len(lengths) // 2]) / 2
    hurried = sum(len(text) <= EDGE_MAX_CHARS and _hurry(text, text) > 0 for text in texts)
    return _Usual(median, hurried > HURRIED_SHARE * len(texts))


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and normalised words of each line, without marks of lists and quotations."""
    at = 0
    for line in text.split("\n"):
        yield at, at + len(line), " ".join(line.strip(" \t-*>#•│|`").casefold().split())
        at += len(line) + 1


def _voice(text: str, before: set[int], usual: _Usual) -> Voice:
    if len(text) > PASTED_MAX_CHARS:  # nobody types that much; only its beginning is analysed
        head = text[:PASTED_MAX_CHARS]
        return Voice(True, tuple(span for span in _edges(head, _material(head, before)) if span[1] < len(head)))
    material = [span for span in _material(text, before) if text[slice(*span)].strip()]
    chars = sum(len(text[start:end].strip()) for start, end in material)
    mainly = chars >= MATERIAL_MIN_CHARS and chars > MATERIAL_SHARE * len(text.strip())
    pasted = mainly or _is_document(text, material, usual)
    typed = _edges(text, material) if pasted else _outside(material, len(text))
    return Voice(pasted, tuple(span for span in typed if text[slice(*span)].strip()))


def _is_document(text: str, material: Sequence[tuple[int, int]], usual: _Usual) -> bool:
    """Return whether a text, or the larger part of it after its first paragraph, is a document."""
    if _points(text, material, 0, usual) >= DOCUMENT_POINTS:
        return True
    first = _PARAGRAPH.search(text)
    if first is None or len(text) - first.end() <= first.end() or not text[first.end() :].strip():
        return False
    announced = max(points for sign, points in HANDED_POINTS.items() if sign is None or speech(sign).search(first[0]))
    return announced + _points(text, material, first.end(), usual) >= DOCUMENT_POINTS


def _material(text: str, before: set[int]) -> list[tuple[int, int]]:
    """Return the spans of program text and copied lines, in order, merged where only white space lies between them."""
    spans = [*not_spoken(text), *(match.span() for pattern in (_SCREEN, _CODE) for match in pattern.finditer(text))]
    spans = [span for span in spans if text[slice(*span)].strip()]
    spans += _behind(text, [span for span in spans if not text[slice(*span)].lstrip().startswith(_ONE_LINE)])
    spans += [(start, end) for start, end, line in _lines(text) if len(line) >= COPIED_MIN_CHARS and hash(line) in before]
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _behind(text: str, programs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the lines that follow program text in its paragraph, up to one in which somebody says "I" or "we"."""
    ends, below = sorted({end for _, end in programs}), False
    for line in _LINE.finditer(text):
        start, end = line.span()
        written = bisect_left(ends, start + 1) < bisect_right(ends, end)
        if not written and (not line[0].strip() or speech("speaker").search(line[0])):
            below = False
        elif below and not written:
            yield start, end
        below = below or written


def _outside(spans: Sequence[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """Yield the gaps between spans, up to `length`."""
    at = 0
    for start, end in (*spans, (length, length)):
        if start > at:
            yield at, start
        at = max(at, end)


def _points(text: str, material: Sequence[tuple[int, int]], begin: int, usual: _Usual) -> int:
    """Return how much a text from `begin` on looks like a document. Program text counts as structure, not as words."""
    rest = "".join(text[max(start, begin) : end] for start, end in _outside(material, len(text)) if end > begin)
    text = text[begin:].strip()
    words = len(_WORD.findall(rest))
    nobody_speaks = speech("speaker").search(rest) is None
    hurry = _hurry(text, rest)
    headings, labels, identifiers = (len(sign.findall(text)) for sign in (_HEADING, _LABEL, _IDENTIFIER))
    points = (
        (headings == 1)
        + 3 * (headings >= 2)
        + (len(_BOLD.findall(text)) >= 2)
        + 2 * bool(_SEVERITY.search(text))
        + bool(_PLACE.search(text))
        + (identifiers >= 4 and identifiers * 10 >= words)
        + (len(_BULLET.findall(text)) > 6)
        + bool(_NESTED.search(text))
        + 2 * bool(_CHECKBOX.search(text))
        + 2 * (labels >= 3)
        + (labels >= 5)
        + 3 * (len(_STAMP.findall(text)) >= 2)
        + (len(_TYPESET.findall(rest)) >= 2)
        + 2 * (words >= UNADDRESSED_MIN_WORDS and nobody_speaks)
        + 3 * (usual.hurried and not hurry and nobody_speaks and words >= OTHER_HAND_MIN_WORDS and _is_prose(rest))
        + 3 * bool(speech("casting").match(text) and len(text) > CASTING_MIN_CHARS)
        + (len(text) > LONG_CHARS or 0 < usual.chars * TIMES_USUAL < len(text) > EDGE_MAX_CHARS)
        + 2 * (len(rest.strip()) > VERY_LONG_CHARS)
    )
    return points - min(2, hurry)


def _is_prose(text: str) -> bool:
    """Return whether a text consists of at least two complete sentences, each with an initial capital and an end mark."""
    said = _SENTENCE.findall(text)
    return len(said) >= 2 and all(sentence[0].isupper() or not sentence[0].isalpha() for sentence in said)


def _edges(text: str, material: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of a document that the person typed: short, without formatting, and in spoken style."""
    paragraphs = [match.span() for match in _PARAGRAPH.finditer(text)]
    free = [(max(start, begin), min(end, stop)) for start, end in paragraphs for begin, stop in _outside(material, len(text))]
    free = [(start, end) for start, end in free if text[start:end].strip()]
    if not free or not paragraphs:
        return
    first, last = free[0], free[-1]
    leads = first[0] == paragraphs[0][0]
    if leads and _is_own(text[slice(*first)], leads=first[1] < paragraphs[-1][1]):
        yield first
    if (last != first or not leads) and last[1] == paragraphs[-1][1] and _is_own(text[slice(*last)], leads=False):
        yield last


def _is_own(block: str, *, leads: bool) -> bool:
    """Return whether the first or last paragraph of a document was typed by the person."""
    asks = block.rstrip().endswith((":", "：", "?", "？"))
    formed = any(sign.search(block) for sign in (_HEADING, _BOLD, _SEVERITY, _STAMP, _LABEL, _BULLET)) and not asks
    if len(block) > EDGE_MAX_CHARS or formed or speech("casting").match(block):
        return False
    return (leads and asks) or speech("speaker").search(block) is not None or _hurry(block, block) > 0


def _hurry(text: str, rest: str) -> int:
    """Return the number of signs of hurried typing in a text.

    Slips and words count only in `rest`, which has no program text.
    """
    in_words = languages().sign("speech", "hurried", 0)  # case-sensitive: "i" is a sign, "I" is not
    return bool(_SMALL.match(text)) + bool(_SLIPS.search(rest)) + bool(in_words.search(rest))
