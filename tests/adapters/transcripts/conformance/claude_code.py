"""Claude Code: kinds of records, after real files of 2.1.2xx to 2.1.332."""

from typing import Any

from tests.adapters.transcripts.conformance.case import Case, turn

SESSION = "0f000000-0000-4000-8000-000000000001"
PATH = f"/home/u/.claude/projects/-srv-orchard/{SESSION}.jsonl"
WORDS = "Prune the pear trees"


def line(kind: str, number: int, **fields: Any) -> dict[str, Any]:
    """Return one record."""
    return {
        "parentUuid": f"e{number - 1}" if number else None, "isSidechain": False, "userType": "external", "cwd": "/srv/orchard",
        "sessionId": SESSION, "version": "2.1.332", "gitBranch": "main", "type": kind, "uuid": f"e{number}",
        "timestamp": f"2026-11-20T10:00:{number:02d}.000Z", **fields,
    }  # fmt: skip


def user(number: int, content: Any, **fields: Any) -> dict[str, Any]:
    """Return a record of type "user"."""
    return line("user", number, message={"role": "user", "content": content}, **fields)


def case(kind: str, records: tuple[dict[str, Any], ...], *turns: Any, version: str = "2.1.332", **more: Any) -> Case:
    """Return a case of this host."""
    return Case(
        kind=kind, format="ClaudeCode", version=version, path=more.pop("path", PATH), records=records, turns=turns, **more
    )


CASES = (
    case(
        "typed prompt",
        (user(0, WORDS, origin={"kind": "human"}, promptSource="typed", turnOrigin="human", entrypoint="cli"),),
        turn("user", WORDS, role="user", time="2026-11-20T10:00:00+00:00", cwd="/srv/orchard", sidechain=False),
        session={"id": SESSION, "host": "claude-code", "cwd": "/srv/orchard", "branch": "main", "title": WORDS},
    ),
)
