"""Remove characters that a person cannot see but a model reads, except those that scripts and emoji need.

Exceptions: one joiner between emoji, or after a letter of a script that joins (Arabic, Indic, Mongolian and similar); one
variation selector after a character that has variants; the tags of a flag; direction marks beside right-to-left letters;
zero-width spaces between letters of scripts written without spaces.
"""

from msgspec import Struct

from vademecum.domain.late_pattern import late_pattern

#: All characters that may be hidden; neighbours decide whether one is.
_HIDDEN = late_pattern(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
_FLAG = late_pattern("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
_RTL = late_pattern("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_JOINING = late_pattern(
    "[\u0600-\u06ff\u0700-\u07bf\u07c0-\u07ff\u0840-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18af"
    "\u1a20-\u1aaf\u1b00-\u1cff\ua800-\ua8ff\ua980-\ua9ff\uaa00-\uaa7f\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010d00-\U00010d3f\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_UNSPACED = late_pattern("[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\uaa60-\uaaff]")
_EMOJI = late_pattern(
    "[\u00a9\u00ae\u203c\u2049\u20e3\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_HAS_VARIANTS = late_pattern(
    "[#*0-9\u1000-\u109f\u2100-\u2bff\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
    "\u1820-\u18af\U00010ac0-\U00010aff\U00020000-\U0003ffff]"
)
_IDEOGRAPH = late_pattern("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

#: Terminal escape sequences: colours and other commands, window titles.
_TERMINAL = late_pattern(r"\x1b(?:\[[0-9;:?]{0,24}[ -/]?[@-~]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\))")

_ZWSP, _ZWNJ, _ZWJ = "\u200b", "\u200c", "\u200d"
_MARKS = "\u200e\u200f\u061c"
_MONGOLIAN_SELECTORS = "\u180b\u180c\u180d\u180f"
_REPLACEMENT = "\ufffd"
#: Ends of lines and pages, as texts from PDF files and slides have them: without them two words would be one.
_BREAKS = "\x0b\x0c\x85"


class Stripped(Struct, frozen=True):
    """A text without hidden characters.

    Attributes:
        removed: number of characters removed or replaced.
        smuggled: number of those that can carry a message to a model: tags, long runs of selectors or joiners, reversed text.
    """

    text: str
    removed: int = 0
    smuggled: int = 0


def strip_hidden(text: str) -> Stripped:
    """Return `text` without hidden characters; unpaired surrogates become U+FFFD, and ends of lines and pages a space."""
    if text.isascii() and text.isprintable():
        return Stripped(text)
    plain = _TERMINAL.sub("", text) if "\x1b" in text else text
    codes, text = len(text) - len(plain), plain
    kept = {position for match in _FLAG.finditer(text) for position in range(*match.span())}
    parts: list[str] = []
    done, removed, smuggled = 0, codes, 0
    for match in _HIDDEN.finditer(text):
        at = match.start()
        if at in kept or _is_needed(text, at):
            continue
        half = "\ud800" <= text[at] <= "\udfff"
        parts += [text[done:at], _REPLACEMENT if half else " " if text[at] in _BREAKS else ""]
        done = at + 1
        removed += 1
        smuggled += _carries(text, at)
    parts.append(text[done:])
    return Stripped("".join(parts), removed, smuggled)


def _is_needed(text: str, at: int) -> bool:
    """Return whether the neighbours of the character at `at` need it."""
    entry = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if entry in (_ZWJ, _ZWNJ):
        joins_emoji = entry == _ZWJ and _EMOJI.match(after) is not None and _ends_emoji(text, at - 1)
        needed = joins_emoji or (_JOINING.match(before) is not None and not _HIDDEN.match(after))
    elif entry == _ZWSP:
        needed = _UNSPACED.match(before) is not None and _UNSPACED.match(after) is not None
    elif entry in _MARKS:
        needed = _RTL.match(before) is not None or _RTL.match(after) is not None
    elif "\ufe00" <= entry <= "\ufe0f":
        needed = _EMOJI.match(before) is not None or _HAS_VARIANTS.match(before) is not None
    elif entry in _MONGOLIAN_SELECTORS:
        needed = "\u1820" <= before <= "\u18af"
    else:
        needed = "\U000e0100" <= entry <= "\U000e01ef" and _IDEOGRAPH.match(before) is not None
    return needed


def _ends_emoji(text: str, at: int) -> bool:
    """Return whether an emoji ends at `at`, including its variation selector."""
    if at > 0 and text[at] in "\ufe0e\ufe0f":
        at -= 1
    return at >= 0 and (_EMOJI.match(text[at]) is not None or text[at] == "\U000e007f")


def _carries(text: str, at: int) -> bool:
    """Return whether the hidden character at `at` can carry a message.

    It can by its kind, or because another hidden one precedes it.
    """
    entry = text[at]
    if entry >= "\U000e0000" or "\u202a" <= entry <= "\u202e" or "\u2066" <= entry <= "\u2069":
        return True
    return entry >= "\u200b" and at > 0 and _HIDDEN.match(text[at - 1]) is not None
