"""Find what somebody wants to try one day: follow-ups and wishes that a session leaves behind (MV-55).

They become proposals of kind `idea` and wait for the person, so a wrong one costs a key; still only what is said plainly counts.
"""

from collections.abc import Iterator

from vademecum.capture.mine import settle
from vademecum.capture.patterns import AGENT, BOTH, Confidence, Pattern
from vademecum.capture.speech import is_bulk, sentences
from vademecum.model.session import SPOKEN, Candidate, Session, Turn

_TITLE_CHARS, _TEXT_CHARS = 80, 300
_WORDS_MIN = 3

FOLLOW_UPS = (
    Pattern("en.idea.named", r"^(?:(?:an? |one )?(?:new )?idea(?: for later)?|for later|follow[- ]?ups?(?: idea)?)\s*[:—-]\s*(?P<what>.+)", roles=BOTH, confidence="medium", bare=True),
    Pattern("en.idea.someday", r"^(?:some ?day|one day|at some point|eventually|later(?: on)?),? (?:i|we)(?:'d| would|'ll| should| could| want to| might)? ?(?:like to |love to |want to )?(?P<what>\w.+)", confidence="medium"),
    Pattern("en.idea.someday-end", r"^(?:i|we)(?:'d| would| should| could| want to| might)? ?(?:like to |love to |want to )?(?P<what>\w.+?) (?:some ?day|one day|at some point)$", confidence="medium"),
    Pattern("en.idea.nice", r"^(?:it|that) (?:would|could|might) (?:also )?be (?:nice|cool|great|fun|neat|worth(?:while)?|interesting)(?: one day| some day| later)? (?:to|if we|if i|trying) (?P<what>.+)", confidence="medium"),
    Pattern("en.idea.follow-up", r"^(?:as|for) a follow[- ]?up,? (?P<what>.+)", roles=BOTH, confidence="low"),
    Pattern("en.idea.next-step", r"^(?:a |one )?possible (?:next step|follow[- ]?up|extension)(?: (?:is|would be)|:) (?P<what>.+)", roles=AGENT, confidence="low"),
    Pattern("pt.idea.named", r"^(?:ideia(?: para (?:mais tarde|depois))?|para (?:mais tarde|depois))\s*[:—-]\s*(?P<what>.+)", roles=BOTH, confidence="medium", bare=True),
    Pattern("pt.idea.someday", r"^(?:um dia|mais tarde|algum dia),? (?:eu |nós )?(?P<what>(?:gostava|gostaria|queria|quero|podíamos|poderíamos|devíamos|vamos)\b.+)", confidence="medium"),
    Pattern("pt.idea.nice", r"^(?:era|seria) (?:giro|fixe|bom|bonito|legal|interessante|ótimo) (?P<what>.+)", confidence="medium"),
    Pattern("de.idea.named", r"^(?:(?:neue )?idee(?: für später)?|für später)\s*[:—-]\s*(?P<what>.+)", roles=BOTH, confidence="medium", bare=True),
    Pattern("de.idea.someday", r"^(?:irgendwann|eines tages|später(?: einmal| mal)?) (?P<what>(?:möchte|würde|könnte|sollte|will|wollen|möchten|könnten|sollten)\w* (?:ich|wir)\b.+)", confidence="medium"),
    Pattern("de.idea.nice", r"^es wäre (?:auch )?(?:schön|toll|cool|nett|gut|interessant),? (?P<what>.+)", confidence="medium"),
    Pattern("es.idea.named", r"^(?:idea(?: para (?:más tarde|después|luego))?|para (?:más tarde|después|luego))\s*[:—-]\s*(?P<what>.+)", roles=BOTH, confidence="medium", bare=True),
    Pattern("es.idea.someday", r"^(?:algún día|un día|más adelante),? (?P<what>(?:me gustaría|quiero|podríamos|deberíamos|quisiera|podría)\b.+)", confidence="medium"),
    Pattern("es.idea.nice", r"^(?:sería|estaría) (?:bueno|bonito|genial|interesante|bien) (?P<what>.+)", confidence="medium"),
    Pattern("zh.idea.named", r"^(?:(?:一个)?(?:新)?(?:想法|点子)|以后再做)\s*[：:]\s*(?P<what>.+)", roles=BOTH, confidence="medium", bare=True),
    Pattern("zh.idea.someday", r"^(?:以后|将来|有一天|有空)(?:我们?|咱们)?(?P<what>(?:可以|想|应该|不妨).{3,})", confidence="medium"),
)  # fmt: skip


def follow_ups(session: Session) -> tuple[Candidate, ...]:
    """Ideas that a session, or its new turns, left behind, in the order in which they were said."""
    return settle(_said(session))


def _said(session: Session) -> Iterator[Candidate]:
    for turn in session.turns:
        if turn.role in SPOKEN and not turn.sidechain and not is_bulk(turn.text) and not turn.text.startswith("/"):
            for sentence in sentences(turn.text):
                found = _match(sentence.said, turn)
                if found is not None:
                    yield _candidate(session, turn, sentence.text, *found)


def _match(said: str, turn: Turn) -> tuple[Pattern, str] | None:
    plain = said.rstrip(" .!。！")
    if plain.endswith(("?", "？")):
        return None
    for pattern in FOLLOW_UPS:
        if turn.role in pattern.roles and (match := pattern.regex.match(plain)):
            what = match["what"].strip()
            enough = len(what.split()) >= _WORDS_MIN or pattern.language == "zh"
            return (pattern, what) if enough else None
    return None


def _candidate(session: Session, turn: Turn, text: str, pattern: Pattern, what: str) -> Candidate:
    said = what if pattern.bare else text.rstrip(" .!。！")
    said = said[:1].upper() + said[1:]
    confidence: Confidence = "low" if turn.role == "agent" else pattern.confidence
    return Candidate(
        kind="idea",
        title=_cut(said, _TITLE_CHARS),
        text=_cut(said, _TEXT_CHARS) + ".",
        confidence=confidence,
        importance=0.4,
        source=session.uri,
        span=(turn.ref, turn.ref),
        rationale=f'{pattern.name}: "{_cut(text, 60)}"',
        excerpt=_cut(text, _TEXT_CHARS),
        time=turn.time,
        project=session.project,
        pattern=pattern.name,
        trust="agent" if turn.role == "agent" else "user",
    )


def _cut(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else (flat[: most - 1].rpartition(" ")[0] or flat[: most - 1]) + "…"
