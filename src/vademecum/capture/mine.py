"""Find the few sentences of a session that are worth remembering, by patterns, without a model.

Most of what is said in a session is about the task at hand; the miner would rather miss a memory than make one up. It reads
only speech of the main conversation: no tool output, no injected text, no sub-agents, no code, quotations or pasted documents.

The ladder of confidence: what a person says outright is high. A pattern that only suggests is medium, and falls to low when
the session shows it fewer than three times, unless the sentence brings its own evidence: a decision its reason, a fix the very
error that was met before.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from vademecum.capture.judge import judge
from vademecum.capture.outright import OUTRIGHT
from vademecum.capture.patterns import (
    ASKING,
    ERROR_LINE,
    ERROR_WORDS,
    EXPLICIT,
    FOUND,
    IF_FIRST,
    PASSING,
    PATTERNS,
    PLAYING,
    POINTING,
    REASON,
    REPORTED,
    SELF_TALK,
    TRAILING,
    Confidence,
    Pattern,
)
from vademecum.capture.speech import PASTED_MAX_CHARS, Sentence, is_bulk, sentences
from vademecum.capture.statements import SURE, change_told, done_away, own_words, statement
from vademecum.model.lines import lines_holding
from vademecum.model.session import SPOKEN, Candidate, Session, Turn

TEXT_MAX_CHARS = 300
TITLE_MAX_CHARS = 80
EXCERPT_CHARS = 80
#: So much of an answer tells what the agent took for granted.
ANSWERED_CHARS = 400

#: So often a medium pattern must be met to stay medium.
MEDIUM_MIN_OCCURRENCES = 3

#: How many turns back the error may stand that a fix is about.
ERROR_REACH_TURNS = 40

#: Shortest sentence that can say something, in words.
_WORDS_MIN = 3

#: Two candidates of a kind are the same when this share of the smaller one's words is shared.
_SAME_SHARE = 0.8

#: A pattern that is believed alone is only a guess where its sentence seems less likely than this to last ("I prefer the yellow one");
#: one that is believed by its evidence where it seems less likely than the second.
DOUBTED, IMPOSSIBLE = 0.2, 0.02
#: With the first thing that a person says they tell what they want done now: what only its cues speak for must be this likely to be saved,
#: and this likely to be proposed.
OPENING_SURE, OPENING_LIKELY = 0.93, 0.8
#: Cues that a rationale names.
CUES_SHOWN = 3
#: Name of what found a sentence that is kept only if it takes the place of something known.
ONLY_IF_CHANGED = "cues.change"
#: Of what was found by its cues, for each kind.
IMPORTANCE = {"decision": 0.7, "preference": 0.7, "identity": 0.8, "fact": 0.6, "fix": 0.7, "lesson": 0.7}

#: What a person asks to be remembered is not doubted.
_EXPLICIT = frozenset(pattern.name for pattern in EXPLICIT)

_RANK: dict[str, int] = {"low": 0, "medium": 1, "high": 2}
_WORD = re.compile(r"\w+")
#: A Chinese character; two make about a word.
_HAN = re.compile(r"[\u4e00-\u9fff]")
#: Between two clauses, with the small words that lead into the second.
_GAP = re.compile(r"\s*[,;:，；：—]\s*(?:(?:and|but|so|then|also|e|mas|und|aber|also|y|pero|así que|por isso)\s+)?")
_CLAUSE = re.compile(r"(?:,| — | - |;|:| because| since| so that| weil| porque| já que| ya que)(?=\s)")


@dataclass(frozen=True, slots=True)
class _Error:
    """An error text met on the way: what a program wrote, and in which turn."""

    text: str
    number: int
    ref: str


@dataclass(frozen=True, slots=True)
class _Found:
    """How a sentence was found.

    Attributes:
        name: of the pattern, or "cues.<kind>.<strongest cue>". why: the words that spoke for it.
        text: what is remembered of the sentence. importance: 0..1.
        needs: "" or what it must bring along: "reason" or "error". old, about: see :class:`Candidate`.
        taken, back: how many sentences behind and in front of the one it was found in belong to it.
        durable: 0..1, how likely it lasts, where only its cues speak.
    """

    name: str
    kind: str
    confidence: Confidence
    importance: float
    why: str
    text: str
    needs: str = ""
    old: str = ""
    about: str = ""
    taken: int = 0
    back: int = 0
    durable: float = 1.0


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What a sentence brings along: the error that a fix is about, and whether it has what speaks for its kind."""

    error: _Error | None
    evident: bool


def mine(session: Session) -> tuple[Candidate, ...]:
    """Candidates of one session, or of its new turns, in the order in which they were said."""
    return settle(met(session))


def met(session: Session) -> tuple[Candidate, ...]:
    """Whatever is met in a session, each time it is said, in order: what :func:`settle` makes candidates of."""
    return tuple(_candidates(session))


def settle(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """One candidate for each thing said, with how often it was said, and its confidence by the ladder."""
    kept: list[Candidate] = []
    for candidate in candidates:
        for number, other in enumerate(kept):
            if _same(candidate, other):
                kept[number] = _joined(other, candidate)
                break
        else:
            kept.append(candidate)
    return tuple(_on_ladder(candidate) for candidate in kept)


def _candidates(session: Session) -> Iterator[Candidate]:
    errors: list[_Error] = []
    answered = session.answered[:ANSWERED_CHARS]
    for number, turn in enumerate(session.turns):
        if turn.role == "user" and not turn.sidechain and not is_bulk(turn.text) and PLAYING.search(turn.text):
            return
        if not turn.sidechain:
            errors += [_Error(text, number, turn.ref) for text in _errors_in(turn)]
        if turn.role in SPOKEN and not turn.sidechain and not is_bulk(turn.text) and not turn.text.startswith("/"):
            recent = [error for error in errors if number - error.number <= ERROR_REACH_TURNS]
            yield from (replace(one, answered=answered) for one in _of_turn(session, turn, recent))
        if turn.role == "agent" and not turn.sidechain:
            answered = turn.text[:ANSWERED_CHARS]


def _of_turn(session: Session, turn: Turn, errors: list[_Error]) -> Iterator[Candidate]:
    opens = _opens(session, turn)
    said = [_without_trail(sentence) for sentence in sentences(turn.text)]
    if turn.role == "user":
        said = list(own_words(said, turn.text))
    behind = 0
    for place in range(len(said)):
        found = _found(said, place, turn, errors) if place >= behind else None
        if found is None:
            continue
        if opens and found.name.startswith("cues.") and found.durable < OPENING_SURE:
            if found.durable < OPENING_LIKELY and found.name != ONLY_IF_CHANGED:
                continue
            found = replace(found, confidence="low")
        first, last = said[place - found.back], said[place + found.taken]
        following = said[place + found.taken + 1] if place + found.taken + 1 < len(said) else None
        if following is not None and REASON.match(following.said):
            found, last = replace(found, text=f"{found.text} {following.text}"), following
        behind = said.index(last) + 1
        evident = _is_evident(found, errors)
        if not found.needs or evident:
            error = _error_for(found.text, errors) if found.kind == "fix" else None
            excerpt = _excerpt(turn.text, first.start, last.end)
            beside = [said[at].text for at in (place - found.back - 1, place + found.taken + 1) if 0 <= at < len(said)]
            yield replace(_candidate(session, turn, excerpt, found, _Evidence(error, evident)), around=" ".join(beside))


def _opens(session: Session, turn: Turn) -> bool:
    """Whether it is the first thing that the person says in a conversation; a note is none."""
    answered = any(one.role == "agent" for one in session.turns)
    return answered and not session.continued and turn is next((one for one in session.turns if one.role == "user"), None)


def _is_evident(found: _Found, errors: list[_Error]) -> bool:
    """Whether it brings along what speaks for its kind: a fix the error it cured, anything else its reason."""
    return bool(errors) if found.kind == "fix" else REASON.search(found.text) is not None


def _found(said: Sequence[Sentence], place: int, turn: Turn, errors: list[_Error]) -> _Found | None:
    """What says it outright, else by a pattern, by its cues, or by both, which is believed most."""
    sentence = said[place]
    plain = _by_pattern(sentence, turn, OUTRIGHT) if turn.role == "user" else None
    if len(_WORD.findall(sentence.said)) + len(_HAN.findall(sentence.said)) // 2 < _WORDS_MIN:
        return plain or (_by_cues(said, place) if turn.role == "user" and FOUND.search(sentence.said) else None)
    named = _by_pattern(sentence, turn, _patterns_of(turn.role))
    if turn.role != "user":
        return named
    if named is None or (named.needs and not _is_evident(named, errors)):
        return plain or _by_cues(said, place)
    least = DOUBTED if named.confidence == "high" else IMPOSSIBLE
    if named.name not in _EXPLICIT and judge(sentence.said).durable < least:
        return plain or replace(named, confidence="low", why=f"{named.why}; its other words speak against")
    return named if named.confidence == "high" else plain or named


def _by_pattern(sentence: Sentence, turn: Turn, patterns: Sequence[Pattern]) -> _Found | None:
    matched = _first_match(sentence, turn, patterns)
    if matched is None:
        return None
    pattern, match = matched
    what = match.start("what") if "what" in match.re.groupindex else -1
    words = _cut(match[0][:what], 60) if what > 0 else ""
    return _Found(
        name=pattern.name,
        kind=pattern.kind,
        confidence=pattern.confidence if turn.role == "user" else "medium",
        importance=pattern.importance,
        why=f'"{words or _cut(match[0], 60)}"',
        text=_bare(sentence, pattern, match),
        needs=pattern.needs,
        old=_group(match, "old") or (done_away(sentence.said) if turn.role == "user" else ""),
        about=_group(match, "about"),
    )


def _by_cues(said: Sequence[Sentence], place: int) -> _Found | None:
    """A sentence of a person's that no pattern knows, when its words speak for it, or when it tells of a change."""
    stated = statement(said, place)
    name = f"cues.{stated.kind}.{stated.cues[0][0]}" if stated is not None and stated.cues else ONLY_IF_CHANGED
    if name == ONLY_IF_CHANGED:
        stated = change_told(said, place)
    if stated is None:
        return None
    why = ", ".join(f'"{words}" ({cue})' for cue, words in stated.cues[:CUES_SHOWN])
    return _Found(
        name=name,
        kind=stated.kind,
        confidence="high" if stated.durable >= SURE and name != ONLY_IF_CHANGED else "low",
        importance=IMPORTANCE[stated.kind],
        why=f"{why}; {stated.durable:.2f}",
        text=stated.text,
        needs="error" if stated.kind == "fix" and stated.durable < SURE else "",
        old=stated.old,
        taken=stated.taken,
        back=stated.back,
        durable=stated.durable,
    )


def _without_trail(sentence: Sentence) -> Sentence:
    """The sentence without a request or a question that trails behind a statement."""
    said = ASKING.sub("", TRAILING.sub("", sentence.said))
    if said == sentence.said or not said or IF_FIRST.match(said):
        return sentence
    return replace(sentence, text=ASKING.sub("", TRAILING.sub("", sentence.text)), said=said)


def _first_match(sentence: Sentence, turn: Turn, patterns: Sequence[Pattern]) -> tuple[Pattern, re.Match[str]] | None:
    said = sentence.said
    if PASSING.search(said):
        return None
    if turn.role == "agent" and SELF_TALK.match(said):
        return None
    for start in _beginnings(said) if turn.role == "user" else (0,):
        stated = said[start:].rstrip(".!。！")
        for pattern in patterns:
            if match := pattern.regex.match(stated):
                what = match.groupdict().get("what") or ""
                return None if POINTING.match(what.strip()) else (pattern, match)
    return None


@cache
def _patterns_of(role: str) -> tuple[Pattern, ...]:
    return tuple(pattern for pattern in PATTERNS if role in pattern.roles)


def _beginnings(said: str) -> Iterator[int]:
    """Where a statement may begin: with the sentence, or behind a comma or colon unless what stands before it is of others."""
    yield 0
    if "**" in said:  # a line led by a bold title is a list that somebody pasted, perhaps of our own
        return
    for gap in _GAP.finditer(said):
        if REPORTED.search(said[: gap.start()]):
            return
        yield gap.end()


def _candidate(session: Session, turn: Turn, excerpt: str, found: _Found, evidence: _Evidence) -> Candidate:
    error = evidence.error
    text = _sentence(found.text)
    if error is not None and error.text not in text:
        text = f"{_cut(error.text, TEXT_MAX_CHARS - 20 - len(text))}: {text}"
    return Candidate(
        kind=found.kind,
        title=_cut(error.text, TITLE_MAX_CHARS) if error else _title(found.text),
        text=_cut(text, TEXT_MAX_CHARS),
        confidence=_confidence(found, turn, evidence),
        importance=found.importance,
        source=session.uri,
        span=(error.ref if error else turn.ref, turn.ref),
        rationale=_rationale(found, evidence),
        excerpt=excerpt,
        time=turn.time,
        project=session.project,
        replaces=found.old,
        about=found.about,
        pattern=found.name,
        trust="agent" if turn.role == "agent" else "user",
    )


def _bare(sentence: Sentence, pattern: Pattern, match: re.Match[str]) -> str:
    """The sentence, without the words that only ask to remember it."""
    if not pattern.bare:
        return sentence.text
    begin = sentence.said.find(match["what"])
    return sentence.text[begin:] if sentence.text.startswith(sentence.said[:begin]) else sentence.text


def _confidence(found: _Found, turn: Turn, evidence: _Evidence) -> Confidence:
    """What a person suggests becomes high by its evidence; what an agent says is never more than medium."""
    if turn.role == "agent":
        return "medium"
    return "high" if evidence.evident and found.confidence == "medium" else found.confidence


def _on_ladder(candidate: Candidate) -> Candidate:
    evident = "; with its " in candidate.rationale
    if candidate.confidence == "medium" and candidate.occurrences < MEDIUM_MIN_OCCURRENCES and not evident:
        return replace(candidate, confidence="low")
    return candidate


def _rationale(found: _Found, evidence: _Evidence) -> str:
    """The pattern's name, the words that spoke for it, and what else did."""
    parts = [f"{found.name}: {found.why}"]
    if found.old:
        parts.append(f'replaces "{_cut(found.old, 60)}"')
    if evidence.error is not None:
        parts.append("with its error")
    elif evidence.evident:
        parts.append("with its reason")
    return "; ".join(parts)


def _group(match: re.Match[str], name: str) -> str:
    return " ".join((match.groupdict().get(name) or "").split())


def _errors_in(turn: Turn) -> Iterator[str]:
    """Error lines that a tool showed or a person pasted."""
    if turn.role in ("tool", "user"):
        text = turn.text[:PASTED_MAX_CHARS]
        for start in lines_holding(text, ERROR_WORDS):
            if match := ERROR_LINE.match(text, start):
                yield " ".join(match[1].split())


def _error_for(text: str, errors: list[_Error]) -> _Error | None:
    """The error that words are about: the latest that shares a telling word with it, else the latest of all."""
    words = _telling(text)
    sharing = [error for error in errors if words & _telling(error.text)]
    return next(reversed(sharing or errors), None)


def _telling(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text) if len(word) > 4}


def _same(one: Candidate, other: Candidate) -> bool:
    if one.kind != other.kind:
        return False
    words, others = (set(_WORD.findall(each.text.lower())) for each in (one, other))
    return len(words & others) >= _SAME_SHARE * max(1, min(len(words), len(others))) and abs(len(words) - len(others)) <= 4


def _joined(first: Candidate, again: Candidate) -> Candidate:
    confidence = max(first.confidence, again.confidence, key=_RANK.__getitem__)
    occurrences = first.occurrences + again.occurrences
    return replace(first, confidence=confidence, occurrences=occurrences, span=(first.span[0], again.span[1]))


def _sentence(text: str) -> str:
    """A sentence that can stand alone: begins with a capital and ends with a mark."""
    text = text.strip(" \t-–—,;:")
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…", ")", "`", '"')) else text + "."


def _title(text: str) -> str:
    """The sentence without its reason, or its beginning."""
    text = _sentence(text).rstrip(".!")
    if len(text) > TITLE_MAX_CHARS:
        clauses = [match.start() for match in _CLAUSE.finditer(text) if 20 <= match.start() <= TITLE_MAX_CHARS]
        text = text[: clauses[-1]] if clauses else text
    return _cut(text, TITLE_MAX_CHARS).rstrip(" ,;:")


def _cut(text: str, max_chars: int) -> str:
    """`text` of at most `max_chars`, cut between words."""
    text = " ".join(text.split())
    if len(text) <= max_chars:
        return text
    head = text[: max(1, max_chars - 1)]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:—-") + "…"


def _excerpt(text: str, start: int, end: int) -> str:
    """The passage with what stands around it, from word to word, on one line."""
    low, high = max(0, start - EXCERPT_CHARS), min(len(text), end + EXCERPT_CHARS)
    while low > 0 and not text[low - 1].isspace():
        low -= 1
    while high < len(text) and not text[high].isspace():
        high += 1
    return " ".join(text[low:high].split())
