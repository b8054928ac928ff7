"""Recordings for `replay:FILE`: whoever answers sees only the prompt, and the recording contains nobody's words.

For each unanswered question two files are written, named by session number and key: `.md` for the answerer, `.prompt.json` for
:func:`record`. The answer goes beside them into `.json`: one object by the schema, with quotations copied from one message.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from vademecum.adapters.llms.structured import fault_in
from vademecum.domain.errors import InvalidInput
from vademecum.domain.llm import Prompt
from vademecum.language.text import is_unspaced
from vademecum_bench.real.replay import SAID, Record, key_of, known_in, messages_in, read_recording

PROMPT, READABLE, ANSWER = ".prompt.json", ".md", ".json"
#: Member of an answer with a quotation, and the member with the number of its message. Quotations are stored as positions, and
#: are exempt from the check for copied text.
QUOTE, AT = "quote", "at"
#: Number of consecutive equal words that counts as copied.
COPIED_MIN_WORDS = 8

_WORD = re.compile(r"\w+")
#: Marks of an omission in a quotation.
_LEFT_OUT = re.compile(r"\u2026|\.{3}")


class Recorded(Struct, frozen=True):
    """Outcome for the answers in a folder.

    Attributes:
        added: names of accepted answers.
        refused: (name, reason).
        not_found: (name, quotation that does not occur).
    """

    added: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    not_found: tuple[tuple[str, str], ...]


def write_prompt(folder: Path, number: int, prompt: Prompt) -> Path:
    """Write a question for whoever answers it, and return the file to read.

    A question that already has an answer is not overwritten, because the answer refers to memories as they were shown in it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / f"{number:03d}-{key_of(prompt)}"
    readable = Path(f"{stem}{READABLE}")
    if not Path(f"{stem}{ANSWER}").exists():
        Path(f"{stem}{PROMPT}").write_bytes(msgspec.json.encode(prompt))
        readable.write_text(_readable(stem.name, prompt), encoding="utf-8")
    return readable


def _readable(name: str, prompt: Prompt) -> str:
    schema = json.dumps(prompt.schema, ensure_ascii=False, indent=1)
    parts = (
        f"# {prompt.name}: answer with one JSON object in {name}{ANSWER}",
        f"## Task\n\n{prompt.task}",
        f"## Schema of the answer\n\n```json\n{schema}\n```",
        f"## Material\n\n{prompt.text}",
    )
    return "\n\n".join(parts) + "\n"


def record(folder: Path, recording: Path) -> Recorded:
    """Add the answers in a folder to a recording; an earlier answer to the same question is replaced.

    Raises:
        LLMRefused: the recording cannot be read.
        InvalidInput: an answer has no prompt beside it.
    """
    records = {(one.prompt, one.key): one for one in (read_recording(recording) if recording.exists() else ())}
    added, refused, not_found = [], [], []
    for file in sorted(folder.glob("*" + ANSWER)):
        if file.name.endswith(PROMPT):
            continue
        prompt = _prompt_of(file)
        answer, why = _answer_in(file, prompt)
        if why:
            refused.append((file.name, why))
            continue
        lost: list[str] = []
        places = _as_places(answer, messages_in(prompt), lost)
        key = key_of(prompt)
        records[prompt.name, key] = Record(prompt.name, key, known_in(prompt), places)
        not_found += [(file.name, words) for words in lost]
        added.append(file.name)
    recording.parent.mkdir(parents=True, exist_ok=True)
    recording.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in records.values()))
    return Recorded(tuple(added), tuple(refused), tuple(not_found))


def _prompt_of(file: Path) -> Prompt:
    beside = file.with_name(file.name.removesuffix(ANSWER) + PROMPT)
    try:
        return msgspec.json.decode(beside.read_bytes(), type=Prompt)
    except (OSError, msgspec.DecodeError) as error:
        raise InvalidInput(
            f"{file} answers no prompt: {error}", "Write the prompts with: vade bench real ... --prompts"
        ) from error


def _answer_in(file: Path, prompt: Prompt) -> tuple[dict[str, Any], str]:
    """Return (the answer, why it is refused or "")."""
    try:
        answer = msgspec.json.decode(file.read_bytes())
    except msgspec.DecodeError as error:
        return {}, f"it is no JSON: {error}"
    fault = _deep_fault(answer, prompt.schema) or _copied(answer, messages_in(prompt))
    return (answer, "") if not fault else ({}, fault)


def _deep_fault(value: object, schema: Mapping[str, Any], name: str = "the answer") -> str:
    """Return the violation of the schema, including list entries and unknown members; "" for none."""
    fault = fault_in(value, schema, name)
    if fault:
        return fault
    if isinstance(value, list):
        faults = (_deep_fault(one, schema["items"], f"{name}[{at}]") for at, one in enumerate(value))
        return next(filter(None, faults), "")
    if not isinstance(value, Mapping):
        return ""
    properties: Mapping[str, Any] = schema.get("properties", {})
    strange = [member for member in value if member not in properties]
    if strange:
        return f"{name} has {', '.join(strange)}, which nobody asked for"
    faults = (_deep_fault(value[member], properties[member], f"{name}.{member}") for member in properties if member in value)
    return next(filter(None, faults), "")


def _copied(answer: object, messages: Sequence[str]) -> str:
    """Return a sentence about a text of the answer that copies a message; "" for none."""
    said = {run for message in messages for run in _runs(message)}
    for name, text in _texts(answer):
        copied = next((run for run in _runs(text) if run in said), None)
        if copied:
            return f"{name} copies {COPIED_MIN_WORDS} words in a row: {' '.join(copied)}. Say it in other words."
    return ""


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    """Yield every COPIED_MIN_WORDS consecutive words, without punctuation at their ends."""
    words = [word for word in (re.sub(r"^\W+|\W+$", "", part) for part in text.casefold().split()) if word]
    return (tuple(words[at : at + COPIED_MIN_WORDS]) for at in range(len(words) - COPIED_MIN_WORDS + 1))


def _texts(value: object, name: str = "the answer") -> Iterator[tuple[str, str]]:
    """Yield (name, text) of every text that is not a quotation."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from _texts(one, f"{name}[{at}]")
    elif isinstance(value, Mapping):
        for member, one in value.items():
            if member != QUOTE:
                yield from _texts(one, f"{name}.{member}")


def _as_places(value: Any, messages: Sequence[str], lost: list[str]) -> Any:
    """Return the answer with positions for its quotations; those that do not occur are appended to `lost`."""
    if isinstance(value, list):
        return [_as_places(one, messages, lost) for one in value]
    if not isinstance(value, Mapping):
        return value
    placed = {name: _as_places(one, messages, lost) for name, one in value.items()}
    if QUOTE in value:
        place = place_of(value[QUOTE], messages, value.get(AT, 0))
        placed[QUOTE] = {SAID: place}
        lost += [value[QUOTE]] if place is None else []
    return placed


def place_of(words: str, messages: Sequence[str], first: int = 0) -> list[int] | None:
    """Return [message, start, end, start, end, ...] of a quotation in one message, with a pair for each part.

    Case and punctuation between words may differ. None: it does not occur.

    Args:
        first: number of the message to search first; 0: none.
    """
    parts = [found for part in _LEFT_OUT.split(words) if (found := _WORD.findall(part))]
    for number in sorted(range(1, len(messages) + 1), key=lambda number: number != first):
        place = [number, *_spans(parts, messages[number - 1])]
        if parts and len(place) == 1 + 2 * len(parts):
            return place
    return None


def _spans(parts: Sequence[Sequence[str]], text: str) -> Iterator[int]:
    """Yield start and end of each part, one after the other, as far as they occur."""
    at = 0
    for part in parts:
        between, edge = (r"\W*", "") if is_unspaced("".join(part)) else (r"\W+", r"\b")
        found = re.compile(edge + between.join(map(re.escape, part)) + edge, re.IGNORECASE).search(text, at)
        if found is None:
            return
        at = found.end()
        yield from found.span()
