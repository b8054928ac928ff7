"""Compare two statements by their words: the same, the opposite, another value of the same thing, more, or something else.

Vectors cannot decide this: "uses tabs" and "uses spaces", 8080 and 8081, "likes" and "does not like" are as near to each other as a
sentence and its paraphrase. So this compares the shared words, the differing words and their positions. It prefers precision over
coverage: an undecided case is "unclear", and only a model or a person acts on it.

The words of each language are in `data/*/statements.toml`. Pure.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from msgspec import Struct

from vademecum.language.load import languages
from vademecum.language.text import fold, unaccented
from vademecum.reconcile.numbers import (
    COMPARE_STEM_MIN,
    REPLACES_MIN_OVERLAP,
    STATEMENT_MAX_CHARS,
    STATEMENT_MAX_WORDS,
    VALUE_MAX_CHARS,
    VALUE_MAX_WORDS,
)

#: Relation of the second statement to the first. "less": a part of it. "value": another value where only one can be valid.
Relation = Literal["same", "opposite", "value", "replaces", "more", "less", "unclear", "other"]

_FILE = "statements"


#: Verbs too common to show that two statements are about the same thing.
COMMON_VERBS = frozenset({"be", "use", "do", "have", "go", "like", "prefer", "want", "keep", "decide"})
#: Verbs after which any function word introduces the value: "planned for June", "arbeitet bei".
_LED_VERBS = frozenset({"plan", "work", "live"})
_SCOPED_VERBS = frozenset({"use", "prefer", "like", "want", "dislike", "have"})
_WORD = re.compile(r"[^\W_]+(?:[.:/_+#-][^\W_]+)*[+#]*", re.UNICODE)
_CHINESE = re.compile(r"[\u3400-\u9fff]")


class Statement(Struct, frozen=True):
    """A parsed statement.

    Attributes:
        words: its words in order, normalised; Chinese by characters. leads: the function word before each word ("for", "in"), or "".
        verbs: indices in `words` of the known verbs.
        negative: it denies something. changed: it says that something is no longer as it was. adds: it says that something is added.
        gone: words of what it replaces ("from Fly to Render", "instead of Fly").
        ended: it says that something no longer applies.
        moved: it says that something changed to the value it names ("the queue moved to NATS").
    """

    words: tuple[str, ...]
    leads: tuple[str, ...]
    verbs: frozenset[int]
    negative: bool = False
    changed: bool = False
    adds: bool = False
    gone: tuple[str, ...] = ()
    ended: bool = False
    moved: bool = False

    @property
    def content(self) -> frozenset[str]:
        """Its words without the verbs that many statements share."""
        return frozenset(word for word in self.words if word not in verb_names())


class Comparison(Struct, frozen=True):
    """The relation of `new` to `old`.

    Attributes:
        shared: content words in both. overlap: Dice's coefficient of all words, 0..1.
        changed: `new` says that something changed. adds: it says that something is added.
    """

    relation: Relation
    shared: frozenset[str]
    overlap: float
    changed: bool = False
    adds: bool = False


class _Words(Struct, frozen=True):
    """The words of `data/*/statements.toml`, folded; that file describes each list.

    Attributes:
        verb_of: form of a verb -> its English name. single, unique: names of verbs.
        unspaced: known words of scripts without spaces, longest first. rewritten: expression -> a simpler one.
    """

    verb_of: Mapping[str, str]
    single: frozenset[str]
    unique: frozenset[str]
    scopes: frozenset[str]
    weak_scopes: frozenset[str]
    leads: frozenset[str]
    fillers: frozenset[str]
    counted: frozenset[str]
    endings: frozenset[str]
    no_before: frozenset[str]
    no_behind: frozenset[str]
    unspaced: tuple[str, ...]
    rewritten: Mapping[str, str]


@cache
def _known() -> _Words:
    verbs = {table: _forms(table) for table in ("several", "unique", "single")}
    verb_of = {form: name for forms in verbs.values() for form, name in forms.items()}
    lists = {
        name: frozenset(map(fold, languages().listed(_FILE, name)))
        for name in ("scopes", "weak_scopes", "leads", "fillers", "counted", "endings", "no_before", "no_behind")
    }
    small = (*verb_of, *lists["fillers"], *lists["leads"])
    return _Words(
        verb_of,
        single=frozenset(verbs["single"].values()),
        unique=frozenset(verbs["unique"].values()),
        unspaced=tuple(sorted((word for word in small if _CHINESE.match(word)), key=len, reverse=True)),
        rewritten={old: new for table in languages().tables(_FILE, "rewritten").values() for old, new in table.items()},
        **lists,
    )


def _forms(table: str) -> dict[str, str]:
    rows = languages().tables(_FILE, table).values()
    return {fold(form): name for verbs in rows for name, forms in verbs.items() for form in forms}


@cache
def verb_names() -> frozenset[str]:
    return frozenset(_known().verb_of.values())


@cache
def sign(name: str) -> re.Pattern[str]:
    """Return the pattern of that name for folded text."""
    return re.compile(unaccented(languages().sign(_FILE, name).pattern))


def compare(old: str, new: str) -> Comparison:
    """Return the relation of the second statement to the first, judged by their words."""
    if max(len(old), len(new)) > STATEMENT_MAX_CHARS:
        return Comparison("other", frozenset(), 0.0)
    statement, two = taken_apart(old), taken_apart(new)
    words = alike(statement.words, two.words)
    shared = frozenset(words) & statement.content
    overlap = 2 * matched(statement.words, words) / max(1, len(statement.words) + len(words))
    if max(len(statement.words), len(words)) > STATEMENT_MAX_WORDS:
        relation: Relation = "other"
    else:
        relation = _relation(statement, two, words, shared)
    return Comparison(relation, shared, overlap, two.changed, two.adds)


def names_its_subject(text: str) -> bool:
    """Return whether a statement names its own subject: a content word is before its verb."""
    statement = taken_apart(text)
    return any(number > 0 for number in statement.verbs)


def _relation(statement: Statement, two: Statement, words: tuple[str, ...], shared: frozenset[str]) -> Relation:
    if word := "replaces" if _takes_place(statement, two, words, shared) else _moved(statement, two, words, shared):
        return word
    if not statement.words or not words:
        return "other"
    changes = [
        code for code in SequenceMatcher(None, statement.words, words, autojunk=False).get_opcodes() if code[0] != "equal"
    ]
    kinds = {code[0] for code in changes}
    if statement.negative != two.negative:
        said_of_all = two.ended and two.negative and bool(shared) and statement.content <= frozenset(words)
        return "opposite" if (kinds <= {"delete"} and (shared or not changes)) or said_of_all else "other"
    if not kinds or kinds in ({"insert"}, {"delete"}):
        return "same" if not kinds else "more" if kinds == {"insert"} else "less"
    if len(changes) > 1:
        return "unclear" if shared else "other"
    _, start, end, begin, stop = changes[0]
    return _at_value(statement, two, words, _Place(start, end, begin, stop), shared)


def _takes_place(statement: Statement, two: Statement, words: tuple[str, ...], shared: frozenset[str]) -> bool:
    """Return whether the new statement names what it replaces, and the old one states exactly that about the same thing."""
    common = shared | (frozenset(words) & frozenset(statement.words) - COMMON_VERBS)
    about = [word for word in common if not any(same_word(word, lost) for lost in two.gone)]
    held = all(any(same_word(word, known) for known in statement.words) for word in two.gone)
    if not two.gone or not held or statement.negative:
        return False
    texts = (*words, *two.gone)
    overlap = 2 * matched(statement.words, texts) / max(1, len(statement.words) + len(texts))
    says_no_more = all(any(same_word(word, lost) for lost in two.gone) for word in statement.content)
    return says_no_more or bool(about and overlap >= REPLACES_MIN_OVERLAP)


def _moved(statement: Statement, two: Statement, words: tuple[str, ...], shared: frozenset[str]) -> Relation | None:
    """Return the relation of a new statement that gives the same thing a new value, in any word order; None if it does not."""
    says_change = (two.changed or two.moved) and not (statement.negative or two.negative)
    same_verb = bool({statement.words[at] for at in statement.verbs} & {words[at] for at in two.verbs})
    if not (says_change and shared and statement.verbs and (two.moved or same_verb)):
        return None
    was = [at for at, word in enumerate(statement.words) if word not in words and at not in statement.verbs]
    now = [at for at, word in enumerate(words) if word not in statement.words and at not in two.verbs]
    if not _are_values(statement, two, was, now):
        return None
    subject = frozenset(statement.words[: min(statement.verbs)])
    if subject and subject <= shared:
        return "replaces"
    return "value" if 2 * len(shared) >= len(statement.content) else None


def _are_values(statement: Statement, two: Statement, was: Sequence[int], now: Sequence[int]) -> bool:
    """Return whether the words at these positions can be two values of one thing.

    A place and a time are values of different things, as are a number and a name.
    """
    if not was or not now or max(len(was), len(now)) > VALUE_MAX_WORDS:
        return False
    leads = {*(statement.leads[at] for at in was), *(two.leads[at] for at in now)}
    numbers = [any(is_number(side.words[at]) for at in places) for side, places in ((statement, was), (two, now))]
    is_led_alike = two.moved or statement.leads[was[0]] == two.leads[now[0]]
    return is_led_alike and not leads & _known().scopes and numbers[0] == numbers[1]


class _Place(NamedTuple):
    """The differing words: `start` to `end` in the old statement, `begin` to `stop` in the new one."""

    start: int
    end: int
    begin: int
    stop: int


def _at_value(statement: Statement, two: Statement, words: tuple[str, ...], at: _Place, shared: frozenset[str]) -> Relation:
    """Return the relation of two statements that differ in one place: whether that place holds a single value."""
    values = statement.words[at.start : at.end], words[at.begin : at.stop]
    before = [number for number in statement.verbs if number < at.start]
    unspaced = any(_CHINESE.match(word) for part in values for word in part)
    longest = VALUE_MAX_CHARS if unspaced else VALUE_MAX_WORDS
    if not before or max(map(len, values)) > longest:
        return "unclear" if shared else "other"
    verb = statement.words[max(before)]
    if not unspaced and _are_led_apart(verb, statement.leads[at.start], two.leads[at.begin]):
        return "unclear" if shared else "other"
    numbers = all(any(is_number(word) for word in part) for part in values)
    inner = (*statement.leads[at.start + 1 : at.end], *two.leads[at.begin + 1 : at.stop])
    scoped = not numbers and _scoped(
        verb, {statement.leads[at.start], two.leads[at.begin]}, at_once=max(before) + 1 == at.start
    )
    if (
        statement.words[at.start - 1] in _known().counted
        or scoped
        or any(lead in _known().scopes | _known().weak_scopes for lead in inner)
    ):
        return "other"  # one more of several things, or a value for another use
    if verb in _known().unique:
        return "value"
    single = numbers or verb in _known().single
    return "other" if not shared else "value" if single else "unclear"


def _are_led_apart(verb: str, was: str, now: str) -> bool:
    """Return whether the function words before two values show that they answer different questions.

    Examples: "run with pytest", "run in ten minutes"; "work at the bank", "work mornings".
    """
    both_weak = {was, now} <= _known().weak_scopes and was != now
    return both_weak if verb not in _LED_VERBS else bool(was) != bool(now)


def _scoped(verb: str, leads: set[str], *, at_once: bool) -> bool:
    """Return whether these function words introduce where or for what something applies, instead of a value."""
    if verb in _LED_VERBS:
        return False
    return bool(leads & _known().scopes) or bool(leads & _known().weak_scopes and verb in _SCOPED_VERBS and not at_once)


@lru_cache(maxsize=256)
def taken_apart(text: str) -> Statement:
    """Parse a statement: its words, without those that only modify their meaning.

    Results are cached: a new statement is compared with about ten existing ones, and the next one with many of the same.
    """
    known = _known()
    plain, no_longer = sign("no_longer").subn(" ", f" {bare(text)} ")
    if no_longer:
        plain = sign("left_over").sub(" ", plain)
    plain, changed = sign("changed").subn(" ", plain)
    for old, new in known.rewritten.items():
        changed += plain.count(old)
        plain = plain.replace(old, new)
    plain, adds = sign("adds").subn(" ", plain)
    gone: tuple[str, ...] = ()
    for form in ("from_to", "instead"):
        match = sign(form).search(plain)
        if match and (form == "instead" or sign("switched").search(plain)):
            gone += tuple(word for word in match["gone"].split() if word not in known.fillers | known.leads | known.weak_scopes)
            plain = plain[: match.start()] + " " + plain[match.end() :]
    moved = 0
    if not gone and sign("moved_to").search(plain):
        plain, moved = sign("switched").subn(" ", plain)
    plain, denied = sign("denying").subn(" ", plain)
    plain, denied_no = _without_no(plain)
    words, leads, verbs = _words(plain)
    hated = words.count("dislike")
    words = ["like" if word == "dislike" else word for word in words]
    negative = bool((bool(no_longer) + denied + denied_no + hated) % 2)
    return Statement(
        tuple(words),
        tuple(leads),
        frozenset(verbs),
        negative,
        bool(no_longer or changed),
        bool(adds),
        gone,
        bool(no_longer),
        bool(moved),
    )


def _words(plain: str) -> tuple[list[str], list[str], list[int]]:
    words: list[str] = []
    leads: list[str] = []
    verbs: list[int] = []
    lead, known = "", _known()
    for word in _split(plain):
        if word in known.scopes or word in known.weak_scopes or word in known.leads:
            lead = word if word in known.scopes or not lead else lead
            continue
        if word in known.fillers:
            continue
        name = known.verb_of.get(word, "")
        if name:
            verbs.append(len(words))
        if name == "be":  # "is listening" equals "listens"
            words.append("be")
        else:
            words.append(name or word)
        leads.append(lead)
        lead = ""
    return _without_be(words, leads, verbs)


def _without_be(words: list[str], leads: list[str], verbs: list[int]) -> tuple[list[str], list[str], list[int]]:
    """Drop "be" if there is another verb."""
    if len(verbs) < 2 or "be" not in words:
        return words, leads, verbs
    kept = [number for number, word in enumerate(words) if word != "be"]
    return [words[n] for n in kept], [leads[n] for n in kept], [kept.index(n) for n in verbs if n in kept]


def _split(plain: str) -> Iterable[str]:
    """Yield words; Chinese text by known words, else by characters."""
    for match in re.finditer(rf"{_CHINESE.pattern}+|[^\u3400-\u9fff]+", plain):
        run = match[0]
        if not _CHINESE.match(run):
            yield from _WORD.findall(run)
            continue
        at = 0
        while at < len(run):
            known = next((word for word in _known().unspaced if run.startswith(word, at)), run[at])
            yield known
            at += len(known)


def _without_no(plain: str) -> tuple[str, int]:
    """Return the text without denying "no", and how many were removed."""
    words, known = plain.split(), _known()
    denying = [
        number
        for number, word in enumerate(words)
        if word == "no"
        and (
            not number
            or words[number - 1] in known.no_behind
            or (number + 1 < len(words) and words[number + 1] in known.no_before)
        )
    ]
    return " " + " ".join(word for number, word in enumerate(words) if number not in denying) + " ", len(denying)


def bare(text: str) -> str:
    """Return a text in lower case, without accents and punctuation, with contractions expanded."""
    plain = fold(text.replace("’", "'"))
    plain = re.sub(r"(\w)n't\b", r"\1 n't", plain).replace("ca n't", "can n't").replace("wo n't", "will n't")
    return " ".join(re.sub(r"[\"“”„»«*_`!?;,()\[\]。，！？、；]|[.:](?=\s|$)|'(?:m|re|ve|s|ll)\b", " ", plain).split())


def is_scope(lead: str) -> bool:
    """Return whether a function word introduces for what, when or where something applies."""
    return lead in _known().scopes


def is_number(word: str) -> bool:
    return any(char.isdigit() for char in word)


def same_word(one: str, other: str) -> bool:
    """Return whether two words are forms of one word. Numbers and short words must be equal."""
    if one == other:
        return True
    if (
        one[:COMPARE_STEM_MIN] != other[:COMPARE_STEM_MIN] or min(len(one), len(other)) < COMPARE_STEM_MIN
    ):  # fast exit for most of the hundreds of pairs per statement
        return False
    if is_number(one) or is_number(other):
        return False
    same = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        same += 1
    endings = _known().endings
    return (one[same:] or "s") in endings and (other[same:] or "s") in endings


def alike(known: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Return `words`, with forms of known words replaced by the known words."""
    return tuple(next((held for held in known if same_word(held, word)), word) for word in words)


def matched(one: Sequence[str], other: Sequence[str]) -> int:
    rest = list(other)
    count = 0
    for word in one:
        if word in rest:
            rest.remove(word)
            count += 1
    return count
