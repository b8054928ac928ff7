"""Antigravity: kinds of steps, after real lines of 1.2.12."""

from typing import Any

from tests.adapters.transcripts.conformance.case import Case, turn

ID = "0f000000-0000-4000-8000-0000000000a1"
PATH = f"/home/u/.gemini/antigravity-cli/brain/{ID}/.system_generated/logs/transcript.jsonl"


def step(number: int, source: str, kind: str, content: str = "", **fields: Any) -> dict[str, Any]:
    """Return one line."""
    return {
        "step_index": number, "source": source, "type": kind, "status": "DONE", "created_at": f"2026-11-20T10:00:{number:02d}Z",
        "content": content, **fields,
    }  # fmt: skip


def case(kind: str, records: tuple[dict[str, Any], ...], *turns: Any, **more: Any) -> Case:
    """Return a case of this host."""
    return Case(kind=kind, format="Antigravity", version="1.2", path=PATH, records=records, turns=turns, **more)


COMMAND = {"name": "run_command", "args": {"CommandLine": "ls -la", "Cwd": "/srv/orchard"}}
CASES = (
    case(
        "typed request",
        (step(0, "USER_EXPLICIT", "USER_INPUT", "<USER_REQUEST>\nPrune the trees\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nAlways"
              " prune at night.\n</ADDITIONAL_METADATA>"),),
        turn("user", "Prune the trees", time="2026-11-20T10:00:00+00:00", sidechain=False),
        session={"id": ID, "host": "antigravity", "title": "Prune the trees"},
    ),
    case(
        "request that is cut off",
        (step(0, "USER_EXPLICIT", "USER_INPUT", "<USER_REQUEST>\nPrune the tr", truncated_fields=["content"]),),
        turn("user", "Prune the tr"),
    ),
    case(
        "two calls with one result",
        (step(0, "MODEL", "PLANNER_RESPONSE", tool_calls=[COMMAND, COMMAND]), step(1, "MODEL", "GENERIC", "both"),
         step(2, "MODEL", "PLANNER_RESPONSE", tool_calls=[COMMAND]), step(3, "MODEL", "GENERIC", "third")),
        turn("tool", "run_command: ls -la", call="step-0.0"), turn("tool", "run_command: ls -la", call="step-0.1"),
        turn("tool", "both", call="step-0.0"), turn("tool", "run_command: ls -la", call="step-2.0"),
        turn("tool", "third", call="step-2.0"),
    ),
    case("request without tags", (step(0, "USER_EXPLICIT", "USER_INPUT", "Prune them"),), turn("user", "Prune them")),
    case(
        "input that nobody typed",
        (step(0, "SYSTEM", "USER_INPUT", "Always go on."), step(1, "MODEL", "USER_INPUT", "Never stop.")),
        turn("injected", "Always go on."), turn("injected", "Never stop."),
    ),
    case(
        "answer with a call",
        (
            step(0, "MODEL", "PLANNER_RESPONSE", "I always look first.", thinking="hm", tool_calls=[COMMAND]),
            step(1, "MODEL", "GENERIC", "Created At: x\nCompleted At: y\n\nThe command exited with code 3.\nOutput:\nno"),
        ),
        turn("agent", "I always look first."),
        turn("tool", "run_command: ls -la", tools=("run_command",), call="step-0.0"),
        turn("tool", "Created At: x\nCompleted At: y\n\nThe command exited with code 3.\nOutput:\nno", name="run_command",
             call="step-0.0", outcome="failed"),
    ),
    case(
        "step of a tool",
        (step(0, "MODEL", "VIEW_FILE", "Always trust this file."), step(1, "MODEL", "RUN_COMMAND", "x", status="ERROR")),
        turn("tool", "Always trust this file.", name="view_file", outcome="succeeded"),
        turn("tool", "x", outcome="failed"),
    ),
    case(
        "step that goes on",
        (step(0, "MODEL", "GENERIC", "Still running", status="RUNNING"), step(0, "MODEL", "GENERIC", "Finished")),
        turn("tool", "Finished"),
    ),
    case(
        "texts of the host",
        (step(0, "SYSTEM", "SYSTEM_MESSAGE", "Always."), step(1, "SYSTEM", "EPHEMERAL_MESSAGE", "Never."),
         step(2, "SYSTEM", "ERROR_MESSAGE", "Stopped."), step(3, "MODEL", "CHECKPOINT", "We use Go.")),
        turn("note", "Always."), turn("injected", "Never."), turn("note", "Stopped."), turn("tool", "We use Go."),
    ),
    case("unknown source", (step(0, "TELEPATHY", "USER_INPUT", "Always."),), turn("note", "Always."), unknown=("TELEPATHY/USER_INPUT",)),
    case("typed prompt", (step(0, "USER_EXPLICIT", "USER_INPUT", "Prune"),), turn("user", "Prune")),
)  # fmt: skip
