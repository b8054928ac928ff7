"""Read what an agent says when it stops: what it did, what it leaves open, what comes next.

An agent's messages on the way ("Now let me look at ...") do not help whoever goes on. Markdown is removed, a label such as "Not
built:" names what follows it, and a sentence that only introduces a list is joined with its entries.
"""

import re
from collections.abc import Iterator

from vademecum.domain.late_pattern import late_pattern
from vademecum.extract.numbers import (
    INFORMATIVE_MIN_WORDS,
    INTRO_MAX_WORDS,
    LABEL_MAX_CHARS,
    LAST_SENTENCES,
    LED_MAX,
    READ_MAX_CHARS,
)
from vademecum.language.load import languages
from vademecum.language.sentences import FENCE, Sentence, sentences

_DIRECTIVE = late_pattern(r"^::[\w-]+\{.*\}[ \t]*$", re.MULTILINE)
_HEADING = late_pattern(r"^[ \t]*(?:#{1,6}[ \t]+(?P<text>.+?)|\*\*(?P<bold>[^*\n]+)\*\*:?)[ \t]*$")
_BULLET = late_pattern(r"^[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]+")
_BULLET_ALONE = late_pattern(r"[ \t]*(?:[-*•+]|\d{1,2}[.)])?[ \t]*")
_EMPHASIS = late_pattern(r"\*\*|__(?=\w)|(?<=\w)__")


def plain(text: str) -> str:
    """Return a report without code, emphasis marks, and directives to the program that displays it."""
    return _EMPHASIS.sub("", _DIRECTIVE.sub("", FENCE.sub("", text[:READ_MAX_CHARS])))


def report_sign(sign: str) -> re.Pattern[str]:
    """Return the pattern of a sign in reports, in any language (`data/*/reports.toml`)."""
    return languages().sign("reports", sign)


def is_passing(said: str) -> bool:
    """Return whether a sentence only says what the agent is about to do, or is a courtesy."""
    return report_sign("passing").match(said) is not None


def under_way_in(text: str) -> str:
    """Return what an agent announces to do next at the end of its message, "" for nothing.

    An explaining sentence may follow the announcement.
    """
    last = sentences(plain(text))[-LAST_SENTENCES:]
    announced = [number for number, sentence in enumerate(last) if report_sign("about_to").search(sentence.said)]
    return " ".join(sentence.text for sentence in last[announced[0] :]) if announced else ""


def done_in(text: str) -> Iterator[str]:
    """Yield what a report says was done, in order. Questions, next steps, headings and open points are left out."""
    body = _parted(text)[1]
    lead, led, listed = "", list[str](), False
    for sentence in sentences(body):
        if _BULLET_ALONE.fullmatch(sentence.text):
            continue  # the number of a list entry
        begins, within = _entry(body, sentence)
        if lead and within:
            listed = True
            if (
                begins
                and len(led) < LED_MAX
                and not sentence.text.endswith("?")
                and not report_sign("open").search(sentence.said)
            ):
                led.append(sentence.text.rstrip(".;"))
            continue
        if lead and not listed and sentence.text.startswith("`"):
            yield f"{lead} {sentence.text}"
            lead = ""
            continue
        yield from _led(lead, led, listed)
        lead, led, listed = "", [], False
        if sentence.text.endswith(":"):
            lead = sentence.text if _is_informative(sentence.said) else ""
        elif _is_informative(sentence.said):
            yield report_sign("labelled").sub("", sentence.text)
    yield from _led(lead, led, listed)


def _led(lead: str, led: list[str], listed: bool) -> Iterator[str]:
    """Yield a list's introduction with its first entries; nothing when all of them were questions."""
    if lead and led:
        yield f"{lead} {'; '.join(led)}"
    elif lead and not listed:
        yield lead.rstrip(":") + "…"


def _entry(body: str, sentence: Sentence) -> tuple[bool, bool]:
    """Return whether a sentence begins a list entry, and whether it is inside one."""
    begin = body.rfind("\n", 0, sentence.start) + 1
    start = sentence.start
    while start < sentence.end and body[start] in " \t\n":  # white space in front belongs to the sentence
        start += 1
    begin = max(begin, body.rfind("\n", 0, start) + 1)
    within = _BULLET.match(body[begin : sentence.end]) is not None
    return within and _BULLET_ALONE.fullmatch(body[begin:start]) is not None, within


def _is_informative(entry: str) -> bool:
    """Return whether a sentence says that something was done or found out."""
    words = len(entry.split())
    return not (
        entry.endswith("?")
        or (words < INFORMATIVE_MIN_WORDS and not (report_sign("did").match(entry) and words > 1))
        or (words <= INTRO_MAX_WORDS and report_sign("intro").match(entry) and not report_sign("labelled").match(entry))
        or is_passing(entry)
        or any(report_sign(sign).search(entry) for sign in ("offer", "next", "open_inline", "open"))
    )


def says_done(line: str) -> bool:
    """Return whether a line says that something was done, made, committed or tested, rather than found out or assumed."""
    return any(report_sign(sign).search(line) for sign in ("deed", "did", "green", "committed", "work"))


def is_housekeeping(request: str) -> bool:
    """Return whether a request only prepares or ends the work: "where did we leave off", "switch to main", "commit this"."""
    return report_sign("housekeeping").match(request) is not None


def open_in(text: str) -> Iterator[str]:
    """Yield the open points of a report: entries below a label that says so, and sentences that say so."""
    listed, rest = _parted(text)
    yield from listed
    for sentence in sentences(rest):
        passing = (
            is_passing(sentence.said) or report_sign("offer").match(sentence.said) or report_sign("next").search(sentence.said)
        )
        if (
            not passing
            and not report_sign("nothing_open").search(sentence.said)
            and (report_sign("open_inline").match(sentence.said) or report_sign("open").search(sentence.said))
        ):
            yield sentence.text


def failure_in(text: str) -> str:
    """Return the first sentence of a report that says why something failed; "" for none."""
    return next((sentence.text for sentence in sentences(plain(text)) if report_sign("failure").search(sentence.said)), "")


def asked_in(text: str) -> str:
    """Return the question to the person that ends a report; "" when there is none or it is only an offer."""
    all_sentences = sentences(plain(text))
    last = all_sentences[-1] if all_sentences else None
    if last is None or not last.said.endswith("?") or report_sign("offer").match(last.said) or is_passing(last.said):
        return ""
    return last.text


def _parted(text: str) -> tuple[list[str], str]:
    """Return the entries below a label of open points, and the rest of a report; both without markup and headings."""
    under = False
    listed, rest = list[str](), list[str]()
    for line in _DIRECTIVE.sub("", FENCE.sub("", text[:READ_MAX_CHARS])).split("\n"):
        words = _EMPHASIS.sub("", line)
        label = _label(line)
        if label is not None:
            under = report_sign("open_label").search(label) is not None
            rest.append("" if under or _HEADING.match(line) else words)
        elif under and _BULLET.match(words):
            listed.append(_BULLET.sub("", words).strip())
        else:
            under = under and not words.strip()
            rest.append(words)
    return listed, "\n".join(rest)


def _label(line: str) -> str | None:
    """Return the text of a label or heading, which names what follows it; None when the line is neither."""
    heading = _HEADING.match(line)
    if heading:
        return str(heading["text"] or heading["bold"]).strip(" :*")
    words = plain(line).strip()
    if words.endswith((":", "?")) and len(words) <= LABEL_MAX_CHARS and not _BULLET.match(line):
        return words.rstrip(":?")
    return None


def next_in(text: str) -> str:
    """Return the next step that a report names, else what it offers to do; "" for neither."""
    lines = [sentence.text for sentence in sentences(plain(text)) if not report_sign("under_way").match(sentence.text)]
    for wanted in ("next", "offer"):
        texts = [report_sign("next_label").sub("", entry) for entry in lines if report_sign(wanted).search(entry)]
        if texts:
            return texts[-1]
    return ""
