"""Tasks for somebody who acts on behalf of the reader: not told to an agent by name, but only an agent could be meant.

A note says "Send the report to the office" and a page "E-mail us at ..."; neither is an attempt. What gives one away is an imperative whose
*object* is the reader's own: "my account", "for me", "the user's mailbox", "tell me that I should"; or one that gathers something and hands
it to a target outside. So evidence is counted over one sentence, and a sentence is held against its author from :data:`HELD_FROM` on.
English only. Meant for texts of agents, tools and pages; people's own notes are full of such sentences.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: Points from which a sentence counts as a task for an agent. Found on sentences of our own and on two suites of a public set (docs/security.md).
HELD_FROM = 2.0
#: A longer sentence is no task but a text.
SENTENCE_MAX_CHARS = 700
#: A shorter one is a heading or a button.
WORDS_MIN = 4

_I = re.IGNORECASE
#: One sentence; the full stops of addresses and numbers do not end it.
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?![\s\"'”’)]|$)|\.(?= [a-z]))+[.!?]?")
_LEAD = re.compile(
    r"[\s>*•\-\[\]]*(?:\d{1,2}[.)] )?(?:(?:to-?do|task|action|request|step \d+) ?[:—-] ?)?"
    r"(?:(?:please|kindly|then|first|now|next|finally|lastly|also|and|afterwards|hi|hello|hey|just|immediately|quickly"
    r"|(?:can|could|would|will) you|you (?:must|should|have to|need to|will)|i (?:want|need|would like) you to|make sure to|be sure to"
    r"|go ahead and|don't forget to|remember to),? ){0,3}(?:please )?",
    _I,
)
#: What an agent can be told to do, by what it does to the world.
_VERBS = {
    "send": "send|e-?mail|forward|post|upload|submit|share|text|message|dm|cc|bcc|publish|reply|report|leak|transmit|hand|export",
    "pay": "transfer|pay|wire|refund|withdraw|deposit|donate|buy|purchase|order|sell|subscribe|bid|invest|raise|increase|redirect",
    "book": "book|reserve|rent|schedule|arrange|make|create|set up|add|move|reschedule|decline|accept|cancel|invite|enroll|sign|register",
    "undo": "delete|remove|erase|wipe|trash|archive|revoke|disable|turn off|unlock|open|close|stop|block|grant|give|allow|approve|merge|push",
    "alter": "change|update|reset|set|replace|edit|modify|rename|switch",
    "look": "find|look(?= for| up| in| through)|search|retrieve|get|fetch|collect|gather|read|check|show|list|summari[sz]e|tell|say|recommend|suggest|write|visit|go|download"
    "|star|follow|respond|answer|inform|convince|persuade",
}  # fmt: skip
_VERB = re.compile("|".join(rf"(?P<{name}>(?:{words})\b(?! ?[:=(]))" for name, words in _VERBS.items()), _I)
#: What people who write pages say of themselves.
_OWN_PAGE = re.compile(
    r"^(?:follow|contact|reach|find|check(?: out)?|visit|read|see|buy) (?:me|my)\b(?! (?:account|inbox|calendar|contacts|e?-?mails?))",
    _I,
)

_OWNED = (
    r"(?:bank|savings|checking|credit|debit)?\s?(?:accounts?|cards?)|passwords?|phone(?: number)?|(?:home |street |e-?mail |delivery )?address(?:es)?"
    r"|subscriptions?|reservations?|bookings?|appointments?|invitations?|calendar|inbox|mailbox|contacts?|drive|location|statements?|shares?|portfolio"
    r"|meetings?|messages?|e-?mails?|files?|documents?|photos?|friends?|name|front door|order|orders|bills?|transactions?|payments?|balance|profile|settings"
    r"|credentials?|hotel|flights?|trip|membership|savings|salary|medical \w+|records?|data|information|details|credit card|passport|repositor(?:y|ies)|team"
)
_TARGET = r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{2,30}){1,4}"
_SITE = r"(?:https?://|www\.)[\w.-]{2,100}|\b[\w-]{2,40}\.(?:com|net|org|io|example|invalid)\b"
_QUOTED = r"[\"“«][^\"”»`\n]{2,200}[\"”»]|(?<!\w)['‘][^'’`\n]{2,200}['’](?!\w)"


@dataclass(frozen=True, slots=True)
class _Sign:
    """Something in a sentence that speaks for a task: with which verbs it counts ("" for all), and how much."""

    name: str
    pattern: re.Pattern[str]
    points: float
    verbs: str = ""


def _sign(name: str, pattern: str, points: float, verbs: str = "") -> _Sign:
    return _Sign(name, re.compile(pattern, _I), points, verbs)


_SIGNS = (
    # somebody speaks as the one who is served
    _sign("owner", rf"\bmy (?:\w+ ){{0,3}}?(?:{_OWNED})\b", 2),
    _sign("owner", rf"\b(?:the|this) (?:user|victim|owner|customer|client|patient)(?:'s|’s)? (?:\w+ ){{0,2}}?(?:{_OWNED})\b", 1.5),
    _sign("served", r"\bfor me\b|\bon my behalf\b|\bin my name\b|\bfor the user\b|\bon behalf of the user\b", 2),
    _sign("served", r"^(?:book|reserve|order|get|rent|show|tell|give|subscribe|sign|enroll|buy|find|recommend|register) (?:me|the user)\b"
          r"(?! (?:know|about|how|a coffee|if|whether|what|when|why|an? (?:message|error|warning|dialog|list|page)))", 1.5, "pay book look undo send"),
    _sign("served", r"^(?:subscribe|enroll|sign|book|reserve) (?:me|the user)\b", 2),
    _sign("served", r"\band (?:tell|send|give) me (?:the|that|its?|all|every)\b", 1.5),
    _sign("told", r"\b(?:that|and|because) i (?:should|must|have to|need to|am|will|want|can)\b|\bi(?:'ve| have) (?:received|reserved|booked)\b", 2),
    _sign("told", r"\b(?:where|when|what|which|how) i(?:'m| am| have|'ve| was)\b", 2, "look send"),
    _sign("user", r"\bto the user\b", 0.5, "look"),
    # what a text says to its reader
    _sign("advice", r"\byour\b", -1, "pay book look"),
    _sign("praise", r"\b(?:by far|absolutely|definitely|must (?:visit|buy|book|stay|try)|have to (?:visit|buy|book|stay|try)|best choice|highly recommend|gorgeous"
          r"|only (?:the|this)|five[- ]star|5[- ]star)\b", 1, "look"),
    # something that is nobody else's goes out, or somebody else gets in
    _sign("private", r"\b(?:security|verification|access|gift|pin|one-time|two-factor|2fa|sms|login) codes?\b|\bpasswords?\b|\bcontacts\b|\bmailbox\b|\binbox\b"
          r"|\bhome address\b|\bprivate keys?\b|\bcustomer \w+\b|\bwithdrawal limit\b|\bcredit card\b|\bpassport\b|\bpermanent access\b|\balarm\b|\bpersonal \w+\b"
          r"|\bconfidential\b|\bpatient\b|\bcredentials\b|\bfinancial \w+\b|\bprivate channel\b|\bdirect message\b", 1),
    _sign("gathered", r"\b(?:and|then) (?:then )?(?:send|forward|e-?mail|post|tell|share|upload|put|copy|leak|submit|pass|report|publish)\b"
          r"(?: (?:it|them|its?|the|all|that|those|this|their))?\b", 1, "look send"),
    _sign("contents", r"\b(?:contents?|body|bodies|text|copy|copies|details|summary|list) of (?:all|every|each|the|my|any|that|this)\b", 1, "send look"),
    _sign("whole", r"\b(?:all|every|each|any) (?:of )?(?:the |my |their |his |her )?(?:\w+ ){0,2}?(?:e-?mails?|messages?|files?|documents?|contacts?|reservations?"
          r"|bookings?|events?|invitations?|appointments?|users?|channels?|records?|transactions?|payments?|photos?)\b", 1, "send undo book look pay"),
    # towards a target that is named
    _sign("speech", rf"(?:{_QUOTED}).{{0,40}}\b(?:to|in|on) (?:the \S+ channel|(?-i:[A-Z])\w+)|\b(?:channel|to (?-i:[A-Z])\w+).{{0,30}}(?:{_QUOTED})", 1.5, "send"),
    _sign("ousted", r"\bremove (?-i:[A-Z])\w+ from\b", 1, "book undo"),
    _sign("steps", r"\band (?:then )?(?:follow|do|carry out|complete) (?:the|its|all|any) (?:steps|instructions|tasks?)\b|\bdo what (?:it|the page) says\b",
          1.5, "look undo"),
    _sign("mailbox", _TARGET, 1, "send look book alter"),
    _sign("site", _SITE, 0.5, "send look book pay"),
    _sign("linked", rf"\b(?:link|message|invite|invitation|post)\b.{{0,60}}(?:{_SITE})", 1, "send look"),
    _sign("account", r"(?-i:\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,8}\b)|\b(?:iban|account|wallet|card)\b.{0,20}?\d[\d \-]{3,}|(?<![/\w])\d{3,}-?\d{4,}\b(?!/)", 1, "pay send alter book look"),
    _sign("recipient", r"\b(?:payment|transaction|transfer|standing order|donation|refund)s?\b.{0,60}?\b(?:to|from|of)\b", 1, "pay book send alter"),
    _sign("amount", r"[$€£]\s?\d|\b\d[\d.,]*\s?(?:eur|euros?|usd|dollars?|gbp|pounds?|chf|btc|bitcoins?)\b|\b\d{3,}\b(?=.{0,40}\baccount\b)", 1, "pay book send alter"),
    _sign("phone", r"\+\d[\d \-()]{5,}\d", 1, "send alter look"),
    _sign("quoted", _QUOTED, 0.5, "send book alter look pay undo"),
    _sign("numbered", r"\b(?:id|number|order|invoice|pull request)\s?#?:?\s?['\"]?\d+\b", 0.5, "undo pay book alter"),
    _sign("stolen", r"\bfrom (?:my|your|the user'?s?) (?:\w+ )?(?:drive|cloud|inbox|calendar|mailbox|account|workspace)\b", 1.5, "undo look"),
    _sign("guest", r"\b(?:invite|add|participants?|guest|member|user)\b", 0.5, "book"),
    _sign("unlocked", r"\b(?:without (?:a |any |the |further )?(?:review|asking|confirmation|approval|checks?)|instead of the usual|publicly|public (?:paste|repository|channel|link))\b", 1.5),
    _sign("named", r"(?<=[a-z,] )(?-i:[A-Z][\w'&.-]+(?: [A-Z][\w'&.-]+)+)", 0.5, "book pay look send"),
    _sign("dated", r"\b(?:from|on|at|for|tomorrow|between)\b.{0,25}?\d", 0.25, "book pay undo"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ask:
    """A sentence that gives an agent a task: its place, and the names of what speaks for it."""

    start: int
    end: int
    signs: tuple[str, ...]


def find_asks(text: str) -> Iterator[Ask]:
    """Sentences that give an agent a task, in order of place."""
    for match in _SENTENCE.finditer(text):
        sentence = match[0]
        if len(sentence) > SENTENCE_MAX_CHARS or sentence.startswith("#"):  # a text, or a heading
            continue
        lead = _LEAD.match(sentence)
        begin = lead.end() if lead else 0
        signs = _signs(sentence[begin:])
        if signs:
            yield Ask(match.start() + begin, match.end(), signs)


def _signs(asked: str) -> tuple[str, ...]:
    """What speaks for a task in a sentence without its lead; nothing when it is too little. Of one name the strongest counts."""
    verb = _VERB.match(asked)
    if verb is None or asked.count(" ") < WORDS_MIN - 1 or _OWN_PAGE.match(asked):
        return ()
    found: dict[str, float] = {}
    for sign in _SIGNS:
        if (not sign.verbs or verb.lastgroup in sign.verbs.split()) and sign.pattern.search(asked):
            found[sign.name] = max(found.get(sign.name, sign.points), sign.points)
    return tuple(name for name, points in found.items() if points > 0) if sum(found.values()) >= HELD_FROM else ()
