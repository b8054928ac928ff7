"""Make titles of what was said: the rule alone, without complaints, courtesies and small words around it, cut between words."""

import re
from functools import cache

from vademecum.extract.numbers import MINE_TITLE_MAX_CHARS, MINE_WORDS_MIN
from vademecum.language.load import languages
from vademecum.language.patterns import speech
from vademecum.language.sentences import sentences
from vademecum.language.text import brief, common_words, is_unspaced

#: What ends a sentence is no part of what it states.
ENDINGS = ".!。！"
#: A title that is cut at the end of a clause keeps at least this many characters.
_CLAUSE_MIN_CHARS = 20
#: At most this many words, or wishes, are taken off in front; so many words, or characters of a script without spaces, must remain.
_FRAMES_MAX, _WORDS_LEFT, _CHARS_LEFT = 6, 2, 4
#: A sentence of so many words that are all capitals is shouted.
_SHOUTED_WORDS = 3

#: A Chinese character.
_HAN = re.compile(r"[\u4e00-\u9fff]")
#: Marks of Markdown at the beginning of a line, and around words; a link.
_MARKDOWN = re.compile(r"^\s*(?:[-*+>]\s+|#+\s+|\d+[.)]\s+)+|\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", re.MULTILINE)
_LINK = re.compile(r"\[([^\]\n]+)\]\([^)\s]+\)")
#: Between two clauses.
_GAP = re.compile(r"[,;:.!，。！]+\s*")


def title_of(text: str, language: str) -> str:
    """Return what a statement says, on one line of at most :data:`MINE_TITLE_MAX_CHARS`; of what is too long the first sentence, its
    first clauses or words.

    Args:
        language: code of the language that it is in; "any" when that is not known.
    """
    text = _sentence_case(_rule(_without_outburst(without_markdown(text))), language).rstrip(ENDINGS)
    if len(text) > MINE_TITLE_MAX_CHARS:
        text = next((sentence.text for sentence in sentences(text)), text).rstrip(ENDINGS)
    if len(text) > MINE_TITLE_MAX_CHARS:
        ends = _ends(_clause(), text) or _ends(joint(), text)
        text = text[: ends[-1]] if ends else text
    cut = brief(text, MINE_TITLE_MAX_CHARS).rstrip(" ,;:…")
    return cut if cut == text.rstrip(" ,;:…") else _without_dangling(cut)


def title_of_answer(question: str, answer: str) -> str:
    """Return the last sentence of a question with its answer, or what of both is short enough; never a cut question."""
    asked = [
        sentence.text for sentence in sentences(without_markdown(question)) if sentence.text.rstrip().endswith(("?", "？"))
    ]
    whole = f"{asked[-1].strip() if asked else without_markdown(question)} {without_markdown(answer).rstrip(ENDINGS)}"
    if len(whole) <= MINE_TITLE_MAX_CHARS:
        return whole
    return title_of(answer if len(answer.split()) > MINE_WORDS_MIN else whole, "any")


def as_sentence(text: str) -> str:
    """Return a sentence that can stand alone: begins with a capital and ends with a mark."""
    text = re.sub(r"(?<=[^.])\.\.+$", ".", text.strip(" \t-–—,;:"))
    text = text[:1].upper() + text[1:]
    if text.endswith((".", "!", "?", "…", ")", "`", '"', "。", "！", "？")):
        return text
    return text + ("。" if _HAN.match(text[-1:]) else ".")


def without_markdown(text: str) -> str:
    """Return the words of a line: no list, heading, emphasis, code or link marks."""
    return _MARKDOWN.sub("", _LINK.sub(r"\1", text)).strip()


@cache
def joint() -> re.Pattern[str]:
    """Match what joins two statements to one sentence."""
    words = "|".join(languages().listed("speech", "joining"))
    return re.compile(rf"\s*[,;]\s*(?:(?:{words})\s+)?|\s+(?:{words})\s+|[，；]", re.IGNORECASE)


@cache
def _clause() -> re.Pattern[str]:
    """Match the end of a clause that can be a title."""
    return re.compile(rf"(?:,| — | - |;|:| {'| '.join(languages().listed('speech', 'because'))})(?=\s)")


def _ends(of_parts: re.Pattern[str], text: str) -> list[int]:
    """Return where a text may be cut."""
    return [match.start() for match in of_parts.finditer(text) if _CLAUSE_MIN_CHARS <= match.start() <= MINE_TITLE_MAX_CHARS]


def _rule(text: str) -> str:
    """Return a statement without what stands around it: "Well i want short answers please" -> "short answers"."""
    text = " ".join(languages().sign("titles", "expletive").sub("", text).split())
    text = _without_tail(text)
    for _ in range(_FRAMES_MAX):
        frame = languages().sign("titles", "frame").match(text)
        rest = text[frame.end() :].lstrip(" ,;:.!…—-") if frame else ""
        if not _says_something(rest):
            break
        text = rest.rstrip("?？ ")  # what was asked for is no question
    return text


def _without_tail(text: str) -> str:
    """Return a statement without the courtesies behind it."""
    tail = languages().sign("titles", "tail").search(text.rstrip(".!?。！？ "))
    return text[: tail.start()] if tail and _says_something(text[: tail.start()]) else text


def _says_something(text: str) -> bool:
    """Return whether a title can be made of a text: it has a few words and does not point at what is gone."""
    if speech("pointing").match(text):
        return False
    return len(text) >= _CHARS_LEFT if is_unspaced(text) else len(text.split()) >= _WORDS_LEFT


def _sentence_case(text: str, language: str) -> str:
    """Return a statement with a capital in front and at its capital words; one that is shouted in small letters."""
    if sum(word.isupper() and len(word) > 1 for word in text.split()) >= _SHOUTED_WORDS and text.isupper():
        text = text.lower()
    if languages().tables("titles", "capital").get(language):
        text = languages().sign_in(language, "titles", "capital").sub(lambda found: found[0].upper(), text)
    return as_sentence(text)


def _without_dangling(cut: str) -> str:
    """Return what was cut between words without the small words at its end, which lead to what is gone: "... of every page that"."""
    words, small = cut.split(), common_words(cut)
    while len(words) > MINE_WORDS_MIN and words[-1].casefold() in small:
        words.pop()
    return " ".join(words)


def _without_outburst(text: str) -> str:
    """Return a text without clauses in front and behind that only complain: "Wrong again, sort it by name, damn"."""
    gaps = list(_GAP.finditer(text))
    for gap in gaps:
        if gap.end() < len(text) and speech("outburst").fullmatch(text[: gap.start()].strip()):
            return _without_outburst(text[gap.end() :])
    last = next((gap for gap in reversed(gaps) if gap.end() < len(text)), None)
    if last and speech("outburst").fullmatch(text[last.end() :].strip(" .!?。！？")):
        return _without_outburst(text[: last.start()])
    return text
