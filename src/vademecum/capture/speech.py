"""What of a turn is speech: its sentences, without code, quotations, tables, logs and other pasted text.

Everything keeps its place: a sentence knows where in the turn it stands.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from vademecum.capture.quotations import quotations

#: Longer than this a turn is a document that was handed over, not something said.
SPOKEN_MAX_CHARS = 2500

#: Longer than this, code and logs included, nobody looks for what was said in it.
PASTED_MAX_CHARS = 20_000

#: Texts of which is remembered what was found: those who look for statements, ideas, reports and what was done read the same turns.
_KEPT = 512

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_TAGGED = re.compile(r"<([a-zA-Z][\w-]*)\b[^<>\n]{0,200}>.{0,4000}?</\1>", re.DOTALL)
_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
#: Marks that do not match, within a line.
_QUOTED = re.compile(r"[\"“«][^\"“”«»\n]{12,}[\"”»]")
_NOT_SPEECH = re.compile(
    r"^(?:"
    r"[ \t]*(?:>|\||#{1,6} |@\S+$|\$ |>>> |\+\+\+ |--- |@@ |[➜❯λ✗✓✔] |diff --git|index [0-9a-f]{7}|//|/\*|\* @|<[^>]+>$|\[[^\]]*\]\s*$)"
    r"|[ \t]*(?:Traceback \(most recent|File \"|at [\w.$<>]+[ (]|\.\.\. )"
    r"|[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|\[?(?:INFO|DEBUG|WARN|WARNING|ERROR|TRACE|FATAL)\]?[ :])"
    r"|[ \t]*(?:[A-Za-z_][\w.]*(?:Error|Exception|Warning)\b:|npm (?:ERR|WARN|error)|fatal: |hint: |tip: |error(?:\[\w+\])?: |warning: )"
    r"|[ \t]*[\w./\\-]+:\d+(?::\d+)?:"
    r"|(?: {4}|\t)(?![ \t]*[-*•\d])"
    r"|[^\w\n]*$"
    r").*$",
    re.MULTILINE,
)
_BREAK = re.compile(
    r"\n[ \t]*\n|(?<=[:：])[ \t]*\n|\n(?=[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t])|^(?=[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t])"
)
#: The character first: what is looked for at every place must fail fast.
_SENTENCE_END = re.compile(
    r"[.!?…。！？](?:(?<=[.!?])"
    r"(?<!\be\.g[.!?])(?<!\bi\.e[.!?])(?<!\betc[.!?])(?<!\bvs[.!?])(?<!\bca[.!?])(?<!\bz\.B[.!?])(?<!\bMr[.!?])(?<!\bDr[.!?])"
    r"[.!?]*[\"')\]]*(?=\s|$)|(?<=\.)\.+|(?<=[…。！？]))"
)
#: Small words and marks that lead into a sentence. "No," leads in, "no longer" does not.
_LEAD = re.compile(
    r"^(?:[\s\-*•+>]+|\d{1,2}[.)]\s+|\*\*[^*]{1,40}\*\*:?\s*"
    r"|(?:ok(?:ay)?|also|and|but|so|then|actually|btw|by the way|oh|ah|hm+|hey|então|und|aber|pero|y|e|bueno)\b[\s,.:;!—–-]+"
    r"|(?:yes|yeah|yep|yup|no+|nope|well|right|alright|sure|great|good|cool|nice|perfect|thanks|thank you|thx|sorry|anyway"
    r"|look|wait|listen|hi|hello|one more thing|oh and|fine|exactly|again|sim|não|ja|nein|gut|sí|vale)\s*[,.:;!—–-]+\s*)",
    re.IGNORECASE,
)


#: What stands in a turn and was not said in it.
_NOT_SAID = (_FENCE, _PRIVATE, _TAGGED, _NOT_SPEECH)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a turn.

    Attributes:
        text: on one line, without the small words that lead into it.
        said: the same without what it quotes; never empty.
        start, end: where it stands in the turn's text, lead included.
    """

    text: str
    said: str
    start: int
    end: int


def is_bulk(text: str) -> bool:
    """Whether a turn is a document, a plan or a log that was handed over as a whole."""
    return (
        len(text) > PASTED_MAX_CHARS
        or len(_without_pasted(text).strip()) > SPOKEN_MAX_CHARS
        or text.lstrip().lower().startswith("implement the following plan")
        or len(re.findall(r"^#{1,6} \S", text, re.MULTILINE)) >= 2
        or len(re.findall(r"^[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]", text, re.MULTILINE)) > 12
    )


@lru_cache(maxsize=_KEPT)
def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a turn that are speech, in order."""
    whole = _without_pasted(text)
    said = _masked(_unquoted(whole), (_QUOTED,))
    found: list[Sentence] = []
    start = 0
    for gap in [*_BREAK.finditer(said), None]:
        end = gap.start() if gap else len(said)
        found += _sentences_of(whole, said, start, end)
        start = gap.end() if gap else end
    return tuple(found)


@lru_cache(maxsize=_KEPT)
def _without_pasted(text: str) -> str:
    """The turn with blanks for what stands in it and was not said."""
    return _masked(text, _NOT_SAID)


def _sentences_of(whole: str, said: str, start: int, end: int) -> Iterator[Sentence]:
    while start < end:
        stop = _SENTENCE_END.search(said, start, end)
        close = stop.end() if stop else end
        words = without_lead(said[start:close])
        if words:
            yield Sentence(without_lead(whole[start:close]), words, start, close)
        start = close


def without_lead(text: str) -> str:
    """`text` on one line, without the small words that lead into it."""
    text = " ".join(text.split())
    while lead := _LEAD.match(text):
        text = text[lead.end() :]
    return text


def brief(text: str, max_chars: int) -> str:
    """`text` on one line of at most `max_chars`, cut between words where there are any."""
    text = " ".join(text.split())
    if len(text) <= max_chars:
        return text
    head = text[: max(1, max_chars - 1)]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:—-") + "…"


def _unquoted(text: str) -> str:
    """`text` with blanks for what it quotes at some length."""
    for start, end in quotations(text):
        text = text[:start] + _blank(text[start:end]) + text[end:]
    return text


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _masked(text: str, patterns: tuple[re.Pattern[str], ...]) -> str:
    """`text` with blanks for what matches, newlines kept, so that places stay the same."""
    for pattern in patterns:
        text = pattern.sub(lambda match: _blank(match[0]), text)
    return text
