"""Extract the spoken sentences of a turn, without code, quotations, tables, logs and other pasted text.

Positions are preserved: a sentence knows its position in the turn.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Literal

from msgspec import Struct

from vademecum.domain.late_pattern import late_pattern
from vademecum.language.load import languages
from vademecum.language.patterns import speech
from vademecum.language.quotations import quotations
from vademecum.language.text import brief as brief  # noqa: PLC0414 -- asked for here too, until all ask there

#: Maximum characters of speech in a turn; a longer turn is a pasted document.
SPOKEN_MAX_CHARS = 2500

#: Maximum characters of a turn including code and logs; a longer turn is not searched for speech.
PASTED_MAX_CHARS = 20_000

#: Placeholder for a block of code.
CODE_MARK = "[code]"
#: Maximum characters of a one-line block that is left as it is.
COMMAND_MAX_CHARS = 200

#: Number of cached results: the extractors of statements, ideas, reports and actions read the same turns.
_KEPT = 512

#: A file, path or identifier, which is written as it is.
_WRITTEN_SO = late_pattern(r"[a-z][A-Z]|\w[._/\\]\w|^[./\\_-]")
#: A sentence with this many line breaks was pasted.
PASTED_BREAKS = 2

#: Text handed over on the same line, three words or more.
_BEHIND_COLON = late_pattern(r"(?:[:：]|\s[—–-]{1,2}\s)\s*(?:\S+\s+){2}\S|[:：][^\n]{6}")
_PARAGRAPH_END = late_pattern(r"[ \t]*[:：]?[ \t]*\n[ \t]*\n")
#: A block of code, and what the person marked as private; both reach the end of the text when nothing closes them.
FENCE = late_pattern(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
PRIVATE = late_pattern(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGGED = late_pattern(r"<([a-zA-Z][\w-]*)\b[^<>\n]{0,200}>.{0,4000}?</\1>", re.DOTALL)
#: Quotations with unmatched marks, within a line.
_QUOTED = late_pattern(r"[\"“«][^\"“”«»\n]{12,}[\"”»]")
_NOT_SPEECH = late_pattern(
    r"^(?:"
    r"[ \t]*(?:>|\||#{1,6} |@\S+$|\$ |>>> |\+\+\+ |--- |@@ |[➜❯λ✗✓✔] |diff --git|index [0-9a-f]{7}|//|/\*|\* @|<[^>]+>$|\[[^\]]*\]\s*$)"
    r"|[ \t]*(?:Traceback \(most recent|File \"|at [\w.$<>\[\]]+(?: \[as \w+\])? ?\(|at \S+:\d+|\.\.\. )"
    r"|[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|\[?(?:INFO|DEBUG|WARN|WARNING|ERROR|TRACE|FATAL)\]?[ :])"
    r"|[ \t]*(?:[A-Za-z_][\w.]*(?:Error|Exception|Warning)\b:|npm (?:ERR|WARN|error)|fatal: |hint: |tip: |error(?:\[\w+\])?: |warning: )"
    r"|[ \t]*[\w./\\-]+:\d+(?::\d+)?:"
    r"|\[\d{1,2}[:./][^\]\n]{2,24}\] [^:\n]{1,40}:|\d{1,2}[./]\d{1,2}[./]\d{2,4},? \d{1,2}:\d\d[^\n:-]{0,8}- [^:\n]{1,40}:"
    r"|\d+[,;\t](?=[^\s\d])"
    r"|(?: {4}|\t)(?![ \t]*[-*•\d])"
    r"|[^\w\n]*$"
    r").*$",
    re.MULTILINE,
)
_BREAK = late_pattern(
    r"\n[ \t]*\n|(?<=[:：])[ \t]*\n|\n(?=[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t])|^(?=[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t])"
)
#: Phrases of Claude Code and Codex before a plan, and that of Claude Code before the person's words about it.
_PLAN_PHRASE = late_pattern(r"\s*(?:implement the following plan|please implement this plan):[ \t]*\n", re.IGNORECASE)
PLAN_FEEDBACK = "\n\nUser feedback on this plan: "
#: Both sides of an unfinished merge in a file.
_CONFLICT = late_pattern(r"^<{7}(?: [^\n]*)?$.*?(?:^>{7}(?: [^\n]*)?$|\Z)", re.DOTALL | re.MULTILINE)
#: A mail from its head, or from the line above a quoted one, to the end of the text.
_MAIL = late_pattern(
    r"^(?:[ \t]*-{2,}[ \t]*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d['’]origine"
    r"|message transféré|mensaje original|mensagem original|messaggio originale|исходное сообщение)\b[^\n]*"
    r"|(?:from|von|de|da|от|发件人)[:：][^\n]*(?:@|\n[^\W\d_][\w-]{1,12}[:：] )[^\n]*"
    r"|(?:subject|betreff|objet|asunto|assunto|oggetto|тема|主题)[:：] [^\n]*"
    r"|(?:on|am|le|el|em|il) [^\n]{4,160} (?:wrote|schrieb [^\n:]{1,80}|a écrit|escribió|escreveu|ha scritto) ?:[ \t]*)$.*\Z",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
#: A diff from its head; a command at a prompt with its output; a conversation of several, by the names before what each says.
_DIFF = late_pattern(
    r"^(?:diff --git |@@ -\d|--- \S+\n\+\+\+ ).*(?:\n(?:[-+ @\\]|(?:diff|index|new|deleted|similarity|rename) ).*)*",
    re.MULTILINE,
)
_COMMAND = late_pattern(r"^[ \t]*\$ \S.*(?:\n(?![ \t]*$).*)*", re.MULTILINE)
_NAMED_LINE = r"[^\W\d_][\w .'-]{0,24}): .*(?:\n.*){0,2}?\n"
_DIALOGUE = late_pattern(
    rf"^(?:(?P<first>{_NAMED_LINE}(?!(?P=first):)(?P<second>{_NAMED_LINE}(?P=first):"
    r"|(?i:(?:q|question|user|human|customer): .*(?:\n.*){0,8}?\n(?:a|answer|assistant|ai|agent|support):)) .*(?:\n(?![ \t]*$).*)*",
    re.MULTILINE,
)
#: Parts of a turn that were not said in it.
_NOT_SAID = (FENCE, PRIVATE, _CONFLICT, _MAIL, _DIFF, _COMMAND, _DIALOGUE, _TAGGED, _NOT_SPEECH)


class Sentence(Struct, frozen=True):
    """One sentence of a turn.

    Attributes:
        text: on one line, without its leading filler words.
        said: the same without quotations; never empty.
        start, end: position in the turn's text, including the leading words.
    """

    text: str
    said: str
    start: int
    end: int


def handed_over_plan(text: str) -> tuple[int, int] | None:
    """Return (start, end) of a plan of the agent that a host hands to a new conversation in the person's name; None for any other text.

    The person accepted the plan. What they typed while doing so follows it, behind `PLAN_FEEDBACK`.
    """
    phrase = _PLAN_PHRASE.match(text)
    if phrase is None:
        return None
    end = text.find(PLAN_FEEDBACK, phrase.end())
    return phrase.end(), end if end >= 0 else len(text)


def is_bulk(text: str) -> bool:
    """Return whether a turn is a pasted document, plan or log."""
    return (
        len(text) > PASTED_MAX_CHARS
        or len(_without_pasted(text).strip()) > SPOKEN_MAX_CHARS
        or handed_over_plan(text) is not None
        or len(re.findall(r"^#{1,6} \S", text, re.MULTILINE)) >= 2
        or len(re.findall(r"^[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]", text, re.MULTILINE)) > 12
    )


@cache
def _sentence_end() -> re.Pattern[str]:
    """Return the pattern of a sentence end. It begins with the character itself, so that it fails fast at other positions."""
    unended = "".join(rf"(?<!\b{re.escape(short)}[.!?])" for short in languages().listed("speech", "abbreviations"))
    return re.compile(rf"[.!?…。！？](?:(?<=[.!?]){unended}[.!?]*[\"')\]]*(?=\s|$)|(?<=\.)\.+|(?<=[…。！？]))")


@cache
def _lead() -> re.Pattern[str]:
    """Return the pattern of filler words and marks at the beginning of a sentence. "No," is one, "no longer" is not."""
    plain, marked = ("|".join(languages().listed("speech", sign)) for sign in ("lead", "lead_with_mark"))
    return re.compile(
        rf"^(?:[\s\-*•+>¡¿]+|\d{{1,2}}[.)]\s+|\*\*[^*]{{1,40}}\*\*:?\s*|(?:{plain})\b[\s,.:;!—–-]+|(?:{marked})\s*[,.:;!—–-]+\s*)",
        re.IGNORECASE,
    )


@lru_cache(maxsize=_KEPT)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the spoken sentences of a turn, in order."""
    whole = _without_pasted(text)
    masked = _masked(_unquoted(whole), (_QUOTED,))
    all_sentences: list[Sentence] = []
    start = 0
    for gap in [*_BREAK.finditer(masked), None]:
        end = gap.start() if gap else len(masked)
        all_sentences += _sentences_of(whole, masked, start, end)
        start = gap.end() if gap else end
    return tuple(all_sentences)


def not_spoken(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the parts of a text that were not said: code, logs, tables, headings, quoted and private passages."""
    for pattern in _NOT_SAID:
        yield from (match.span() for match in pattern.finditer(text))


def own_words(said: Sequence[Sentence], text: str) -> Iterator[Sentence]:
    """Yield the sentences in which the person speaks for themselves, without texts that they want written, translated or retold."""
    for sentence in said:
        if "notes, not instructions" in sentence.said.lower():  # our own briefing, repeated; the rest of the turn belongs to it
            return
        if text[sentence.start : sentence.end].strip().count("\n") >= PASTED_BREAKS:
            continue
        passed = _passed_on(sentence, text)
        if passed == "rest":
            return
        if not passed:
            yield sentence


def _passed_on(sentence: Sentence, text: str) -> Literal["", "sentence", "rest"]:
    """Return how much is other people's words: nothing, this sentence, or it and the rest of the turn."""
    words, follows = sentence.said, "\n" in text[sentence.end :]
    colon = text[sentence.start : sentence.end + 1].rstrip().endswith((":", "："))
    by_others = speech("from_others").search(words) is not None
    if speech("making").search(words):
        lasting = speech("lasting").search(words)  # "always summarise ..." is a standing order, not about this text
        if colon or _BEHIND_COLON.search(words) or by_others or (follows and not lasting):
            return "rest"
        if not lasting:
            return "sentence"
    if (speech("shown").search(words) and _PARAGRAPH_END.match(text, sentence.end)) or (
        colon and speech("handed").search(words)
    ):
        return "rest"
    if by_others:
        return "rest" if colon or ":\n" in text[sentence.start :] else "sentence"
    return ""


@lru_cache(maxsize=_KEPT)
def _without_pasted(text: str) -> str:
    """Return the turn with spaces in place of the parts that were not said."""
    return _masked(text, _NOT_SAID)


def _sentences_of(whole: str, entry: str, start: int, end: int) -> Iterator[Sentence]:
    while start < end:
        stop = _sentence_end().search(entry, start, end)
        close = stop.end() if stop else end
        words = without_lead(entry[start:close])
        if words:
            yield Sentence(without_lead(whole[start:close]), words, start, close)
        start = close


def begun(text: str) -> str:
    """Return a text that begins with a capital letter, unless it begins with the name of a program or a file, such as npm."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    if first in languages().words("actions", "programs") or _WRITTEN_SO.search(first.rstrip(".,;:!?")):
        return text
    return text[:1].upper() + text[1:]


def without_lead(text: str) -> str:
    """Return `text` on one line, without its leading filler words."""
    text = " ".join(text.split())
    while lead := _lead().match(text):
        text = text[lead.end() :]
    return text


def on_one_line(text: str) -> str:
    """Return `text` on one line, without private parts, and with a placeholder for each block of code.

    A block with a single line, such as a command, is included as it is.
    """
    return " ".join(FENCE.sub(_command_or_mark, PRIVATE.sub(" ", text)).split())


def _command_or_mark(block: re.Match[str]) -> str:
    lines = [line.strip() for line in block[0].strip().splitlines()[1:] if not line.strip().startswith(block[1])]
    single = lines[0] if len(lines) == 1 else ""
    return f" `{single}` " if 0 < len(single) <= COMMAND_MAX_CHARS else f" {CODE_MARK} "


def _unquoted(text: str) -> str:
    """Return `text` with spaces in place of its longer quotations."""
    for start, end in quotations(text):
        text = text[:start] + _blank(text[start:end]) + text[end:]
    return text


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _masked(text: str, patterns: tuple[re.Pattern[str], ...]) -> str:
    """Return `text` with spaces in place of all matches; newlines remain, so that positions do not change."""
    for pattern in patterns:
        text = pattern.sub(lambda match: _blank(match[0]), text)
    return text
