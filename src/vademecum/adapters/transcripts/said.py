"""What the formats share: texts out of nested values, tool calls in a line of words, and the host's own blocks cut out.

Hosts put text of their own, and what our hooks gave them, into the messages of the person. :func:`without_blocks` cuts
out what stands in a tag of theirs, :func:`is_ours` knows the beginning of what we gave (X-23).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from vademecum.domain.session import Outcome, Speaker

#: Longest text kept of a tool's output or of injected text, in characters: the first part and the last.
SHORT_HEAD_CHARS, SHORT_TAIL_CHARS = 1200, 800

#: How every text that we give to a host begins; `compose.render` writes it, a test holds the two together.
OUR_BEGINNINGS = ("Recalled from the person's own memory.", "<vademecum")

#: The argument that tells what a tool call does, first found.
CALL_ARGUMENTS = (
    "command", "cmd", "file_path", "filePath", "notebook_path", "path", "target_file", "pattern", "url", "query", "plan", "description",
    "prompt", "input",
)  # fmt: skip
FILE_ARGUMENTS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "target_file", "relative_workspace_path")

#: The files that a patch in the style of Codex touches.
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_WHOLE_TAG = re.compile(r"\s*<([a-zA-Z][\w-]*)(?:\s[^<>]*)?>.*</\1>\s*", re.DOTALL)


class Said(Struct, frozen=True):
    """One thing in a record, before it is a turn; the fields are those of :class:`Turn`."""

    speaker: Speaker
    text: str
    tools: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    name: str = ""
    call: str = ""
    outcome: Outcome = ""
    question: str = ""


def text_of(value: object) -> str:
    """Return a text, or the text blocks of a list, or the texts of a list."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in value)
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def blocks_of(content: object) -> list[Mapping[str, Any]]:
    """Return the blocks of a message's content; a bare text is one block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def mapping(value: object) -> Mapping[str, Any]:
    """Return `value` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def word(value: object) -> str:
    """Return a text, and "" for anything else: hosts change what a field means."""
    return value if isinstance(value, str) else ""


def json_value(text: object) -> object:
    """Return the value that a text of JSON holds; None for anything else."""
    if not isinstance(text, str | bytes):
        return None
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def prompt(words: str, text: str, *, pictures: bool) -> Said:
    """Return what a message in the person's name says: their words, else that they showed a picture, else what the host put there.

    Args:
        words: what is left of `text` without the host's own. pictures: there are some.
    """
    if words or pictures:
        return Said("user", words or "[image]")
    return Said("injected", short(text))


def short(text: str) -> str:
    """Return both ends of a long text: what was asked stands at its beginning, what went wrong at its end."""
    if len(text) <= SHORT_HEAD_CHARS + SHORT_TAIL_CHARS:
        return text
    return f"{text[:SHORT_HEAD_CHARS]}\n…\n{text[-SHORT_TAIL_CHARS:]}"


def mappings(value: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list, and none for anything else."""
    return [by_key for by_key in value if isinstance(by_key, dict)] if isinstance(value, list) else []


def call(name: object, given: object, call_id: str = "") -> Said:
    """Return a tool call: the tool, what it was asked to do, and the files it names. Arguments may be an object, JSON or free text."""
    tool = text_of(name) or "tool"
    arguments = given if isinstance(given, dict) else _arguments(text_of(given))
    main = next((_words(arguments[key]) for key in CALL_ARGUMENTS if _words(arguments.get(key))), "")
    main = main or (json.dumps(arguments, ensure_ascii=False) if arguments else "")
    files = [arguments[key] for key in FILE_ARGUMENTS if isinstance(arguments.get(key), str)]
    files += _PATCHED.findall(main)
    text = short(f"{tool}: {main}" if main else tool)
    return Said("tool", text, tools=(tool,), files=tuple(dict.fromkeys(files)), call=call_id)


def result(value: object, tool: str = "", call_id: str = "", outcome: Outcome = "") -> Said:
    """Return what a tool answered. An answer without words is kept where the host states how the call ended."""
    text = text_of(value)
    if not text and isinstance(value, dict | list) and value:
        text = json.dumps(value, ensure_ascii=False)
    if outcome and not text.strip():
        text = "(no output)"
    return Said("tool", short(text), name=tool, call=call_id, outcome=outcome)


def answers(pairs: Iterable[tuple[str, str]], call_id: str = "") -> Iterator[Said]:
    """Yield what the person answered, one thing said for each (question, answer); a question that was left open gives none."""
    for question, answer in pairs:
        if answer.strip():
            yield Said("answer", answer.strip(), call=call_id, question=question.strip())


def quoted_answers(text: str, questions: Iterable[str]) -> list[tuple[str, str]]:
    """Return (question, answer) of a text in which a host writes `"question"="answer"` one behind the other.

    An answer ends at the quotation mark before the next of the questions, or before the sentence with which the host goes on.
    """
    asked = [question for question in questions if f'"{question}"="' in text]
    starts = sorted((text.index(f'"{question}"="'), question) for question in dict.fromkeys(asked))
    pairs: list[tuple[str, str]] = []
    for number, (start, question) in enumerate(starts):
        begin = start + len(question) + 4
        last = number + 1 == len(starts)
        end = text.rfind('"', begin, starts[number + 1][0]) if not last else text.rfind('". ', begin)
        end = end if end >= 0 else text.rfind('"', begin)
        pairs.append((question, text[begin : end if end >= 0 else len(text)]))
    return pairs


def is_ours(text: str) -> bool:
    """Return whether the text is one that we gave to the host."""
    return text.lstrip().startswith(OUR_BEGINNINGS)


def is_tagged(text: str) -> bool:
    """Return whether the whole text stands in one tag, as hosts wrap what they add to a conversation."""
    return _WHOLE_TAG.fullmatch(text) is not None


def without_blocks(text: str, tags: Iterable[str]) -> str:
    """Return `text` without the blocks of these tags. One that is never closed is a person's mention of it, and stays."""
    if "<" not in text:
        return text
    parts: list[str] = []
    done = 0
    open_ended: set[str] = set()
    for match in _opening(tuple(tags)).finditer(text):
        if match.start() < done or match[1] in open_ended:
            continue
        close = text.find(f"</{match[1]}>", match.end())
        if close < 0:
            open_ended.add(match[1])
            continue
        parts.append(text[done : match.start()])
        done = close + len(match[1]) + 3
    return "".join([*parts, text[done:]])


def between(text: str, start: str, end: str) -> list[tuple[int, int]]:
    """Return (from, to) of what stands between `start` and `end`, each time. Linear, which a lazy pattern is not for marks left open."""
    pairs: list[tuple[int, int]] = []
    place = 0
    while (begin := text.find(start, place)) >= 0 and (close := text.find(end, begin)) >= 0:
        pairs.append((begin + len(start), close))
        place = close + len(end)
    return pairs


@lru_cache(maxsize=32)
def _opening(tags: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"<({'|'.join(map(re.escape, tags))})\b[^<>]{{0,200}}>")


def _arguments(text: str) -> Mapping[str, Any]:
    value = json_value(text) if text.lstrip().startswith("{") else None
    return value if isinstance(value, dict) else {"input": text} if text else {}


def _words(value: object) -> str:
    """Return a text argument, or the words of a command given as a list, the shell in front of it left out."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        shell = len(value) == 3 and value[1] in ("-c", "-lc")
        return value[2] if shell else " ".join(value)
    return value if isinstance(value, str) else ""
