"""Extract call patterns from the text of a rule: commands and files that it forbids or says to fail.

No model is used, so only certain cases count: a command or path written as such, in a sentence that forbids it or says that it does
not work. A rule without any is shown at no call.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache

from msgspec import Struct

from vademecum.domain.call_patterns import is_pattern, parsed
from vademecum.language.load import Languages, languages
from vademecum.language.text import stop_words

#: Maximum patterns of one memory, and maximum characters of its text that are read.
MOST, LOOKED_AT = 5, 2_000
#: Maximum characters between a forbidding word and the command after it.
_NEAR = 60
#: Kinds that report what did not work.
REPORTING_FAILURE = frozenset({"lesson", "fix", "incident"})
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_MARKED = re.compile(r"`([^`\n]{2,120})`")
_OPTION = r"--?[A-Za-z][\w-]*"
_COMMAND_WORD = re.compile(r"[A-Za-z.][\w.+-]*")
_PATH = re.compile(
    r"(?<![\w/.])(?:\.{0,2}/)?(?:[\w.@-]+/)+[\w.@*-]*|(?<![\w/.@-])[\w-]*\.(?:[a-z]{2,5}|[a-z]\w{0,3})\b(?!\()|(?<!\w)\.env\b"
)
_FILE = re.compile(r"[\w./@*-]*(?:/|\.[A-Za-z]\w{0,5})[\w./@*-]*")
_FILES_OF_NAME = frozenset(
    {"makefile", "dockerfile", "justfile", "gemfile", "rakefile", "jenkinsfile", "procfile", "codeowners", "license"}
)
#: Endings of words with a dot that are no files: domains and abbreviations.
_NO_FILE = re.compile(r"(?:^|\.)(?:com|org|net|io|dev|e\.g|i\.e|etc|vs|js)$", re.IGNORECASE)


class _Span(Struct, frozen=True):
    """A command or file in a sentence, as a pattern with its position.

    Attributes:
        is_alone: a program without a subcommand or option, not in back quotes. Such a name is often only mentioned.
    """

    pattern: str
    start: int
    end: int
    is_alone: bool = False


def patterns_in(kind: str, text: str) -> tuple[str, ...]:
    """Return patterns of the calls that a text forbids or warns of, in the order of the text, at most `MOST`.

    Args:
        kind: kind of the memory.
    """
    texts: list[str] = []
    for sentence in _SENTENCE_END.split(text[:LOOKED_AT]):
        texts += [span.pattern for span in _spans(sentence) if _is_meant(kind, sentence, span)]
    return tuple(dict.fromkeys(texts))[:MOST]


def forbids_outright(text: str, pattern: str) -> bool:
    """Return whether a text forbids a command without any condition, so that every call of it violates the text."""
    tool, command = parsed(pattern)
    if tool != "run" or " " not in command:
        return False
    named = (
        (entry, span) for entry in _SENTENCE_END.split(text[:LOOKED_AT]) for span in _spans(entry) if span.pattern == pattern
    )
    return any(_is_meant("", entry, span) and not _sign("unless").search(entry, span.end) for entry, span in named)


def _is_meant(kind: str, sentence: str, span: _Span) -> bool:
    """Return whether a sentence forbids the command or file at this position, or says that it fails."""
    before = sentence[max(0, span.start - _NEAR) : span.start]
    marks = list(_sign("forbids").finditer(before))
    if span.is_alone:
        return bool(marks) and not _sign("uses").sub("", before[marks[-1].end() :]).strip()
    if marks and not _sign("unless").search(before, marks[-1].end()) and not _MARKED.search(before, marks[-1].end()):
        return True
    if kind not in REPORTING_FAILURE:
        return False
    return _sign("fails").search(sentence[span.end : span.end + _NEAR]) is not None


def _sign(name: str) -> re.Pattern[str]:
    return languages().sign("actions", name)


def _spans(sentence: str) -> Iterator[_Span]:
    """Yield the commands and files in a sentence: those in back quotes first, then those recognisable without."""
    marked = list(_MARKED.finditer(sentence))
    for mark in marked:
        if pattern := _of_marked(mark[1].strip()):
            yield _Span(pattern, mark.start(), mark.end())
    bare = _MARKED.sub(lambda mark: " " * len(mark[0]), sentence)
    commands, alone = _bare_commands_of(languages())
    for form in (commands, alone):
        for command in form.finditer(bare):
            yield _Span(f"run: {command[0]}", command.start(), command.end(), form is alone)
    for path in _PATH.finditer(commands.sub(lambda command: " " * len(command[0]), bare)):
        if not _NO_FILE.search(path[0]):
            yield _Span(f"edit: {path[0].rstrip('.')}", path.start(), path.end())


def _of_marked(text: str) -> str:
    """Return the pattern for a text in back quotes; "" if it is neither a command nor a file."""
    words = text.split()
    if len(words) == 1:
        if text in languages().words("actions", "programs"):
            return f"run: {text}"
        is_file = (_FILE.fullmatch(text) and not _NO_FILE.search(text)) or text.lower() in _FILES_OF_NAME
        return f"edit: {text}" if is_file and not text.endswith("()") else ""
    if not _COMMAND_WORD.fullmatch(words[0]) or not words[0].islower():
        return ""
    kept = [words[0]]
    for word in words[1:]:
        if not (re.fullmatch(_OPTION, word) or re.fullmatch(r"[\w.:/@+-]+", word)):
            break
        kept.append(word)
    pattern = f"run: {' '.join(kept)}"
    return pattern if len(kept) > 1 and is_pattern(pattern) else ""


@cache
def _bare_commands_of(known: Languages) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for commands without back quotes: a known program followed by a subcommand or an option, and one that stands alone.

    A common word of a language after a program, as in "no sudo here", is no subcommand.
    """
    stop = frozenset().union(*(stop_words(code) for code in known.codes)) - known.words("actions", "subcommands")
    program = rf"(?<![\w/.-])(?:{_any_of(known.words('actions', 'programs'))})"
    beside = _any_of(known.words("actions", "beside"))
    word = rf"(?!(?:{beside}|{_any_of(stop)})(?![\w:-]))[a-z][\w:-]+"
    return (
        re.compile(rf"{program}(?= )(?: {_OPTION})*(?: {word}(?: {_OPTION})*| {_OPTION})"),
        re.compile(rf"{program}(?=$|[.,;!?)](?!\w)| (?:{beside})(?![\w:-]))"),
    )


def _any_of(words: Collection[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))
