"""Helpers for all formats: texts in nested values, tool calls as one line, and removal of the host's own blocks.

Hosts insert text of their own, and the output of our hooks, into the messages of the person. :func:`without_blocks` removes
blocks in tags of hosts; :func:`is_ours` recognises our own text by its beginning (X-23).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from vademecum.domain.session import Outcome, Speaker

#: Most characters stored of a tool's output or of injected text: head and tail.
SHORT_HEAD_CHARS, SHORT_TAIL_CHARS = 1200, 800

#: Beginnings of every text that we give to a host; `compose.render` writes them, a test checks that both agree.
OUR_BEGINNINGS = ("Recalled from the person's own memory.", "<vademecum")

#: Arguments that describe a tool call; the first non-empty one is used.
CALL_ARGUMENTS = (
    "command", "cmd", "file_path", "filePath", "notebook_path", "path", "target_file", "pattern", "url", "query", "plan", "description",
    "prompt", "input",
)  # fmt: skip
FILE_ARGUMENTS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "target_file", "relative_workspace_path")

#: The files that a patch in Codex' format touches.
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
#: Beginning of a block in a tag of a form that hosts use, with several words, at the beginning of a text.
_HOST_BLOCK = re.compile(r"\s*<([A-Za-z]+(?:[_-][A-Za-z0-9]+)+)(?:\s[^<>]*)?>")
_WHOLE_TAG = re.compile(r"\s*<([a-zA-Z][\w-]*)(?:\s[^<>]*)?>.*</\1>\s*", re.DOTALL)


class Said(Struct, frozen=True):
    """One utterance of a record before it becomes a turn; fields as in :class:`Turn`."""

    speaker: Speaker
    text: str
    tools: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    name: str = ""
    call: str = ""
    outcome: Outcome = ""
    question: str = ""


def text_of(value: object) -> str:
    """Return a text, or the joined texts and text blocks of a list; "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in value)
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def blocks_of(content: object) -> list[Mapping[str, Any]]:
    """Return the blocks of a message's content: a list, or a single one. A plain text is a block."""
    given = content if isinstance(content, list) else [content]
    blocks = ({"type": "text", "text": block} if isinstance(block, str) else block for block in given)
    return [block for block in blocks if isinstance(block, dict)]


def words_of(blocks: Iterable[Mapping[str, Any]]) -> str:
    """Return the joined texts of text blocks."""
    return "\n".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")


def mapping(value: object) -> Mapping[str, Any]:
    """Return `value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def word(value: object) -> str:
    """Return a text, and "" for anything else, since hosts change the types of fields."""
    return value if isinstance(value, str) else ""


def json_value(text: object) -> object:
    """Return the value of a JSON text; None for invalid JSON."""
    if not isinstance(text, str | bytes):
        return None
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def json_object(text: object) -> dict[str, Any]:
    """Return the object of a JSON text; an empty one for anything else."""
    return dict(mapping(json_value(text)))


def prompt(words: str, text: str, *, pictures: bool) -> Said:
    """Return the content of a message in the person's name: their words, else a placeholder for a picture, else the host's
    text.

    Args:
        words: `text` without insertions of the host. pictures: whether there are pictures.
    """
    words = without_host_blocks(words).strip()
    if words or pictures:
        return Said("user", words or "[image]")
    return Said("injected", short(text))


def short(text: str) -> str:
    """Return head and tail of a long text: the request is at the beginning, errors are at the end."""
    if len(text) <= SHORT_HEAD_CHARS + SHORT_TAIL_CHARS:
        return text
    return f"{text[:SHORT_HEAD_CHARS]}\n…\n{text[-SHORT_TAIL_CHARS:]}"


def mappings(value: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list; empty for anything else."""
    return [by_key for by_key in value if isinstance(by_key, dict)] if isinstance(value, list) else []


def call(name: object, given: object, call_id: str = "") -> Said:
    """Return a tool call as a turn: the tool, its main argument, and the files it names.

    Arguments may be an object, JSON or free text.
    """
    tool = text_of(name) or "tool"
    text = text_of(given)
    read = json_value(text) if text.lstrip().startswith("{") else None
    arguments = next((one for one in (given, read) if isinstance(one, dict)), {"input": text} if text else {})
    main = next((_words(arguments[key]) for key in CALL_ARGUMENTS if _words(arguments.get(key))), "")
    main = main or (json.dumps(arguments, ensure_ascii=False) if arguments else "")
    files = [arguments[key] for key in FILE_ARGUMENTS if isinstance(arguments.get(key), str)]
    files += _PATCHED.findall(main)
    text = short(f"{tool}: {main}" if main else tool)
    return Said("tool", text, tools=(tool,), files=tuple(dict.fromkeys(files)), call=call_id)


def result(value: object, tool: str = "", call_id: str = "", outcome: Outcome = "") -> Said:
    """Return the result of a tool as a turn. A result without text is kept if the host states the outcome."""
    text = text_of(value)
    if not text and isinstance(value, dict | list) and value:
        text = json.dumps(value, ensure_ascii=False)
    if outcome and not text.strip():
        text = "(no output)"
    return Said("tool", short(text), name=tool, call=call_id, outcome=outcome)


def outcome_of(worked: object) -> Outcome:
    """Return the outcome that a flag states; "" when it is no flag."""
    return "succeeded" if worked is True else "failed" if worked is False else ""


def outcome_of_exit(code: object) -> Outcome:
    """Return the outcome that an exit code states; "" when it is no number."""
    return outcome_of(code == 0 if isinstance(code, int) else None)


def answers(pairs: Iterable[tuple[str, str]], call_id: str = "") -> Iterator[Said]:
    """Yield one turn for each (question, answer) of the person; empty answers are skipped."""
    for question, answer in pairs:
        if answer.strip():
            yield Said("answer", answer.strip(), call=call_id, question=question.strip())


def quoted_answers(text: str, questions: Iterable[str]) -> list[tuple[str, str]]:
    """Return (question, answer) of a text in which a host writes `"question"="answer"` one after the other.

    An answer ends at the quotation mark before the next question, or before the sentence with which the host continues.
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
    """Return whether the whole text is in one tag, as hosts wrap their insertions."""
    return _WHOLE_TAG.fullmatch(text) is not None


def without_host_blocks(text: str) -> str:
    """Return `text` without the closed blocks at its beginning whose tags have a form that hosts use (X-23).

    Hosts, and programs that drive them, place context before the person's words, in tags that change.
    """
    begin = 0
    while match := _HOST_BLOCK.match(text, begin):
        end = text.find(f"</{match[1]}>", match.end())
        if end < 0:
            break
        begin = end + len(match[1]) + 3
    return text[begin:]


def without_blocks(text: str, tags: Iterable[str]) -> str:
    """Return `text` without the blocks in these tags, which may contain blocks in the same tag.

    A tag that is never closed is a mention in the person's words, and stays, unless it is alone on its line: then the host's text
    was cut off.
    """
    if "<" not in text:
        return text
    parts: list[str] = []
    done = 0
    for begin, end in _blocks(text, tuple(tags)):
        parts.append(text[done:begin])
        done = end
    return "".join([*parts, text[done:]])


def _blocks(text: str, tags: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield (begin, end) of the outermost blocks. If the tags are not balanced, a block ends at the first closing tag."""
    outer, depth, begin = "", 0, 0
    for match in _tags(tags).finditer(text):
        if not outer and not match[1]:
            outer, depth, begin = match[2], 1, match.start()
        elif match[2] == outer:
            depth += -1 if match[1] else 1
            if not depth:
                yield begin, match.end()
                outer = ""
    if outer:
        yield from _first_closed(text, tags, begin)


def _first_closed(text: str, tags: tuple[str, ...], done: int) -> Iterator[tuple[int, int]]:
    open_ended: set[str] = set()
    for match in _tags(tags).finditer(text, done):
        if match[1] or match.start() < done or match[2] in open_ended:
            continue
        close = text.find(f"</{match[2]}>", match.end())
        if close >= 0:
            done = close + len(match[2]) + 3
            yield match.start(), done
        elif text[: match.start()].rstrip(" \t")[-1:] in ("", "\n") and text[match.end() :].lstrip(" \t")[:1] == "\n":
            yield match.start(), len(text)
            return
        else:
            open_ended.add(match[2])


def between(text: str, start: str, end: str) -> list[tuple[int, int]]:
    """Return (from, to) of each text between `start` and `end`. Linear in time, unlike a lazy pattern with unclosed marks."""
    pairs: list[tuple[int, int]] = []
    place = 0
    while (begin := text.find(start, place)) >= 0 and (close := text.find(end, begin)) >= 0:
        pairs.append((begin + len(start), close))
        place = close + len(end)
    return pairs


@lru_cache(maxsize=32)
def _tags(tags: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"<(/?)({'|'.join(map(re.escape, tags))})\b[^<>]{{0,200}}>")


def _words(value: object) -> str:
    """Return a text argument, or the words of a command given as a list, without the shell in front of it."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        shell = len(value) == 3 and value[1] in ("-c", "-lc")
        return value[2] if shell else " ".join(value)
    return value if isinstance(value, str) else ""
