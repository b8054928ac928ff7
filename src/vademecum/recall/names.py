"""Whether a question asks for something by its name: a note's or a memory's title, alias or file name.

What is asked for by its name is shown whatever the statistics of its words say: a name is often one common word, and in a large vault
such a word counts for little.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import pairwise

from msgspec import Struct

from vademecum.domain.item import Item
from vademecum.language.load import languages
from vademecum.language.text import stop_words, tokens
from vademecum.recall.numbers import NAME_MAX_CHARS, NAMES_KEPT, WORDS_WITHIN

#: What is quoted in a question, and so named even by a single word.
_QUOTED = re.compile(
    r"\"([^\"\n]{2,120})\"|“([^”\n]{2,120})”|«([^»\n]{2,120})»|„([^“\n]{2,120})“|`([^`\n]{2,120})`|\[\[([^\]\n|#]{1,120})"
)
#: Words with a capital, one behind the other.
_CAPITALS = re.compile(r"\b[A-ZÀ-ÖØ-Þ]\w+(?:[ \t]+[A-ZÀ-ÖØ-Þ]\w+)+")
#: Marks around a name.
_MARKS = " \t\n.,;:!?。？！\"'“”„«»`()[]"


def names_in(question: str) -> tuple[str, ...]:
    """Return the names that a question may ask for, each as it would stand in a title: what is quoted, and what is left without the
    words that only ask."""
    quoted = (part for match in _QUOTED.finditer(question) for part in match.groups() if part)
    words = _asked(question).split()
    bare = [word.strip(_MARKS) for word in words]
    spoken = [at for at, word in enumerate(bare) if not set(tokens(word)) <= _silent()]
    asked = " ".join(bare[spoken[0] : spoken[-1] + 1]) if spoken else ""
    return tuple(dict.fromkeys(name for name in (asked, question.strip(_MARKS), *quoted) if 0 < len(name) <= NAME_MAX_CHARS))


class Named(Struct, frozen=True):
    """Keys of what a question names.

    Attributes:
        shown: it passes the threshold. first: its name is all that the question asks for, so it comes before all others.
    """

    shown: frozenset[str] = frozenset()
    first: frozenset[str] = frozenset()


def named_items(question: str, items: Mapping[str, Item], language: str, *, loosely: bool) -> Named:
    """Return the memories and notes that a question names.

    A name is the question when both hold the same words, those left out that say nothing and those that only ask ("explain", "my notes
    on"). Within a longer question it is named by a quotation, or by two words or more in its order. What was superseded keeps its place
    behind what holds, however it is called.

    Args:
        loosely: where nothing has that name, a note is named also by a question all of whose words stand in its name.
    """
    asked = [words for text in (question, _asked(question)) if (words := _content(text, language))]
    within = named_within(question, items, language)
    whole: set[str] = set()
    loose: set[str] = set()
    for key, item in _nameable(items):
        for name in names_of(item):
            own = _words_of_name(name, language)[1]
            if own and own in asked:
                whole.add(key)
            elif own and loosely and item.source == "document" and any(part <= own for part in asked):
                loose.add(key)
    return Named(frozenset(whole | within or loose), frozenset(whole))


def named_within(question: str, items: Mapping[str, Item], language: str) -> frozenset[str]:
    """Return the keys of the memories and notes whose name is quoted in a question, or stands there with two words or more in order."""
    spoken = tuple(tokens(question))
    quoted = [tuple(tokens(part)) for match in _QUOTED.finditer(question) for part in match.groups() if part]
    keys: set[str] = set()
    for key, item in _nameable(items):
        for name in names_of(item):
            in_order, own = _words_of_name(name, language)
            if own and (in_order in quoted or (len(own) >= WORDS_WITHIN and _holds(spoken, in_order))):
                keys.add(key)
    return frozenset(keys)


def _nameable(items: Mapping[str, Item]) -> Iterable[tuple[str, Item]]:
    return [(key, item) for key, item in items.items() if item.source in ("memory", "document") and item.status != "superseded"]


def names_of(item: Item) -> Iterable[str]:
    """Return the names of an item, each once: its title, its aliases, and the name of its file."""
    return dict.fromkeys(filter(None, (item.title, *item.aliases, _stem_of(item.path))))


def _stem_of(path: str) -> str:
    """Return the name of a file without what stands behind its last dot."""
    name = path.rstrip("/").rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return stem if dot and stem and suffix else name


def full_names(question: str) -> tuple[tuple[str, str], ...]:
    """Return (first, next) word of each name of several words that stands in a question, by its capitals."""
    pairs = []
    for run in _CAPITALS.findall(question):
        words = [word for word in run.split() if word.lower() not in _silent()]
        pairs += list(pairwise(words))
    return tuple(pairs)


def is_of_another(text: str, names: tuple[tuple[str, str], ...]) -> bool:
    """Return whether a text speaks of somebody or something else that shares the first word of one of the names: "Alex Boon" where
    "Alex Quell" was asked for. A text that holds the other word, or the first one alone, may be about them."""
    for first, last in names:
        if not re.search(rf"\b{re.escape(last)}\b", text, re.IGNORECASE):
            met = re.findall(rf"\b({re.escape(first)}\w*)(?:[ \t]+(\w+))?", text)
            if met and all(word != first or behind[:1].isupper() for word, behind in met):
                return True
    return False


def asks_for_name(question: str) -> bool:
    """Return whether a prompt holds words that ask for something by its name ("explain", "look up", "my notes on")."""
    return languages().sign("questions", "naming").search(question) is not None


def _asked(question: str) -> str:
    """Return a question without the words that only ask for something by its name."""
    return languages().sign("questions", "naming").sub(" ", question)


@cache
def _silent() -> frozenset[str]:
    """Return words that say nothing about a subject in any language: names are asked for in languages other than their own."""
    return frozenset[str]().union(*(stop_words(code) for code in languages().codes))


@lru_cache(maxsize=NAMES_KEPT)
def _words_of_name(name: str, language: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the words of a name in order, and those that say something."""
    in_order = tuple(tokens(name))
    return in_order, _content(name, language) or frozenset(in_order)


def _content(text: str, language: str) -> frozenset[str]:
    words = frozenset(tokens(text))
    return words - _silent() or words - stop_words(language)


def _holds(spoken: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Return whether these words stand in a question one behind the other."""
    size = len(words)
    return any(spoken[at : at + size] == words for at in range(len(spoken) - size + 1))
