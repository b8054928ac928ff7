"""Transcripts made by us that carry every trap met in real ones. Format name -> files."""

import json
from collections.abc import Mapping
from typing import Any

from vademecum.adapters.transcripts import formats

SESSION = "5b0c1de2-0000-4000-8000-000000000001"


def recognise(head: bytes, path: str):
    """The format of a file that starts with `head` (some complete lines), or None. File names lie, so content decides."""
    return next((one for one in formats() if one.recognises(head, path)), None)


def lines(*values: Mapping[str, Any]) -> bytes:
    """One JSON object a line, as hosts write it."""
    return b"".join(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for value in values)


def line(kind: str, number: int, **more: Any) -> dict[str, Any]:
    """A line of a Claude Code conversation, a second after the one before."""
    return {
        "parentUuid": f"u{number - 1}" if number else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/code/larder",
        "sessionId": SESSION,
        "version": "2.1.330",
        "gitBranch": "main",
        "type": kind,
        "uuid": f"u{number}",
        "timestamp": f"2026-10-05T09:00:{number % 60:02d}.000Z",
        **more,
    }


def user(number: int, content: Any, **more: Any) -> dict[str, Any]:
    return line("user", number, message={"role": "user", "content": content}, **more)


def agent(number: int, *blocks: Mapping[str, Any], message_id: str = "m1", **more: Any) -> dict[str, Any]:
    message = {"model": "claude-x", "id": message_id, "type": "message", "role": "assistant", "content": list(blocks)}
    return line("assistant", number, message=message, **more)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def attachment(number: int, **fields: Any) -> dict[str, Any]:
    return line("attachment", number, attachment=fields)


def queue(operation: str, content: str | None = None) -> dict[str, Any]:
    given = {} if content is None else {"content": content}
    return {
        "type": "queue-operation",
        "operation": operation,
        "timestamp": "2026-10-05T09:30:00.000Z",
        "sessionId": SESSION,
        **given,
    }


PLAIN = [
    lines(
        {"type": "session", "id": "S1", "time": "2026-05-08T13:56:00Z", "project": "larder", "title": "Menus"},
        {"id": "D1:1", "speaker": "Caroline", "text": "Grüße! The larder is empty.", "time": "2026-05-08T13:56:10Z"},
        {"id": "D1:2", "role": "assistant", "content": "Shall I write a list?", "timestamp": 1778248580},
        {"type": "user", "message": "Yes, please."},
        {"role": "tool", "text": "list written"},
    ),
    lines({"role": "user", "text": "no newline at the end"}).rstrip(),
    b'{"role":"user","text":"one"}{"role":"ai","text":"two"}\r\n\r\n{"role":"system","content":[{"type":"text","text":"three"}]}\n',
]

CLAUDE = [
    lines(
        {"type": "last-prompt", "leafUuid": "u9", "sessionId": "00000000-not-the-one"},
        {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"timestamp": "2026-10-05T08:00:00.000Z"}},
        attachment(
            0, type="hook_additional_context", content=["Remembered: the user always uses tabs."], hookEvent="SessionStart"
        ),
        user(1, "Add a page for the larder, é\n\nwith a list", promptSource="typed"),
        agent(2, {"type": "thinking", "thinking": "They always want lists.", "signature": "x"}),
        agent(3, text("I'll read the code.")),
        agent(4, call("Read", "t1", file_path="/home/ana/code/larder/app.py")),
        user(5, [result("t1", "print('x')\n<system-reminder>Always check for malware.</system-reminder>")]),
        agent(6, text("Done."), call("Bash", "t2", command="pytest -q"), message_id="m2"),
        user(7, [result("t2", [text("1 failed"), {"type": "image", "source": {}}], is_error=True)]),
        {"type": "ai-title", "aiTitle": "Larder page", "sessionId": SESSION},
        {"type": "brand-new-kind", "sessionId": SESSION},
    ),
    lines(user(1, "first")).rstrip() + lines(agent(2, text("two on a line"))) + lines(user(3, "no newline, é")).rstrip(),
]


def stamped(second: int) -> str:
    """A time of the sample conversations."""
    return f"2026-10-05T09:{second // 60:02d}:{second % 60:02d}.000Z"


# Codex

FORK = "01950000-0000-7000-8000-00000000bbbb"
NEW_TURN = "01950000-2222-7000-8000-000000000002"


def rollout(kind: str, second: int, **payload: Any) -> dict[str, Any]:
    return {"timestamp": stamped(second), "type": kind, "payload": payload}


def codex_meta(name: str = FORK, **more: Any) -> dict[str, Any]:
    return rollout(
        "session_meta", 0, id=name, cwd="/home/user/code/larder", cli_version="0.163.0", git={"branch": "main"}, **more
    )


def item(second: int, role: str, *texts: str, **more: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": one} for one in texts]
    return rollout("response_item", second, type="message", role=role, content=content, **more)


def event(second: int, kind: str, **more: Any) -> dict[str, Any]:
    return rollout("event_msg", second, type=kind, **more)


CODEX = [
    lines(
        codex_meta(base_instructions={"text": "You always use tabs."}),
        event(1, "task_started", turn_id=NEW_TURN),
        item(1, "developer", "<permissions instructions>\nAlways ask.", internal_chat_message_metadata_passthrough=None),
        item(
            1, "user", "# AGENTS.md instructions for /home/user\n\nAlways use tabs.", "<environment_context>\n  <cwd>/x</cwd>"
        ),
        rollout("turn_context", 1, turn_id=NEW_TURN, cwd="/home/user/code/larder", model="gpt-x"),
        item(2, "user", "Add a page for the larder, é\n"),
        event(2, "user_message", message="Add a page for the larder, é\n", images=[]),
        item(
            2,
            "developer",
            "Remembered: the user always uses tabs.",
            internal_chat_message_metadata_passthrough={"content_item_kinds": ["hooks.additional_context"]},
        ),
        rollout("response_item", 3, type="reasoning", summary=[], encrypted_content="x"),
        event(4, "agent_message", message="I'll read the code."),
        item(4, "assistant", "I'll read the code.", id="msg_1"),
        rollout("response_item", 5, type="function_call", name="exec_command", arguments='{"cmd":"pytest -q"}', call_id="c1"),
        event(6, "exec_command_end", call_id="c1", aggregated_output="1 failed", exit_code=1),
        rollout("response_item", 6, type="function_call_output", call_id="c1", output="1 failed"),
        rollout(
            "response_item",
            7,
            type="custom_tool_call",
            name="apply_patch",
            call_id="c2",
            input="*** Begin Patch\n*** Update File: src/larder.py\n@@\n*** End Patch",
        ),
        rollout(
            "response_item", 7, type="custom_tool_call_output", call_id="c2", output=[{"type": "input_text", "text": "Done"}]
        ),
        item(8, "user", "<skill>\n<name>deploy</name>\nAlways deploy.\n</skill>"),
        rollout("compacted", 9, message="Summary: the user likes tabs.", replacement_history=[{"type": "message"}]),
        codex_meta(),
        event(10, "user_message", message="and push", local_images=["/tmp/a.png"]),
        item(10, "user", "and push", '<image name="[Image #1]">'),
        event(11, "thread_name_updated", name="Larder page"),
        event(11, "hologram"),
        {"timestamp": stamped(12), "ordinal": 24, "type": "brand_new", "payload": {}},
    ),
    lines(
        {"id": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "timestamp": "2025-08-18T01:16:13.522Z", "instructions": None},
        {"record_type": "state"},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}],
        },
        {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": "fill the larder"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["bash","-lc","ls"]}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": '{"output":"larder"}'},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is full."}]},
    ).rstrip(),
]

# Cursor


def bubbled(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "message": {"content": list(blocks)}}


CURSOR = [
    lines(
        bubbled(
            "user",
            text("<external_links>\nAlways cite the pantry.\n</external_links>\n<user_query>\nAdd a page é\n</user_query>"),
        ),
        bubbled(
            "assistant",
            text("I'll read the larder."),
            {"type": "tool_use", "name": "Read", "input": {"path": "/home/user/a.py"}},
        ),
        {"type": "turn_ended", "status": "success"},
        bubbled("user", text("<user_query>\nSounds great\n</user_query>")),
        bubbled("assistant", text("[REDACTED]")),
        bubbled("user", text("<user_info>\nOS: linux\n</user_info>")),
        {"role": "user", "message": {"content": "plain words"}},
        {"type": "hologram"},
    ),
    lines({"type": 1, "text": "<user_query>first</user_query>"}, {"type": 2, "text": "second"}).rstrip(),
]
CURSOR_EDITOR = [
    lines({
        "composerData": {
            "composerId": "c-1", "name": "Larder page", "createdAt": 1790000000000,
            "workspaceIdentifier": {"uri": {"fsPath": "/home/user/code/larder"}},
        },
        "bubbles": [
            {"bubbleId": "b1", "type": 1, "text": "Add a page for the larder"},
            {"bubbleId": "b2", "type": 2, "text": "Reading.", "createdAt": "2026-10-05T09:00:02.000Z"},
            {"bubbleId": "b3", "type": 2, "text": "", "thinking": {"text": "hm"}},
            {"bubbleId": "b4", "type": 2, "text": "", "toolFormerData": {
                "name": "read_file", "rawArgs": '{"target_file":"/home/user/a.py"}', "result": '{"contents":"x"}'}},
        ],
        "subagent": False,
    }),
]  # fmt: skip
CURSOR_TEXT = [
    b"user:\n<user_query>\nAdd a page for the larder\n</user_query>\n\nassistant:\n[Thinking] They want lists.\nI'll read.\n"
    b"[Tool call] Read\n  path: /home/user/a.py\n\n[Tool result] Read\nprint('x')\n\nuser:\n<user_query>\nand push\n</user_query>\n",
]

# Gemini


def gemini(number: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": f"00000000-0000-4000-8000-{number:012d}",
        "timestamp": stamped(number),
        "type": kind,
        "content": content,
        **more,
    }


GEMINI_CALL = {
    "id": "read_1", "name": "read_file", "args": {"file_path": "/home/user/a.py"},
    "result": [{"functionResponse": {"id": "read_1", "name": "read_file", "response": {"output": "print('x')"}}}],
}  # fmt: skip
GEMINI_HEAD = {
    "sessionId": "94feec1f-0000-4000-8000-83be00f2a00b",
    "projectHash": "8b4f",
    "startTime": stamped(0),
    "kind": "main",
}
GEMINI = [
    lines(
        GEMINI_HEAD,
        {"$set": {"messages": [gemini(1, "user", [{"text": "<session_context>\nAlways Linux.\n</session_context>"}])]}},
        gemini(2, "info", "Update successful!"),
        gemini(3, "user", [{"text": "Add a page for the larder, é"}, {"text": "<hook_context>The user uses tabs.</hook_context>"}]),
        gemini(4, "gemini", "", thoughts=[], model="gemini-x"),
        gemini(4, "gemini", "I'll read.", toolCalls=[GEMINI_CALL], model="gemini-x"),
        gemini(5, "user", GEMINI_CALL["result"]),
        gemini(6, "gemini", "Done."),
        {"$rewindTo": gemini(4, "", "")["id"]},
        gemini(7, "user", [{"text": "and push"}]),
        {"$set": {"summary": "Larder page", "lastUpdated": stamped(9)}},
        gemini(8, "hologram", "x"),
        {"new": 1},
    ),
    json.dumps(
        {**GEMINI_HEAD, "messages": [
            gemini(1, "user", "hello larder"),
            gemini(2, "gemini", "Hello.", toolCalls=[GEMINI_CALL]),
            gemini(3, "user", "System: Please continue."),
        ]},
        indent=2,
    ).encode(),
]  # fmt: skip

# OpenCode


def part(number: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": f"prt_{number}", "messageID": "msg", "sessionID": "ses_1", **more}


def opencode(*messages: Any, **info: Any) -> dict[str, Any]:
    about = {"id": "ses_1", "directory": "/home/user/code/larder", "title": "Larder page", **info}
    return {"info": about, "messages": [{"info": {"id": f"msg_{n}", "role": role, "time": {"created": 1790000000000 + n}}, "parts": parts}
                                        for n, (role, *parts) in enumerate(messages)]}  # fmt: skip


OPENCODE_TALK = (
    ("user", part(1, "text", text="Add a page for the larder"), part(2, "text", text="The user uses tabs.", synthetic=True)),
    ("assistant", part(3, "step-start"), part(4, "reasoning", text="hm"), part(5, "text", text="Reading.")),
    (
        "assistant",
        part(6, "tool", tool="bash", callID="c", state={"status": "completed", "input": {"command": "ls"}, "output": "a.py"}),
    ),
    ("assistant", part(7, "hologram"), part(8, "step-finish")),
)
OPENCODE = [lines(opencode(*OPENCODE_TALK)), json.dumps(opencode(*OPENCODE_TALK, parentID="ses_0"), indent=1).encode()]

# Copilot, Kiro, Droid, Pi


def copilot(number: int, kind: str, **data: Any) -> dict[str, Any]:
    name = f"00000000-0000-4000-9000-{number:012d}"
    return {"type": kind, "data": data, "id": name, "timestamp": stamped(number), "parentId": None}


COPILOT = [
    lines(
        copilot(
            0,
            "session.start",
            sessionId="487fbe81-0000-4000-8000-ac6bf31cba53",
            context={"cwd": "/home/user/code/larder", "branch": "main"},
        ),
        copilot(1, "hook.start", hookType="userPromptSubmitted", input={"prompt": "Add a page"}),
        copilot(2, "system.message", role="system", content="You always use tabs."),
        copilot(
            3,
            "user.message",
            content="Add a page for the larder",
            transformedContent="<current_datetime>x</current_datetime>Add",
        ),
        copilot(4, "user.message", content="Always read PDFs so.", source="skill-pdf"),
        copilot(
            5, "assistant.message", content="Reading.", toolRequests=[{"toolCallId": "c1", "name": "view"}], reasoningText="hm"
        ),
        copilot(6, "tool.execution_start", toolCallId="c1", toolName="view", arguments={"path": "/home/user/a.py"}),
        copilot(7, "tool.execution_complete", toolCallId="c1", success=True, result={"content": "print('x')"}),
        copilot(8, "assistant.message", content="Sub-agent speaks.", parentToolCallId="c1"),
        copilot(9, "session.title_changed", title="Larder page"),
        copilot(10, "hologram.shown"),
    ),
]


def step(number: int, source: str, kind: str, content: str, **more: Any) -> dict[str, Any]:
    return {
        "step_index": number, "source": source, "type": kind, "status": "DONE", "created_at": stamped(number), "content": content, **more,
    }  # fmt: skip


ANTIGRAVITY = [
    lines(
        step(
            0,
            "USER_EXPLICIT",
            "USER_INPUT",
            "<USER_REQUEST>\nAdd a page for the larder\n</USER_REQUEST>\n<ADDITIONAL_METADATA>x</ADDITIONAL_METADATA>",
        ),
        step(1, "SYSTEM", "CONVERSATION_HISTORY", "Always use tabs."),
        step(
            2,
            "MODEL",
            "PLANNER_RESPONSE",
            "Reading.",
            tool_calls=[{"name": "view_file", "args": {"AbsolutePath": "/home/user/a.py"}}],
        ),
        step(3, "MODEL", "VIEW_FILE", "print('x')"),
        step(4, "ORACLE", "HOLOGRAM", "x"),
    ),
]


def kiro(kind: str, number: int, *content: Any, **data: Any) -> dict[str, Any]:
    return {"version": "v1", "kind": kind, "data": {"message_id": f"m{number}", "content": list(content), **data}}


def words(value: str) -> dict[str, Any]:
    return {"kind": "text", "data": value}


KIRO = [
    lines(
        kiro("Prompt", 1, words("Add a page for the larder"), meta={"timestamp": 1790000000}),
        kiro("AssistantMessage", 2, words("Reading."), {"kind": "thinking", "data": {"text": "hm"}}, {"kind": "toolUse", "data": {
            "toolUseId": "t1", "name": "fs_read", "input": {"path": "/home/user/a.py"}}}),
        kiro("ToolResults", 3, {"kind": "toolResult", "data": {"toolUseId": "t1", "status": "success", "content": [
            {"kind": "json", "data": {"stdout": "x"}}]}}),
        kiro("Prompt", 4, {"kind": "image", "data": {"format": "png"}}),
        kiro("Hologram", 5),
    ),
]  # fmt: skip
KIRO_DOCUMENT = [
    lines({
        "sessionId": "k1", "title": "Larder page", "workspacePath": "/home/user/code/larder",
        "history": [
            {"message": {"role": "user", "content": [{"type": "text", "text": "Add a page for the larder"}], "id": "h1"}},
            {"message": {"role": "assistant", "content": "Reading.", "id": "h2"}},
        ],
    }),
    json.dumps({
        "conversation_id": "k2", "cwd": "/home/user/code/larder",
        "history": [{
            "user": {"content": {"Prompt": {"prompt": "Add a page"}}, "timestamp": stamped(1), "additional_context": "Always."},
            "assistant": {"ToolUse": {"content": "Reading.", "tool_uses": [{"id": "t1", "name": "fs_read", "args": {"path": "/a.py"}}]}},
        }, {
            "user": {"content": {"ToolUseResults": {"tool_use_results": [{"tool_use_id": "t1", "content": [{"Text": "x"}]}]}}},
            "assistant": {"Response": {"content": "Done."}},
        }],
    }, indent=1).encode(),
]  # fmt: skip


def droid(number: int, role: str, *blocks: Any) -> dict[str, Any]:
    name = f"d{number}"
    return {"type": "message", "id": name, "timestamp": stamped(number), "message": {"role": role, "content": list(blocks)}}


DROID = [
    lines(
        {"type": "session_start", "id": "s-1", "title": "Larder page", "version": 2, "cwd": "/home/user/code/larder"},
        droid(1, "user", text("<system-reminder>\nAlways use tabs.\n</system-reminder>"), text("Add a page for the larder")),
        droid(
            2,
            "assistant",
            {"type": "thinking", "thinking": "hm"},
            text("Reading."),
            call("Read", "t1", file_path="/home/user/a.py"),
        ),
        droid(3, "user", result("t1", "I always prefer tabs")),
        {"type": "todo_state", "id": "d4", "timestamp": stamped(4), "todos": {"todos": "1. page"}},
        {"type": "compaction_state", "id": "d5", "timestamp": stamped(5), "summaryText": "The user likes tabs."},
        droid(6, "user", text("<system-reminder>only this</system-reminder>")),
        {"type": "hologram"},
    ),
    lines(
        {"type": "session_start", "id": "s-2", "title": "# Task Tool Invocation", "owner": "user"},
        droid(1, "user", text("# Task Tool Invocation\n\nLook into the larder")),
    ),
]


def pi(number: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": content, **more}
    return {
        "type": "message",
        "id": f"{number:08x}",
        "parentId": f"{number - 1:08x}",
        "timestamp": stamped(number),
        "message": message,
    }


PI = [
    lines(
        {
            "type": "session", "version": 3, "id": "019dc132-b9ea-736e-aa6f-e20ee7d84b11",
            "timestamp": stamped(0), "cwd": "/home/user/code/larder",
        },
        {"type": "model_change", "id": "41f931d9", "parentId": None, "timestamp": stamped(1), "modelId": "claude-x"},
        pi(2, "user", [text("Add a page for the larder, é")]),
        pi(3, "assistant", [{"type": "thinking", "thinking": "hm"}, text("Reading."), {
            "type": "toolCall", "id": "t1", "name": "read", "arguments": {"path": "/home/user/a.py"}}]),
        pi(4, "toolResult", [text("print('x')")], toolCallId="t1", toolName="read"),
        pi(5, "bashExecution", None, command="ls", output="a.py"),
        {"type": "custom_message", "id": "c1", "parentId": None, "timestamp": stamped(6), "content": "The user uses tabs."},
        {"type": "compaction", "id": "c2", "parentId": None, "timestamp": stamped(7), "summary": "Tabs."},
        {"type": "session_info", "id": "c3", "parentId": None, "timestamp": stamped(8), "name": "Larder page"},
        {"type": "hologram", "id": "c4"},
    ),
]  # fmt: skip

# Documents of conversations

AGENT_MEMORY = [
    json.dumps({
        "agentId": "dev", "savedAt": "2026-03-15T23:04:23.463Z",
        "messages": [
            {"role": "user", "text": "Fill the larder, é"}, {"role": "agent", "text": "Done."},
            {"role": "user", "text": "always internal", "internal": True},
        ],
    }, ensure_ascii=False, indent=2).encode(),
]  # fmt: skip


def node(name: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"id": name, "author": {"role": role}, "create_time": 1790000000.5, "content": content, **more}
    return {"id": name, "parent": parent, "children": [], "message": message}


def chatted(*texts: str) -> dict[str, Any]:
    return {"content_type": "text", "parts": list(texts)}


CHATGPT_TALK = {
    "title": "Larder page", "conversation_id": "g-1", "create_time": 1790000000.0, "current_node": "n5",
    "mapping": {
        "n0": {"id": "n0", "parent": None, "children": ["n1"], "message": None},
        "n1": node("n1", "n0", "system", chatted("")),
        "n2": node("n2", "n1", "user", {"content_type": "user_editable_context", "user_profile": "x", "parts": ["The user uses tabs."]}),
        "n3": node("n3", "n2", "user", chatted("Add a page for the larder")),
        "n9": node("n9", "n3", "assistant", chatted("An earlier try.")),
        "n4": node("n4", "n3", "assistant", chatted("search('x')"), recipient="browser"),
        "n5": node("n5", "n4", "assistant", chatted("Done.")),
    },
}  # fmt: skip
CLAUDE_TALK = {
    "uuid": "0000000a-0000-4000-8000-000000000000", "name": "Larder page", "created_at": stamped(0),
    "chat_messages": [
        {"uuid": "a1", "sender": "human", "text": "", "created_at": stamped(1), "content": [text("Fill the larder")]},
        {"uuid": "a2", "sender": "assistant", "text": "", "created_at": stamped(2), "content": [
            {"type": "thinking", "thinking": "hm"}, text("Done."), {"type": "tool_use", "name": "search", "input": {"query": "larder"}}]},
        {"uuid": "a3", "sender": "human", "text": "", "files": [{"file_name": "a.png"}], "created_at": stamped(3), "content": []},
    ],
}  # fmt: skip
GEMINI_ACTIVITY = {
    "gemini_activity": "g1", "activities": [
        {"header": "Gemini Apps", "title": "Prompted Fill the larder", "time": stamped(1), "products": ["Gemini Apps"],
         "safeHtmlItem": [{"html": "<p>Done.</p>"}]},
        {"header": "Gemini Apps", "title": "Created a canvas", "time": stamped(2), "products": ["Gemini Apps"]},
    ],
}  # fmt: skip

#: Name of the format's class -> files it reads.
SAMPLES: Mapping[str, list[bytes]] = {
    "ClaudeCode": CLAUDE, "Codex": CODEX, "Gemini": GEMINI, "Antigravity": ANTIGRAVITY, "Copilot": COPILOT,
    "Droid": DROID, "Pi": PI, "Kiro": KIRO,
    "Cursor": CURSOR, "OpenCode": OPENCODE, "CursorEditor": CURSOR_EDITOR, "KiroDocument": KIRO_DOCUMENT,
    "AgentMemory": AGENT_MEMORY, "ChatGpt": [lines(CHATGPT_TALK)], "ClaudeChat": [lines(CLAUDE_TALK)],
    "GeminiActivity": [lines(GEMINI_ACTIVITY)],
    "CursorText": CURSOR_TEXT, "Plain": PLAIN,
}  # fmt: skip


def said_once(name: str, words_said: str) -> bytes:
    """A transcript of that format in which a person says just these words."""
    return {
        "ClaudeCode": lambda w: lines(user(1, w)),
        "Codex": lambda w: lines(event(1, "user_message", message=w)),
        "Gemini": lambda w: lines({**GEMINI_HEAD, "messages": [gemini(1, "user", w)]}),
        "Antigravity": lambda w: lines(step(0, "USER_EXPLICIT", "USER_INPUT", w)),
        "Copilot": lambda w: lines(copilot(0, "session.start", sessionId="s"), copilot(1, "user.message", content=w)),
        "Droid": lambda w: lines({"type": "session_start", "id": "s", "version": 2}, droid(1, "user", text(w))),
        "Pi": lambda w: lines(PI_HEAD, pi(1, "user", w)),
        "Kiro": lambda w: lines(kiro("Prompt", 1, words(w))),
        "Cursor": lambda w: lines(bubbled("user", text(w))),
        "OpenCode": lambda w: lines(opencode(("user", part(1, "text", text=w)))),
        "CursorEditor": lambda w: lines(
            {"composerData": {"composerId": "c"}, "bubbles": [{"bubbleId": "b", "type": 1, "text": w}]}
        ),
        "KiroDocument": lambda w: lines(
            {"sessionId": "k", "workspacePath": "/x", "history": [{"message": {"role": "user", "content": w}}]}
        ),
        "AgentMemory": lambda w: lines({"agentId": "dev", "messages": [{"role": "user", "text": w}]}),
        "ChatGpt": lambda w: lines({"title": "", "current_node": "n", "mapping": {"n": node("n", None, "user", chatted(w))}}),
        "ClaudeChat": lambda w: lines({"uuid": "u", "chat_messages": [{"uuid": "a", "sender": "human", "text": w}]}),
        "GeminiActivity": lambda w: lines(
            {"gemini_activity": "g", "activities": [{"title": f"Prompted {w}", "time": stamped(1)}]}
        ),
        "CursorText": lambda w: f"user:\n<user_query>\n{w}\n</user_query>\n\nassistant:\n".encode(),
        "Plain": lambda w: lines({"role": "user", "text": w}),
    }[name](words_said)


PI_HEAD = {"type": "session", "version": 3, "id": "p", "cwd": "/x", "timestamp": stamped(0)}
