"""pi: entries of version 3 of the format, sub-agents and forks."""

from typing import Any

from tests.adapters.transcripts.conformance.case import Case, turn

ID = "0f000000-0000-7000-8000-0000000000f1"
FOLDER = "/home/u/.pi/agent/sessions/--srv-orchard--"
STEM = f"2026-11-20T10-00-00-000Z_{ID}"
PATH = f"{FOLDER}/{STEM}.jsonl"
HEAD = {"type": "session", "version": 3, "id": ID, "timestamp": "2026-11-20T10:00:00.000Z", "cwd": "/srv/orchard"}


def entry(number: int, kind: str, **fields: Any) -> dict[str, Any]:
    """Return one entry."""
    parent = f"{number - 1:08x}" if number > 1 else None
    return {
        "type": kind,
        "id": f"{number:08x}",
        "parentId": parent,
        "timestamp": f"2026-11-20T10:00:{number:02d}.000Z",
        **fields,
    }


def message(number: int, role: str, text: str, **fields: Any) -> dict[str, Any]:
    """Return an entry in which somebody speaks."""
    return entry(number, "message", message={"role": role, "content": [{"type": "text", "text": text}], **fields})


def copy(role: str, text: str) -> dict[str, Any]:
    """Return a line of the copy that is kept of a sub-agent's session."""
    return {"version": 1, "recordType": "message", "runId": "r1", "agent": "scout", "role": role, "text": text,
            "timestamp": "2026-11-20T10:00:01.000Z"}  # fmt: skip


def case(
    kind: str, records: tuple[dict[str, Any], ...], *turns: Any, path: str = PATH, head: tuple[Any, ...] = (HEAD,), **more: Any
) -> Case:
    """Return a case of this host."""
    return Case(kind=kind, format="Pi", version="format 3", path=path, records=(*head, *records), turns=turns, **more)


CALL = entry(1, "message", message={"role": "assistant", "content": [{"type": "toolCall", "id": "c1", "name": "question", "arguments": {
    "question": "Which tree?"}}]})  # fmt: skip
SKILL = '<skill name="trees" location="/x/SKILL.md">\nAlways prune twice.\n</skill>\n\n'
FILE = '<file name="/srv/orchard/rules.md">\nAlways prune thrice.\n</file>\n'
CASES = (
    case(
        "version 1, without ids",
        (
            {
                "type": "message",
                "timestamp": "2025-11-20T10:00:01.000Z",
                "message": {"role": "user", "content": [{"type": "text", "text": "Prune"}], "timestamp": 1763632801000},
            },
        ),
        turn("user", "Prune", time="2025-11-20T10:00:01+00:00"),
        head=({"type": "session", "id": ID, "timestamp": "2025-11-20T10:00:00.000Z", "cwd": "/srv/orchard"},),
        session={"id": ID, "cwd": "/srv/orchard"},
    ),
    case(
        "extension's message of version 2, command of the person",
        (
            message(1, "hookMessage", "Always."),
            entry(2, "message", message={"role": "bashExecution", "command": "make", "output": "bad", "exitCode": 2}),
        ),
        turn("note", "Always."),
        turn("tool", "bash: make"),
        turn("tool", "bad", outcome="failed"),
    ),
    case(
        "skill and file before the typed text",
        (message(1, "user", f"{SKILL}{FILE}Prune"),),
        turn("injected", "Always prune twice."),
        turn("document", "Always prune thrice."),
        turn("user", "Prune"),
        session={"title": "Prune"},
    ),
    case(
        "skill alone",
        (message(1, "user", SKILL),),
        turn("injected", "Always prune twice."),
        session={"title": ""},
    ),
    case(
        "typed prompt",
        (message(1, "user", "Prune"),),
        turn("user", "Prune", time="2026-11-20T10:00:01+00:00", cwd="/srv/orchard", sidechain=False),
        session={"id": ID, "host": "pi", "cwd": "/srv/orchard", "project": "orchard", "title": "Prune"},
    ),
    case("answer of the agent", (message(1, "assistant", "Pruned."),), turn("agent", "Pruned.")),
    case(
        "session of a sub-agent",
        (message(1, "user", "Always YAML."), message(2, "assistant", "Yes.")),
        turn("user", "Always YAML.", sidechain=True),
        turn("agent", "Yes.", sidechain=True),
        path=f"{FOLDER}/{STEM}/run42/run-0/session.jsonl",
    ),
    case(
        "session below a run",
        (message(1, "user", "Always YAML."),),
        turn("user", "Always YAML.", sidechain=True),
        path=f"{FOLDER}/{STEM}/run43/other.jsonl",
    ),
    case(
        "copy of a sub-agent's session",
        (copy("user", "Always YAML."), copy("assistant", "Yes."), copy("critic", "Never.")),
        turn("user", "Always YAML.", sidechain=True),
        turn("agent", "Yes.", sidechain=True),
        turn("note", "Never.", sidechain=True),
        path=f"{FOLDER}/{STEM}/subagent-artifacts/r1_scout_0_transcript.jsonl",
        head=(),
    ),
    case(
        "fork whose parent is gone",
        (message(1, "user", "Prune"),),
        turn("user", "Prune", sidechain=False),
        path=f"{FOLDER}/{STEM}/forks/f1.jsonl",
        head=({**HEAD, "parentSession": "/nowhere/p.jsonl"},),
    ),
    case(
        "question answered",
        (
            CALL,
            message(
                2,
                "toolResult",
                "User selected: Pear",
                toolCallId="c1",
                toolName="question",
                isError=False,
                details={"question": "Which tree?", "answer": "Pear"},
            ),
        ),
        turn("tool", 'question: {"question": "Which tree?"}', call="c1"),
        turn("tool", "User selected: Pear", name="question", outcome="succeeded"),
        turn("answer", "Pear", question="Which tree?", call="c1", role="user"),
    ),
    case(
        "call that failed",
        (CALL, message(2, "toolResult", "Always.", toolCallId="c1", isError=True)),
        turn("tool", 'question: {"question": "Which tree?"}'),
        turn("tool", "Always.", outcome="failed"),
    ),
    case(
        "command the person ran",
        (entry(1, "message", message={"role": "bashExecution", "command": "ls", "output": "Always."}),),
        turn("tool", "bash: ls"),
        turn("tool", "Always."),
    ),
    case("message of an extension", (entry(1, "custom_message", content="Always."),), turn("injected", "Always.")),
    case("compaction", (entry(1, "compaction", summary="We use Go."),), turn("note", "We use Go.")),
    case(
        "unknown kind",
        (entry(1, "hologram", content="Always."), message(2, "ghost", "Never."), message(3, "user", "Prune")),
        turn("user", "Prune"),
        unknown=("hologram", "message/ghost"),
    ),
    case(
        "name by the person",
        (entry(1, "session_info", name="Trees"), message(2, "user", "Prune")),
        turn("user", "Prune"),
        session={"title": "Trees"},
    ),
)
