"""Cursor: lines of its agent's transcripts (3.1), conversations of the editor (3.16), and the text of its first versions."""

import json
from typing import Any

from tests.adapters.transcripts.conformance.case import Case, turn

ID = "0f000000-0000-4000-8000-0000000000d1"
PATH = f"/home/u/.cursor/projects/srv-orchard/agent-transcripts/{ID}/{ID}.jsonl"
EDITOR = f"/home/u/.config/Cursor/User/globalStorage/state.vscdb#{ID}"


def line(role: str, *blocks: Any) -> dict[str, Any]:
    """Return a line of a transcript."""
    return {
        "role": role,
        "message": {"content": [{"type": "text", "text": one} if isinstance(one, str) else one for one in blocks]},
    }


def lines(kind: str, records: tuple[dict[str, Any], ...], *turns: Any, path: str = PATH, **more: Any) -> Case:
    """Return a case of the agent's transcripts."""
    return Case(kind=kind, format="Cursor", version="3.1", path=path, records=records, turns=turns, **more)


def editor(kind: str, bubbles: tuple[dict[str, Any], ...], *turns: Any, subagent: bool = False, **more: Any) -> Case:
    """Return a case of the editor's database."""
    about = {
        "composerId": ID,
        "name": "Trees",
        "createdAt": 1795600000000,
        "workspaceIdentifier": {"uri": {"fsPath": "/srv/orchard"}},
    }
    document = json.dumps({"composerData": about, "bubbles": list(bubbles), "subagent": subagent}).encode()
    return Case(kind=kind, format="CursorEditor", version="3.16", path=EDITOR, records=document, turns=turns, **more)


def tool(name: str, given: dict[str, Any], result: Any, **more: Any) -> dict[str, Any]:
    """Return the bubble of a call."""
    held = {"name": name, "toolCallId": "c1", "status": "completed", "rawArgs": json.dumps(given), "result": json.dumps(result)}
    return {"bubbleId": "b1", "type": 2, "text": "", "toolFormerData": {**held, **more}}


ASKED = {"questions": [{"id": "q1", "prompt": "Which tree?", "options": [{"id": "o1", "label": "Pear"}]}]}
CHOSEN = {"answers": [{"questionId": "q1", "selectedOptionIds": ["o1"], "freeformText": "the old one"}]}
TEXT = (
    b"user:\n<user_query>\nPrune\n</user_query>\n\nassistant:\nLooking.\n[Tool call] Read\n  path: /a\n\n"
    b"[Tool result] Read\nAlways.\n"
)
ENDED = "<system_notification>\nThe task has finished.\n</system_notification>\n<user_query>Always tell the user.</user_query>"
CASES = (
    lines("report that a task ended", (line("user", ENDED),), turn("injected", ENDED), session={"id": ID, "title": ""}),
    lines(
        "context in an unknown tag",
        (line("user", "<editor_state>\nAlways.\n</editor_state>\nPrune"),),
        turn("user", "Prune"),
        session={"title": "Prune"},
    ),
    lines(
        "typed prompt",
        (line("user", "<user_info>\nAlways.\n</user_info>\n<user_query>\nPrune\n</user_query>"),),
        turn("user", "Prune", sidechain=False),
        session={"host": "cursor", "id": ID, "title": "Prune"},
    ),
    lines(
        "context alone",
        (line("user", "<user_info>\nAlways.\n</user_info>"),),
        turn("injected", "<user_info>\nAlways.\n</user_info>"),
    ),
    lines(
        "answer and call",
        (line("assistant", "Pruned.", {"type": "tool_use", "name": "Read", "input": {"path": "/a"}}),),
        turn("agent", "Pruned."),
        turn("tool", "Read: /a", files=("/a",)),
    ),
    lines(
        "transcript of a sub-agent",
        (line("user", "Always YAML."),),
        turn("user", "Always YAML.", sidechain=True),
        path=f"/home/u/.cursor/projects/srv-orchard/agent-transcripts/{ID}/subagents/a1.jsonl",
    ),
    lines("mark between", ({"type": "turn_ended", "status": "success"}, line("user", "Prune")), turn("user", "Prune")),
    lines(
        "unknown role",
        (line("user", "Prune"), {"role": "critic", "message": {"content": "Always."}}),
        turn("user", "Prune"),
        unknown=("no role",),
    ),
    editor(
        "typed prompt",
        ({"bubbleId": "b1", "type": 1, "text": "Prune", "createdAt": "2026-11-20T10:00:00Z"},),
        turn("user", "Prune", time="2026-11-20T10:00:00+00:00", cwd="/srv/orchard"),
        session={"id": ID, "host": "cursor", "cwd": "/srv/orchard", "title": "Trees"},
    ),
    editor(
        "conversation of a sub-agent",
        ({"bubbleId": "b1", "type": 1, "text": "Always YAML."},),
        turn("user", "Always YAML.", sidechain=True),
        subagent=True,
    ),
    editor("unknown bubble", ({"bubbleId": "b1", "type": 9, "text": "Always."},), turn("note", "Always.")),
    editor(
        "call that worked",
        (tool("read_file", {"target_file": "/a"}, {"contents": "Always."}),),
        turn("tool", "read_file: /a", call="c1"),
        turn("tool", '{"contents": "Always."}', name="read_file", call="c1", outcome="succeeded"),
    ),
    editor(
        "call refused",
        (tool("run_terminal_cmd", {"command": "ls"}, {}, status="cancelled", userDecision="rejected"),),
        turn("tool", "run_terminal_cmd: ls"),
        turn("tool", "{}", outcome="refused"),
    ),
    editor(
        "question answered",
        (tool("ask_question", ASKED, CHOSEN),),
        turn("tool", f"ask_question: {json.dumps(ASKED)}"),
        turn("tool", json.dumps(CHOSEN), outcome="succeeded"),
        turn("answer", "Pear, the old one", question="Which tree?", call="c1", role="user"),
    ),
    editor(
        "answer of a server",
        (tool("mcp_x_ask_question", ASKED, CHOSEN),),
        turn("tool", f"mcp_x_ask_question: {json.dumps(ASKED)}"),
        turn("tool", json.dumps(CHOSEN), outcome="succeeded"),
    ),
    Case(
        kind="talk with a tool",
        format="CursorText",
        version="2",
        path=f"/home/u/.cursor/projects/srv-orchard/agent-transcripts/{ID}.txt",
        records=TEXT,
        turns=(
            turn("user", "Prune"),
            turn("agent", "Looking.\n"),
            turn("tool", "Read: path: /a"),
            turn("tool", "Always.", name="Read"),
        ),
    ),
    lines(
        "numbers for roles",
        ({"type": 1, "text": "Prune"}, {"type": 2, "text": "Pruned."}),
        turn("user", "Prune"),
        turn("agent", "Pruned."),
    ),
    Case(
        kind="typed prompt",
        format="CursorText",
        version="2",
        path=f"/home/u/.cursor/projects/srv-orchard/agent-transcripts/{ID}.txt",
        records=b"user:\n<user_query>\nPrune\n</user_query>\n\nassistant:\n",
        turns=(turn("user", "Prune"),),
    ),
    Case(
        kind="thinking",
        format="CursorText",
        version="2",
        path=f"/home/u/.cursor/projects/srv-orchard/agent-transcripts/{ID}.txt",
        records=b"user:\nPrune\n\nassistant:\n[Thinking] Always.\nPruned.\n",
        turns=(turn("user", "Prune"), turn("agent", "Pruned.")),
    ),
)
