"""Text -> word pieces, as BERT uncased does it. Pure Python; a word is cut once and remembered.

Equal to the Hugging Face tokenizer for every character up to Unicode 8, which is what that knows. One intended
difference: text that spells a special token ("[SEP]") is text.
"""

import unicodedata
from collections.abc import Sequence
from itertools import chain

UNKNOWN, CLS, SEP = "[UNK]", "[CLS]", "[SEP]"
MAX_WORD_CHARS = 100
#: Words remembered before starting anew: about 20 MB.
MAX_KNOWN_WORDS = 100_000
#: No usual text has more characters per token; longer text is only looked at when this was not enough.
CHARS_PER_TOKEN = 16

CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """A vocabulary, and the pieces of every word seen so far."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self.cls, self.sep, self.unknown = numbers[CLS], numbers[SEP], numbers[UNKNOWN]
        self._pieces = _Pieces(numbers, self.unknown)

    def encode(self, text: str, max_tokens: int | None = None) -> list[int]:
        """Return numbers of the word pieces of `text` in reading order, without [CLS] and [SEP]; the rest is cut off."""
        if max_tokens is not None and len(text) > max_tokens * CHARS_PER_TOKEN:
            start = self._encode(text[: max_tokens * CHARS_PER_TOKEN], but_last=True)
            if len(start) >= max_tokens:
                return start[:max_tokens]
        return self._encode(text)[:max_tokens]

    def _encode(self, text: str, but_last: bool = False) -> list[int]:
        if len(self._pieces) > MAX_KNOWN_WORDS:
            self._pieces.clear()
        found = words(text)
        if but_last:  # it may have been cut in two
            found = found[:-1]
        return list(chain.from_iterable(map(self._pieces.__getitem__, found)))


def words(text: str) -> list[str]:
    """Return words in lower case without accents; each punctuation mark and each Chinese character is a word."""
    return text.translate(_CHARACTERS).split()


class _Pieces(dict[str, tuple[int, ...]]):
    def __init__(self, numbers: dict[str, int], unknown: int) -> None:
        self._numbers = numbers
        self._unknown = (unknown,)

    def __missing__(self, word: str) -> tuple[int, ...]:
        self[word] = pieces = self._cut(word)
        return pieces

    def _cut(self, word: str) -> tuple[int, ...]:
        """Return the longest known beginning, then the longest known continuation, and so on."""
        if len(word) > MAX_WORD_CHARS:
            return self._unknown
        pieces: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._numbers.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return self._unknown
            pieces.append(number)
            start, prefix = end, "##"
        return tuple(pieces)


class _Characters(dict[int, str]):
    """What becomes of each character; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = result = _character(chr(code))
        return result


_CHARACTERS = _Characters()


def _character(char: str) -> str:
    if char in "\t\n\r" or unicodedata.category(char) == "Zs":
        return " "
    if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if any(first <= ord(char) <= last for first, last in CJK):
        return f" {_plain(char)} "
    return "".join(f" {c} " if _is_punctuation(c) else c for c in _plain(char))


def _plain(char: str) -> str:
    """Return decomposed, without accents, each part in lower case."""
    parts = unicodedata.normalize("NFD", char)
    return "".join(part.lower() for part in parts if unicodedata.category(part) != "Mn")


def _is_punctuation(char: str) -> bool:
    return (char.isascii() and char.isprintable() and not char.isalnum() and char != " ") or (
        unicodedata.category(char).startswith("P")
    )
