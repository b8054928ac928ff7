"""Lines of a text that hold certain words, found by looking for the words rather than at the lines.

What tools answered is megabytes of lines of which few tell of anything. A regular expression tried on each costs most of what
reading a transcript costs; a plain word is found hundreds of times faster.
"""

from collections.abc import Iterable


def lines_holding(text: str, words: Iterable[str]) -> list[int]:
    """Return where the lines begin that hold one of the words, in order; a line ends at "\n". The words hold no newline."""
    starts: set[int] = set()
    for word in words:
        at = text.find(word)
        while at >= 0:
            starts.add(text.rfind("\n", 0, at) + 1)
            end = text.find("\n", at)
            at = text.find(word, end) if end >= 0 else -1
    return sorted(starts)


def line_at(text: str, start: int) -> str:
    """Return the line that begins there, without its end."""
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]
