"""Find the few sentences of a session that are worth remembering, with patterns and without a model.

Most of a session is about the task at hand, and the miner prefers missing a memory to inventing one. It reads only speech of
the main conversation: no tool output, injected text, sub-agents, code, quotations or pasted documents.

Confidence: an explicit statement of the person is high, and only high is saved. A pattern that merely suggests a memory is
medium. It falls to low if it occurs fewer than three times in the session, unless the sentence brings its own evidence: a
reason raises a decision to high; a fix stays medium when the error it cured was seen before.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.session import SPOKEN, Candidate, Session, Turn
from vademecum.extract.numbers import (
    ASKED_WITHIN_CHARS,
    ERROR_REACH_TURNS,
    EXCERPT_CHARS,
    MEDIUM_MIN_OCCURRENCES,
    MINE_TEXT_MAX_CHARS,
    MINE_TITLE_MAX_CHARS,
    MINE_WORDS_MIN,
    RANK,
    REPORTED_CHARS,
    SAME_SHARE,
)
from vademecum.extract.titles import ENDINGS, as_sentence, joint, title_of, title_of_answer
from vademecum.extract.voice import typed_text, voices
from vademecum.language.line_search import lines_holding
from vademecum.language.load import languages
from vademecum.language.needed_words import Possible
from vademecum.language.patterns import Confidence, Pattern, are_compiled, pattern_names, patterns, speech
from vademecum.language.sentences import PASTED_MAX_CHARS, Sentence, is_bulk, own_words, sentences
from vademecum.language.text import brief

#: Tables of patterns: for explicit requests to save something, and for statements about how things are.
EXPLICIT, STATEMENTS = ("explicit", "orders"), ("statements",)
#: Pattern name and importance of an answer to the agent's question, and maximum characters of the question that are saved.
ANSWER, ANSWER_IMPORTANCE, QUESTION_MAX_CHARS = "answer", 0.6, 140


#: Marks a removed secret; a statement about it is useless without it.
REDACTED = "[REDACTED:"


_WORD = late_pattern(r"\w+")
#: A Chinese character; about two make a word.
_HAN = late_pattern(r"[\u4e00-\u9fff]")
#: Every line that matches :data:`_ERROR_LINE` contains one of these.
_ERROR_WORDS = (
    "Error", "Exception", "Warning", "Panic", "Interrupt", "Timeout", "NotFound", "Denied", "Exists", "Refused", "fatal", "error",
    "ERROR", "FATAL", "FAILED", "panic", "o such file or directory", "ermission denied", "ommand not found", "onnection refused",
    "ddress already in use", "annot find module", "egmentation fault",
)  # fmt: skip
#: An error line, exactly as a program prints it.
_ERROR_LINE = late_pattern(
    r"^(?:E[ \t]+|[^\w\n]{0,4})("
    r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Panic|Interrupt|Timeout|NotFound|Denied|Exists|Refused)\b(?::| \[)[^\n]{3,240}"
    r"|(?:fatal|error|ERROR|FATAL|FAILED|panic)(?:\[[A-Z]?\d+\])?:? (?=\S)[^\n]{6,240}"
    r"|[^\n]{0,80}\b(?:[Nn]o such file or directory|[Pp]ermission denied|[Cc]ommand not found|[Cc]onnection refused"
    r"|[Aa]ddress already in use|[Cc]annot find module|[Ss]egmentation fault)\b[^\n]{0,120}"
    r")",
    re.MULTILINE,
)


class _Error(Struct, frozen=True):
    """An error message that appeared in the session, with number and ref of its turn."""

    text: str
    number: int
    ref: str


class _Found(Struct, frozen=True):
    """A sentence that a pattern matched.

    Attributes:
        name: name of the pattern.
        why: the words that matched.
        text: the text to remember.
        importance: 0..1.
        needs: evidence that is required: "reason", "error", "report" or "".
        leans: whether it says little without the sentence before it.
        points: whether its subject is "it" or the like, which the sentence before must name.
        old, about: see :class:`Candidate`.
    """

    name: str
    kind: str
    confidence: Confidence
    importance: float
    why: str
    text: str
    needs: str = ""
    leans: bool = False
    points: bool = False
    old: str = ""
    about: str = ""


class _Evidence(Struct, frozen=True):
    """Evidence for a match: the error that a fix is about, and whether the evidence that its kind requires is present."""

    error: _Error | None
    evident: bool


class _Context(Struct, frozen=True):
    """What was said before a turn.

    Attributes:
        errors: recent errors.
        reported: first sentence of the agent's last message.
        is_report: whether the turn reacts to something that the agent reported or did, rather than to its question.
    """

    errors: Sequence[_Error]
    reported: str
    is_report: bool


def mine(session: Session, agent_said: str = "") -> tuple[Candidate, ...]:
    """Return the candidates of a session, or of its new turns, in the order in which they were said.

    Args:
        agent_said: the agent's last message before the turns; "" for none.
    """
    return settle(met(session, agent_said))


def met(session: Session, agent_said: str = "") -> tuple[Candidate, ...]:
    """Return every match in a session, in order, repetitions included. :func:`settle` merges them into candidates.

    Args:
        agent_said: see :func:`mine`.
    """
    return tuple(_candidates(session, agent_said))


def explicit_words(text: str) -> bool:
    """Return whether the typed words of a prompt ask explicitly to save something: "remember ...", "from now on ..."."""
    turn = Turn("", "user", text)
    typed = replace(turn, text=typed_text(turn, voices([turn])[turn.ref]))
    if not any(_may_ask(sentence) for sentence in _spoken(typed)):
        return False
    matches = (_found(sentence, typed) for sentence in _said(typed))
    return any(match is not None and match.name in pattern_names(*EXPLICIT) for match in matches)


def words_to_save(prompt: str, agent_said: str) -> str:
    """Return the first statement of a prompt that would be saved; "" for none.

    It is an explicit request, a decision, a correction or a plain statement. The person is waiting, so a process that has not
    compiled all patterns looks for explicit requests only.

    Args:
        agent_said: the agent's last message before the prompt; "" for none.
    """
    if not are_compiled() and not explicit_words(prompt):
        return ""
    candidates = mine(Session("", "", "", (Turn("", "user", prompt),)), agent_said)
    return next((candidate.text for candidate in candidates if candidate.confidence == "high"), "")


def kind_title_and_body(text: str) -> tuple[str, str, str]:
    """Return kind, title and body of words that a person asks to save. The kind is "fact" if no pattern matches.

    The body is "" where the title says everything.
    """
    text = text.strip()
    found = next(iter(mine(Session("", "", "", (Turn("", "user", text),)))), None)
    said = tuple(sentences(text))
    title = (found.title if found else title_of(said[0].text if said else text, "any")).rstrip(ENDINGS)
    bare = found.text if found is not None and len(said) == 1 else text
    return (found.kind if found else "fact", title, "" if bare.rstrip(".!。！").casefold() == title.casefold() else bare)


def as_proposal(candidate: Candidate) -> Candidate:
    """Return a candidate that waits for review when a model also reads the conversation: then patterns alone save nothing."""
    if candidate.confidence != "high":
        return candidate
    return replace(candidate, confidence="medium", rationale=f"{candidate.rationale}; a reader reads the conversation")


def states_something(session: Session, found: Sequence[Candidate]) -> bool:
    """Return whether the person says anything in a session, however short it is, that may be meant to last.

    Args:
        found: candidates that patterns found in it.
    """
    if any(candidate.trust == "user" for candidate in found):
        return True
    all_voices = voices(session.turns)
    typed = [
        replace(turn, text=typed_text(turn, all_voices.get(turn.ref)))
        for turn in session.turns
        if turn.is_persons and not turn.sidechain and not turn.text.startswith("/")
    ]
    lasting, reason = speech("lasting"), speech("reason")
    return any(lasting.search(sentence.said) or reason.search(sentence.said) for turn in typed for sentence in _spoken(turn))


def settle(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Merge repetitions into one candidate each, count them, and set the final confidence."""
    kept: list[Candidate] = []
    for candidate in candidates:
        for number, other in enumerate(kept):
            if _same(candidate, other):
                kept[number] = _joined(other, candidate)
                break
        else:
            kept.append(candidate)
    return tuple(_on_ladder(candidate) for candidate in kept)


def _candidates(session: Session, agent_said: str) -> Iterator[Candidate]:
    errors: list[_Error] = []
    all_voices = voices(session.turns)
    refused = {turn.call for turn in session.turns if turn.call and turn.outcome == "refused"}
    for number, given in enumerate(session.turns):
        if given.sidechain:
            continue
        errors += [_Error(text, number, given.ref) for text in _errors_in(given)]
        turn = replace(given, text=typed_text(given, all_voices.get(given.ref)))
        if turn.role == "user" and speech("playing").search(turn.text):
            return
        if turn.role in SPOKEN and not (turn.role == "agent" and is_bulk(turn.text)) and not turn.text.startswith("/"):
            recent = [error for error in errors if number - error.number <= ERROR_REACH_TURNS]
            before = _Context(recent, _first_sentence(agent_said), _is_report(turn, agent_said))
            candidates = tuple(_of_turn(session, turn, before))
            # If the person interrupted the questions to talk first, the answer settles nothing.
            answered = turn.speaker == "answer" and turn.call not in refused
            yield from _of_answer(session, turn, candidates) if answered else candidates
        if turn.role == "agent" and turn.text.strip():
            agent_said = turn.text


def _first_sentence(text: str) -> str:
    return next((sentence.text for sentence in sentences(text)), "")


def _is_report(turn: Turn, agent_said: str) -> bool:
    """Return whether a person's turn reacts to what the agent said or did.

    It does if it refuses a call, or if the agent had asked nothing.
    """
    asks = re.search(r"[?？]", agent_said.strip()[-ASKED_WITHIN_CHARS:]) is not None
    return turn.speaker == "refusal" or (turn.speaker == "user" and bool(agent_said.strip()) and not asks)


def _of_turn(session: Session, turn: Turn, before: _Context) -> Iterator[Candidate]:
    """Yield the candidates of one turn. "Never do that again" refers to the agent's last message."""
    all_sentences = _said(turn)
    behind = 0
    for place, sentence in enumerate(all_sentences):
        match = _found(sentence, turn) if place >= behind else None
        if match is None or (match.needs == "report" and not (before.is_report and place == 0)):
            continue
        first = all_sentences[place - 1] if (match.leans or match.points) and place > 0 else sentence
        if match.leans or match.points:
            match = _completed(match, first.text if first is not sentence else "", before.reported if match.leans else "")
        last = place
        if _begins_with_reason(all_sentences[place + 1 :]):
            last = place + 1
            match = replace(match, text=f"{match.text} {all_sentences[last].text}")
        elif turn.role == "user":
            match, last = _with_what_follows(match, all_sentences, place, turn)
        behind = last + 1
        evident = _is_evident(match, before.errors)
        if match.needs in ("", "report") or evident:
            error = _error_for(match.text, before.errors) if match.kind == "fix" else None
            excerpt = _excerpt(turn.text, first.start, all_sentences[last].end)
            yield _candidate(session, turn, excerpt, match, _Evidence(error, evident))


def _begins_with_reason(all_sentences: Sequence[Sentence]) -> bool:
    return bool(all_sentences) and speech("reason").match(all_sentences[0].said) is not None


def _with_what_follows(match: _Found, all_sentences: Sequence[Sentence], place: int, turn: Turn) -> tuple[_Found, int]:
    """Return a decision merged with the decisions and reasons right after it, and the index of the last.

    One message makes one memory. A decision that replaces something stays separate, so that it is clear what replaces it.
    """
    last = place
    while match.kind == "decision" and not match.old and last + 1 < len(all_sentences):
        more = _found(all_sentences[last + 1], turn)
        if (
            more is None
            or not (more.kind == "decision" or more.needs == "reason")
            or more.old
            or len(match.text) + len(more.text) >= MINE_TEXT_MAX_CHARS
        ):
            break
        match, last = replace(match, text=f"{as_sentence(match.text)} {as_sentence(more.text)}"), last + 1
    return match, last


def _of_answer(session: Session, turn: Turn, candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield the candidate of an answer to a question, with question and answer as its text.

    Its kind comes from a pattern, else it is a decision. A bare consent, for example to going on, settles nothing.
    """
    answer = as_sentence(turn.text)
    text = brief(f"{as_sentence(brief(turn.question, QUESTION_MAX_CHARS))} {answer}".strip(), MINE_TEXT_MAX_CHARS)
    if candidates:
        first = max(candidates, key=lambda found: RANK[found.confidence])
        settles = first.kind == "decision" and bool(turn.question)
        yield replace(first, text=text, **({"confidence": "high", "pattern": ANSWER} if settles else {}))
    elif turn.question and not _only_consents(turn):
        whole = _Found(ANSWER, "decision", "high", ANSWER_IMPORTANCE, '"answered"', text)
        candidate = _candidate(session, turn, _excerpt(turn.text, 0, len(turn.text)), whole, _Evidence(None, False))
        yield replace(candidate, title=title_of_answer(turn.question, answer))


def _only_consents(turn: Turn) -> bool:
    """Return whether an answer agrees and adds nothing to the question: "Yes, remove it" to "Can I remove the copy?"."""
    answer = turn.text.strip().rstrip(ENDINGS)
    if speech("consent").fullmatch(answer):
        return True
    return _begins_with_consent(answer) and _significant(answer) <= _significant(turn.question)


def _begins_with_consent(answer: str) -> bool:
    first = re.split(r"[,.;:!，。！]", answer, maxsplit=1)[0]
    return first != answer and speech("consent").fullmatch(first.strip()) is not None


def _said(turn: Turn) -> list[Sentence]:
    """Return the speaker's own sentences of a turn. A person's joined statements are split."""
    spoken = _spoken(turn)
    return [part for sentence in spoken for part in _parts(sentence, turn)] if turn.role == "user" else spoken


def _spoken(turn: Turn) -> list[Sentence]:
    """Return the speaker's own sentences of a turn. Joined statements stay together."""
    all_sentences = [_without_trail(sentence) for sentence in sentences(turn.text)]
    return list(own_words(all_sentences, turn.text)) if turn.role == "user" else all_sentences


def _may_ask(sentence: Sentence) -> bool:
    """Return whether a sentence may contain an explicit request. False is certain; True only means that it must be checked.

    The person is waiting, and compiling the patterns for all other statements takes 40 ms.
    """
    passing = speech("passing").search(sentence.said) is not None
    outright = [pattern for pattern in _patterns_of("user").within(sentence.said) if pattern.name in pattern_names(*EXPLICIT)]
    return any(
        pattern.regex.match(sentence.said[start:].rstrip(ENDINGS))
        for start in _beginnings(sentence.said)
        for pattern in outright
        if pattern.firm or not passing
    )


def _parts(sentence: Sentence, turn: Turn) -> list[Sentence]:
    """Split a sentence into the plain statements that it joins, if they match different patterns; else return it alone.

    Orders are never split: "always use tabs in Go and never spaces" means Go in both halves.
    """
    text = sentence.said
    starts = [0, *(gap.end() for gap in joint().finditer(text) if _statement(text[gap.end() :], turn))]
    ends = [*(gap.start() for gap in joint().finditer(text) if gap.end() in starts), len(text)]
    if len(starts) == 1 or sentence.text != text:
        return [sentence]
    parts = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    names = [_statement(part, turn) for part in parts]
    if not all(names) or len(set(names)) < len(names):
        return [sentence]
    return [replace(sentence, text=part, said=part) for part in parts]


def _statement(entry: str, turn: Turn) -> str:
    """Return the name of the pattern of a plain statement that begins here; "" for none."""
    matched = _first_match(Sentence(entry, entry, 0, len(entry)), turn)
    is_plain = matched is not None and matched[1].start() == 0 and matched[0].name in pattern_names(*STATEMENTS)
    return matched[0].name if matched is not None and is_plain else ""


def _completed(match: _Found, before: str, reported: str) -> _Found:
    """Complete a match such as "Never do that again" with the sentence before, else with what the agent said last.

    Without either, lower its confidence to medium.
    """
    if before:
        return replace(match, text=f"{as_sentence(before)} {as_sentence(match.text)}")
    if reported:
        return replace(match, text=f'{as_sentence(match.text)} (The agent had said: "{brief(reported, REPORTED_CHARS)}")')
    return replace(match, confidence="medium")


def _is_evident(match: _Found, errors: Sequence[_Error]) -> bool:
    """Return whether the required evidence is present: an error for a fix, a reason for any other kind."""
    return bool(errors) if match.kind == "fix" else speech("reason").search(match.text) is not None


def _found(sentence: Sentence, turn: Turn) -> _Found | None:
    """Return the match of a sentence; None if no pattern matches, or it is too short or contains a removed secret."""
    if len(_WORD.findall(sentence.said)) + len(_HAN.findall(sentence.said)) // 2 < MINE_WORDS_MIN or REDACTED in sentence.text:
        return None
    matched = _first_match(sentence, turn)
    if matched is None:
        return None
    pattern, match = matched
    text = _bare(sentence, pattern, match)
    what = match.start("what") if "what" in match.re.groupindex else -1
    words = brief(match[0][:what], 60) if what > 0 else ""
    return _Found(
        name=pattern.name,
        kind=_kind_of(pattern, text, turn),
        confidence=pattern.confidence if turn.role == "user" else "medium",
        importance=pattern.importance,
        why=f'"{words or brief(match[0], 60)}"',
        text=text,
        needs=pattern.needs,
        leans=pattern.leans,
        points=bool(_group(match, "it")),
        old=_group(match, "old"),
        about=_group(match, "about"),
    )


def _kind_of(pattern: Pattern, text: str, turn: Turn) -> str:
    """Return the kind of a match.

    A request to remember an order is a preference, because preferences are shown at every start.
    """
    if pattern.bare and pattern.kind == "fact":
        within = _first_match(Sentence(text, text, 0, len(text)), turn)
        if within is not None and within[0].kind == "preference":
            return within[0].kind
    return pattern.kind


def _without_trail(sentence: Sentence) -> Sentence:
    """Return the sentence without a request or a question that follows a statement."""
    cut_trail = _cut_trail(sentence.said)
    if (
        cut_trail == sentence.said
        or not cut_trail
        or speech("if_first").match(cut_trail)
        or speech("lasting").search(sentence.said)
    ):
        return sentence
    return replace(sentence, text=_cut_trail(sentence.text), said=cut_trail)


def _cut_trail(text: str) -> str:
    return speech("asking").sub("", speech("trailing").sub("", text))


def _first_match(sentence: Sentence, turn: Turn) -> tuple[Pattern, re.Match[str]] | None:
    text = sentence.said
    passing = speech("passing").search(text) is not None
    if turn.role == "agent" and speech("self_talk").match(text):
        return None
    possible = _patterns_of(turn.role).within(text)
    for start in _beginnings(text) if turn.role == "user" else (0,):
        stated = text[start:].rstrip(ENDINGS)
        for pattern in possible:
            if (passing and not pattern.firm) or (pattern.needs == "report" and start > 0):
                continue
            if match := pattern.regex.match(stated):
                what = match.groupdict().get("what") or ""
                return None if not pattern.leans and speech("pointing").match(what.strip()) else (pattern, match)
    return None


@cache
def _patterns_of(role: str) -> Possible[Pattern]:
    return Possible([pattern for pattern in patterns() if role in pattern.roles])


@cache
def _gap() -> re.Pattern[str]:
    """Match what separates two clauses, with the conjunctions that introduce the second."""
    return re.compile(rf"\s*[,;:，；：—]\s*(?:(?:{'|'.join(languages().listed('speech', 'joining'))})\s+)?")


def _beginnings(entry: str) -> Iterator[int]:
    """Yield the positions where a statement may begin.

    These are the start, and the positions after commas and colons, up to words that report what others said.
    """
    yield 0
    if "**" in entry:  # a line with a bold title is part of a pasted list, perhaps one of our own
        return
    for gap in _gap().finditer(entry):
        if speech("reported").search(entry[: gap.start()]):
            return
        yield gap.end()


def _candidate(session: Session, turn: Turn, excerpt: str, match: _Found, evidence: _Evidence) -> Candidate:
    error = evidence.error
    text = as_sentence(match.text)
    if error is not None and error.text not in text:
        text = f"{brief(error.text, MINE_TEXT_MAX_CHARS - 20 - len(text))}: {text}"
    return Candidate(
        kind=match.kind,
        title=brief(error.text, MINE_TITLE_MAX_CHARS) if error else title_of(match.text, match.name.partition(".")[0]),
        text=brief(text, MINE_TEXT_MAX_CHARS),
        confidence=_confidence(match, turn, evidence),
        importance=match.importance,
        source=session.uri,
        span=(error.ref if error else turn.ref, turn.ref),
        rationale=_rationale(match, evidence),
        excerpt=excerpt,
        time=turn.time,
        project=session.project,
        folder=turn.cwd,
        replaces=match.old,
        about=match.about,
        pattern=match.name,
        trust="agent" if turn.role == "agent" else "user",
    )


def _bare(sentence: Sentence, pattern: Pattern, match: re.Match[str]) -> str:
    """Return the sentence without the words that only ask to remember it."""
    if not pattern.bare:
        return sentence.text
    begin = sentence.said.find(match["what"])
    return sentence.text[begin:] if sentence.text.startswith(sentence.said[:begin]) else sentence.text


def _confidence(match: _Found, turn: Turn, evidence: _Evidence) -> Confidence:
    """Return the confidence of a match.

    A reason raises a person's medium statement to high. A fix, and anything an agent says, is at most medium.
    An earlier error is weak evidence that a sentence describes its fix.
    """
    if turn.role == "agent":
        return "medium"
    raised = evidence.evident and match.confidence == "medium" and match.kind != "fix"
    return "high" if raised else match.confidence


def _on_ladder(candidate: Candidate) -> Candidate:
    evident = "; with its " in candidate.rationale
    if candidate.confidence == "medium" and candidate.occurrences < MEDIUM_MIN_OCCURRENCES and not evident:
        return replace(candidate, confidence="low")
    return candidate


def _rationale(match: _Found, evidence: _Evidence) -> str:
    """Return the pattern's name, the matched words and the evidence."""
    parts = [f"{match.name}: {match.why}"]
    if match.old:
        parts.append(f'replaces "{brief(match.old, 60)}"')
    if evidence.error is not None:
        parts.append("with its error")
    elif evidence.evident:
        parts.append("with its reason")
    return "; ".join(parts)


def _group(match: re.Match[str], name: str) -> str:
    return " ".join((match.groupdict().get(name) or "").split())


def _errors_in(turn: Turn) -> Iterator[str]:
    """Yield error lines that a tool printed or a person pasted."""
    if turn.role in ("tool", "user"):
        text = turn.text[:PASTED_MAX_CHARS]
        for start in lines_holding(text, _ERROR_WORDS):
            if match := _ERROR_LINE.match(text, start):
                yield " ".join(match[1].split())


def _error_for(text: str, errors: Sequence[_Error]) -> _Error | None:
    """Return the error that a text is about; None without errors.

    This is the latest that shares a significant word with the text, else the latest.
    """
    words = _significant(text)
    sharing = [error for error in errors if words & _significant(error.text)]
    return next(reversed(sharing or errors), None)


def _significant(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text) if len(word) > 4}


def _same(candidate: Candidate, other: Candidate) -> bool:
    if candidate.kind != other.kind:
        return False
    words, others = (set(_WORD.findall(each.text.lower())) for each in (candidate, other))
    return len(words & others) >= SAME_SHARE * max(1, min(len(words), len(others))) and abs(len(words) - len(others)) <= 4


def _joined(first: Candidate, again: Candidate) -> Candidate:
    confidence = max(first.confidence, again.confidence, key=RANK.__getitem__)
    occurrences = first.occurrences + again.occurrences
    return replace(first, confidence=confidence, occurrences=occurrences, span=(first.span[0], again.span[1]))


def _excerpt(text: str, start: int, end: int) -> str:
    """Return the passage with some context, cut between words, on one line."""
    low, high = max(0, start - EXCERPT_CHARS), min(len(text), end + EXCERPT_CHARS)
    while low > 0 and not text[low - 1].isspace():
        low -= 1
    while high < len(text) and not text[high].isspace():
        high += 1
    return " ".join(text[low:high].split())
