"""Make titles of statements: the rule alone, without complaints, courtesies and filler words, cut between words."""

import re
from functools import cache
from itertools import pairwise

from vademecum.domain.late_pattern import late_pattern
from vademecum.extract.numbers import MINE_TITLE_MAX_CHARS, MINE_WORDS_MIN
from vademecum.language.load import languages
from vademecum.language.patterns import speech
from vademecum.language.sentences import begun, sentences
from vademecum.language.text import brief, common_words, is_unspaced

#: Marks at the end of a sentence; a title has none.
ENDINGS = ".!。！"
#: Minimum characters of a title that is cut at the end of a clause.
_CLAUSE_MIN_CHARS = 20
#: Minimum words of a clause; what is shorter is an entry of a list.
_CLAUSE_WORDS = 3
#: Maximum introductory phrases to remove, and minimum words, or characters in a script without spaces, that must remain.
_FRAMES_MAX, _WORDS_LEFT, _CHARS_LEFT = 6, 2, 4
#: Minimum words of a sentence in capitals that counts as shouted.
_SHOUTED_WORDS = 3

#: A Chinese character.
_HAN = late_pattern(r"[\u4e00-\u9fff]")
#: Markdown at the beginning of a line and around words, and Markdown links.
_MARKDOWN = late_pattern(r"^\s*(?:[-*+>]\s+|#+\s+|\d+[.)]\s+)+|\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", re.MULTILINE)
_LINK = late_pattern(r"\[([^\]\n]+)\]\([^)\s]+\)")
_SENTENCE_END = late_pattern(r"[.!?](?=\s)|[。！？]")
#: What separates two clauses.
_GAP = late_pattern(r"[,;:.!，。！]+\s*")


def title_of(text: str, language: str) -> str:
    """Return the title of a statement, one line of at most :data:`MINE_TITLE_MAX_CHARS`.

    A long statement is cut to its first sentence, clauses or words.

    Args:
        language: code of the statement's language; "any" when unknown.
    """
    text = _sentence_case(rule_alone(_without_outburst(without_markdown(text))), language).rstrip(ENDINGS)
    if len(text) > MINE_TITLE_MAX_CHARS:
        text = next((sentence.text for sentence in sentences(text)), text).rstrip(ENDINGS)
    if len(text) > MINE_TITLE_MAX_CHARS:
        ends = _ends(_clause(), text) or _ends(joint(), text)
        text = text[: ends[-1]] if ends else text
    cut = brief(text, MINE_TITLE_MAX_CHARS).rstrip(" ,;:…")
    return cut if cut == text.rstrip(" ,;:…") else _without_dangling(cut)


def whole_clauses(text: str, max_chars: int) -> str:
    """Return a text of one line cut after its last sentence or clause within `max_chars`; "" when its first clause is longer.

    No bracket, quotation or piece of code stays open. A text that ends with "…" was cut before: what is unfinished is removed.
    """
    if len(text) <= max_chars and not text.endswith(("…", "...")):
        return text
    for of_parts in (_SENTENCE_END, joint(), _reason()):
        found = list(of_parts.finditer(text))
        edges = [0, *(edge for gap in found for edge in gap.span()), len(text)]
        parts = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
        pairs = zip(found, pairwise(parts), strict=True)
        cuts = [text[: gap.start()] for gap, around in pairs if all(map(_is_clause, around))]
        whole = [cut for cut in cuts if _CLAUSE_MIN_CHARS <= len(cut) <= max_chars and _is_closed(cut)]
        if whole:
            return whole[-1].rstrip(" ,;:")
    return ""


def between_words(text: str, max_chars: int) -> str:
    """Return a text cut to `max_chars`, with "…" and without the function words at its end."""
    cut = brief(text, max_chars)
    whole = cut == text and not text.endswith(("…", "..."))
    return text if whole else f"{_without_dangling(cut.rstrip('….'))}…"


def title_of_answer(question: str, answer: str) -> str:
    """Return the last sentence of a question with its answer; the title of the answer if that is too long."""
    asked = [
        sentence.text for sentence in sentences(without_markdown(question)) if sentence.text.rstrip().endswith(("?", "？"))
    ]
    whole = f"{asked[-1].strip() if asked else without_markdown(question)} {without_markdown(answer).rstrip(ENDINGS)}"
    if len(whole) <= MINE_TITLE_MAX_CHARS:
        return begun(whole)
    return title_of(answer if len(answer.split()) > MINE_WORDS_MIN else whole, "any")


def as_sentence(text: str) -> str:
    """Return a text as a complete sentence: it begins with a capital, unless with the name of a program, and ends with a mark."""
    text = re.sub(r"(?<=[^.])\.\.+$", ".", text.strip(" \t-–—,;:"))
    text = begun(text)
    if text.endswith((".", "!", "?", "…", ")", "`", '"', "。", "！", "？")):
        return text
    return text + ("。" if _HAN.match(text[-1:]) else ".")


def without_markdown(text: str) -> str:
    """Return a text without marks of lists, headings, emphasis, code and links."""
    return _MARKDOWN.sub("", _LINK.sub(r"\1", text)).strip()


@cache
def joint() -> re.Pattern[str]:
    """Match the separator between two statements in one sentence."""
    words = "|".join(languages().listed("speech", "joining"))
    return re.compile(rf"\s*[,;]\s*(?:(?:{words})\s+)?|\s+(?:{words})\s+|[，；]", re.IGNORECASE)


@cache
def _clause() -> re.Pattern[str]:
    """Match the end of a clause that can be a title."""
    return re.compile(rf"(?:,| — | - |;|:| {'| '.join(languages().listed('speech', 'because'))})(?=\s)")


@cache
def _reason() -> re.Pattern[str]:
    """Match the beginning of a clause with a reason."""
    return re.compile(rf" (?:—|-|{'|'.join(languages().listed('speech', 'because'))})(?=\s)")


def _is_clause(part: str) -> bool:
    """Return whether a part of a sentence is more than an entry of a list: "the index, the pages and the shop"."""
    return len(part) >= _CLAUSE_MIN_CHARS if is_unspaced(part) else len(part.split()) >= _CLAUSE_WORDS


def _is_closed(text: str) -> bool:
    return not any(text.count(mark) % 2 for mark in '`"') and text.count("(") == text.count(")")


def _ends(of_parts: re.Pattern[str], text: str) -> list[int]:
    """Return the positions where a text may be cut."""
    return [match.start() for match in of_parts.finditer(text) if _CLAUSE_MIN_CHARS <= match.start() <= MINE_TITLE_MAX_CHARS]


def rule_alone(text: str) -> str:
    """Return a statement without filler around it: "Well i want short answers please" -> "short answers"."""
    text = " ".join(languages().sign("titles", "expletive").sub("", text).split())
    tail = languages().sign("titles", "tail").search(text.rstrip(".!?。！？ "))
    text = text[: tail.start()] if tail and _says_something(text[: tail.start()]) else text
    for _ in range(_FRAMES_MAX):
        frame = languages().sign("titles", "frame").match(text)
        rest = text[frame.end() :].lstrip(" ,;:.!…—-") if frame else ""
        if not _says_something(rest):
            break
        text = rest.rstrip("?？ ")  # a wish in the form of a question becomes a statement
    return text


def _says_something(text: str) -> bool:
    """Return whether a text can be a title: it has a few words and does not refer to removed text."""
    if speech("pointing").match(text):
        return False
    return len(text) >= _CHARS_LEFT if is_unspaced(text) else len(text.split()) >= _WORDS_LEFT


def _sentence_case(text: str, language: str) -> str:
    """Return a statement with correct capitals.

    It begins with a capital letter; shouted words become lower case, words that need a capital get one.
    """
    if sum(word.isupper() and len(word) > 1 for word in text.split()) >= _SHOUTED_WORDS and text.isupper():
        text = text.lower()
    if languages().tables("titles", "capital").get(language):
        text = languages().sign_in(language, "titles", "capital").sub(lambda found: found[0].upper(), text)
    return as_sentence(text)


def _without_dangling(cut: str) -> str:
    """Return a cut text without the function words at its end: "... of every page that"."""
    words, small = cut.split(), common_words(cut)
    while len(words) > MINE_WORDS_MIN and words[-1].casefold() in small:
        words.pop()
    return " ".join(words)


def _without_outburst(text: str) -> str:
    """Return a text without leading and trailing clauses that only complain: "Wrong again, sort it by name, damn"."""
    gaps = list(_GAP.finditer(text))
    for gap in gaps:
        if gap.end() < len(text) and speech("outburst").fullmatch(text[: gap.start()].strip()):
            return _without_outburst(text[gap.end() :])
    last = next((gap for gap in reversed(gaps) if gap.end() < len(text)), None)
    if last and speech("outburst").fullmatch(text[last.end() :].strip(" .!?。！？")):
        return _without_outburst(text[: last.start()])
    return text
