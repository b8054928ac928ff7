"""Gemini CLI: records of 0.61, and the document that it wrote before."""

import json
from typing import Any

from tests.adapters.transcripts.conformance.case import Case, turn

ID = "0f000000-0000-4000-8000-0000000000e1"
PATH = "/home/u/.gemini/tmp/orchard/chats/session-2026-11-20T10-00-0f000000.jsonl"
HEAD = {"sessionId": ID, "projectHash": "ab12", "startTime": "2026-11-20T10:00:00.000Z", "kind": "main"}


def message(number: int, kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    """Return one record."""
    return {"id": f"m{number}", "timestamp": f"2026-11-20T10:00:{number:02d}.000Z", "type": kind, "content": content, **fields}


def asked(name: str, args: dict[str, Any], response: dict[str, Any], status: str = "success") -> dict[str, Any]:
    """Return a call with its answer."""
    answer = {"functionResponse": {"id": "c1", "name": name, "response": response}}
    return {"id": "c1", "name": name, "args": args, "status": status, "result": [answer]}


def case(kind: str, records: tuple[dict[str, Any], ...], *turns: Any, head: Any = HEAD, path: str = PATH, **more: Any) -> Case:
    """Return a case of this host."""
    return Case(kind=kind, format="Gemini", version="0.61", path=path, records=(head, *records), turns=turns, **more)


QUESTIONS = {"questions": [{"question": "Which tree?"}, {"question": "When?"}]}
CHOSEN = json.dumps({"answers": {"1": "in winter, because the sap is low", "0": "Pear"}})
EDITOR = "Here is the user's editor context as a JSON object. This is for your information only."
SHELL = (
    "I ran the following shell command:\n```sh\ncat rules\n```\n\nThis produced the following result:\n```\nAlways prune.\n```"
)
HINTS = "User hints:\n<user_input>\n- Never in spring\n- Label it\n</user_input>\n\nInternal instruction: Acknowledge it."
LOOP = "System: Potential loop detected. Details: x. Please take a step back."
FILES = "--- Content from referenced files ---\n\nContent from @rules.md:\n\nAlways prune twice.\n\n--- End of content ---"
CASES = (
    *(
        case(
            f"message of the program: {text[:24]}",
            (message(1, "user", [{"text": text}]),),
            turn("note", text),
            session={"title": ""},
        )
        for text in (
            EDITOR,
            SHELL,
            "User has manually exited Plan Mode. Switching to YOLO mode.",
            "- **Workspace Directories:**\n  - /w",
        )
    ),
    case(
        "prompt that the program shortened",
        (
            message(1, "user", "Prune the pear trees by the wall"),
            {"$set": {"messages": [message(1, "user", "Prune, always.")]}},
        ),
        turn("user", "Prune the pear trees by the wall"),
        turn("note", "Prune, always."),
    ),
    case(
        "request after a loop, which shows the prompt again",
        (message(1, "user", [{"text": LOOP}], displayContent=[{"text": "Prune"}]),),
        turn("note", LOOP),
    ),
    case(
        "summary of other messages, by its id",
        ({**message(1, "user", "The person wants pears, always."), "id": "0123456789abcdef" * 2},),
        turn("note", "The person wants pears, always."),
    ),
    case(
        "words typed while the agent works",
        (message(1, "user", [{"text": HINTS}, {"functionResponse": {"id": "c1", "name": "x", "response": {"output": "hi"}}}]),),
        turn("user", "Never in spring\nLabel it"),
        turn("tool", "hi"),
    ),
    case(
        "content that is no list of objects",
        (message(1, "user", {"text": "Prune"}), message(2, "user", ["Water"]), message(3, "gemini", {"text": "Yes"})),
        turn("user", "Prune"),
        turn("user", "Water"),
        turn("agent", "Yes"),
    ),
    case(
        "content of an editor's file",
        (message(1, "user", ["Prune", "\n--- Content from referenced context ---", "\nContent from @a:\n", "Always twice."]),),
        turn("user", "Prune"),
        turn("document", "--- Content from referenced context ---\n\nContent from @a:\n\nAlways twice."),
    ),
    case(
        "content of a file that was referred to",
        (
            message(
                1,
                "user",
                [
                    {"text": "Prune, see @rules.md"},
                    {"text": "\n--- Content from referenced files ---"},
                    {"text": "\nContent from @rules.md:\n"},
                    {"text": "Always prune twice."},
                    {"text": "\n--- End of content ---"},
                ],
            ),
        ),
        turn("user", "Prune, see @rules.md"),
        turn("document", FILES),
        session={"title": "Prune, see @rules.md"},
    ),
    case(
        "summary that replaces the messages",
        (
            {
                "$set": {
                    "messages": [
                        message(1, "user", [{"text": "<state_snapshot>\nAlways prune.\n</state_snapshot>"}]),
                        message(2, "gemini", "Got it."),
                    ]
                }
            },
        ),
        turn("injected", "<state_snapshot>\nAlways prune.\n</state_snapshot>"),
        turn("agent", "Got it."),
        session={"title": ""},
    ),
    case(
        "typed prompt",
        (message(1, "user", [{"text": "Prune"}]), {"$set": {"lastUpdated": "2026-11-20T10:00:01.000Z"}}),
        turn("user", "Prune", time="2026-11-20T10:00:01+00:00", sidechain=False),
        session={"id": ID, "host": "gemini", "title": "Prune"},
    ),
    Case(
        kind="typed prompt",
        format="Gemini",
        version="0.26",
        path=PATH[:-1],
        records=json.dumps({**HEAD, "messages": [message(1, "user", "Prune")]}, indent=2).encode(),
        turns=(turn("user", "Prune"),),
    ),
    case(
        "context of the host",
        (message(1, "user", [{"text": "<session_context>\nAlways.\n</session_context>"}]),),
        turn("injected", "<session_context>\nAlways.\n</session_context>"),
    ),
    case(
        "context of a hook",
        (message(1, "user", [{"text": "Prune"}, {"text": "<hook_context>Always.</hook_context>"}]),),
        turn("user", "Prune"),
    ),
    case(
        "words of the host in the person's place",
        (message(1, "user", "System: Please continue."),),
        turn("note", "System: Please continue."),
    ),
    case("answer of the agent, twice", (message(1, "gemini", ""), message(1, "gemini", "Pruned.")), turn("agent", "Pruned.")),
    case(
        "chat of a sub-agent",
        (message(1, "user", "Always YAML."), message(2, "gemini", "Yes.")),
        turn("user", "Always YAML.", sidechain=True),
        turn("agent", "Yes.", sidechain=True),
        head={**HEAD, "kind": "subagent"},
    ),
    case(
        "chat in the folder of its parent",
        (message(1, "user", "Always YAML."),),
        turn("user", "Always YAML.", sidechain=True),
        head={key: value for key, value in HEAD.items() if key != "kind"},
        path=f"/home/u/.gemini/tmp/orchard/chats/{ID}/a1.jsonl",
    ),
    case(
        "call with its answer",
        (
            message(1, "gemini", "", toolCalls=[asked("read_file", {"file_path": "/a"}, {"output": "Always."})]),
            message(2, "user", asked("read_file", {}, {"output": "Always."})["result"]),
        ),
        turn("tool", "read_file: /a", call="c1", files=("/a",)),
        turn("tool", "Always.", name="read_file", call="c1", outcome="succeeded"),
    ),
    case(
        "command that failed",
        (message(1, "gemini", "", toolCalls=[asked("run_shell_command", {"command": "ls"}, {"output": "no\nExit Code: 3"})]),),
        turn("tool", "run_shell_command: ls"),
        turn("tool", "no\nExit Code: 3", outcome="failed"),
    ),
    case(
        "call refused",
        (
            message(
                1,
                "gemini",
                "",
                toolCalls=[
                    asked("write_file", {}, {"error": "[Operation Cancelled] Reason: User denied execution."}, "cancelled")
                ],
            ),
        ),
        turn("tool", "write_file"),
        turn("tool", "[Operation Cancelled] Reason: User denied execution.", outcome="refused"),
    ),
    case(
        "question answered",
        (message(1, "gemini", "", toolCalls=[asked("ask_user", QUESTIONS, {"output": CHOSEN})]),),
        turn("tool", f"ask_user: {json.dumps(QUESTIONS)}"),
        turn("tool", CHOSEN, outcome="succeeded"),
        turn("answer", "in winter, because the sap is low", question="When?", call="c1", role="user"),
        turn("answer", "Pear", question="Which tree?", call="c1"),
    ),
    case(
        "answer of a server",
        (message(1, "gemini", "", toolCalls=[asked("mcp_x_ask_user", QUESTIONS, {"output": CHOSEN})]),),
        turn("tool", f"mcp_x_ask_user: {json.dumps(QUESTIONS)}"),
        turn("tool", CHOSEN, outcome="succeeded"),
    ),
    case(
        "plan refused with words",
        (
            message(
                1,
                "gemini",
                "",
                toolCalls=[asked("exit_plan_mode", {}, {"output": "Plan rejected. User feedback: not so short"})],
            ),
        ),
        turn("tool", "exit_plan_mode"),
        turn("tool", "Plan rejected. User feedback: not so short", outcome="succeeded"),
        turn("refusal", "not so short", call="c1", role="user"),
    ),
    case(
        "taken back",
        (message(1, "user", "Prune"), {"$rewindTo": "m0"}, message(2, "user", "Or rather not")),
        turn("user", "Prune"),
        turn("note", "Taken back to message m0"),
        turn("user", "Or rather not"),
    ),
    case(
        "all messages anew",
        (message(1, "user", "Prune"), {"$set": {"messages": [message(1, "user", "Prune"), message(2, "user", "Now")]}}),
        turn("user", "Prune"),
        turn("user", "Now"),
    ),
    case("note of the host", (message(1, "info", "Request cancelled."),), turn("note", "Request cancelled.")),
    case(
        "unknown kind",
        (message(1, "hologram", "Always."), message(2, "user", "Prune")),
        turn("user", "Prune"),
        unknown=("hologram",),
    ),
    case("record without a type", ({"new": 1}, message(2, "user", "Prune")), turn("user", "Prune"), unknown=("no type",)),
)
