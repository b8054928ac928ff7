"""What the real programs tell a hook, event by event, kept as files that the hosts' conformance suite is fed with.

Each test drives a program through every event and compares what it sent with the kept files: the same fields of the same
types. `VADEMECUM_RECORD=1` writes them anew, without anything of the machine in them.
"""

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.real.model_api import ModelApi, Request, ToolCall
from tests.real.person import Claude, Codex, Gemini, Person, Program

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parent.parent

CLAUDE_EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "SubagentStart", "SubagentStop", "Stop",
    "PreCompact", "PostCompact", "SessionEnd",
)  # fmt: skip
CODEX_EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart", "SubagentStop", "Stop", "PreCompact",
    "PostCompact", "SessionEnd",
)  # fmt: skip
GEMINI_EVENTS = ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd")

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
AGENT = re.compile(r"\ba[0-9a-f]{16}\b")


def test_claude_payloads(claude: Claude, recording_hook, model_api: ModelApi):
    """Claude Code: a session with a tool and a sub-agent, then compacted, resumed and cleared."""
    claude.hook(recording_hook.command, *CLAUDE_EVENTS)
    notes = claude.person.work / "notes.txt"
    notes.write_text("The billing service uses PostgreSQL.\n", "utf-8")
    agent = ToolCall("Agent", {"description": "Read notes", "prompt": "Read the notes.", "subagent_type": "general-purpose"})

    def after_stop(_: Request) -> str:
        """The sub-agent is at work until the main agent has stopped, so that the main agent is told in a prompt of its own."""
        while not recording_hook.seen_of("Stop"):
            time.sleep(0.01)
        return "The notes name PostgreSQL."

    model_api.answer(after_stop, to="Read the notes.")
    model_api.answer(ToolCall("Read", {"file_path": str(notes)}), agent, "It is PostgreSQL.", to="Which database")

    session = claude.ask("Which database does the billing service use?").session
    claude.ask("/compact", resume=session)
    claude.ask("And which version?", resume=session)
    claude.ask("/clear", resume=session)

    compare(claude, recording_hook.seen, claude_name)


def claude_name(payload: dict[str, Any]) -> str:
    """What tells payloads of one event apart."""
    match payload["hook_event_name"]:
        case "SessionStart":
            return payload["source"]
        case "UserPromptSubmit" if payload["prompt"].startswith("<task-notification>"):
            return "task-notification"
        case "SubagentStop" if not payload["agent_type"]:
            return "of-compaction"
        case "SessionEnd" if payload["reason"] == "clear":
            return "clear"
        case "PreToolUse" | "PostToolUse":
            return payload["tool_name"]
    return ""


def test_codex_payloads(codex: Codex, recording_hook, model_api: ModelApi):
    """Codex: a session with a tool and a sub-agent, then resumed and compacted."""
    codex.hook(recording_hook.command, *CODEX_EVENTS, timeout_s=3)
    codex.options = ["-c", 'sandbox_mode="danger-full-access"']
    model_api.answer("The notes name PostgreSQL.", to="Read the notes.")
    look = ToolCall("exec_command", {"cmd": "echo PostgreSQL"})
    agent = ToolCall("spawn_agent", {"message": "Read the notes."}, "multi_agent_v1")
    model_api.answer(look, agent, wait_for_agent, "It is PostgreSQL.", to="Which database")

    session = codex.ask("Which database does the billing service use?").session
    codex.options += ["-c", "model_auto_compact_token_limit=3"]
    codex.ask("And which version?", resume=session)

    compare(codex, recording_hook.seen, codex_name)


def wait_for_agent(request: Request) -> ToolCall:
    """Waits for the sub-agent that the last call made."""
    agents = [json.loads(text)["agent_id"] for role, text in request.said if role == "tool" and text.startswith('{"agent_id"')]
    return ToolCall("wait_agent", {"targets": agents, "timeout_ms": 60_000}, "multi_agent_v1")


def codex_name(payload: dict[str, Any]) -> str:
    """What tells payloads of one event apart."""
    match payload["hook_event_name"]:
        case "SessionStart":
            return payload["source"]
        case "UserPromptSubmit" if payload.get("agent_id"):
            return "of-agent"
        case "PreToolUse" | "PostToolUse":
            return payload["tool_name"]
    return ""


def test_gemini_payloads(gemini: Gemini, recording_hook, model_api: ModelApi):
    """Gemini CLI: a session with a tool, then resumed."""
    recording_hook.tell("SessionStart", "The person prefers short answers.")
    gemini.hook(recording_hook.command, *GEMINI_EVENTS)
    (gemini.person.work / "notes.txt").write_text("The billing service uses PostgreSQL.\n", "utf-8")
    model_api.answer(ToolCall("read_file", {"file_path": "notes.txt"}), "It is PostgreSQL.", to="Which database")

    session = gemini.ask("Which database does the billing service use?").session
    recording_hook.answer("SessionStart")
    gemini.ask("And which version?", resume=session)

    compare(gemini, recording_hook.seen, gemini_name)


def gemini_name(payload: dict[str, Any]) -> str:
    """What tells payloads of one event apart. Context of a session's start is put in front of its first prompt."""
    match payload["hook_event_name"]:
        case "SessionStart":
            return payload["source"]
        case "BeforeAgent" | "AfterAgent" if payload["prompt"].startswith("<hook_context>"):
            return "with-context"
    return ""


def compare(program: Program, seen: list[dict[str, Any]], name) -> None:
    """The first payload of each name against the kept one; or, when recording, written over it."""
    of_plugin = TESTS / "plugins" / program.name / "recorded"
    folder = of_plugin if of_plugin.exists() else TESTS / "adapters" / "hosts" / "recorded" / program.name
    payloads: dict[str, dict[str, Any]] = {}
    for payload in seen:
        payloads.setdefault("-".join(filter(None, (payload["hook_event_name"], name(payload)))), payload)
    if os.environ.get("VADEMECUM_RECORD"):
        write(folder, payloads, program.person)
    kept = {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}
    assert {key: shape(payload) for key, payload in payloads.items()} == {key: shape(payload) for key, payload in kept.items()}


def shape(value: object) -> object:
    """The fields of a payload and the types of their values."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in value.items()}
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def write(folder: Path, payloads: dict[str, dict[str, Any]], person: Person) -> None:
    """Keep the payloads, with the same ids, paths and times on every machine."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.json"):
        path.unlink()
    ids: dict[str, str] = {}
    for key, payload in payloads.items():
        text = json.dumps(payload, indent=2, ensure_ascii=False)
        for pattern, put in (
            (re.escape(str(person.home)), "/home/user"),
            (re.escape(str(person.home).replace("/", "-")), "-home-user"),
            (r"\d{4}/\d\d/\d\d", "2026/01/01"),
            (r"\d{4}-\d\d-\d\dT\d\d([:-])\d\d", r"2026-01-01T09\g<1>00"),
            (r"(T09[:-]00[:-])\d\d(\.\d+(?=Z))?", r"\g<1>00"),
            (r"-[0-9a-f]{8}\.jsonl", "-00000000.jsonl"),  # Gemini CLI names a file by a part of the session's id
            (r'(nickname\\":\\")\w+', r"\g<1>Agent"),  # Codex gives each agent a name
        ):
            text = re.sub(pattern, put, text)
        text = UUID.sub(lambda found: ids.setdefault(found[0], f"00000000-0000-4000-8000-{len(ids) + 1:012}"), text)
        text = AGENT.sub(lambda found: ids.setdefault(found[0], f"a{len(ids) + 1:016}"), text)
        (folder / f"{key}.json").write_text(text + "\n", "utf-8")
