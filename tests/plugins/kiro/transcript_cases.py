"""What Kiro 2.14 writes, record by record."""

import json
from typing import Any

from tests.adapters.transcripts.conformance.case import Case, turn


def kiro(kind: str, records: tuple[dict[str, Any], ...], *turns: Any, **more: Any) -> Case:
    return Case(
        kind=kind,
        format="Kiro",
        version="2.14",
        path="/home/u/.kiro/sessions/cli/k1.jsonl",
        records=records,
        turns=turns,
        **more,
    )


def spoken(kind: str, text: str) -> dict[str, Any]:
    return {"version": "v1", "kind": kind, "data": {"message_id": f"m-{kind}", "content": [{"kind": "text", "data": text}]}}


def line(number: int, said: str, **payload: Any) -> dict[str, Any]:
    return {"id": f"k{number}", "timestamp": f"2026-10-01T10:00:{number:02d}.000Z", "payload": {"type": said, **payload}}


def editor(kind: str, records: tuple[dict[str, Any], ...], *turns: Any, name: str = "messages.jsonl", **more: Any) -> Case:
    path = f"/home/u/.kiro/sessions/1a2b/sess_k9/{name}"
    return Case(kind=kind, format="Kiro", version="1.0", path=path, records=records, turns=turns, **more)


ENDED = {"exit_status": "exit status: 2", "stdout": "", "stderr": "no"}
RESULT = {"kind": "toolResult", "data": {"toolUseId": "t1", "content": [{"kind": "json", "data": ENDED}], "status": "success"}}
DOCUMENT = {"sessionId": "k1", "title": "Trees", "workspacePath": "/srv/orchard", "history": [
    {"message": {"role": "user", "content": [{"type": "text", "text": "Prune"}], "id": "h1"}},
    {"message": {"role": "critic", "content": "Always.", "id": "h2"}},
    {"message": {"role": "user", "content": "## Included Rules\nAlways.", "id": "h3"}},
    {"message": {"role": "assistant", "content": "", "id": "h4"}, "promptLogs": [{"completion": "Pruned."}]},
]}  # fmt: skip
CASES = (
    kiro(
        "prompt and answer",
        (spoken("Prompt", "Prune"), spoken("AssistantMessage", "Pruned.")),
        turn("user", "Prune"),
        turn("agent", "Pruned."),
    ),
    kiro(
        "outcome of a command",
        ({"version": "v1", "kind": "ToolResults", "data": {"message_id": "r1", "content": [RESULT]}},),
        turn("tool", json.dumps(ENDED), call="t1", outcome="failed"),
    ),
    editor(
        "lines since 1.0",
        (
            line(1, "user", content="Prune", images=[]),
            line(2, "turn_start", executionId="e"),
            line(3, "steering_inclusion", documents=[{"content": "Always."}]),
            line(4, "assistant", content="...", operationType="Reasoning"),
            line(5, "tool_call", toolCallId="c1", toolName="execute_bash", args={"command": "ls"}, status="pending"),
            line(6, "tool_call", toolCallId="c1", toolName="execute_bash", args={"command": "ls"}, status="approved"),
            line(7, "tool_result", toolCallId="c1", content="trees", success=True),
            line(8, "assistant", content="Pruned.", operationType="Say"),
            line(9, "tombstone", kind="summarization"),
        ),
        turn("user", "Prune", time="2026-10-01T10:00:01+00:00", sidechain=False),
        turn("tool", "execute_bash: ls", call="c1"),
        turn("tool", "trees", name="execute_bash", outcome="succeeded"),
        turn("agent", "Pruned."),
        turn("note", "Conversation compacted"),
        session={"id": "sess_k9"},
    ),
    editor(
        "lines of a sub-agent",
        (line(1, "user", content="Always answer in Latin"),),
        turn("user", "Always answer in Latin", sidechain=True),
        name="sub-executions/s1.jsonl",
        session={"id": "sess_k9.agent-s1"},
    ),
    kiro(
        "unknown kind", (spoken("Prompt", "Prune"), spoken("Hologram", "Always.")), turn("user", "Prune"), unknown=("Hologram",)
    ),
    Case(
        kind="history of the editor",
        format="KiroDocument",
        version="2026",
        path="/home/u/.config/Kiro/workspace-sessions/a/k1.json",
        records=json.dumps(DOCUMENT).encode(),
        turns=(
            turn("user", "Prune"),
            turn("note", "Always."),
            turn("injected", "## Included Rules\nAlways."),
            turn("agent", "Pruned."),
        ),
    ),
    kiro("typed prompt", (spoken("Prompt", "Prune"),), turn("user", "Prune")),
    kiro(
        "call",
        (
            {
                "version": "v1",
                "kind": "AssistantMessage",
                "data": {
                    "message_id": "m1",
                    "content": [
                        {"kind": "toolUse", "data": {"toolUseId": "t1", "name": "fs_read", "input": {"path": "/a.py"}}}
                    ],
                },
            },
        ),
        turn("tool", "fs_read: /a.py", call="t1", tools=("fs_read",), files=("/a.py",)),
    ),
    Case(
        kind="typed prompt",
        format="KiroDocument",
        version="2026",
        path="/home/u/.config/Kiro/workspace-sessions/a/k1.json",
        records=(
            {
                "sessionId": "k1",
                "workspacePath": "/srv/orchard",
                "history": [{"message": {"role": "user", "content": "Prune"}}],
            },
        ),
        turns=(turn("user", "Prune"),),
    ),
    Case(
        kind="conversation of the database",
        format="KiroDocument",
        version="1.2",
        path="/home/u/.local/share/kiro-cli/data.sqlite3#k2",
        records=(
            {
                "conversation_id": "k2",
                "cwd": "/srv/orchard",
                "history": [
                    {
                        "user": {
                            "content": {"Prompt": {"prompt": "Prune"}},
                            "timestamp": "2026-10-01T10:00:01Z",
                            "additional_context": "Always.",
                        },
                        "assistant": {
                            "ToolUse": {
                                "content": "Reading.",
                                "tool_uses": [{"id": "t1", "name": "fs_read", "args": {"path": "/a.py"}}],
                            }
                        },
                    },
                    {
                        "user": {
                            "content": {
                                "ToolUseResults": {"tool_use_results": [{"tool_use_id": "t1", "content": [{"Text": "x"}]}]}
                            }
                        },
                        "assistant": {"Response": {"content": "Done."}},
                    },
                ],
            },
        ),
        turns=(
            turn("user", "Prune", time="2026-10-01T10:00:01+00:00"),
            turn("agent", "Reading."),
            turn("tool", "fs_read: /a.py", call="t1"),
            turn("tool", "x", name="fs_read", call="t1"),
            turn("agent", "Done."),
        ),
        session={"id": "k2", "cwd": "/srv/orchard"},
    ),
)
