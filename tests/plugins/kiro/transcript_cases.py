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


DOCUMENT = {"sessionId": "k1", "title": "Trees", "workspacePath": "/srv/orchard", "history": [
    {"message": {"role": "user", "content": [{"type": "text", "text": "Prune"}], "id": "h1"}},
    {"message": {"role": "critic", "content": "Always.", "id": "h2"}},
]}  # fmt: skip
CASES = (
    kiro(
        "prompt and answer",
        (spoken("Prompt", "Prune"), spoken("AssistantMessage", "Pruned.")),
        turn("user", "Prune"),
        turn("agent", "Pruned."),
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
        turns=(turn("user", "Prune"), turn("note", "Always.")),
    ),
)
