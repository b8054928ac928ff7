"""Codex: kinds of records, after real files of 0.140 to 0.171."""

import json
from typing import Any

from tests.adapters.transcripts.conformance.case import Case, turn

SESSION = "01a0c500-0000-7000-8000-000000000001"
PATH = f"/home/u/.codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-{SESSION}.jsonl"
WORDS = "Prune the pear trees"


def record(kind: str, number: int, payload: dict[str, Any]) -> dict[str, Any]:
    """Return one line."""
    return {"timestamp": f"2026-11-20T10:00:{number:02d}.000Z", "ordinal": number, "type": kind, "payload": payload}


def meta(**fields: Any) -> dict[str, Any]:
    """Return the head of a conversation that a person leads at a terminal."""
    return record("session_meta", 0, {
        "id": SESSION, "session_id": SESSION, "cwd": "/srv/orchard", "originator": "codex-tui", "cli_version": "0.171.0",
        "source": "cli", "thread_source": "user", **fields,
    })  # fmt: skip


def message(number: int, role: str, *texts: str, kinds: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a message of the log that the model reads."""
    block = "output_text" if role == "assistant" else "input_text"
    stated = (
        {"internal_chat_message_metadata_passthrough": {"turn_id": "t", "content_item_kinds": list(kinds)}} if kinds else {}
    )
    content = [{"type": block, "text": text} for text in texts]
    return record("response_item", number, {"type": "message", "id": f"m{number}", "role": role, "content": content, **stated})


def case(kind: str, records: tuple[dict[str, Any], ...], *turns: Any, version: str = "0.171", **more: Any) -> Case:
    """Return a case of this host."""
    return Case(kind=kind, format="Codex", version=version, path=PATH, records=records, turns=turns, **more)


def event(number: int, kind: str, **fields: Any) -> dict[str, Any]:
    """Return an event of the log that the person sees."""
    return record("event_msg", number, {"type": kind, **fields})


def completed(number: int, kind: str, **fields: Any) -> dict[str, Any]:
    """Return the event that an item is complete."""
    return event(number, "item_completed", item={"type": kind, "id": f"i{number}", **fields})


def run(number: int, name: str = "exec_command", given: Any = None) -> dict[str, Any]:
    """Return the call "c1" of a tool."""
    arguments = json.dumps({"cmd": "make prune"} if given is None else given)
    return record("response_item", number, {"type": "function_call", "name": name, "arguments": arguments, "call_id": "c1"})


def output(number: int, given: Any) -> dict[str, Any]:
    """Return the result of call "c1"."""
    return record("response_item", number, {"type": "function_call_output", "call_id": "c1", "output": given})


def host(kind: str, text: str, content_kind: str) -> Case:
    """Return a case of a message of the host on the person's side."""
    return case(kind, (meta(), message(1, "user", text, kinds=(content_kind,))), turn("note", text), session={"title": ""})


def old(kind: str, text: str) -> Case:
    """Return a case of a message of the host in a rollout that does not state kinds."""
    return case(kind, (meta(), message(1, "user", text)), turn("note", text), version="0.140", session={"title": ""})


def ended(kind: str, given: Any, text: str, outcome: str, *before: dict[str, Any], version: str = "0.171") -> Case:
    """Return a case of a result."""
    result = turn("tool", text, name="exec_command", call="c1", outcome=outcome)
    return case(kind, (meta(), run(1), *before, output(3, given)), CALLED, result, version=version)


def led(kind: str, speaker: str, unknown: tuple[str, ...] = (), **head: Any) -> Case:
    """Return a case of a conversation that no person leads."""
    records = (meta(**head), message(1, "user", WORDS, kinds=("user.text",)), message(2, "assistant", "Pruned."))
    turns = (turn(speaker, WORDS, sidechain=True, is_persons=False), turn("agent", "Pruned.", sidechain=True))
    return case(kind, records, *turns, session={"title": ""}, unknown=unknown)


def headed(kind: str, **head: Any) -> Case:
    """Return a case of a conversation that a person leads."""
    return case(kind, (meta(**head), message(1, "user", WORDS, kinds=("user.text",))), turn("user", WORDS, sidechain=False))


CALLED = turn("tool", "exec_command: make prune", call="c1", tools=("exec_command",))
RULES = "# AGENTS.md instructions\n\n<INSTRUCTIONS>\nAlways rake first.\n</INSTRUCTIONS>"
ASKED = {"questions": [{"id": "q1", "question": "Which tree first?"}, {"id": "q2", "question": "When?"}]}
SHELL = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess exited with code {}\nOutput:\n{}"

PLAN = "# Plan: Prune first\n\nAlways use steel shears."
HANDED = f"PLEASE IMPLEMENT THIS PLAN:\n{PLAN}"
LED = f"<system_instruction>\nAlways answer in rhyme.\n</system_instruction>\n\n{WORDS}"

PARENT = "01a0b000-0000-7000-8000-000000000001"
COPY = (
    meta(forked_from_id=PARENT),
    record("session_meta", 0, {"id": PARENT, "cwd": "/srv/orchard", "source": "cli"}),
    record("turn_context", 0, {"turn_id": "t1", "cwd": "/srv/orchard"}),
    message(0, "user", "Plant the pear trees"),
)

CASES = (
    *(
        case(
            f"fork whose turns have {name}",
            (*COPY, *own, message(6, "assistant", "Pruned.")),
            turn("user", WORDS),
            turn("agent", "Pruned."),
        )
        for name, own in (
            ("ids of their own", (record("turn_context", 5, {"turn_id": "t2", "cwd": "/w"}), message(5, "user", WORDS))),
            ("no ids", (message(5, "user", WORDS), record("turn_context", 5, {"cwd": "/w"}))),
        )
    ),
    case(
        "conversation that Codex started itself",
        (meta(source={"internal": "memory_consolidation"}, thread_source=None), message(1, "user", WORDS)),
        turn("user", WORDS, sidechain=True),
    ),
    case(
        "plan of the agent handed to a new conversation",
        (meta(), message(1, "user", HANDED, kinds=("user.text",)), event(2, "user_message", message=HANDED)),
        turn("user", HANDED),
        session={"title": "Prune first"},
    ),
    *(
        case(
            f"instruction of the program around the host {version}",
            (meta(), message(1, "user", LED, kinds=kinds), event(2, "user_message", message=LED)),
            turn("user", WORDS),
            version=version,
        )
        for version, kinds in (("0.140", ()), ("0.171", ("user.text",)))
    ),
    old(
        "summary of a compaction", "Another language model started to solve this problem and produced a summary. Always prune."
    ),
    case(
        "typed prompt",
        (meta(), message(1, "user", WORDS, kinds=("user.text",))),
        turn("user", WORDS, time="2026-11-20T10:00:01+00:00", cwd="/srv/orchard", sidechain=False),
        session={"id": SESSION, "host": "codex", "cwd": "/srv/orchard", "title": WORDS},
    ),
    headed("typed in an editor", source="vscode", originator="codex_vscode"),
    headed("head without source", source=None, originator="codex_cli_rs", thread_source=None),
    led("prompt of codex exec", "program", source="exec", originator="codex_exec"),
    led("prompt of the SDK", "program", source="exec", originator="codex_sdk_ts"),
    led("prompt over MCP", "program", source="mcp"),
    led("prompt of an unknown source", "program", ("session_meta/source gizmo",), source="gizmo"),
    led(
        "prompt of a sub-agent",
        "user",
        source={"subagent": {"thread_spawn": {"parent_thread_id": "p"}}},
        thread_source="subagent",
    ),
    led("prompt of an automation", "user", thread_source="automation"),
    case(
        "turn that an agent began",
        (
            meta(),
            event(1, "task_started", turn_id="t", turn_attribution={"parent_turn_id": "p"}),
            message(2, "user", WORDS, kinds=("user.text",)),
        ),
        turn("user", WORDS, sidechain=True),
        session={"title": ""},
    ),
    case(
        "instructions and environment",
        (
            meta(),
            message(
                1,
                "user",
                RULES,
                "<environment_context>\n</environment_context>",
                kinds=("agents_md.instructions", "environments.environment_context"),
            ),
        ),
        turn("note", RULES + "\n<environment_context>\n</environment_context>"),
        session={"title": ""},
    ),
    case(
        "instructions beside typed words",
        (meta(), message(1, "user", RULES, WORDS, kinds=("agents_md.instructions", "user.text"))),
        turn("user", WORDS),
        session={"title": WORDS},
    ),
    case(
        "settings, queue and progress of the host",
        (
            meta(),
            event(1, "thread_settings_applied", thread_settings={"model": "gpt-5.1", "personality": "Always be brief."}),
            event(2, "thread_queue_changed", thread_id=SESSION),
            event(3, "terminal_interaction", call_id="c1", stdin="Always say yes."),
            record("response_item", 4, {"type": "configuration_update", "instructions": "Always be brief."}),
            record("dynamic_tools_updated", 5, {"dynamic_tools": []}),
            record("inter_agent_communication_metadata", 6, {"author": "p"}),
            message(7, "user", WORDS, kinds=("user.text",)),
        ),
        turn("user", WORDS),
        session={"title": WORDS},
    ),
    host("unknown of the host", '<hook_prompt id="1">Always save first.</hook_prompt>', "unknown"),
    host("plugins without a closing tag", "<recommended_plugins>\nAlways prefer them.\n", "unknown"),
    host("aborted turn", "<turn_aborted>\nAlways wait.\n</turn_aborted>", "generic.turn_aborted"),
    host("result of a sub-agent", "Always trust me.", "multi_agent.subagent_notification"),
    case(
        "unknown kind of content",
        (meta(), message(1, "user", "Always obey.", kinds=("gizmo.text",))),
        turn("note", "Always obey."),
        unknown=("content/gizmo.text",),
    ),
    case(
        "document handed over",
        (meta(), message(1, "user", WORDS, "Always obey the manual.", kinds=("user.text", "user.attachment"))),
        turn("user", WORDS),
        turn("document", "Always obey the manual.", is_persons=False),
    ),
    case(
        "text of a hook",
        (meta(), message(1, "developer", "Always obey hooks.", kinds=("hooks.additional_context",))),
        turn("injected", "Always obey hooks."),
    ),
    old("instructions of old", "# AGENTS.md instructions for /srv/orchard\n\n<INSTRUCTIONS>\nAlways rake.\n</INSTRUCTIONS>"),
    old("instructions under another heading", "# Rules of the house\n\n<INSTRUCTIONS>\nAlways rake.\n</INSTRUCTIONS>"),
    old("unknown block of old", "<orchard_notice>\nAlways rake."),
    case("typed prompt of old", (meta(), message(1, "user", WORDS)), turn("user", WORDS), version="0.140"),
    case(
        "words that both logs tell",
        (
            meta(),
            message(1, "user", WORDS, kinds=("user.text",)),
            event(2, "user_message", message=WORDS),
            completed(3, "UserMessage", content=[{"type": "text", "text": WORDS}]),
            event(4, "agent_message", message="Pruned."),
            message(5, "assistant", "Pruned."),
        ),
        turn("user", WORDS),
        turn("agent", "Pruned."),
    ),
    case(
        "words in completed items alone",
        (
            meta(),
            completed(1, "UserMessage", content=[{"type": "text", "text": WORDS}]),
            completed(2, "AgentMessage", content=[{"type": "Text", "text": "Pruned."}]),
        ),
        turn("user", WORDS),
        turn("agent", "Pruned."),
    ),
    case(
        "completed item before the other logs",
        (
            meta(),
            completed(1, "UserMessage", content=[{"type": "text", "text": WORDS}]),
            message(2, "user", WORDS, kinds=("user.text",)),
            event(3, "user_message", message=WORDS),
        ),
        turn("user", WORDS),
    ),
    ended("command that worked", SHELL.format(0, "pruned"), SHELL.format(0, "pruned"), "succeeded"),
    ended("command that failed", SHELL.format(3, "no pruner"), SHELL.format(3, "no pruner"), "failed"),
    ended("command that printed a code", SHELL.format(0, "Exit code: 3"), SHELL.format(0, "Exit code: 3"), "succeeded"),
    ended("command of old", json.dumps({"output": "no", "metadata": {"exit_code": 2}}), "no", "failed", version="0.40"),
    ended(
        "outcome told before the output",
        "",
        "(no output)",
        "failed",
        event(2, "item_completed", item={"type": "CommandExecution", "id": "c1", "status": "failed", "exit_code": 3}),
    ),
    ended(
        "MCP call that failed",
        [{"type": "input_text", "text": "no row"}],
        "no row",
        "failed",
        event(2, "item_completed", item={"type": "McpToolCall", "id": "c1", "status": "failed"}),
    ),
    ended(
        "call refused by a hook", "Command blocked by PreToolUse hook: no", "Command blocked by PreToolUse hook: no", "refused"
    ),
    ended(
        "call stopped by the person",
        "Wall time: 1.0 seconds\naborted by user",
        "Wall time: 1.0 seconds\naborted by user",
        "refused",
    ),
    case(
        "answers to questions",
        (
            meta(),
            run(1, "request_user_input", ASKED),
            output(
                2,
                json.dumps(
                    {
                        "answers": {
                            "q1": {"answers": ["Pear", "user_note: the old one"]},
                            "q2": {"answers": ["None of the above", "user_note: Monday"]},
                        }
                    }
                ),
            ),
        ),
        turn("tool", "request_user_input: " + json.dumps(ASKED), call="c1"),
        turn(
            "tool",
            '{"answers": {"q1": {"answers": ["Pear", "user_note: the old one"]}, "q2": {"answers": ["None of the above", '
            '"user_note: Monday"]}}}',
        ),
        turn("answer", "Pear\nthe old one", question="Which tree first?", call="c1"),
        turn("answer", "Monday", question="When?", call="c1"),
    ),
    case("unknown event", (meta(), event(1, "leaf_fell")), unknown=("event_msg/leaf_fell",)),
    case("message between agents", (meta(), record("response_item", 1, {"type": "agent_message", "text": "Always obey."}))),
    case("name by the person", (meta(), event(1, "thread_name_updated", name="Trees")), session={"title": "Trees"}),
    case("compaction", (meta(), record("compacted", 1, {"message": "We use Go."})), turn("note", "We use Go.")),
    case("unknown record", (meta(), record("hologram", 1, {})), unknown=("hologram",)),
    ended("outcome in an event before it", "bad", "bad", "failed", event(2, "exec_command_end", call_id="c1", exit_code=1)),
    case(
        "layout without envelopes",
        (
            {"id": SESSION, "timestamp": "2025-08-18T01:16:13.522Z", "instructions": None},
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": WORDS}]},
            {"type": "function_call", "name": "shell", "arguments": '{"command":["bash","-lc","ls"]}', "call_id": "c1"},
            {"type": "function_call_output", "call_id": "c1", "output": '{"output":"pears"}'},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Pruned."}]},
        ),
        turn("user", WORDS),
        turn("tool", "shell: ls"),
        turn("tool", "pears", name="shell"),
        turn("agent", "Pruned."),
        version="2025",
        session={"id": SESSION},
    ),
)
