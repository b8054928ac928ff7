"""Estimate whether two statements conflict, where their words alone do not decide it (:mod:`vademecum.reconcile.compare`).

Two statements about one subject that agree except for a name, a number or a word in one place are probably two values of the same
thing. So are two of which one denies, narrows or opposes the other. Two that share only their subject, or say the same of two
subjects, do not conflict. Nothing is replaced because of the estimate: both stay and the person is asked.

The weights come from a logistic regression over :func:`features`; docs/learning.md states the training data and the accuracy. Pure.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache
from math import exp
from typing import NamedTuple

from vademecum.domain.late_pattern import late_pattern
from vademecum.language.load import languages
from vademecum.language.text import common_words, fold
from vademecum.reconcile.clash_weights import CROSSED, WEIGHTS
from vademecum.reconcile.compare import (
    COMMON_VERBS,
    Statement,
    alike,
    bare,
    is_number,
    is_scope,
    matched,
    same_word,
    sign,
    taken_apart,
    verb_names,
)
from vademecum.reconcile.numbers import (
    CLASH_STEM_MIN,
    DENIED_WORDS,
    JOIN_MAX_CHARS,
    LIKELY,
    NAME_MAX_CHARS,
    NAME_MAX_WORDS,
    SAME_SUBJECT,
    SHARED_MIN,
    STATEMENT_MAX_CHARS,
    STATEMENT_MAX_WORDS,
    SUBJECT_WORDS,
)

_FILE = "statements"


_NAME = late_pattern(
    r"\b[^\W\d_a-zß-ÿ\u3400-\u9fff][\w.&'’-]*(?:(?: | of | the | de | von )(?=[^\W\d_a-zß-ÿ\u3400-\u9fff])[\w.&'’-]+)*"
)
_SENTENCE_ENDS = (".", "!", "?", ":", '"', "")
_CHINESE = late_pattern(r"[\u3400-\u9fff]")


class _Side(NamedTuple):
    """One of two statements.

    Attributes:
        said: parsed. words: its words, with forms of the other statement's words replaced by those. content: words except verbs.
        names: names in it, folded. named: names that it begins with. opening: the words before its verb.
        predicate: words that are not part of a name. plain: its text, folded.
    """

    said: Statement
    words: tuple[str, ...]
    content: frozenset[str]
    names: frozenset[str]
    named: frozenset[str]
    opening: frozenset[str]
    predicate: frozenset[str]
    plain: str


def is_clash(old: str, new: str) -> bool:
    """Return whether the new statement probably conflicts with the old one; False for texts too long to compare by words."""
    statement, two = taken_apart(old), taken_apart(new)
    words = (len(statement.words), len(two.words))
    if max(len(old), len(new)) > STATEMENT_MAX_CHARS or not min(words) or max(words) > STATEMENT_MAX_WORDS or two.adds:
        return False
    was, now = _sides(old, new)
    if _says_opposite(was, now) or _names_anew(was, now):
        return True
    if _are_numbered_apart(was, now):
        return False
    is_over = now.said.ended and now.said.negative and not was.said.negative
    shared = (frozenset(was.words) & frozenset(now.words)) - COMMON_VERBS - common_words(f"{was.plain}{now.plain}")
    return len(shared) >= (1 if is_over else SHARED_MIN) and likelihood(old, new) >= LIKELY


def denies_the_other(text: str, other: str) -> bool:
    """Return whether only one of two texts denies something, and that is a word of the other: "delete it", "never delete it"."""
    was, now = _sides(text, other)
    if was.said.negative == now.said.negative:
        return False
    return _denies_known(was, now) or _denies_known(now, was)


def differ_in_a_number(old: str, new: str) -> bool:
    """Return whether two texts without a verb are the same but for numbers: "100 requests a minute", "200 requests a minute"."""
    was, now = taken_apart(old), taken_apart(new)
    if was.verbs or now.verbs or len(was.words) != len(now.words):
        return False
    changes = [(word, other) for word, other in zip(was.words, now.words, strict=True) if not same_word(word, other)]
    return bool(changes) and all(is_number(word) and is_number(other) for word, other in changes)


def likelihood(old: str, new: str) -> float:
    """Return the probability (0..1) that two non-empty statements conflict, from their similarities and differences."""
    by_key = features(old, new)
    return 1.0 / (1.0 + exp(-sum(weight * by_key[name] for name, weight in WEIGHTS.items())))


def features(old: str, new: str) -> Mapping[str, float]:
    """Return the features of the estimate: name -> number, most of them 0..1."""
    was, now = _sides(old, new)
    changes = [code for code in SequenceMatcher(None, was.words, now.words, autojunk=False).get_opcodes() if code[0] != "equal"]
    by_key = {"bias": 1.0, **_shares(was, now), **_places(was, now, changes), **_oppositions(was, now)}
    return by_key | {f"{text} x {other}": by_key[text] * by_key[other] for text, other in CROSSED}


def _sides(old: str, new: str) -> tuple[_Side, _Side]:
    statement, two = taken_apart(old), taken_apart(new)
    return _side(old, statement, statement.words), _side(new, two, alike(statement.words, two.words))


def _says_opposite(was: _Side, now: _Side) -> bool:
    """Return whether both say opposite things about the same subject: "short answers", "detailed answers"."""
    for number in _opposed_to(was, now):
        pair = _opposites()[number]
        spoken = [word for side in (was, now) for words in pair for word in _any_of(words).findall(side.plain)]
        rest = [frozenset(word for word in side.content if not any(word in result for result in spoken)) for side in (was, now)]
        shared = rest[0] & rest[1]
        if shared and len(shared) >= SAME_SUBJECT * min(map(len, rest)):
            return True
    return False


def _names_anew(was: _Side, now: _Side) -> bool:
    """Return whether both state the name of one thing, and the names differ."""
    gone, come = was.content - now.content, now.content - was.content
    most = NAME_MAX_CHARS if _CHINESE.search(now.plain) else NAME_MAX_WORDS
    named = "call" in was.words and "call" in now.words
    return named and bool(was.content & now.content) and 0 < len(gone) <= most and 0 < len(come) <= most


def _are_numbered_apart(was: _Side, now: _Side) -> bool:
    """Return whether different numbers in the subjects mean two different things ("room 1 has", "room 2 has") with different predicates.

    If no verb is known, a number that occurs twice is taken as part of the subject: "shelf 3 is row 3".
    """
    at = next((place for place, (old, new) in enumerate(zip(was.words, now.words, strict=False)) if old != new), 0)
    if not (at > 0 and is_number(was.words[at]) and is_number(now.words[at])):
        return False
    verbs, rests = was.said.verbs | now.said.verbs, [side.words[at + 1 :] for side in (was, now)]
    in_subject = at < min(verbs) if verbs else was.words[at] in rests[0] and now.words[at] in rests[1]
    return in_subject and rests[0] != rests[1]


def _side(text: str, statement: Statement, words: tuple[str, ...]) -> _Side:
    placed = _names(text)
    names = frozenset(name for name, _ in placed)
    parts = {part for name in names for part in re.findall(r"\w+", name)}
    verb = min((at for at in statement.verbs if at > 0), default=SUBJECT_WORDS)
    predicate = frozenset(word for word in words if not _is_named(word, parts)) - {"be"}
    content = frozenset(words) - verb_names()
    return _Side(statement, words, content, names, _named_first(placed), frozenset(words[:verb]), predicate, _plain(text))


@lru_cache(maxsize=1024)
def _plain(text: str) -> str:
    return f" {bare(text)} "


@lru_cache(maxsize=1024)
def _names(text: str) -> tuple[tuple[str, int], ...]:
    """Return (name, position) for each name, folded; a single word at the beginning of a sentence is not a name."""
    pairs = [(match[0], match.start()) for match in _NAME.finditer(text)]
    return tuple((fold(name), at) for name, at in pairs if " " in name or text[:at].rstrip()[-1:] not in _SENTENCE_ENDS)


def _named_first(placed: Sequence[tuple[str, int]]) -> frozenset[str]:
    """Return the names at the beginning of a text: one, or several joined ones."""
    texts: list[str] = []
    end = 0
    for name, at in placed:
        if at > (end + JOIN_MAX_CHARS if texts else 0):
            break
        texts.append(name)
        end = at + len(name)
    return frozenset(texts)


def _is_named(word: str, parts: Iterable[str]) -> bool:
    """Return whether a word is part of a name, or a form of such a part."""
    return word in parts or (len(word) >= CLASH_STEM_MIN and any(part.startswith(word) for part in parts))


def _shares(was: _Side, now: _Side) -> dict[str, float]:
    """Return the features of agreement: in all words, content, predicates and names."""
    common = matched(was.words, now.words)
    shared = was.content & now.content
    gone, come = was.content - now.content, now.content - was.content
    predicate = was.predicate & now.predicate
    return {
        "common": 2 * common / (len(was.words) + len(now.words)),
        "held": common / len(was.words),
        "content": 2 * len(shared) / max(1, len(was.content) + len(now.content)),
        "predicate": (2 * len(was.predicate & now.predicate) / max(1, len(was.predicate) + len(now.predicate))),
        "predicate held": len(predicate) / max(1, len(was.predicate)),
        "predicate words": min(len(predicate), 6) / 6,
        "content words": min(len(shared), 8) / 8,
        "names": len(was.names & now.names) / max(1, len(was.names | now.names)),
        "gone": min(len(gone), 10) / 10,
        "come": min(len(come), 10) / 10,
        "one for one": float(len(gone) == len(come) == 1),
        "lengths": abs(len(was.words) - len(now.words)) / max(len(was.words), len(now.words)),
    }


def _places(was: _Side, now: _Side, changes: Sequence[tuple[str, int, int, int, int]]) -> dict[str, float]:
    """Return the features of the differences: number and position, same subject or not, same verb or not."""
    replaced = [code for code in changes if code[0] == "replace"]
    last = replaced[-1] if replaced else None
    both_named = was.named and now.named
    first, second = (was.named, now.named) if both_named else (was.opening, now.opening)
    scoped = any(is_scope(was.said.leads[code[1]]) or is_scope(now.said.leads[code[3]]) for code in replaced)
    return {
        "places": min(len(changes), 6) / 6,
        "one place": float(len(changes) == len(replaced) == 1),
        "at the end": float(last is not None and (last[2], last[4]) == (len(was.words), len(now.words))),
        "at the beginning": float(bool(replaced) and replaced[0][1] == replaced[0][3] == 0),
        "nothing replaced": float(not replaced),
        "scoped": float(scoped),
        "same subject": float(first == second),
        "part of subject": float(first != second and bool(first & second)),
        "other subject": float(not first & second),
        "same verb": float(bool(_verbs(was) & _verbs(now))),
        "names differ": float(bool(was.names - now.names) and bool(now.names - was.names)),
        "no names": float(not was.names and not now.names),
    }


def _verbs(side: _Side) -> set[str]:
    return {side.words[at] for at in side.said.verbs}


def _oppositions(was: _Side, now: _Side) -> dict[str, float]:
    """Return the features of contradiction: denials, opposites, numbers, words of change."""
    gone, come = was.content - now.content, now.content - was.content
    return {
        "denial": float(was.said.negative != now.said.negative),
        "denied word": float(_denies_known(was, now)),
        "only": float(bool(sign("only").search(now.plain)) != bool(sign("only").search(was.plain))),
        "opposed": float(bool(_opposed_to(was, now))),
        "numbers": float(any(map(is_number, gone)) and any(map(is_number, come))),
        "changed": float(now.said.changed or now.said.moved or bool(now.said.gone)),
        "ended": float(now.said.ended),
        "adds": float(now.said.adds),
    }


def _denies_known(was: _Side, now: _Side) -> bool:
    """Return whether the new statement denies or replaces a word of the old one: "not Ana", "instead of Jest"."""
    denied = [word for match in sign("denying").finditer(now.plain) for word in now.plain[match.end() :].split()[:DENIED_WORDS]]
    return any(same_word(word, known) for word in (*denied, *now.said.gone) for known in was.words)


def _opposed_to(was: _Side, now: _Side) -> list[int]:
    """Return the numbers of the opposites of which the old statement contains one word, and the new one only the other."""
    held, pairs = _opposites_in(was.plain), _opposites_in(now.plain)
    return [number for number, at in sorted(held) if (number, not at) in pairs and (number, at) not in pairs]


@lru_cache(maxsize=1024)
def _opposites_in(plain: str) -> frozenset[tuple[int, bool]]:
    """Return the opposites with a word in a folded text, as (number, whether it is the second word)."""
    return frozenset(
        (number, bool(at)) for number, pair in enumerate(_opposites()) for at in (0, 1) if _any_in(pair[at], plain)
    )


@cache
def _opposites() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Return pairs of opposite words, each side with its folded forms."""
    rows = [row.split(":") for row in languages().listed(_FILE, "opposed")]
    return tuple((_forms(left), _forms(right)) for left, right in rows)


def _forms(words: str) -> tuple[str, ...]:
    return tuple(fold(word) for word in words.split())


def _any_in(words: tuple[str, ...], plain: str) -> re.Match[str] | None:
    """Return a match of one of the words. Only where a text has the letters of one is their pattern compiled."""
    return _any_of(words).search(plain) if any(word in plain for word in words) else None


@cache
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(word) if _CHINESE.search(word) else rf"\b{re.escape(word)}\b" for word in words))
