"""Codex: kinds of records, after real files of 0.140 to 0.171."""

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


CASES = (
    case(
        "typed prompt",
        (meta(), message(1, "user", WORDS, kinds=("user.text",))),
        turn("user", WORDS, time="2026-11-20T10:00:01+00:00", cwd="/srv/orchard", sidechain=False),
        session={"id": SESSION, "host": "codex", "cwd": "/srv/orchard", "title": WORDS},
    ),
)
