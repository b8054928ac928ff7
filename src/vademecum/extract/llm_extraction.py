"""Turn the entries of a model's answer about a conversation into candidates, with a confidence for each.

Every entry must quote the words it rests on, and those words must occur in the conversation: a model selects and rephrases, but
cannot make things up. Its text is compared with the quoted sentence, the messages around it and the whole conversation, because
a good statement resolves "it" and names its subject.

The confidence depends on the speaker. Trusted are the person's typed words; the agent's words if the person agreed to them in a
typed answer or a command proves them; and, of a text that the person handed over and that was carried out, what lasts beyond
the task. Other pasted text, the agent's unconfirmed words, and statements that differ from what was said wait for the person.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.call_patterns import distinctive, parsed
from vademecum.domain.kinds import KINDS, resolve_kind
from vademecum.domain.outline import Handoff
from vademecum.domain.relations import RELATIONS
from vademecum.domain.session import Candidate, Session, Turn
from vademecum.extract.checked_commands import failed_commands
from vademecum.extract.material import Shown
from vademecum.extract.numbers import (
    ADDED_WORDS,
    ANSWERS_WITHIN,
    AROUND,
    CALLS_MAX,
    CAP,
    COMMANDS_BEFORE,
    DENIED_MAX_WORDS,
    EXCERPT_MAX_CHARS,
    HANDED_OVER_TIMES,
    LLM_EXTRACTION_LINE_MAX_CHARS,
    LLM_EXTRACTION_TITLE_MAX_CHARS,
    LLM_EXTRACTION_TOPICS_MAX,
    MET_MIN,
    NEAR_MIN,
    NOISE_FLOOR,
    QUOTED_MAX_WORDS,
    SAME_PREFIX_CHARS,
    SPOKEN_MIN,
    SUMMARY_MAX_CHARS,
    SUPPORT_MIN,
    SUPPORT_POOR,
    TYPED_SHARE,
)
from vademecum.extract.numbers import READ_TEXT_MAX_CHARS as TEXT_MAX_CHARS
from vademecum.extract.reading_prompt import EXTRACTED, Known, Question
from vademecum.extract.significant_words import holds, share, significant, significant_in
from vademecum.language.patterns import speech
from vademecum.language.sentences import without_lead
from vademecum.language.text import brief, is_unspaced, one_line, tokens

#: Kinds that only the person's own words can establish; a correction is a preference or a lesson of the person.
PERSONAL = frozenset({"preference", "identity", "style"})
#: Kinds that a command can prove, and those that a failed command shows.
PROVABLE = frozenset({"fix", "lesson", "incident", "procedure"})
OBSTACLES = frozenset({"lesson", "incident"})

#: Doubt about words in the form of a question, a guess or an order for the moment. It does not apply when the model says that
#: they are meant to last: people phrase decisions as thoughts ("maybe even 30?"), so the form alone decides nothing.
PASSING = "it may have been a question, a guess, or meant for the moment"
#: Reason for rejecting a typed statement that is not meant to last; the handoff mentions it.
NOT_LASTING = "it is not meant to last; the handoff tells it"
#: Doubt about what an agent saves as the person's words. It is not raised against a model's answer: models phrase "leave it
#: out" as "it is not shown", and were right in every measured case.
REVERSED = "it may say the opposite of what was said"

#: Who proposed it: a language model that read the conversation, or the agent that took part in it.
Proposer = Literal["model", "agent"]
Voiced = Literal["typed", "pasted", "agent"]
Backing = Literal["agreed", "committed", "proved", "met", "carried out", ""]
BACKED: Mapping[str, str] = {
    "agreed": "the person agreed",
    "committed": "the person had it committed",
    "proved": "a command proves it",
    "met": "a command failed at it",
    "carried out": "the person handed it over, and it was carried out",
}

_WORD = re.compile(r"\w+")
_LEFT_OUT = re.compile(r"…|\.{3}|\[code\]")
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)|[。！？]+|\n")
#: Commands that search for the name of a check without running it.
_LOOKING = re.compile(r"(?:rtk |sudo )?(?:grep|rg|cat|ls|find|sed|head|tail|less|which|echo)\b")
_QUESTION = re.compile(r"[?？]")
_ADDRESS = re.compile(r"https?://[^\s<>()\"'`\]]+[^\s<>()\"'`\].,;:!?]")


class Place(Struct, frozen=True):
    """Position of quoted words: characters `start` to `end` of the turn's text, and whose words they are."""

    one: Shown
    start: int
    end: int
    voice: Voiced

    @property
    def quoted(self) -> str:
        """The quoted words as they were said."""
        return self.one.turn.text[self.start : self.end]

    @property
    def clause(self) -> str:
        """The sentence up to the end of the quoted words, on one line, without introductory words.

        What follows may be a question.
        """
        text = self.one.turn.text
        ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, self.start)]
        return without_lead(text[ends[-1] if ends else 0 : self.end])


class Conversation(Struct, frozen=True):
    """What a candidate is checked against.

    Attributes:
        shown: messages that the model was shown.
        known: memories that were shown with them.
        besides: other text that may name a subject, such as the summary of an earlier reading.
    """

    session: Session
    shown: tuple[Shown, ...]
    known: tuple[Known, ...] = ()
    besides: str = ""

    def held(self) -> frozenset[str]:
        """Return the significant words of the messages, memories, project and title."""
        result = (line.text if line.who == "ran" else line.turn.text for line in self.shown)
        texts = (*result, *(known.text for known in self.known))
        return significant(" ".join((*texts, self.besides, self.session.project, self.session.title, self.session.cwd)))


class Understood(Struct, frozen=True):
    """The result of one answer.

    Attributes:
        rejected: (beginning of the text, reason) of each entry that is not a candidate.
        mentions: URLs in messages that were not pasted, in order.
        handoff: handoff of the conversation so far.
        drifted: whether the conversation turned to another subject.
    """

    candidates: tuple[Candidate, ...]
    rejected: tuple[tuple[str, str], ...]
    mentions: tuple[str, ...]
    handoff: Handoff
    drifted: bool

    @property
    def summary(self) -> str:
        """Return the handoff as one paragraph, for the next reading."""
        handoff = self.handoff
        parts = (
            handoff.asked,
            f"Done: {'; '.join(handoff.done)}" if handoff.done else "",
            f"Decided: {'; '.join(handoff.decided)}" if handoff.decided else "",
            f"Open: {'; '.join(handoff.open)}" if handoff.open else "",
        )
        return brief(" ".join(filter(None, parts)), SUMMARY_MAX_CHARS)


def understood(value: Mapping[str, Any], asked: Question, session: Session, summary: str = "") -> Understood:
    """Return the candidates and everything else in an answer that fits the schema.

    Faulty entries are reported in `rejected`, never raised.

    Args:
        summary: summary of what was read before.
    """
    conversation = Conversation(session, asked.shown, asked.known, summary)
    meant_to_last = [entry for entry in value["memories"] if not _is_passing(entry, conversation.known)]
    candidates, rejected = candidates_of(meant_to_last, conversation)
    others, unfit = candidates_of(
        [entry for entry in value["memories"] if _is_passing(entry, conversation.known)], conversation
    )
    passing = [candidate for candidate in others if candidate.trust == "user"]
    result = value["handoff"]
    handoff = Handoff(
        brief(result["asked"], LLM_EXTRACTION_LINE_MAX_CHARS),
        _lines(result["done"]),
        _lines([candidate.text for candidate in passing if candidate.confidence == "high"]),
        _lines(result["open"]),
        brief(result["next"], LLM_EXTRACTION_LINE_MAX_CHARS),
    )
    candidates = (*candidates, *(candidate for candidate in others if candidate.trust != "user"))
    rejected = (
        *rejected,
        *unfit,
        *((brief(candidate.text, LLM_EXTRACTION_TITLE_MAX_CHARS), NOT_LASTING) for candidate in passing),
    )
    return Understood(
        candidates,
        rejected,
        tuple(
            dict.fromkeys(outcome for line in asked.shown if not line.pasted for outcome in _ADDRESS.findall(line.turn.text))
        ),
        handoff,
        value["drifted"],
    )


def _is_passing(entry: object, known: Sequence[Known]) -> bool:
    """Return whether the model calls an entry not lasting. A repetition of a known memory never is."""
    again = isinstance(entry, Mapping) and entry.get("relation") == "same" and _target(entry, known) is not None
    return isinstance(entry, Mapping) and entry.get("lasting") is False and not again


def candidates_of(
    entries: Sequence[Any], said: Conversation, proposer: Proposer = "model"
) -> tuple[tuple[Candidate, ...], tuple[tuple[str, str], ...]]:
    """Return the candidates and the rejected entries of a model's or an agent's proposal.

    A rejected entry is (beginning of its text, reason).
    """
    held = said.held()
    kept: list[Candidate] = []
    rejected: list[tuple[str, str]] = []
    counts: Counter[str] = Counter()
    for entry in entries:
        candidate = _candidate(entry, said, held, proposer) if isinstance(entry, Mapping) else "it is no object"
        if isinstance(candidate, Candidate):
            candidate = _surplus(candidate, kept, counts) or candidate
        if isinstance(candidate, Candidate):
            counts[candidate.kind] += 1
            kept.append(candidate)
        else:
            text = str(entry.get("text") or entry.get("quote") or "") if isinstance(entry, Mapping) else str(entry)
            rejected.append((brief(text, LLM_EXTRACTION_TITLE_MAX_CHARS), candidate))
    return tuple(kept), tuple(rejected)


def _surplus(candidate: Candidate, kept: Sequence[Candidate], counts: Counter[str]) -> str:
    """Return why a candidate is superfluous, "" when it is not."""
    beginning = _plain(candidate.text)[:SAME_PREFIX_CHARS]
    if any(_plain(other.text)[:SAME_PREFIX_CHARS] == beginning for other in kept):
        return "it says the same as another"
    return f"{CAP} of kind {candidate.kind} are enough" if counts[candidate.kind] >= CAP else ""


def _candidate(
    entry: Mapping[str, Any], conversation: Conversation, held: frozenset[str], proposer: Proposer
) -> Candidate | str:
    """Return the candidate, or the reason for rejecting the entry."""
    known = _target(entry, conversation.known)
    again = known is not None and entry.get("relation") == "same"
    fault = _malformed(entry, conversation.known, known if again else None)
    if fault:
        return fault
    place = find_place(str(entry.get("quote") or ""), entry.get("at"), conversation.shown)
    if place is None:
        return "the words it is said to come from do not occur in the conversation"
    if again and known is not None:
        return _again(known, place, conversation.session, proposer)
    return _stated(entry, place, known, conversation, held, proposer)


def _stated(
    entry: Mapping[str, Any],
    place: Place,
    known: Known | None,
    conversation: Conversation,
    held: frozenset[str],
    proposer: Proposer,
) -> Candidate | str:
    """Return the candidate for a new statement quoted at `place`, or the reason for rejecting it."""
    kind = resolve_kind(entry["kind"])[0].name
    text = " ".join(entry["text"].split())
    if share(text, held) < SUPPORT_POOR or share(text, _near(place, conversation.shown)) < NEAR_MIN:
        return "it says something else than the words it comes from"
    if place.voice == "typed" and _only_hands_over(text, place, conversation.shown):
        place = replace(place, voice="pasted")
    backed = _backing(entry, kind, place, conversation.shown)
    if not backed and place.voice == "agent" and kind in OBSTACLES and entry.get("lasting") is True:
        backed = "met" if _failed_at(text, place, conversation.session.turns) else ""
    if kind in PERSONAL and place.voice != "typed" and not (backed == "agreed" and _QUESTION.search(place.one.turn.text)):
        return f"only the person's own words tell a {kind}"
    forged = "an agent says so of what is known" if proposer == "agent" and known is not None else ""
    asked = not entry.get("lasting") and _passes(text, place.clause)
    free = proposer == "model" and place.voice == "typed" and entry.get("lasting") is True
    reason = (REVERSED if proposer == "agent" and _reverses(text, place, conversation.shown) else "") or _why_doubtful(
        text, held, free=free
    )
    reason = reason or (PASSING if asked else "")
    confidence, why = _believed(place, backed, reason, forged)
    return Candidate(
        kind=kind,
        title=_title(entry.get("title"), text),
        text=text,
        confidence=confidence,
        importance=float(entry.get("importance", KINDS[kind].importance)),
        source=conversation.session.uri,
        span=(place.one.turn.ref, place.one.turn.ref),
        rationale=f"{proposer} {kind}: {'; '.join(filter(None, (why, _reason(entry))))}",
        excerpt=_excerpt(place),
        time=place.one.turn.time,
        project=conversation.session.project,
        folder=place.one.turn.cwd,
        pattern=f"{proposer} {kind}",
        trust="user" if place.voice == "typed" else "agent",
        topics=_topics(entry.get("topics")),
        mentions=tuple(uri for uri in dict.fromkeys(_ADDRESS.findall(_excerpt(place))) if uri not in text),
        relation=entry.get("relation", "new"),
        target=known.id if known is not None else "",
        until=_date(entry.get("until")),
        when=_calls(entry.get("when"), conversation),
    )


def _calls(given: object, conversation: Conversation) -> tuple[str, ...]:
    """Return at most `CALLS_MAX` valid call patterns whose longest word occurs in the session.

    Guessed patterns would show a memory at unrelated calls.
    """
    kept = []
    for line in given if isinstance(given, list) else ():
        try:
            tool, pattern = parsed(str(line))
        except ValueError:
            continue
        sign = distinctive(pattern)
        if sign and any(sign.lower() in turn.text.lower() for turn in conversation.session.turns):
            kept.append(f"{tool}: {pattern}")
    return tuple(dict.fromkeys(kept))[:CALLS_MAX]


def _again(known: Known, place: Place, session: Session, proposer: Proposer) -> Candidate:
    """Return a candidate that repeats a known memory."""
    return Candidate(
        kind=known.kind,
        title=brief(known.text, LLM_EXTRACTION_TITLE_MAX_CHARS),
        text=place.quoted,
        confidence="high" if place.voice == "typed" else "medium",
        importance=1.0,
        source=session.uri,
        span=(place.one.turn.ref, place.one.turn.ref),
        rationale=f"{proposer} {known.kind}: said again",
        excerpt=_excerpt(place),
        time=place.one.turn.time,
        project=session.project,
        folder=place.one.turn.cwd,
        pattern=f"{proposer} {known.kind}",
        trust="user" if place.voice == "typed" else "agent",
        relation="same",
        target=known.id,
    )


def _malformed(entry: Mapping[str, Any], known: Sequence[Known], again: Known | None) -> str:
    """Return what is wrong with the form of an entry, "" for nothing.

    Entries that only repeat a memory (`again`) need no text.
    """
    if again is not None:
        return ""
    text, kind, relation = entry.get("text"), entry.get("kind"), entry.get("relation", "new")
    faults = (
        "" if isinstance(text, str) and text.strip() else "it has no text",
        "" if len(str(text)) <= TEXT_MAX_CHARS else f"its text is longer than {TEXT_MAX_CHARS} characters",
        "" if _is_kind(kind) else f"a conversation teaches no {kind!r}",
        _unimportant(entry.get("importance", NOISE_FLOOR)),
        "" if relation in RELATIONS else f"there is no relation {relation!r}",
        "" if relation == "new" or _target(entry, known) else f"it is to {relation} a memory that was not shown",
    )
    return next(filter(None, faults), "")


def _unimportant(importance: object) -> str:
    """Return what is wrong with the importance that an agent gave, "" for nothing."""
    if isinstance(importance, bool) or not isinstance(importance, int | float) or not 0 <= importance <= 1:
        return "its importance is no number from 0 to 1"
    return f"its importance is below {NOISE_FLOOR}" if importance < NOISE_FLOOR else ""


def _is_kind(word: object) -> bool:
    try:
        return isinstance(word, str) and resolve_kind(word)[0].name in EXTRACTED
    except KeyError:
        return False


def _target(entry: Mapping[str, Any], known: Sequence[Known]) -> Known | None:
    """Return the shown memory that the entry refers to; None when it refers to none."""
    name = str(entry.get("target") or "")
    number = name[1:] if name[:1] == "m" else ""
    related = entry.get("relation", "new") != "new"
    return known[int(number) - 1] if related and number.isdecimal() and 1 <= int(number) <= len(known) else None


def find_place(quote: str, at: object, shown: Sequence[Shown]) -> Place | None:
    """Return the position of quoted words; None when nobody said them.

    Typed words come first, then the message that was named, then the agent's words before pasted ones. Punctuation, case,
    spaces and line ends may differ.
    """
    if len(_plain(quote)) < 4 and not is_unspaced(quote):
        return None
    places = [place for line in shown if line.who != "ran" for place in _places(quote, line)]
    return min(places, key=lambda place: _rank(place, at), default=None)


def _rank(place: Place, at: object) -> tuple[bool, bool, bool]:
    return place.voice != "typed", place.one.number != at, place.voice == "pasted"


def _places(quote: str, line: Shown) -> Iterator[Place]:
    span = _span(quote, line.turn.text)
    if span is None:
        return
    start, end = span
    typed = sum(max(0, min(end, stop) - max(start, begin)) for begin, stop in line.typed)
    if typed >= TYPED_SHARE * (end - start):
        yield Place(line, start, end, "typed")
    else:
        yield Place(line, start, end, "pasted" if line.turn.role == "user" else "agent")


def _span(quote: str, text: str) -> tuple[int, int] | None:
    """Return start and end of a quotation in a text; None when it does not occur.

    Other words may stand where it marks an omission.
    """
    start, at = -1, 0
    for part in _LEFT_OUT.split(quote):
        words = _WORD.findall(part)[:QUOTED_MAX_WORDS]
        if not words:
            continue
        match = re.compile(
            r"\b" + r"\W+".join(map(re.escape, words)) if not is_unspaced(part) else r"\W*".join(words), re.I
        ).search(text, at)
        if match is None:
            return None
        start, at = match.start() if start < 0 else start, match.end()
    return (start, at) if start >= 0 else None


def _backing(entry: Mapping[str, Any], kind: str, place: Place, shown: Sequence[Shown]) -> Backing:
    """Return what supports words that the person did not type, judged by the message that `backed` names."""
    line = next((spoken for spoken in shown if spoken.number == entry.get("backed")), None)
    if line is None or place.voice == "typed" or entry.get("lasting") is False:
        return ""
    if place.voice == "pasted":
        return "carried out" if entry.get("lasting") and _carried_out(line, place, shown) else ""
    if line.who == "ran":
        return "proved" if kind in PROVABLE and _proves(line) and not (line.failed and kind == "fix") else ""
    answers = _answers_to(place, shown)[:ANSWERS_WITHIN]
    if line in answers and _accepts(line, place):
        return "agreed"
    return "committed" if line in answers[:1] and _commits(line, place, shown) else ""


def _commits(line: Shown, place: Place, shown: Sequence[Shown]) -> bool:
    """Return whether the person had the work committed that the agent reported just before: that accepts what it says it did.

    A question in the report is not answered by it, and a command must have succeeded afterwards.
    """
    said = _said(line)
    end = _SENTENCE_END.search(place.one.turn.text, place.end)
    if not speech("committing").match(said) or _declines(said) or (end is not None and _QUESTION.search(end[0])):
        return False
    if any(other.who == "agent" for other in shown if place.one.number < other.number < line.number):
        return False
    next_answer = next((other.number for other in shown if other.who == "user" and other.number > line.number), len(shown) + 1)
    return any(_proves(other) and not other.failed for other in shown if line.number < other.number < next_answer)


def _failed_at(text: str, place: Place, turns: Sequence[Turn]) -> bool:
    """Return whether one of the agent's last commands before the quoted message failed, and has to do with the text."""
    before = next((number for number, turn in enumerate(turns) if turn.ref == place.one.turn.ref), 0)
    failed = failed_commands(turns[:before], COMMANDS_BEFORE)
    return any(
        share(text, significant(f"{command} {output}")) >= MET_MIN for command, output in failed if not _LOOKING.match(command)
    )


def _carried_out(line: Shown, place: Place, shown: Sequence[Shown]) -> bool:
    """Return whether a pasted text was carried out: the person ordered or accepted it, and a later command succeeded."""
    ordered = place.one.who == "user" and not _QUESTION.search(place.one.spoken)
    if not any(other.number > place.one.number and _proves(other) and not other.failed for other in shown):
        return False
    if line.number == place.one.number:
        return ordered
    accepted = line in _answers_to(place, shown) and (ordered or _accepts(line, place)) and not _declines(_said(line))
    return accepted or (ordered and line.who == "ran" and line.number > place.one.number)


def _proves(line: Shown) -> bool:
    """Return whether the line is a command that proves something."""
    return line.who == "ran" and not _LOOKING.match(line.text)


def _answers_to(place: Place, shown: Sequence[Shown]) -> list[Shown]:
    """Return the messages that the person typed after `place`."""
    return [line for line in shown if line.who == "user" and line.typed and line.number > place.one.number]


def _accepts(line: Shown, place: Place) -> bool:
    return not _declines(_said(line)) and _agrees(_said(line), place.one.turn.text)


def _said(line: Shown) -> str:
    return " ".join(line.spoken.split())


def _agrees(answer: str, proposal: str) -> bool:
    """Return whether an answer agrees: it says yes, requests it, chooses a number or repeats a word of the proposal.

    "commit" alone does not: it is an order for the task.
    """
    says_yes = without_lead(f"{answer},") != f"{answer}," or speech("accepting").match(answer) is not None
    return says_yes or any(map(str.isdecimal, answer)) or not significant(answer).isdisjoint(significant(proposal))


def _declines(answer: str) -> bool:
    """Return whether an answer refuses or only asks back. "yes, can you do it?" agrees."""
    if speech("refusing").match(answer):
        return True
    last = _SENTENCE_END.search(answer)
    asks = last is not None and last.end() == len(answer) and bool(_QUESTION.search(last[0]))
    return asks and without_lead(answer) == answer and not speech("requesting").match(answer)


def _believed(place: Place, backed: str, reason: str, forged: str) -> tuple[Literal["low", "medium", "high"], str]:
    """Return (confidence, reason for it)."""
    if reason or forged:
        return "low" if reason else "medium", reason or forged
    if place.voice == "typed":
        return "high", ""
    if backed:
        return "high", BACKED[backed]
    return "medium", "pasted text" if place.voice == "pasted" else "the agent's words"


def _why_doubtful(text: str, held: frozenset[str], *, free: bool) -> str:
    """Return why the text may differ from what was said, "" when it does not.

    Args:
        free: any wording is accepted as long as it adds nothing.
    """
    poor = not free and share(text, held) < SUPPORT_MIN
    return "it says more than was said" if poor or _added(text, held) >= ADDED_WORDS else ""


def _passes(text: str, clause: str) -> bool:
    """Return whether the words were a question, a guess or meant for the moment.

    A polite request is none of these, nor is a clause whose sign the text itself repeats.
    """
    sign = speech("passing").search(clause)
    if sign is None or speech("requesting").match(clause):
        return False
    is_known = f" {one_line(sign[0])} " in f" {one_line(' '.join(tokens(text)))} "
    return not (is_known and (sign.start() > 0 or " " in sign[0]))


def _reverses(text: str, place: Place, shown: Sequence[Shown]) -> bool:
    """Return whether exactly one of text and source contains a negation.

    Either a short quotation does and the text does not; or the text does, and neither the message nor the one before it does.
    """
    denies, lacks = speech("denying").search, speech("lacking").search
    if not denies(text):
        return len(place.quoted.split()) <= DENIED_MAX_WORDS and bool(denies(place.quoted)) and not lacks(text)
    before = next((line.turn.text for line in reversed(shown) if line.number < place.one.number), "")
    return not (denies(place.one.turn.text) or lacks(place.one.turn.text) or denies(before))


def _near(place: Place, shown: Sequence[Shown]) -> frozenset[str]:
    """Return significant words of the message and its neighbours."""
    return significant(" ".join(line.turn.text for line in _around(place, shown)))


def _only_hands_over(text: str, place: Place, shown: Sequence[Shown]) -> bool:
    """Return whether the typed words only hand over pasted text, which the statement comes from."""
    spoken = share(text, significant(" ".join(line.spoken for line in _around(place, shown))))
    return spoken < SPOKEN_MIN and share(text, _near(place, shown)) > HANDED_OVER_TIMES * spoken


def _around(place: Place, shown: Sequence[Shown]) -> Iterator[Shown]:
    return (line for line in shown if abs(line.number - place.one.number) <= AROUND)


def _added(text: str, held: frozenset[str]) -> int:
    """Return the length of the longest run of significant words that do not occur in `held`."""
    longest = run = 0
    for word in significant_in(text):
        run = 0 if holds(held, word) else run + 1
        longest = max(longest, run)
    return longest


_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "«": '"', "»": '"', "–": "-", "—": "-"})


def _plain(text: str) -> str:
    """Return a text for comparison: one line, lower case, uniform quotation marks."""
    return one_line(text.translate(_QUOTES))


def _title(given: object, text: str) -> str:
    """Return the given title if its words occur in the text, else the beginning of the text."""
    title = " ".join(given.split()).rstrip(".。") if isinstance(given, str) else ""
    fits = 0 < len(title) <= LLM_EXTRACTION_TITLE_MAX_CHARS and share(title, significant(text)) >= SUPPORT_POOR
    return title if fits else brief(text.rstrip(".!。"), LLM_EXTRACTION_TITLE_MAX_CHARS)


def _reason(entry: Mapping[str, Any]) -> str:
    result = entry.get("rationale")
    return brief(result, LLM_EXTRACTION_LINE_MAX_CHARS) if isinstance(result, str) and result.strip() else ""


def _topics(given: object) -> tuple[str, ...]:
    labels = [" ".join(label.split())[:40] for label in given if isinstance(label, str)] if isinstance(given, list) else []
    return tuple(dict.fromkeys(label for label in labels if label))[:LLM_EXTRACTION_TOPICS_MAX]


def _date(given: object) -> datetime | None:
    """Return the given date as midnight UTC; None when it is missing or invalid."""
    try:
        return datetime.strptime(given, "%Y-%m-%d").replace(tzinfo=UTC) if isinstance(given, str) else None
    except ValueError:
        return None


def _lines(given: Sequence[Any]) -> tuple[str, ...]:
    return tuple(brief(entry, LLM_EXTRACTION_LINE_MAX_CHARS) for entry in given if isinstance(entry, str) and entry.strip())


def _excerpt(place: Place) -> str:
    return brief(place.one.turn.text[max(0, place.start - EXCERPT_MAX_CHARS // 4) :], EXCERPT_MAX_CHARS)
