"""What Droid 0.57 writes, record by record."""

import json
from typing import Any

from tests.adapters.transcripts.conformance.case import Case, turn

TIME = "2026-11-20T10:00:01.000Z"


def droid(kind: str, records: tuple[dict[str, Any], ...], *turns: Any, head: Any = None, **more: Any) -> Case:
    start = head or {"type": "session_start", "id": "s1", "title": "Trees", "version": 2, "cwd": "/srv/orchard"}
    path = "/home/u/.factory/sessions/-srv-orchard/s1.jsonl"
    return Case(kind=kind, format="Droid", version="0.57", path=path, records=(start, *records), turns=turns, **more)


def message(role: str, *blocks: Any) -> dict[str, Any]:
    held = [{"type": "text", "text": one} if isinstance(one, str) else one for one in blocks]
    return {"type": "message", "id": f"d-{role}", "timestamp": TIME, "message": {"role": role, "content": held}}


ASK = {"type": "tool_use", "id": "t1", "name": "AskUser", "input": {"questionnaire": "1. [question] Which tree?"}}
ANSWERED = "1. [question] Which tree?\n[answer] The old pear"
CASES = (
    droid(
        "messages in the person's role",
        (
            {
                "type": "message",
                "id": "d1",
                "timestamp": TIME,
                "message": {"role": "user", "content": "Always.", "visibility": "llm_only"},
            },
            {
                "type": "message",
                "id": "d2",
                "timestamp": TIME,
                "message": {"role": "user", "content": "Halt", "hookEventName": "Stop"},
            },
            {
                "type": "message",
                "id": "d3",
                "timestamp": TIME,
                "message": {"role": "user", "content": "Sow", "userMessageSource": "automation"},
            },
            {"type": "agent_turn_outcome", "turnId": "d3", "reason": "completed"},
            message("user", "Prune"),
        ),
        turn("injected", "Always."),
        turn("injected", "Halt"),
        turn("program", "Sow"),
        turn("user", "Prune"),
        head={"type": "session_start", "id": "s1", "title": "New Session", "version": 2, "cwd": "/srv/orchard"},
        session={"id": "s1", "title": "Prune"},
    ),
    droid(
        "typed prompt",
        (message("user", "<system-reminder>\nAlways.\n</system-reminder>", "Prune"),),
        turn("user", "Prune", cwd="/srv/orchard", sidechain=False),
        session={"id": "s1", "host": "droid", "title": "Trees"},
    ),
    droid(
        "session of a sub-agent",
        (message("user", "Always YAML."),),
        turn("user", "Always YAML.", sidechain=True),
        head={"type": "session_start", "id": "s2", "callingSessionId": "s1"},
    ),
    droid(
        "question answered",
        (message("assistant", ASK), message("user", {"type": "tool_result", "tool_use_id": "t1", "content": ANSWERED})),
        turn("tool", f"AskUser: {json.dumps(ASK['input'])}"),
        turn("tool", ANSWERED, name="AskUser"),
        turn("answer", "The old pear", question="Which tree?", call="t1", role="user"),
    ),
    droid("unknown role", (message("critic", "Always."),), turn("note", "Always.")),
    droid(
        "compaction, and an unknown kind",
        ({"type": "compaction_state", "id": "d5", "timestamp": TIME, "summaryText": "We use Go."}, {"type": "hologram"}),
        turn("note", "We use Go."),
        unknown=("hologram",),
    ),
    droid(
        "task of a sub-agent",
        (message("user", "# Task Tool Invocation\n\nPrune"),),
        turn("user", "# Task Tool Invocation\n\nPrune", sidechain=True),
    ),
)
