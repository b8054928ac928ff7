"""Replay recorded answers: no model is asked, so tests and measurements need neither key nor network.

A recording has one JSON object per line (:class:`Record`). It contains nobody's words: a quotation is stored as its position in
the conversation of the prompt, and filled in from there. An answer belongs to a prompt by name and conversation. The memories
shown beside it may differ now: a relation is moved to the memory that says the same in any wording, and a lost relation is
logged.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from vademecum.adapters.llms import SERVICES
from vademecum.adapters.llms.completion import Complete, Completion
from vademecum.adapters.llms.endpoint import Options
from vademecum.domain.errors import LLMRefused, LLMUnavailable
from vademecum.domain.llm import Prompt, Usage
from vademecum.domain.tokens import estimate_tokens
from vademecum_bench.real.ruler import shares, words_of

_log = logging.getLogger(__name__)

#: Prefix of the setting for a model with recorded answers.
REPLAY = "replay:"
SERVICES["replay"] = (__name__, "completing", None)

#: Only member of an object that represents a quotation: [message, start, end, ...] with one pair per part, or null if nobody
#: said it. Between two parts something was omitted.
SAID, LEFT_OUT = "said", " … "
#: Member of an answer that names a shown memory ("m2"), and the member with the relation to it.
TARGET, RELATION, UNRELATED = "target", "relation", "new"
#: Two memories say the same if each has this share of the other's words.
ALIKE = 0.4


class Record(Struct, frozen=True):
    """One recorded answer.

    Attributes:
        prompt: name of the prompt.
        key: of :func:`key_of`.
        known: of :func:`known_in`, as shown to whoever answered.
        answer: the object, with quotations as positions.
    """

    prompt: str
    key: str
    known: dict[str, str]
    answer: dict[str, Any]


class Changed(Struct, frozen=True):
    """Difference between the memories shown now and at the recording.

    Attributes:
        gone, come: number of memories no longer shown, and newly shown.
        lost: relations of the answer to one that is gone.
    """

    gone: int
    come: int
    lost: int


def completing(model: str, options: Options) -> Complete:
    """Return a function that answers from the recording in the file `model`, which is read at each question."""
    del options  # no connection is made
    path = Path(model)

    def complete(prompt: Prompt) -> Completion:
        record = recorded_for(prompt, read_recording(path))
        if record is None:
            raise LLMUnavailable(
                f"{path.name} holds no answer to {prompt.name} {key_of(prompt)}.", "Record it: see vade bench real --prompts"
            )
        changed = change_since(record, prompt)
        if changed.gone or changed.come:
            text = "%s %s: of the memories shown when it was recorded %d are gone, %d are new, %d relations are lost"
            _log.info(text, record.prompt, record.key, changed.gone, changed.come, changed.lost)
        answer = replayed(record, prompt)
        written = estimate_tokens(json.dumps(answer, ensure_ascii=False))
        return Completion(answer, Usage(estimate_tokens(prompt.task + prompt.text), written))

    return complete


def read_recording(path: Path) -> tuple[Record, ...]:
    """Return the answers in a file, in order.

    Raises:
        LLMRefused: there is no such file, or a line of it is no record.
    """
    try:
        return tuple(msgspec.json.decode(line, type=Record) for line in path.read_bytes().splitlines() if line.strip())
    except (OSError, msgspec.DecodeError) as error:
        raise LLMRefused(f"{path} cannot be read as recorded answers: {error}", "Check the setting llm.") from error


def recorded_for(prompt: Prompt, records: tuple[Record, ...]) -> Record | None:
    """Return the last answer to a prompt; None if there is none."""
    key = key_of(prompt)
    return next((one for one in reversed(records) if (one.prompt, one.key) == (prompt.name, key)), None)


def key_of(prompt: Prompt) -> str:
    """Return 16 hexadecimal digits that identify the subject of an answer: the conversation, else all material."""
    about = _block(prompt, "conversation") or prompt.text
    return hashlib.sha256(about.encode("utf-8", "replace")).hexdigest()[:16]


def messages_in(prompt: Prompt) -> tuple[str, ...]:
    """Return the messages of the conversation in a prompt, without their numbers "[1]", "[2]", ..."""
    return _numbered(_block(prompt, "conversation"), "[{}]")


def known_in(prompt: Prompt) -> dict[str, str]:
    """Return name (m1, m2, ...) -> sorted word stems of each known memory shown in a prompt."""
    shown = _numbered(_block(prompt, "known_memories"), "m{} ")
    return {f"m{number}": " ".join(sorted(words_of(text.partition(": ")[2]))) for number, text in enumerate(shown, 1)}


def change_since(record: Record, prompt: Prompt) -> Changed:
    """Return the difference between the memories shown now and at the recording."""
    today = _names_today(record, prompt)
    lost = sum(not today.get(one[TARGET], TARGET) for one in _objects(record.answer) if TARGET in one)
    come = set(known_in(prompt)) - set(today.values())
    return Changed(sum(not name for name in today.values()), len(come), lost)


def replayed(record: Record, prompt: Prompt) -> dict[str, Any]:
    """Return the answer for `prompt`, with quotations filled in and relations to the memories shown now.

    What was related to a memory that is no longer shown becomes new.
    """
    answer: dict[str, Any] = _filled(record.answer, messages_in(prompt), _names_today(record, prompt))
    return answer


def _names_today(record: Record, prompt: Prompt) -> dict[str, str]:
    """Return former name of a memory -> name of the most similar one shown now; "" for none."""
    shown = {name: frozenset(words.split()) for name, words in known_in(prompt).items()}

    def name_of(words: frozenset[str]) -> str:
        likeness = {name: min(shares(words, other)[1], shares(other, words)[1]) for name, other in shown.items()}
        best = max(likeness, key=likeness.__getitem__, default="")
        return best if likeness.get(best, 0) >= ALIKE else ""

    return {name: name_of(frozenset(words.split())) for name, words in record.known.items()}


def _filled(value: Any, messages: tuple[str, ...], today: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_filled(entry, messages, today) for entry in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {SAID}:
        return _words_at(value[SAID], messages)
    filled = {name: _filled(entry, messages, today) for name, entry in value.items()}
    if value.get(TARGET) in today:
        filled[TARGET] = today[value[TARGET]]
        if not filled[TARGET] and RELATION in filled:
            filled[RELATION] = UNRELATED
    return filled


def _words_at(place: list[int] | None, messages: tuple[str, ...]) -> str:
    if place is None or place[0] > len(messages):
        return ""
    message = messages[place[0] - 1]
    return LEFT_OUT.join(message[start:end] for start, end in zip(place[1::2], place[2::2], strict=True))


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return every object in a value, including itself."""
    if isinstance(value, list):
        return [one for entry in value for one in _objects(entry)]
    if not isinstance(value, dict):
        return []
    return [value, *(one for entry in value.values() for one in _objects(entry))]


def _block(prompt: Prompt, name: str) -> str:
    """Return the material between <name> and </name>, with the line ends around it; "" if there is none."""
    for part in prompt.material:
        if part.startswith((f"<{name}>", f"<{name} ")):
            return part[part.find(">") + 1 :].removesuffix(f"</{name}>")
    return ""


def _numbered(block: str, mark: str) -> tuple[str, ...]:
    """Return the entries of a block whose lines begin with a numbered mark, without the mark and the final line end."""
    found: list[str] = []
    start = block.find("\n" + mark.format(1))
    while start >= 0:
        begin = start + 1 + len(mark.format(len(found) + 1))
        start = block.find("\n" + mark.format(len(found) + 2), begin)
        found.append(block[begin : start if start >= 0 else len(block)].removesuffix("\n"))
    return tuple(found)
