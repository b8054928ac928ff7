"""Conversations of Antigravity, one step per line (`brain/<id>/.system_generated/logs/transcript.jsonl`, `transcript_full.jsonl`).

As of Antigravity CLI 1.5 (2026-11). The format is not documented; this follows real lines of 1.2.12 in public test files. Decisions:

* `source` and `type` of a step decide who speaks. Only a USER_INPUT with the source USER_EXPLICIT is the person's: the text
  in `<USER_REQUEST>`. A PLANNER_RESPONSE is the agent's, any other step of the MODEL is a tool result, and a step of the SYSTEM
  is the host's.
* A sub-agent has a folder of its own, in which the agent's orders are USER_EXPLICIT too. Only the step INVOKE_SUBAGENT in its
  parent's transcript names it, so the transcripts beside it are searched.
* Steps have a number and calls have no id: a result belongs to the oldest call of the last answer that has none. Several calls may
  have one result together.
* `transcript.jsonl` contains long texts only in part and names them in `truncated_fields`; `transcript_full.jsonl` beside it contains
  them completely.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from vademecum.domain.session import Outcome
from vademecum.plugin_api.transcripts import (
    PENDING_MAX,
    Format,
    Reading,
    Record,
    Said,
    between,
    call,
    json_value,
    mapping,
    mappings,
    outcome_of_exit,
    parse_time,
    prompt,
    result,
    short,
    text_of,
    without_blocks,
    word,
)
from vademecum.plugins.antigravity.folders import antigravity_folder

CONTEXT_TAGS = (
    "ADDITIONAL_METADATA",
    "USER_SETTINGS_CHANGE",
    "EPHEMERAL_MESSAGE",
    "hook_context",
    "user_information",
    "user_rules",
)
#: Types of steps in which the agent speaks.
_SPEECH = frozenset({"PLANNER_RESPONSE", "GENERATE_RESPONSE", "NOTIFY_USER"})
#: A running step is written again when it is done.
_UNFINISHED = frozenset({"RUNNING", "PENDING", "GENERATING"})
_EXIT = re.compile(r"\A(?:(?:Created|Completed) At:[^\n]*\n)*\s*The command (?:exited with|failed with exit) code:? (\d+)")
_SPAWNED = re.compile(r'conversationId\\*"\s*:\s*\\*"([^"\\]+)')
_NUMBER = re.compile(rb'"step_index"\s*:\s*(\d+)')
#: Arguments that name a file.
_FILES = ("TargetFile", "AbsolutePath", "File", "SearchPath", "DirectoryPath")
#: Logs of a conversation; any of them may name sub-agents.
_LOGS = "*/.system_generated/logs/transcript*.jsonl"


class _Antigravity(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        if word(value.get("status")) in _UNFINISHED:
            return
        number, time = value.get("step_index"), parse_time(value.get("created_at"))
        turns = self._said(_whole(value, self.path), f"{number}")
        self.add(record, turns, ref=f"step-{number}" if number is not None else "", time=time)

    def folder_beside(self) -> str:
        return antigravity_folder(self.path)

    def _said(self, step: Mapping[str, Any], number: str) -> Iterator[Said]:
        source, kind, text = word(step.get("source")), word(step.get("type")), text_of(step.get("content"))
        if source == "MODEL" and kind in _SPEECH:
            yield Said("agent", text)
            self.carry.own["waiting"] = []
            for place, fields in enumerate(mappings(step.get("tool_calls"))):
                yield self._called(fields, f"step-{number}.{place}")
        elif source == "MODEL" and kind != "USER_INPUT":
            yield self._answer(kind, text, word(step.get("status")))
        elif source == "USER_EXPLICIT" and kind == "USER_INPUT":
            yield prompt(_typed(text), text, pictures=False)
        elif source in ("SYSTEM", "USER_IMPLICIT", "MODEL"):
            yield Said("injected" if kind in ("USER_INPUT", "EPHEMERAL_MESSAGE") else "note", short(text))
        else:
            self.strange(f"{source or 'no source'}/{kind}")
            yield Said("note", short(text))

    def _called(self, given: Mapping[str, Any], call_id: str) -> Said:
        arguments = {name: _plain(value) for name, value in mapping(given.get("args")).items()}
        file = next((arguments[name] for name in _FILES if isinstance(arguments.get(name), str)), None)
        named = {"command": arguments.get("CommandLine"), "path": file}
        turn = call(given.get("name"), {**arguments, **{name: value for name, value in named.items() if value}}, call_id)
        waiting = self.carry.own.setdefault("waiting", [])
        waiting.append([call_id, turn.tools[0]])
        del waiting[:-PENDING_MAX]
        return turn

    def _answer(self, kind: str, text: str, status: str) -> Said:
        waiting = self.carry.own.setdefault("waiting", [])
        call_id, tool = waiting.pop(0) if waiting else ("", kind.lower())
        return result(text, tool, call_id, _outcome(text, status))


def _whole(step: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """Return a step with its complete texts, from the other log of the conversation if it has them."""
    if not step.get("truncated_fields"):
        return step
    log = Path(path).with_name("transcript_full.jsonl")
    try:
        stat = log.stat()
        place = _places_of(str(log), stat.st_size, stat.st_mtime_ns).get(f"{step.get('step_index')}")
        with log.open("rb") as file:
            file.seek(place or 0)
            whole = mapping(json_value(file.readline())) if place is not None else {}
    except OSError:
        return step
    return whole if (whole.get("source"), whole.get("type")) == (step.get("source"), step.get("type")) else step


@lru_cache(maxsize=16)
def _places_of(log: str, _size: int, _written_ns: int) -> Mapping[str, int]:
    """Return step number -> offset of its line in a log; cached until size or time of the file change.

    Raises:
        OSError: it cannot be read.
    """
    places: dict[str, int] = {}
    with Path(log).open("rb") as file:
        place = 0
        for line in file:
            if number := _NUMBER.search(line):
                places[number[1].decode()] = place
            place += len(line)
    return places


def _typed(text: str) -> str:
    """Return the text that the person typed in a step."""
    if text.startswith("<USER_REQUEST>") and "</USER_REQUEST>" not in text:
        text += "</USER_REQUEST>"  # cut off
    requests = between(text, "<USER_REQUEST>", "</USER_REQUEST>")
    if requests:
        return "\n\n".join(text[begin:end].strip() for begin, end in requests).strip()
    return without_blocks(text, CONTEXT_TAGS).strip()


def _plain(value: object) -> object:
    """Return an argument decoded: some versions write texts as JSON."""
    meant = json_value(value) if isinstance(value, str) and value.startswith('"') else None
    return value if meant is None else meant


def _outcome(text: str, status: str) -> Outcome:
    if status == "ERROR":
        return "failed"
    code = _EXIT.match(text)
    if code is not None:
        return outcome_of_exit(int(code[1]))
    return "succeeded" if status == "DONE" else ""


class Antigravity(Format):
    """Transcripts of Antigravity."""

    name = "antigravity"
    reading = _Antigravity
    beginning = re.compile(rb'\s*\{\s*"step_index"\s*:\s*\d+\s*,\s*"source"\s*:\s*"')

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return "step_index" in value and isinstance(value.get("source"), str) and isinstance(value.get("type"), str)

    def begin(self, reading: Reading) -> None:
        """Set the conversation's id and whether it is a sub-agent's: both follow from the path, not from the file."""
        reading.head(id=_conversation(reading.path))
        reading.led_by(agent=not reading.is_led and _is_spawned(reading.path))


def _conversation(path: str) -> str:
    """Return the conversation id of a transcript; "" if it is not where Antigravity writes it."""
    folders = Path(path).parts
    return folders[-4] if folders[-3:-1] == (".system_generated", "logs") and len(folders) > len(folders[-4:]) else ""


def _is_spawned(path: str) -> bool:
    """Return whether another conversation started this one as a sub-agent."""
    name = _conversation(path)
    if not name:
        return False
    brain = Path(path).parents[3]
    try:
        logs = [(str(log), log.stat()) for log in brain.glob(_LOGS) if log.parents[2].name != name]
    except OSError:
        return False
    return any(name in _spawned_by(log, stat.st_size, stat.st_mtime_ns) for log, stat in logs)


@lru_cache(maxsize=4096)
def _spawned_by(log: str, _size: int, _written_ns: int) -> frozenset[str]:
    """Return the conversations that a transcript started; cached until size or time of the file change."""
    names: set[str] = set()
    try:
        with Path(log).open("rb") as file:
            for line in file:
                if b"INVOKE_SUBAGENT" in line and (step := mapping(json_value(line))).get("type") == "INVOKE_SUBAGENT":
                    names.update(_SPAWNED.findall(text_of(step.get("content"))))
    except OSError:
        return frozenset()
    return frozenset(names)


FORMATS = (Antigravity(),)
