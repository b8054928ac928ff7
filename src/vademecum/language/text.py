"""Normalise text for comparison: fold it, put it on one line, split it into tokens, drop stop words."""

import re
import unicodedata
from collections import Counter
from functools import cache

from vademecum.domain.late_pattern import late_pattern
from vademecum.language.load import languages

_WORD = late_pattern(r"[^\W_]+")

#: The language assumed for a text in doubt.
USUAL = "en"
#: Languages identified by their script.
_SCRIPTS = {"zh": "[\u3400-\u9fff]", "ru": "[\u0400-\u04ff]"}


@cache
def _unspaced() -> re.Pattern[str]:
    """Return the pattern of scripts written without spaces: Thai, Lao, Kana, Han, Hangul. Compiling such large sets takes milliseconds."""
    return re.compile("[\u0e01-\u0eff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


@cache
def _script(code: str) -> re.Pattern[str]:
    return re.compile(_SCRIPTS[code])


def one_line(text: str) -> str:
    """Return the case-folded text with single spaces."""
    return " ".join(text.casefold().split())


def brief(text: str, max_chars: int) -> str:
    """Return `text` on one line of at most `max_chars` characters, cut between words if possible."""
    text = " ".join(text.split())
    if len(text) <= max_chars:
        return text
    head = text[: max(1, max_chars - 1)]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:.—-") + "…"


def fold(text: str) -> str:
    """Return the text case-folded and without accents; "ß" is "ss"."""
    return unaccented(text.casefold())


def unaccented(text: str) -> str:
    """Return the text without accents, and with compatibility characters unified."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def base_letters(accented: str) -> dict[int, str]:
    """Return the table for `str.translate` that removes the accents of these letters; text length does not change."""
    both = accented.lower() + accented.upper()
    return {ord(letter): unicodedata.normalize("NFD", letter)[0] for letter in both}


def tokens(text: str) -> list[str]:
    """Return the case-folded words of a text in order; in scripts without spaces each overlapping pair of characters."""
    texts: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        runs = [] if word.isascii() else [run for run in _unspaced().findall(word) if len(run) > 1]
        texts += [run[at : at + 2] for run in runs for at in range(len(run) - 1)] if runs else [word]
    return texts


def is_unspaced(text: str) -> bool:
    """Return whether a text contains a character of a script without spaces."""
    return not text.isascii() and _unspaced().search(text) is not None


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, in lower case."""
    return languages().own(language, "stop_words", "stop")


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text but the most common ones of its language."""
    return frozenset(tokens(text)) - common_words(text)


def common_words(text: str) -> frozenset[str]:
    """Return the stop words of the language of a text, in lower case."""
    return stop_words(language_of(text))


def says_nothing(text: str, language: str) -> bool:
    """Return whether a text of that language holds only courtesies and stop words."""
    stop = stop_words(language)
    return all(word in stop for word in tokens(_courtesy().sub(" ", text)))


def is_courtesy(text: str) -> bool:
    """Return whether a text is only a courtesy ("thanks, good for today"), in any language."""
    return _courtesy().search(text) is not None and says_nothing(text, language_of(text))


def _courtesy() -> re.Pattern[str]:
    return languages().sign("questions", "courtesy")


def _written_in(code: str, text: str) -> int:
    """Return the number of characters in the script of a language."""
    return len(_script(code).findall(text))


def language_of(text: str) -> str:
    """Return the code of the most likely language of a text, by its script and stop words; `USUAL` in doubt."""
    if not text.isascii():
        letters = sum(char.isalpha() for char in text)
        for code in _SCRIPTS:
            if 2 * _written_in(code, text) > letters:
                return code
        if 2 <= _written_in("zh", text) >= 2 * len(_WORD.findall(_unspaced().sub(" ", text))):
            return "zh"  # two characters are about one word, so the many letters of foreign names do not outweigh them
    common_in = _languages_by_stop_word()
    counts = Counter(code for word in _WORD.findall(text.casefold()) for code in common_in.get(word, ()))
    return max((USUAL, *languages().codes), key=counts.__getitem__)


@cache
def _languages_by_stop_word() -> dict[str, list[str]]:
    by_key: dict[str, list[str]] = {}
    for code in languages().codes:
        for word in stop_words(code):
            by_key.setdefault(word, []).append(code)
    return by_key
