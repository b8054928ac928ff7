"""The MCP tool `update_soul`, under the name that agents of an earlier design call."""

from collections.abc import Mapping
from typing import Any

from vademecum.domain.memory import By
from vademecum.domain.procedural import SOUL_CATEGORIES
from vademecum.plugin_api.mcp import SAVED, Tool, data
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import Param
from vademecum.plugins.self_notes import self_notes


def _update(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    note = self_notes.SelfNote(values["category"], values["text"], values["importance"])
    return data.saved(self_notes.update(memory.context, note, values["supersedes"], by=by))


TOOLS = (
    Tool(
        "update_soul", "Note on yourself", "Save one note about yourself.",
        (
            Param("category", "text", "", choices=SOUL_CATEGORIES), Param("text", "words", "", max_chars=2_000),
            Param("importance", "share", "", 0.7), Param("supersedes", "text", "", "", max_chars=300),
        ),
        _update, data.saved_text, SAVED, listed=False,
    ),
)  # fmt: skip
