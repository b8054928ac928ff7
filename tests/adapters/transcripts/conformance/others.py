"""Account exports of ChatGPT and Claude, agent-memory (0.5) and plain turns."""

import json
from datetime import UTC, datetime
from typing import Any

from tests.adapters.transcripts.conformance.case import Case, turn


def chat(kind: str, *messages: dict[str, Any], turns: tuple[Any, ...]) -> Case:
    nodes = {f"n{number}": {"id": f"n{number}", "parent": f"n{number - 1}" if number else None, "message": {"id": f"n{number}", **one}}
             for number, one in enumerate(messages)}  # fmt: skip
    held = {"title": "Trees", "conversation_id": "g1", "current_node": f"n{len(messages) - 1}", "mapping": nodes}
    return Case(
        kind=kind,
        format="ChatGpt",
        version="2026",
        path="/home/u/export.zip#g1",
        records=json.dumps(held).encode(),
        turns=turns,
    )


def said(role: str, *texts: str, **metadata: Any) -> dict[str, Any]:
    return {"author": {"role": role}, "content": {"content_type": "text", "parts": list(texts)}, "metadata": metadata}


def web(kind: str, *messages: dict[str, Any], turns: tuple[Any, ...]) -> Case:
    held = {
        "uuid": "w1",
        "name": "Trees",
        "chat_messages": [{"uuid": f"w{number}", **one} for number, one in enumerate(messages)],
    }
    return Case(
        kind=kind,
        format="ClaudeChat",
        version="2026",
        path="/home/u/export.zip#w1",
        records=json.dumps(held).encode(),
        turns=turns,
    )


def plain(kind: str, *records: dict[str, Any], turns: tuple[Any, ...], **more: Any) -> Case:
    return Case(kind=kind, format="Plain", version="1", path="/home/u/talk.jsonl", records=records, turns=turns, **more)


SAVED = datetime(2026, 3, 15, 23, 4, 23, tzinfo=UTC)
MEMORY = {"agentId": "dev", "messages": [{"role": "user", "text": "Prune"}, {"role": "critic", "text": "Always."},
                                         {"role": "user", "text": "Never.", "internal": True}]}  # fmt: skip
CASES = (
    chat("typed prompt", said("user", "Prune"), turns=(turn("user", "Prune"),)),
    chat(
        "a call and what a tool and the host say",
        {**said("assistant", "search('pear')"), "recipient": "browser"},
        said("tool", "Pears."),
        said("critic", "Always."),
        turns=(turn("tool", "browser: search('pear')"), turn("tool", "Pears."), turn("note", "Always.")),
    ),
    chat("talk", said("user", "Prune"), said("assistant", "Pruned."), turns=(turn("user", "Prune"), turn("agent", "Pruned."))),
    chat(
        "instructions that are kept",
        said("user", "Always.", is_user_system_message=True),
        said("user", "Prune"),
        turns=(turn("injected", "Always."), turn("user", "Prune")),
    ),
    chat(
        "DeepSeek's fragments",
        {"inserted_at": "2026-03-01T09:00:00+08:00", "fragments": [{"type": "REQUEST", "content": "Prune"}]},
        {"fragments": [{"type": "THINK", "content": "Always."}, {"type": "RESPONSE", "content": "Pruned."}]},
        turns=(turn("user", "Prune"), turn("agent", "Pruned.")),
    ),
    web("typed prompt", {"sender": "human", "text": "Prune"}, turns=(turn("user", "Prune"),)),
    web(
        "calls",
        {
            "sender": "assistant",
            "content": [
                {"type": "tool_use", "name": "search", "input": {"query": "pear"}},
                {"type": "tool_result", "name": "search", "content": "Pears."},
            ],
        },
        turns=(turn("tool", "search: pear"), turn("tool", "Pears.", name="search")),
    ),
    web(
        "talk",
        {"sender": "human", "text": "Prune"},
        {"sender": "assistant", "text": "Pruned."},
        {"sender": "critic", "text": "Always."},
        turns=(turn("user", "Prune"), turn("agent", "Pruned."), turn("note", "Always.")),
    ),
    web(
        "pasted text that the page made an attachment",
        {
            "sender": "human",
            "text": "",
            "attachments": [{"file_name": "paste.txt", "extracted_content": "Plums on the ninth."}],
        },
        {"sender": "human", "text": "Prune", "attachments": [{"file_name": "a.pdf", "extracted_content": ""}, "x"]},
        {"sender": "human", "text": "", "files": [{"file_name": "a.png"}]},
        turns=(turn("document", "paste.txt\nPlums on the ninth."), turn("user", "Prune"), turn("user", "[file]")),
    ),
    Case(
        kind="typed prompt",
        format="GeminiActivity",
        version="2026",
        path="/home/u/takeout.zip#g1",
        records=({"gemini_activity": "g1", "activities": [{"title": "Prompted Prune"}]},),
        turns=(turn("user", "Prune"),),
    ),
    Case(
        kind="what the person typed, what they did, and a verb of another language",
        format="GeminiActivity",
        version="2026",
        path="/home/u/takeout.zip#g1",
        records=json.dumps(
            {
                "gemini_activity": "g1",
                "activities": [
                    {"title": "Prompted Prune Attached 1 file.", "safeHtmlItem": [{"html": "<p>Pruned.</p>"}]},
                    {"title": "Used Always."},
                    {"title": "Gefragt: Nie.", "safeHtmlItem": [{"html": "No."}]},
                ],
            }
        ).encode(),
        turns=(
            turn("user", "Prune"),
            turn("agent", "Pruned."),
            turn("note", "Used Always."),
            turn("document", "Gefragt: Nie."),
            turn("agent", "No."),
        ),
    ),
    Case(
        kind="typed prompt, and when it was saved",
        format="AgentMemory",
        version="0.5",
        path="/srv/orchard/.memory/conversations/dev.json",
        records=({"agentId": "dev", "savedAt": SAVED.isoformat(), "messages": [{"role": "user", "text": "Prune"}]},),
        turns=(turn("user", "Prune"),),
        session={"started": SAVED, "ended": SAVED},
    ),
    Case(
        kind="talk",
        format="AgentMemory",
        version="0.5",
        path="/srv/orchard/.memory/conversations/dev.json",
        records=json.dumps(MEMORY).encode(),
        turns=(turn("user", "Prune"), turn("note", "Always."), turn("note", "Never.")),
    ),
    plain(
        "words for speakers",
        {"role": "user", "text": "Prune"},
        {"role": "assistant", "text": "Pruned."},
        {"role": "system", "text": "Always."},
        turns=(turn("user", "Prune"), turn("agent", "Pruned."), turn("note", "Always.")),
    ),
    plain("typed prompt", {"role": "user", "text": "Prune"}, turns=(turn("user", "Prune"),)),
    plain(
        "header, and text in blocks",
        {"type": "session", "id": "S1", "time": "2026-05-08T13:56:00Z", "project": "larder", "title": "Menus"},
        {"role": "user", "content": [{"type": "text", "text": "Prune"}]},
        turns=(turn("user", "Prune"),),
        session={"id": "S1", "project": "larder", "title": "Menus", "started": datetime(2026, 5, 8, 13, 56, tzinfo=UTC)},
    ),
    plain("name of a person", {"speaker": "Caroline", "text": "Prune"}, turns=(turn("user", "Prune", name="Caroline"),)),
    plain(
        "unknown role",
        {"role": "critic", "text": "Always."},
        {"role": "user", "text": "Prune"},
        turns=(turn("note", "Always."), turn("user", "Prune")),
    ),
    plain(
        "unknown type",
        {"type": "progress", "text": "Always."},
        {"role": "user", "text": "Prune"},
        turns=(turn("user", "Prune"),),
        unknown=("progress",),
    ),
    plain(
        "answer to a question",
        {"role": "user", "text": "The old pear", "question": "Which tree?"},
        turns=(turn("answer", "The old pear", question="Which tree?", role="user"),),
    ),
)
