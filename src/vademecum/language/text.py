"""Text as it is compared: folded, on one line, cut into tokens, without the words that say nothing about a subject."""

import re
import unicodedata
from collections import Counter
from functools import cache

from vademecum.language.load import languages

_WORD = re.compile(r"[^\W_]+")

#: The language that a text is taken to be in while nothing says otherwise.
USUAL = "en"
#: Languages that their script tells.
_SCRIPTS = {"zh": "[\u3400-\u9fff]", "ru": "[\u0400-\u04ff]"}


@cache
def _unspaced() -> re.Pattern[str]:
    """Return the pattern of scripts written without spaces: Thai, Lao, Kana, Han, Hangul. Large sets of characters take milliseconds."""
    return re.compile("[\u0e01-\u0eff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


@cache
def _script(code: str) -> re.Pattern[str]:
    return re.compile(_SCRIPTS[code])


def one_line(text: str) -> str:
    """Return the text in one case, each stretch of white space as one blank."""
    return " ".join(text.casefold().split())


def brief(text: str, max_chars: int) -> str:
    """Return `text` on one line of at most `max_chars`, cut between words where there are any."""
    text = " ".join(text.split())
    if len(text) <= max_chars:
        return text
    head = text[: max(1, max_chars - 1)]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:.—-") + "…"


def fold(text: str) -> str:
    """Return the text in one case and without accents; "ß" is "ss"."""
    return unaccented(text.casefold())


def unaccented(text: str) -> str:
    """Return the text without accents, and with compatible characters as one."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def base_letters(accented: str) -> dict[int, str]:
    """Return the table by which `str.translate` takes the accents off these letters, one for one, so that places stay."""
    both = accented.lower() + accented.upper()
    return {ord(letter): unicodedata.normalize("NFD", letter)[0] for letter in both}


def tokens(text: str) -> list[str]:
    """Return the words of a text in order and in one case; of scripts without spaces each overlapping pair of characters."""
    texts: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        runs = [] if word.isascii() else [run for run in _unspaced().findall(word) if len(run) > 1]
        texts += [run[at : at + 2] for run in runs for at in range(len(run) - 1)] if runs else [word]
    return texts


def is_unspaced(text: str) -> bool:
    """Return whether a character of a script without spaces stands in it."""
    return not text.isascii() and _unspaced().search(text) is not None


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the words of a language that say nothing about a subject, in small letters."""
    return languages().own(language, "questions", "stop")


def common_words(text: str) -> frozenset[str]:
    """Return the words that say nothing about a subject in the language that a text is in, in small letters."""
    return stop_words(language_of(text))


def says_nothing(text: str, language: str) -> bool:
    """Return whether only courtesies and words that say nothing about a subject stand in a text of that language."""
    stop = stop_words(language)
    return all(word in stop for word in tokens(_courtesy().sub(" ", text)))


def is_courtesy(text: str) -> bool:
    """Return whether a text is a courtesy and nothing else ("thanks, good for today"), in any language."""
    return _courtesy().search(text) is not None and says_nothing(text, language_of(text))


def _courtesy() -> re.Pattern[str]:
    return languages().sign("questions", "courtesy")


def _written_in(code: str, text: str) -> int:
    """Return how many characters of the text are of the script of a language."""
    return len(_script(code).findall(text))


def language_of(text: str) -> str:
    """Return the code of the language that a text is most likely in, by its script and its most common words; `USUAL` in doubt."""
    if not text.isascii():
        letters = sum(char.isalpha() for char in text)
        for code in _SCRIPTS:
            if 2 * _written_in(code, text) > letters:
                return code
        if 2 <= _written_in("zh", text) >= 2 * len(_WORD.findall(_unspaced().sub(" ", text))):
            return "zh"  # two characters are about a word: names in another script do not outweigh them by their letters
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
