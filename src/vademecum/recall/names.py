"""Whether a question asks for something by name: the title, alias or file name of a note or memory.

Such an item is shown whatever the statistics of its words say: a name is often one common word, which has little weight in a large
vault.
"""

import math
import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import pairwise

from msgspec import Struct

from vademecum.domain.item import Item
from vademecum.domain.late_pattern import late_pattern
from vademecum.language.load import languages
from vademecum.language.text import stop_words, tokens
from vademecum.recall.numbers import ENDS_READ_CHARS, NAME_MAX_CHARS, NAMES_KEPT, WORDS_WITHIN

#: Quoted text in a question; it counts as a name even if it is a single word.
_QUOTED = late_pattern(
    r"\"([^\"\n]{2,120})\"|“([^”\n]{2,120})”|«([^»\n]{2,120})»|„([^“\n]{2,120})“|`([^`\n]{2,120})`|\[\[([^\]\n|#]{1,120})"
)
_EXTENSION = late_pattern(r"(?<=\w)\.(?:md|canvas)\b")
#: What nobody writes by chance: joined by underscores, camelCase, a code in capitals, a path of a file, an address of numbers.
#: Names of products ("JavaScript", "Node.js") and versions are part of questions about anything.
_IDENTIFIER = late_pattern(
    r"(?<![\w./-])(?:\w+_\w+|[a-z]{2,}(?:[A-Z][a-z0-9]+)+|[A-Z][A-Z0-9]{7,}|[\w.-]+(?:/[\w.-]+)*/[\w-]+\.[A-Za-z]\w{0,4}"
    r"|\d+(?:\.\d+){3})(?![\w/])"
)
#: Consecutive capitalised words.
_CAPITALS = late_pattern(r"\b[A-ZÀ-ÖØ-Þ]\w+(?:[ \t]+[A-ZÀ-ÖØ-Þ]\w+)+")
#: What sync tools add to the name of a note's copy before its extension; no person would choose it.
_OF_SYNC = late_pattern(
    r"\.sync-conflict-[\w-]+(?=\.\w+$)| \([^()/]*(?:conflicted copy|case conflict)[^()/]*\)(?=\.\w+$)", re.IGNORECASE
)
#: Punctuation around a name.
_MARKS = " \t\n.,;:!?。？！\"'“”„«»`()[]"


def names_in(question: str) -> tuple[str, ...]:
    """Return the names that a question may ask for, spelt as in a title: quoted parts, and the question without its asking words."""
    quoted = (part for match in _QUOTED.finditer(question) for part in match.groups() if part)
    words = _asked(question).split()
    bare = [word.strip(_MARKS) for word in words]
    spoken = [at for at, word in enumerate(bare) if not set(tokens(word)) <= _silent()]
    asked = " ".join(bare[spoken[0] : spoken[-1] + 1]) if spoken else ""
    return tuple(dict.fromkeys(name for name in (asked, question.strip(_MARKS), *quoted) if 0 < len(name) <= NAME_MAX_CHARS))


def exact_parts(question: str) -> tuple[str, ...]:
    """Return the identifiers of a question and its quoted phrases of several words, as written."""
    quoted = (part for match in _QUOTED.finditer(question) for part in match.groups() if part and len(part.split()) > 1)
    return tuple(dict.fromkeys((*quoted, *_IDENTIFIER.findall(question))))


class Named(Struct, frozen=True):
    """Keys of the items that a question names.

    Attributes:
        shown: they pass the threshold. first: their name is the whole question, so they come before all others.
    """

    shown: frozenset[str] = frozenset()
    first: frozenset[str] = frozenset()


def named_items(question: str, items: Mapping[str, Item], language: str, loosely: Mapping[str, float]) -> Named:
    """Return the memories and notes that a question names.

    A name matches the whole question if both have the same content words; asking words ("explain", "my notes on") are ignored. A longer
    question names an item by a quotation, or by at least two words in the order of the name. A superseded memory is never matched by
    name, so that it stays behind its successor.

    Args:
        loosely: source -> share. If nothing else matches, an item of that source also matches if its name contains every content word
            of the question, and these are at least that share of the name's content words.
    """
    asked = [words for text in (question, _asked(question)) if (words := _content(text, language))]
    within = named_within(question, items, language)
    whole: set[str] = set()
    loose: set[str] = set()
    for key, item in _nameable(items):
        least = loosely.get(item.source, math.inf)
        for name in names_of(item):
            own = _words_of_name(name, language)[1]
            if own and own in asked:
                whole.add(key)
            elif own and any(part <= own and len(part) >= least * len(own) for part in asked):
                loose.add(key)
    return Named(frozenset(whole | within or loose), frozenset(whole))


def named_within(question: str, items: Mapping[str, Item], language: str) -> frozenset[str]:
    """Return the keys of memories and notes whose name is quoted in a question, or appears in it with at least two words in order."""
    spoken = tuple(tokens(question))
    quoted = [tuple(tokens(part)) for match in _QUOTED.finditer(question) for part in match.groups() if part]
    keys: set[str] = set()
    for key, item in _nameable(items):
        for name in names_of(item):
            in_order, own = _words_of_name(name, language)
            if own and (in_order in quoted or (len(own) >= WORDS_WITHIN and _holds(spoken, in_order))):
                keys.add(key)
    return frozenset(keys)


def named_by_heading(question: str, headings: Mapping[str, str], language: str, *, within: bool) -> frozenset[str]:
    """Return the key of the only note whose section has the question as its heading; empty if there are several or none.

    Args:
        headings: key of a note -> heading of its passage that fits the question best.
        within: a longer question that contains the words of a heading in order counts as well.
    """
    asked = [words for text in (question, _asked(question)) if (words := _content(text, language))]
    spoken = tuple(tokens(question))
    keys = []
    for key, heading in headings.items():
        in_order, own = _words_of_name(heading, language)
        if len(own) >= WORDS_WITHIN and (own in asked or (within and _holds(spoken, in_order))):
            keys.append(key)
    return frozenset(keys if len(keys) == 1 else ())


def _nameable(items: Mapping[str, Item]) -> Iterable[tuple[str, Item]]:
    return [(key, item) for key, item in items.items() if item.source in ("memory", "document") and item.status != "superseded"]


def names_of(item: Item) -> Iterable[str]:
    """Return the names of an item without duplicates: its title, its aliases, its file name, and its path without the extension."""
    folder = item.path.rpartition("/")[0]
    return dict.fromkeys(
        filter(None, (item.title, *item.aliases, _stem_of(item.path), folder and f"{folder}/{_stem_of(item.path)}"))
    )


def _stem_of(path: str) -> str:
    """Return a file name without its extension."""
    name = path.rstrip("/").rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return stem if dot and stem and suffix else name


def note_copied_by_sync(key: str) -> str:
    """Return the key of the note that a sync tool copied under this key; "" if the key names no such copy."""
    copied, count = _OF_SYNC.subn("", key)
    return copied if count else ""


def full_names(question: str) -> tuple[tuple[str, str], ...]:
    """Return (first, next) for each pair of consecutive capitalised words in a question."""
    pairs = []
    for run in _CAPITALS.findall(question):
        words = [word for word in run.split() if word.lower() not in _silent()]
        pairs += list(pairwise(words))
    return tuple(pairs)


def is_of_another(text: str, names: tuple[tuple[str, str], ...]) -> bool:
    """Return whether a text is about someone or something else that shares the first word of one of the names.

    "Alex Boon" is another than "Alex Quell". A text that contains the second word, or the first word alone, may be about them.
    """
    for first, last in names:
        if not re.search(rf"\b{re.escape(last)}\b", text, re.IGNORECASE):
            met = re.findall(rf"\b({re.escape(first)}\w*)(?:[ \t]+(\w+))?", text)
            if met and all(word != first or behind[:1].isupper() for word, behind in met):
                return True
    return False


def asks_for_name(question: str) -> bool:
    """Return whether a prompt contains words that ask for something by name ("explain", "look up", "my notes on")."""
    return languages().sign("questions", "naming").search(_ends_of(question)) is not None


def words_asked_for(question: str) -> frozenset[str]:
    """Return the words that stand directly behind words that ask for something by name, in lower case ("open Windrose")."""
    question = _ends_of(question)
    ends = (match.end() for match in languages().sign("questions", "naming").finditer(question))
    return frozenset(behind[0].lower() for end in ends if (behind := tokens(question[end : end + NAME_MAX_CHARS])))


def _asked(question: str) -> str:
    """Return a question without the words that only ask for something by name, and without the extension of a note."""
    return languages().sign("questions", "naming").sub(" ", _EXTENSION.sub("", _ends_of(question)))


def _ends_of(question: str) -> str:
    """Return a question without the middle of a long one: what is pasted asks for nothing, and reading it takes seconds."""
    if len(question) <= 2 * ENDS_READ_CHARS:
        return question
    return f"{question[:ENDS_READ_CHARS]}\n{question[-ENDS_READ_CHARS:]}"


@cache
def _silent() -> frozenset[str]:
    """Return the stop words of all languages: a name is often asked for in another language than its own."""
    return frozenset[str]().union(*(stop_words(code) for code in languages().codes))


@lru_cache(maxsize=NAMES_KEPT)
def _words_of_name(name: str, language: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the words of a name in order, and its content words."""
    in_order = tuple(tokens(name))
    return in_order, _content(name, language) or frozenset(in_order)


def _content(text: str, language: str) -> frozenset[str]:
    words = frozenset(tokens(text))
    return words - _silent() or words - stop_words(language)


def _holds(spoken: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Return whether these words appear consecutively in a question."""
    size = len(words)
    return any(spoken[at : at + size] == words for at in range(len(spoken) - size + 1))
