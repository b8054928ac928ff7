"""Summarise what happened in a session on each of its days, with patterns and without a model."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime

from msgspec.structs import replace

from vademecum.domain.daily import Commit
from vademecum.domain.outline import Outline
from vademecum.domain.session import SPOKEN, Candidate, Session, Turn
from vademecum.language.text import common_words
from vademecum.plugin_api.conversations import last_lines, met, outline, report_sign, said, typed_text, voices
from vademecum.plugins.daily.values import Activity

#: Maximum number of lines of each sort, and of topics.
LINES_MAX, ACTIVITY_TOPICS_MAX = 6, 5
#: Minimum uses, and minimum characters, of a word that counts as a topic.
TOPIC_MIN = 2
TOPIC_MIN_CHARS = 4
#: URLs of published results: pull requests, merge requests, issues, releases, commits.
_ADDRESS = re.compile(r"https?://[^\s)>\]\"'`]+/(?:pull|pulls|merge_requests|issues|releases/tag|commit)/[\w.-]+")
_MAKES = re.compile(r"^(?:write|create|write_file|create_file|new_file)$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_][\w-]*")


def activities(
    session: Session,
    local: Callable[[datetime], datetime],
    since: datetime,
    whole: Outline | None = None,
    heard: Iterable[Candidate] | None = None,
) -> Iterator[Activity]:
    """Yield one activity per day of a session, in order. Days without a request of the person are skipped.

    Args:
        local: converts a moment to the person's own time zone.
        since: the time to use where no turn has one; aware.
        whole: outline of the session, if it is known already.
        heard: candidates found in the session, if they are known already.
    """
    days = list(_days(session, local, since))
    if whole is not None and len(days) == 1:
        yield from _activity(session, whole, days[0][0], local, since)
        return
    all_heard = tuple(met(session) if heard is None else heard)
    for day, turns in days:
        refs = {turn.ref for turn in turns}
        part = replace(session, turns=tuple(turns))
        whole_outline = outline(part, [candidate for candidate in all_heard if candidate.span[-1] in refs])
        yield from _activity(part, whole_outline, day, local, since)


def _days(session: Session, local: Callable[[datetime], datetime], since: datetime) -> Iterator[tuple[date, list[Turn]]]:
    """Yield the turns of each day.

    A turn without a time belongs to the turn before it; leading ones to the first turn with a time.
    """
    first = next((turn.time for turn in session.turns if turn.time), session.started or since)
    days: dict[date, list[Turn]] = {}
    moment = first
    for turn in session.turns:
        moment = turn.time or moment
        days.setdefault(local(moment).date(), []).append(turn)
    yield from sorted(days.items())


def _activity(
    session: Session, whole_outline: Outline, day: date, local: Callable[[datetime], datetime], since: datetime
) -> Iterator[Activity]:
    if not whole_outline.asked:
        return
    main = [turn for turn in session.turns if not turn.sidechain]
    spoken = [turn for turn in main if turn.role in SPOKEN]
    times = [turn.time for turn in main if turn.time] or [session.started or since]
    incidents = _some(spoken, report_sign("incident"))
    by_key: dict[str, None] = {}
    for turn in main:
        if any(map(_MAKES.match, turn.tools)):
            by_key |= dict.fromkeys(turn.files)
        if turn.role == "agent":  # the output of a tool may contain anybody's URLs
            by_key |= dict.fromkeys(address.rstrip(".,") for address in _ADDRESS.findall(turn.text))
    given = {address for turn in main if turn.is_persons for address in _ADDRESS.findall(turn.text)}
    yield Activity(
        session=session.uri,
        day=day,
        start=local(min(times)),
        end=local(max(times)),
        title=whole_outline.title or whole_outline.goal,
        host=session.host,
        project=session.project,
        branch=session.branch,
        turns=whole_outline.turns,
        topics=_topics(spoken),
        asked=whole_outline.asked,
        delivered=whole_outline.done,
        outputs=tuple(entry for entry in by_key if entry not in given)[-LINES_MAX * 2 :],
        decisions=whole_outline.decided,
        lessons=whole_outline.learned,
        rejected=_some(spoken, report_sign("rejected")),
        corrections=whole_outline.corrected,
        signals=_some([turn for turn in spoken if turn.is_persons], report_sign("signal")),
        reflections=_some(spoken, report_sign("reflection")),
        open=(*whole_outline.open, *(f"failing: {name}" for name in whole_outline.failing)),
        next=whole_outline.next,
        files=whole_outline.changed,
        commits=tuple(Commit(name, local(max(times)), subject) for name, subject in whole_outline.commits),
        validation=whole_outline.validation,
        incident=incidents[-1] if incidents else "",
        cursor=whole_outline.cursor,
    )


def _some(turns: Sequence[Turn], wanted: re.Pattern[str]) -> tuple[str, ...]:
    return last_lines(said(turns, wanted), LINES_MAX)


def _topics(spoken: Sequence[Turn]) -> tuple[str, ...]:
    """Return words that the person repeats in typed text, the most frequent first."""
    all_voices = voices(spoken)
    typed = "\n".join(typed_text(turn, all_voices.get(turn.ref))[:2000] for turn in spoken if turn.is_persons)
    common = common_words(typed)
    words = Counter(word.lower() for word in _WORD.findall(typed) if len(word) >= TOPIC_MIN_CHARS)
    often = [(word, count) for word, count in words.items() if count >= TOPIC_MIN and word not in common]
    return tuple(word for word, _ in sorted(often, key=lambda pair: (-pair[1], pair[0]))[:ACTIVITY_TOPICS_MAX])
