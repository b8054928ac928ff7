"""What an agent says when it stops: what it did, what it leaves open, what comes next. By how such reports are written.

On the way an agent talks to itself ("Now let me look at ..."); that tells nothing to whoever goes on. Marks of Markdown are taken
off, a label such as "Not built:" names what follows it, and a sentence that only leads into a list stands with its entries.
"""

import re
from collections.abc import Iterator

from vademecum.capture.speech import Sentence, sentences

#: Longer texts are documents.
READ_MAX_CHARS = 20_000
#: Entries of a list that are put behind the words that lead into it.
LED_MAX = 3
#: A label or heading is no longer than that.
LABEL_MAX_CHARS = 80
#: Fewer words tell nothing, unless they begin with what was done.
TELLING_MIN_WORDS = 3
#: A sentence that only leads in is short.
INTRO_MAX_WORDS = 7

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_DIRECTIVE = re.compile(r"^::[\w-]+\{.*\}[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+(?P<text>.+?)|\*\*(?P<bold>[^*\n]+)\*\*:?)[ \t]*$")
_BULLET = re.compile(r"^[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]+")
_BULLET_ALONE = re.compile(r"[ \t]*(?:[-*•+]|\d{1,2}[.)])?[ \t]*")
_EMPHASIS = re.compile(r"\*\*|__(?=\w)|(?<=\w)__")
_LABELLED = re.compile(r"^(?:summary|result|outcome|done|fixed|root cause)\s*[:—-]\s+(?=\S)", re.IGNORECASE)


def _any_of(*ways: str) -> str:
    return f"(?:{'|'.join(ways)})"


#: What an agent says to itself, or to be polite.
_PASSING = re.compile(
    r"^(?:now,? )?"
    + _any_of(
        r"let me\b",
        r"i['’]ll\b",
        r"i will (?:now|first|start|begin)\b",
        r"i['’]m (?:(?:now|also|just|first) )?(?:going to|[a-z]+ing)\b",
        r"(?:now )?i (?:now )?(?:need to|have to|can see|see (?:it|the|that)\b|want to (?:check|see|look))",
        r"now (?:i|the|add|update|run|check|fix|let|that)\b",
        r"next,? i['’](?:m|ll)\b",
        r"(?:looking at|using (?:the )?`|that confirms|got it|you['’]re right)\b",
        r"first,? (?:i|let)\b",
        r"i (?:now )?have (?:a|the) (?:complete|full|clear) picture|i have (?:everything|all) (?:i|the)\b|i found (?:it|exactly)\b",
        r"good (?:call|point|instinct|question|idea)\b",
        r"(?:is there anything|what would you like|would you like|do you want|shall i|want me to|happy to|hope this|feel free)\b",
        r"(?:lass mich|ich (?:werde|schaue|prüfe) (?:jetzt|nun|zuerst)|vou (?:agora|primeiro)|voy a)\b",
        r"让我|我来",
    ),
    re.IGNORECASE,
)
_INTRO = re.compile(
    r"^(?:in short|here['’]s|here (?:is|are)|(?:a )?(?:quick )?summary|what (?:i|changed|we|was)|(?:the )?changes"
    r"|tests added|key (?:changes|points)|files? changed|current state|usage)\b",
    re.IGNORECASE,
)
_DID = re.compile(
    r"^(?:created|added|updated|fixed|removed|wrote|implemented|committed|pushed|merged|renamed|moved|deleted|done|refactored)\b",
    re.IGNORECASE,
)
_OPEN_LABEL = re.compile(
    _any_of(
        r"\bnot (?:yet )?(?:built|done|implemented|finished|verified|tested|covered|included|started)",
        r"\bopen(?: questions?| items?| points?| issues?)?$",
        r"\b(?:remaining|left (?:to do|open|over)|to-?do|in flight|residual|risks?|gaps?|caveats?|follow-?ups?)\b",
        r"\bknown (?:issues|limits|limitations)\b",
        r"\b(?:unplaytested|untested|worth deciding|decisions? (?:for you|needed)|still (?:open|missing))\b",
        r"\b(?:offen|pendiente\w*|pendente\w*)\b",
        r"未完成|待办",
    ),
    re.IGNORECASE,
)
_OPEN_INLINE = re.compile(
    r"^(?:(?:one|another|the (?:one|only)) )?"
    + _any_of(
        r"not (?:yet )?(?:built|done|implemented|verified|tested|covered)",
        r"(?:remaining|still (?:open|missing)|to-?do|in flight|open|caveats?|known issues?|follow-?ups?|residual risks?|open questions?)",
    )
    + r"\b[^:.]{0,40}:\s*\S",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b"
    + _any_of(
        r"to-?do",
        r"still (?:need|have to|missing|fail\w*|open|untracked|to be)",
        r"(?:left|is|are) (?:still )?untracked|untracked locally",
        r"not (?:yet|done|implemented|finished|verified|tested|run)",
        r"remains\b|remaining (?:work|steps?|items?|issues?|tasks?|questions?|local|dirty)\b|left to do",
        r"unfinished|uncommitted|unplaytested|untested",
        r"needs? to be",
        r"blocked (?:by|on)|waiting (?:for|on)|pending",
        r"(?:could(?:n['’]t| not)|didn['’]t|was(?:n['’]t| not) able to) (?:run|verify|test|execute|reproduce|check)",
        r"pre-?existing (?:failure|error|issue)s?",
        r"before (?:merging|committing|release|you (?:merge|ship))",
        r"confirm (?:the|that|before|whether)",
        r"(?:i|we) (?:still )?need (?:from )?you",
        r"noch (?:nicht|zu|offen)|fehlt noch|steht noch aus",
        r"ainda (?:falta|não)|falta (?:ainda|fazer)|todavía (?:falta|no)|queda por",
    )
    + r"(?!\w)|未完成|还需要|待办",
    re.IGNORECASE,
)
#: "0 issues remaining", "uncommitted changes: none".
_NOTHING_OPEN = re.compile(
    r"\b(?:0|no|zero|nothing|none|without|any)\b[^.;]{0,50}\b(?:remain\w*|open|left|pending|uncommitted|untracked|to-?do)\b|:\s*none\b",
    re.IGNORECASE,
)
_NEXT = re.compile(
    _any_of(
        r"^(?:the |suggested |recommended |logical )?next(?: (?:logical |natural )?steps?| up)?\b(?! to\b)",
        r"^(?:next,? |then,? |after that,? )(?:we|you) (?:can|should|will)\b",
        r"\bthe next steps? (?:is|are|would be)\b",
        r"\bi(?:['’]| wi)ll .{0,40}\bnext\b",
        r"^(?:als nächstes|nächster schritt|próximo passo|a seguir|siguiente paso|下一步)",
    ),
    re.IGNORECASE,
)
_NEXT_LABEL = re.compile(
    r"^(?:the |suggested |recommended )?next(?: steps?| up)?(?: is)?(?:\s*\([^)]*\))?\s*[:—-]\s*", re.IGNORECASE
)
_UNDER_WAY = re.compile(r"^next,? (?:i['’]m|let me)\b", re.IGNORECASE)
_OFFER = re.compile(
    r"^(?:if you(?:['’]d| would)? (?:want|like|prefer),? (?:i|we) (?:can|could)|(?:do you )?want me to|would you like me to"
    r"|should i|shall i|i can also|ready to)\b",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """A report without code, marks of emphasis, and lines that steer the program it is shown in."""
    return _EMPHASIS.sub("", _DIRECTIVE.sub("", _FENCE.sub("", text[:READ_MAX_CHARS])))


def is_passing(said: str) -> bool:
    """Whether a sentence only tells what the agent is about to do, or is a courtesy."""
    return _PASSING.match(said) is not None


def done_in(text: str) -> Iterator[str]:
    """What a report says was done, in order. Questions, next steps, headings and what is left open are not told here."""
    body = _parted(text)[1]
    lead, led, listed = "", list[str](), False
    for sentence in sentences(body):
        if _BULLET_ALONE.fullmatch(sentence.text):
            continue  # the number of an entry
        begins, within = _entry(body, sentence)
        if lead and within:
            listed = True
            if begins and len(led) < LED_MAX and not sentence.text.endswith("?"):
                led.append(sentence.text.rstrip(".;"))
            continue
        if lead and not listed and sentence.text.startswith("`"):
            yield f"{lead} {sentence.text}"
            lead = ""
            continue
        yield from _led(lead, led, listed)
        lead, led, listed = "", [], False
        if sentence.text.endswith(":"):
            lead = sentence.text if _tells(sentence.said) else ""
        elif _tells(sentence.said):
            yield _LABELLED.sub("", sentence.text)
    yield from _led(lead, led, listed)


def _led(lead: str, led: list[str], listed: bool) -> Iterator[str]:
    """The words that lead into a list with its first entries; nothing when all of these were questions."""
    if lead and led:
        yield f"{lead} {'; '.join(led)}"
    elif lead and not listed:
        yield lead.rstrip(":") + "…"


def _entry(body: str, sentence: Sentence) -> tuple[bool, bool]:
    """Whether a sentence begins an entry of a list, and whether it stands within one."""
    begin = body.rfind("\n", 0, sentence.start) + 1
    start = sentence.start
    while start < sentence.end and body[start] in " \t\n":  # white space in front belongs to the sentence
        start += 1
    begin = max(begin, body.rfind("\n", 0, start) + 1)
    within = _BULLET.match(body[begin : sentence.end]) is not None
    return within and _BULLET_ALONE.fullmatch(body[begin:start]) is not None, within


def _tells(said: str) -> bool:
    """Whether a sentence tells of something that was done or found out."""
    words = len(said.split())
    return not (
        said.endswith("?")
        or (words < TELLING_MIN_WORDS and not (_DID.match(said) and words > 1))
        or (words <= INTRO_MAX_WORDS and _INTRO.match(said) and not _LABELLED.match(said))
        or is_passing(said)
        or said.lower().startswith("let me know")
        or any(one.search(said) for one in (_OFFER, _NEXT, _OPEN_INLINE, _OPEN))
    )


def open_in(text: str) -> Iterator[str]:
    """What a report leaves open: what stands under such a label, and sentences that say so."""
    listed, rest = _parted(text)
    yield from listed
    for sentence in sentences(rest):
        passing = is_passing(sentence.said) or _OFFER.match(sentence.said) or _NEXT.search(sentence.said)
        if (
            not passing
            and not _NOTHING_OPEN.search(sentence.said)
            and (_OPEN_INLINE.match(sentence.said) or _OPEN.search(sentence.said))
        ):
            yield sentence.text


def asked_in(text: str) -> str:
    """What a report ends with asking the person; "" when it asks nothing, or only offers something."""
    told = sentences(plain(text))
    last = told[-1] if told else None
    if last is None or not last.said.endswith("?") or _OFFER.match(last.said) or is_passing(last.said):
        return ""
    return last.text


def _parted(text: str) -> tuple[list[str], str]:
    """Entries that stand under a label of what is open, and all the rest of a report; both plain, headings left out."""
    under = False
    listed, rest = list[str](), list[str]()
    for line in _DIRECTIVE.sub("", _FENCE.sub("", text[:READ_MAX_CHARS])).split("\n"):
        words = _EMPHASIS.sub("", line)
        label = _label(line)
        if label is not None:
            under = _OPEN_LABEL.search(label) is not None
            rest.append("" if under or _HEADING.match(line) else words)
        elif under and _BULLET.match(words):
            listed.append(_BULLET.sub("", words).strip())
        else:
            under = under and not words.strip()
            rest.append(words)
    return listed, "\n".join(rest)


def _label(line: str) -> str | None:
    """The words of a line that names what follows it; None when it does not."""
    heading = _HEADING.match(line)
    if heading:
        return str(heading["text"] or heading["bold"]).strip(" :*")
    words = plain(line).strip()
    if words.endswith((":", "?")) and len(words) <= LABEL_MAX_CHARS and not _BULLET.match(line):
        return words.rstrip(":?")
    return None


def next_in(text: str) -> str:
    """The next step that a report names, else what it offers to do; "" for neither."""
    told = [sentence.text for sentence in sentences(plain(text)) if not _UNDER_WAY.match(sentence.text)]
    for wanted in (_NEXT, _OFFER):
        found = [_NEXT_LABEL.sub("", one) for one in told if wanted.search(one)]
        if found:
            return found[-1]
    return ""
