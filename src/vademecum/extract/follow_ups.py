"""Find ideas for later: follow-ups and wishes that somebody voices in a session (MV-55).

They become proposals of kind `idea` and wait for the person, so a wrong one costs one key press. Only explicit statements
count.
"""

from collections.abc import Iterator

from vademecum.domain.session import SPOKEN, Candidate, Session, Turn
from vademecum.extract.mine import settle
from vademecum.extract.numbers import FOLLOW_UPS_WORDS_MIN, TEXT_CHARS
from vademecum.extract.titles import title_of
from vademecum.extract.voice import typed_text, voices
from vademecum.language.load import languages
from vademecum.language.patterns import Confidence, Pattern
from vademecum.language.patterns import follow_ups as ways_of_wishing
from vademecum.language.sentences import begun, is_bulk, sentences
from vademecum.language.text import brief


def follow_ups(session: Session) -> tuple[Candidate, ...]:
    """Return the ideas voiced in a session, or in its new turns, in order."""
    return settle(_said(session))


def _said(session: Session) -> Iterator[Candidate]:
    all_voices = voices(session.turns)
    for turn in session.turns:
        by_agent = turn.role == "agent"
        if (
            turn.role in SPOKEN
            and not turn.sidechain
            and not (by_agent and is_bulk(turn.text))
            and not turn.text.startswith("/")
        ):
            for sentence in sentences(typed_text(turn, all_voices.get(turn.ref))):
                pair = _match(sentence.said, turn)
                if pair is not None:
                    yield _candidate(session, turn, sentence.text, *pair)


def _match(entry: str, turn: Turn) -> tuple[Pattern, str] | None:
    plain = entry.rstrip(" .!。！")
    if plain.endswith(("?", "？")):
        return None
    for pattern in ways_of_wishing():
        if turn.role in pattern.roles and (match := pattern.regex.match(plain)):
            what = match["what"].strip()
            enough = len(what.split()) >= FOLLOW_UPS_WORDS_MIN or not languages().traits(pattern.language).spaced
            return (pattern, what) if enough else None
    return None


def _candidate(session: Session, turn: Turn, text: str, pattern: Pattern, what: str) -> Candidate:
    statement = what if pattern.bare else text.rstrip(" .!。！")
    statement = begun(statement)
    confidence: Confidence = "low" if turn.role == "agent" else pattern.confidence
    return Candidate(
        kind="idea",
        title=title_of(statement, pattern.language),
        text=brief(statement, TEXT_CHARS) + ".",
        confidence=confidence,
        importance=0.4,
        source=session.uri,
        span=(turn.ref, turn.ref),
        rationale=f'{pattern.name}: "{brief(text, 60)}"',
        excerpt=brief(text, TEXT_CHARS),
        time=turn.time,
        project=session.project,
        folder=turn.cwd,
        pattern=pattern.name,
        trust="agent" if turn.role == "agent" else "user",
    )
