"""Find the lines of a text that contain certain words, by searching for the words instead of testing each line.

Tool output is megabytes of lines, of which few matter. A regular expression on each line would take most of the time of reading a
transcript; a plain word search is hundreds of times faster.
"""

from collections.abc import Iterable


def lines_holding(text: str, words: Iterable[str]) -> list[int]:
    """Return the start positions of the lines that contain one of the words, in order; lines end at "\n". No word may contain one."""
    starts: set[int] = set()
    for word in words:
        at = text.find(word)
        while at >= 0:
            starts.add(text.rfind("\n", 0, at) + 1)
            end = text.find("\n", at)
            at = text.find(word, end) if end >= 0 else -1
    return sorted(starts)


def line_at(text: str, start: int) -> str:
    """Return the line that begins at `start`, without its end."""
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]
