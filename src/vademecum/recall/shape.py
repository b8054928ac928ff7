"""A prompt is not a query: what of it to look for, and what it tells about the answer.

English words decide today which questions ask for a time, a number, the person or the agent; a question in another language
loses these small hints and nothing else.
"""

import re
from datetime import UTC, datetime, timedelta

from vademecum.model.records import record

#: Words that say nothing about a subject. Taking them out of questions raised turn recall@10 by 6 points (docs/experiments.md).
STOP = frozenset(
    """a about above after again all also am an and any are aren as at be because been before being below between both but by can cannot
    could couldn d did didn do does doesn doing don down during each either else ever every few for from further get gets getting got had
    hadn has hasn have haven having he her here hers herself him himself his how however i if in into is isn it its itself just let ll m
    ma may me might mightn more most must mustn my myself need needn no nor not now o of off on once only or other others our ours
    ourselves out over own per re s said same say says shall shan she should shouldn since so some such t than that the their theirs them
    themselves then there these they this those through to too under until up upon us ve very was wasn we were weren what whatever when
    where whether which while who whom whose why will with won would wouldn yes yet you your yours yourself yourselves""".split()
)

#: Prompts longer than this are pasted bulk: only the start and the end, where people ask, are looked for.
ASKED_CHARS = 1200

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
#: Words that tell how to answer, not what about.
_INSTRUCTION = re.compile(
    r"\bmention only[^.?!]*[.?!]?|^\W*(?:please |(?:can|could|would|will) you (?:please )?)"
    r"|\b(?:list|tell me|give me|show me|provide(?: me)?(?: with)?"
    r"|remind me(?: of| about)?|walk me through|summari[sz]e)\b|\b(?:throughout|across|in|over|during) (?:all )?(?:our|my|the|these|those) "
    r"(?:conversation|chat|discussion|session)s?\b|,? in order\b",
    re.IGNORECASE,
)
_ME = re.compile(r"\b(i|my|me|mine|myself|i'm|i've|we|our|us)\b", re.IGNORECASE)
_YOU = re.compile(
    r"\b(did|have|had|do) you\b|\byou(r)?( have| had|'ve)? (\w+ly )?(recommend\w*|suggest\w*|advi[sc]\w*|explain\w*|told|propos\w*"
    r"|mention\w*|gave|given|provid\w*|list\w*|describ\w*|outlin\w*|said|recommendations?|suggestions?|advice|explanations?|answers?"
    r"|response)\b",
    re.IGNORECASE,
)
_SUMMARY = re.compile(r"\b(summar\w+|overview|recap\w*|walk me through|in order)\b", re.IGNORECASE)
_WHEN = re.compile(
    r"^\W*(when|how long)\b|\b(what|which) (year|month|date|day|time)\b|\bhow many (days|weeks|months|years)\b|\bdeadline\b",
    re.IGNORECASE,
)
_MANY = re.compile(r"\bhow (many|much|often|long|old|far)\b", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"\n]{3,120})\"|“([^”\n]{3,120})”|`([^`\n]{2,120})`")
_IDENTIFIER = re.compile(r"\b\w+(?:[._/\\:-]\w+)+\b|\b[a-z]+(?:[A-Z]\w*)+\b|\b\w*_\w+\b")
_WORD = re.compile(r"\w+")
_AGO = re.compile(
    r"\b(?:(\d{1,3}|a|an|two|three) (day|week|month|year)s? ago|(yesterday|today)|(?:last|past|previous) (week|month|year))\b",
    re.IGNORECASE,
)
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_NUMBERS = {"a": 1, "an": 1, "two": 2, "three": 3}


@record
class Shaped:
    """A question taken apart.

    Attributes:
        text: what to embed: without code fences, bulk cut.
        subject: what to take words from: the same without instructions on how to answer.
        words: lower-case words, to recognise the name of a speaker.
        phrases: quoted text and identifiers, as written.
        person, agent: asks about the person who asks, or about what the agent said too.
        when, many: asks for a time or a number.
        period: (since, until) that the question names, aware, UTC, or None.
    """

    text: str
    subject: str
    words: frozenset[str]
    phrases: tuple[str, ...]
    person: bool
    agent: bool
    when: bool
    many: bool
    period: tuple[datetime, datetime] | None


def spoken(question: str) -> str:
    """What of a question is turned into a vector: without fenced code if there is anything else, start and end of a long one."""
    text = _FENCE.sub(" ", question).strip() or question
    return text if len(text) <= ASKED_CHARS else f"{text[: ASKED_CHARS // 2]}\n{text[-ASKED_CHARS // 2 :]}"


def shape(question: str, now: datetime) -> Shaped:
    """The question taken apart. Never fails: a question of nothing but code is looked for as it is."""
    text = spoken(question)
    quoted = tuple(next(part for part in match.groups() if part) for match in _QUOTED.finditer(text))
    named = tuple(match.group() for match in _IDENTIFIER.finditer(text))
    return Shaped(
        text=text,
        subject=_INSTRUCTION.sub(" ", text).strip() or text,
        words=frozenset(_WORD.findall(text.lower())),
        phrases=tuple(dict.fromkeys(quoted + named))[:8],
        person=bool(_ME.search(text)),
        agent=bool(_YOU.search(text) or _SUMMARY.search(text)),
        when=bool(_WHEN.search(text)),
        many=bool(_MANY.search(text)),
        period=_period(text, now),
    )


def _period(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    match = _AGO.search(text)
    if match is None:
        return None
    count, unit, day, last = match.groups()
    today = datetime(now.year, now.month, now.day, tzinfo=UTC)
    if day:
        start = today - timedelta(days=0 if day.lower() == "today" else 1)
        return start, start + timedelta(days=1)
    if last:
        return today - timedelta(days=2 * _DAYS[last.lower()]), now
    days = _DAYS[unit.lower()] * (_NUMBERS.get(count.lower()) or int(count))
    slack = timedelta(days=max(1, days // 4))
    moment = today - timedelta(days=days)
    return moment - slack, moment + slack + timedelta(days=1)
