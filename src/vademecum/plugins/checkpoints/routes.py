"""HTTP routes of an earlier design for checkpoints (IN-53), served from this memory."""

import json
from collections.abc import Mapping
from typing import Any

from vademecum.domain.memory import By
from vademecum.plugin_api.http import OlderRoute, object_schema
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import Param
from vademecum.plugins.checkpoints import checkpoints

_AGENT = Param("agentId", "words", "Name of the agent.", max_chars=100)
_MESSAGES = Param(
    "messages", "objects", "What was said.", max_items=500,
    fields=(
        Param("role", "text", "Who said it.", choices=("user", "agent", "assistant")),
        Param("text", "text", "What was said.", max_chars=100_000),
        Param("internal", "flag", "Not to be kept.", False),
    ),
)  # fmt: skip
_CHAT = (
    Param("chatId", "text", "Id of the chat, to resume it.", "", max_chars=200),
    Param("modelId", "text", "Model of the chat.", "", max_chars=200),
)


def save_checkpoint(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Save a checkpoint of an agent's chat, like `vade checkpoint`; it replaces the former one."""
    kept = checkpoints.checkpoint(
        memory.context,
        values["agentId"],
        checkpoints.messages_of(json.dumps(values["messages"])),
        chat=values["chatId"],
        model=values["modelId"],
    )
    return {"saved": len(kept.messages), "messages": len(kept.messages)}


def checkpoint(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Return the last messages of an agent's chat, unless they are too old (IN-03)."""
    kept = checkpoints.recover(memory.context, values["agentId"])
    if kept is None:
        return {"recovering": False, "checkpoint": None}
    about = {name: value for name, value in (("chatId", kept.chat), ("modelId", kept.model)) if value}
    fields = {"agentId": kept.agent, "savedAt": int(kept.saved.timestamp() * 1000)}
    messages = [{"role": message.role, "text": message.text} for message in kept.messages]
    return {"recovering": True, "checkpoint": {**fields, **about, "messages": messages}}


ROUTES = (
    OlderRoute("/api/memory/checkpoint", "get", "recover", "The last messages of an agent's conversation, if younger than 7 days.",
               (_AGENT,), checkpoint, object_schema(recovering="boolean", checkpoint="any")),
    OlderRoute("/api/memory/checkpoint", "post", "save-checkpoint", "Save where an agent's conversation stands.",
               (_AGENT, _MESSAGES, *_CHAT), save_checkpoint, object_schema(saved="integer", messages="integer")),
)  # fmt: skip
