"""Synthetic transcripts in the formats of hosts: mostly tool results, little speech, and few `user` lines of a person.

The proportions follow real transcripts: nine prompts and some fifty agent turns per megabyte; tool results twice in Claude
Code's lines (as seen by model and host); incompressible signatures and identifiers; files that are read, changed and read
again. Deterministic for a seed; nothing in it was ever said by anybody.
"""

import base64
import json
import random
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct

from vademecum_bench.generate import Generator

Line = dict[str, Any]

#: Host -> share of the sessions.
HOSTS = {"claude-code": 0.55, "codex": 0.25, "gemini": 0.1, "opencode": 0.1}
#: Source files of a project, and range of lines of each.
FILES, FILE_LINES = 40, (80, 600)
#: Number of names in the code of a project.
NAMES = 500
#: Range of agent steps in one exchange (a prompt and what follows). Exchanges are added until a session has its size.
STEPS = (3, 16)
_BEGIN = datetime(2026, 1, 5, 8, tzinfo=UTC)
_SHAPES = (
    "    {a} = self.{b}({c}, {d})", "    if {a}.{b} is None:", "        return {a}[{c}]", "    for {a} in {b}({c}):", "",
    "def {a}_{b}({c}: str, {d}: int = {n}) -> list[{b}]:", '    """{w} {x} {y} {z}."""', "    assert {a}({b}) == {n}",
    "const {a} = await {b}.{c}({{ {d}: {n} }});", "  expect({a}.{b}).toBe('{c}-{n}');", "import {{ {a} }} from '../{b}/{c}';",
    "    # {w} {x} {y}", "        {a}.{c}(f'{w} {x}: {{{a}}}')", "  {a}: {n},", "    with {a}.{b}(\"{c}.{d}\") as {d}:",
)  # fmt: skip
_RAISES = "        raise {b}Error(f'{w} {x}: {{{a}}}')"
#: Share of code lines with error messages, which are searched verbatim.
RAISES = 0.008


class Talk(Struct, frozen=True):
    """One synthetic transcript.

    Attributes:
        session: its URI once captured.
        prompts: of the person, in order.
    """

    path: Path
    session: str
    prompts: tuple[str, ...]


@dataclass(slots=True)
class _Project:
    """A folder with files that the agent reads and changes."""

    name: str
    names: list[str]
    files: dict[str, list[str]] = field(default_factory=dict)


class Talker:
    """Writes transcripts. All share one clock, so later sessions have later times.

    Args:
        begins: time of the first session. places: folders of projects; without them twelve are made up.
    """

    def __init__(self, seed: int = 4, begins: datetime = _BEGIN, places: Sequence[str] = ()) -> None:
        self._words = Generator(seed)
        self._chance = random.Random(seed)
        self._now = begins
        self._projects = [self._project(place) for place in places or map(self._place, range(12))]
        self._said = 0

    def write(self, folder: Path, megabytes: float, files: int) -> Iterator[Talk]:
        """Write `files` transcripts of about `megabytes` in total, many small and a few large; yield each."""
        sizes = [self._chance.lognormvariate(0, 1.2) for _ in range(files)]
        scale = megabytes * 1e6 / sum(sizes)
        for size in sizes:
            host = self._chance.choices(list(HOSTS), weights=list(HOSTS.values()))[0]
            yield self.session(folder, host, int(size * scale))

    def session(self, folder: Path, host: str, size: int) -> Talk:
        """Write one transcript of at least `size` bytes."""
        identity = str(uuid.UUID(int=self._chance.getrandbits(128), version=4))
        suffix = "json" if host == "opencode" else "jsonl"
        path = folder / host / f"{identity}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        project = self._chance.choice(self._projects)
        writer = _WRITERS[host](self._chance, identity, project.name)
        prompts: list[str] = []
        held = 0
        with path.open("w", encoding="utf-8") as file:
            held += file.write(writer.head(self._now))
            while held < size or not prompts:
                prompt, lines = self._exchange(project, writer, max(size - held, 2000))
                prompts.append(prompt)
                held += file.write(lines)
            file.write(writer.tail())
        return Talk(path, f"session://{host}/{identity}", tuple(prompts))

    def grow(self, talk: Talk, exchanges: int) -> tuple[str, ...]:
        """Append to a transcript of Claude Code; return the new prompts."""
        identity = talk.session.rpartition("/")[2]
        project = self._projects[0]
        writer = _ClaudeCode(self._chance, identity, project.name)
        prompts = []
        with talk.path.open("a", encoding="utf-8") as file:
            for _ in range(exchanges):
                prompt, lines = self._exchange(project, writer, 20_000)
                prompts.append(prompt)
                file.write(lines)
        return tuple(prompts)

    def _place(self, number: int) -> str:
        return f"/home/user/work/{'-'.join(self._words.words(2))}{number}"

    def _project(self, place: str) -> _Project:
        project = _Project(place, self._words.words(NAMES))
        for _ in range(FILES):
            name = "/".join(self._chance.choices(self._words.words(8), k=3))
            lines = self._chance.randint(*FILE_LINES)
            project.files[f"{project.name}/{name}.{self._chance.choice(('py', 'ts', 'go', 'md'))}"] = [
                self._code(project) for _ in range(lines)
            ]
        return project

    def _code(self, project: _Project) -> str:
        a, b, c, d, w, x, y, z = self._chance.choices(project.names, k=8)
        shape = _RAISES if self._chance.random() < RAISES else self._chance.choice(_SHAPES)
        return shape.format(a=a, b=b, c=c, d=d, w=w, x=x, y=y, z=z, n=self._chance.randint(0, 999))

    def _exchange(self, project: _Project, writer: "_Writer", room: int) -> tuple[str, str]:
        """Return a prompt of the person, and the transcript lines of the exchange."""
        self._said += 1
        prompt = f"{self._words.text(self._chance.choice((6, 12, 25, 60, 200)))} (prompt {self._said})"
        lines = [writer.prompt(self._tick(), prompt)]
        held = len(lines[0])
        for _ in range(self._chance.randint(*STEPS)):
            if held > room * 1.2:
                break
            if self._chance.random() < 0.5:
                lines.append(writer.says(self._tick(), self._words.text(self._chance.randint(8, 60))))
            tool, given, answer = self._step(project)
            lines.append(writer.uses(self._tick(), tool, given, answer))
            held += len(lines[-1])
        lines.append(writer.says(self._tick(), self._words.text(self._chance.randint(30, 130))))
        return prompt, "".join(lines)

    def _tick(self) -> datetime:
        self._now += timedelta(seconds=self._chance.randint(1, 40))
        return self._now

    def _step(self, project: _Project) -> tuple[str, Line, str]:
        """Return (tool, its input, its output)."""
        path = self._chance.choice(list(project.files))
        lines = project.files[path]
        sort = self._chance.random()
        if sort < 0.4:
            first = self._chance.randrange(max(1, len(lines) - 40))
            part = lines[first : first + self._chance.randint(80, 500)]
            return "Read", {"file_path": path}, "\n".join(f"{first + at:6}\t{line}" for at, line in enumerate(part, 1))
        if sort < 0.6:
            at = self._chance.randrange(len(lines))
            before, lines[at] = lines[at], self._code(project)
            around = "\n".join(f"{at + shift:6}\t{line}" for shift, line in enumerate(lines[at : at + 8]))
            given = {"file_path": path, "old_string": before, "new_string": lines[at]}
            return "Edit", given, f"The file {path} has been updated.\n{around}"
        if sort < 0.75:
            word = self._words.words(1)[0]
            hits = [
                f"{path}:{self._chance.randint(1, 400)}:{self._chance.choice(lines)}"
                for _ in range(self._chance.randint(0, 120))
            ]
            return "Grep", {"pattern": word, "path": project.name}, "\n".join(hits) or "No matches found"
        return "Bash", {"command": f"make test {path.rpartition('/')[2]}"}, self._run(project, path)

    def _run(self, project: _Project, path: str) -> str:
        """Return the output of a test run."""
        names = self._chance.choices(project.names, k=self._chance.randint(5, 200))
        lines = [f"tests/{name}.py::test_{name} PASSED   [{at * 100 // len(names):3}%]" for at, name in enumerate(names)]
        if self._chance.random() < 0.4:
            lines.append(f"E   AssertionError: {self._words.text(9)}\n{path}:{self._chance.randint(1, 400)}: AssertionError")
        return "\n".join([*lines, f"{len(names)} passed in {self._chance.random() * 9:.2f}s"])


class _Writer:
    """Writes events in the format of a host. Each call returns complete lines."""

    def __init__(self, chance: random.Random, identity: str, folder: str) -> None:
        self.chance = chance
        self.identity = identity
        self.folder = folder

    def head(self, when: datetime) -> str:
        return ""

    def tail(self) -> str:
        return ""

    def prompt(self, when: datetime, text: str) -> str:
        raise NotImplementedError

    def says(self, when: datetime, text: str) -> str:
        raise NotImplementedError

    def uses(self, when: datetime, tool: str, given: Line, answer: str) -> str:
        raise NotImplementedError

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))

    def noise(self, size: int) -> str:
        """Return incompressible text, like a signature."""
        return base64.b64encode(self.chance.randbytes(size)).decode()


class _ClaudeCode(_Writer):
    _last: str | None = None

    def _line(self, when: datetime, sort: str, **more: Any) -> str:
        known = {"parentUuid": self._last, "isSidechain": False, "type": sort, "uuid": self.uuid(), "timestamp": _iso(when)}
        about = {"userType": "external", "entrypoint": "cli", "cwd": self.folder, "sessionId": self.identity}
        self._last = str(known["uuid"])
        return _dump({**known, **about, "version": "2.1.179", "gitBranch": "main", **more})

    def head(self, when: datetime) -> str:
        opening = [{"type": "mode", "mode": "normal", "sessionId": self.identity}]
        caveat = self._line(when, "user", isMeta=True, message={"role": "user", "content": "<local-command-caveat>..."})
        return "".join(map(_dump, opening)) + caveat

    def prompt(self, when: datetime, text: str) -> str:
        shot = {"messageId": self.uuid(), "trackedFileBackups": {}, "timestamp": _iso(when)}
        snapshot = _dump({"type": "file-history-snapshot", "messageId": shot["messageId"], "snapshot": shot})
        return snapshot + self._line(when, "user", message={"role": "user", "content": text}, promptSource="typed")

    def _message(self, when: datetime, content: Line) -> str:
        usage = {
            "input_tokens": self.chance.randint(1, 9999), "cache_creation_input_tokens": self.chance.randint(1, 9999),
            "cache_read_input_tokens": self.chance.randint(1, 99999), "output_tokens": self.chance.randint(1, 999),
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0}, "service_tier": "standard",
        }  # fmt: skip
        message = {"model": "claude-opus", "id": f"msg_{self.noise(15)}", "type": "message", "role": "assistant"}
        return self._line(
            when, "assistant", message={**message, "content": [content], "stop_reason": None, "usage": usage},
            requestId=f"req_{self.noise(15)}",
        )  # fmt: skip

    def says(self, when: datetime, text: str) -> str:
        thought = self._message(
            when, {"type": "thinking", "thinking": "", "signature": self.noise(self.chance.randint(200, 900))}
        )
        return thought + self._message(when, {"type": "text", "text": text})

    def uses(self, when: datetime, tool: str, given: Line, answer: str) -> str:
        call = f"toolu_{self.noise(15)}"
        asked = self._message(when, {"type": "tool_use", "id": call, "name": tool, "input": given})
        ticks = [
            self._line(when, "progress", data={"type": "hook_progress", "hookEvent": "PostToolUse", "command": "check"}, toolUseID=call)
            for _ in range(self.chance.choice((0, 0, 1, 2)))
        ]  # fmt: skip
        content = [{"tool_use_id": call, "type": "tool_result", "content": answer}]
        seen = {
            "type": "text",
            "file": {"filePath": given.get("file_path", ""), "content": answer, "numLines": answer.count("\n")},
        }
        result = self._line(when, "user", message={"role": "user", "content": content}, toolUseResult=seen)
        return "".join([asked, *ticks, result])


class _Codex(_Writer):
    def _event(self, when: datetime, sort: str, **payload: Any) -> str:
        return _dump({"timestamp": _iso(when), "type": sort, "payload": payload})

    def head(self, when: datetime) -> str:
        about = {"id": self.identity, "timestamp": _iso(when), "cwd": self.folder, "originator": "codex_cli_rs"}
        return self._event(
            when, "session_meta", **about, cli_version="0.163.0", base_instructions={"text": "Work carefully. " * 900}
        )

    def prompt(self, when: datetime, text: str) -> str:
        content = [{"type": "input_text", "text": text}]
        return self._event(when, "response_item", type="message", role="user", content=content) + self._event(
            when, "event_msg", type="user_message", message=text, images=[]
        )

    def says(self, when: datetime, text: str) -> str:
        content = [{"type": "output_text", "text": text}]
        thought = self._event(when, "response_item", type="reasoning", summary=[], encrypted_content=self.noise(400))
        event = self._event(when, "event_msg", type="agent_message", message=text)
        return thought + event + self._event(when, "response_item", type="message", role="assistant", content=content)

    def uses(self, when: datetime, tool: str, given: Line, answer: str) -> str:
        call = f"call_{self.noise(18)}"
        command = given.get("command") or f"cat {given.get('file_path', given.get('path'))}"
        asked = json.dumps({"command": ["bash", "-lc", command]})
        counted = {"input_tokens": self.chance.randint(1, 99999), "output_tokens": self.chance.randint(1, 999)}
        answered = f"Chunk ID: {self.noise(3)}\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{answer}"
        return (
            self._event(when, "response_item", type="function_call", name="shell", arguments=asked, call_id=call)
            + self._event(when, "response_item", type="function_call_output", call_id=call, output=answered)
            + self._event(
                when, "event_msg", type="token_count", info={"total_token_usage": counted, "last_token_usage": counted}
            )
        )


class _Gemini(_Writer):
    def head(self, when: datetime) -> str:
        about = {"sessionId": self.identity, "projectHash": self.noise(24), "startTime": _iso(when), "lastUpdated": _iso(when)}
        return _dump({**about, "kind": "main"})

    def prompt(self, when: datetime, text: str) -> str:
        return _dump({"id": self.uuid(), "timestamp": _iso(when), "type": "user", "content": [{"text": text}]})

    def says(self, when: datetime, text: str) -> str:
        return _dump({"id": self.uuid(), "timestamp": _iso(when), "type": "gemini", "content": text, "model": "gemini-3"})

    def uses(self, when: datetime, tool: str, given: Line, answer: str) -> str:
        response = [{"functionResponse": {"id": self.uuid(), "name": tool, "response": {"output": answer}}}]
        call = {
            "id": self.uuid(),
            "name": tool,
            "args": given,
            "result": response,
            "status": "success",
            "timestamp": _iso(when),
        }
        record = {"id": self.uuid(), "timestamp": _iso(when), "type": "gemini", "content": "", "toolCalls": [call]}
        return _dump(record)


class _OpenCode(_Writer):
    """One JSON document; messages are separated by commas."""

    _count = 0

    def head(self, when: datetime) -> str:
        info = {"id": self.identity, "directory": self.folder, "title": "Made session", "time": {"created": _millis(when)}}
        return f'{{"info": {json.dumps(info)}, "messages": ['

    def tail(self) -> str:
        return "]}"

    def _message(self, when: datetime, role: str, parts: Sequence[Line]) -> str:
        self._count += 1
        name = f"msg_{self.noise(12)}"
        info = {"id": name, "sessionID": self.identity, "role": role, "time": {"created": _millis(when)}}
        held = [{"id": f"prt_{self.noise(12)}", "sessionID": self.identity, "messageID": name, **part} for part in parts]
        return ("," if self._count > 1 else "") + json.dumps({"info": info, "parts": held})

    def prompt(self, when: datetime, text: str) -> str:
        return self._message(when, "user", [{"type": "text", "text": text}])

    def says(self, when: datetime, text: str) -> str:
        return self._message(when, "assistant", [{"type": "text", "text": text}])

    def uses(self, when: datetime, tool: str, given: Line, answer: str) -> str:
        state = {"status": "completed", "input": given, "output": answer, "title": tool, "metadata": {"preview": answer[:300]}}
        return self._message(
            when, "assistant", [{"type": "tool", "callID": self.noise(12), "tool": tool.lower(), "state": state}]
        )


_WRITERS: dict[str, type[_Writer]] = {"claude-code": _ClaudeCode, "codex": _Codex, "gemini": _Gemini, "opencode": _OpenCode}


def _dump(line: Line) -> str:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"


def _iso(when: datetime) -> str:
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _millis(when: datetime) -> int:
    return int(when.timestamp() * 1000)
