"""Conversations that hosts of agent-memory save: one JSON document per agent, rewritten every half minute (IN-02).

    {"agentId": "dev", "savedAt": "2026-03-15T23:04:23.463Z", "messages": [{"role": "user", "text": "..."}, {"role": "agent", ...}]}

A message marked `internal` is stored as bookkeeping: it is no speech and never leaves the device (IN-06). Messages have no ids
and no times; a turn is named by its position in the conversation.
"""

from collections.abc import Mapping
from typing import Any

from vademecum.domain.session import Role
from vademecum.plugin_api.transcripts import Format, Reading, Record, Said, mapping, parse_time, text_of

_ROLES: Mapping[object, Role] = {"user": "user", "agent": "agent", "assistant": "agent", "tool": "tool"}


class _AgentMemory(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        self.head(id=value.get("agentId"))
        saved = parse_time(value.get("savedAt"))
        messages = value.get("messages")
        for number, message in enumerate(messages if isinstance(messages, list) else [], 1):
            words = mapping(message)
            role = words.get("role")
            known = _ROLES.get(role, "note") if isinstance(role, str) else "note"
            turn = Said("note" if words.get("internal") else known, text_of(words.get("text")))
            self.add(record, [turn], ref=f"{number}")
        if saved is not None:
            self.carry.started = self.carry.started or saved.isoformat()
            self.carry.ended = max(self.carry.ended, saved.isoformat())


class AgentMemory(Format):
    """Conversations saved for agent-memory."""

    name = "agent-memory"
    reading = _AgentMemory
    spanning = True

    def recognises(self, head: bytes, path: str) -> bool:
        """Recognise a document longer than the head by its first fields."""
        return super().recognises(head, path) or (b'"agentId"' in head[:512] and b'"messages"' in head[:1024])

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return isinstance(value.get("agentId"), str) and isinstance(value.get("messages"), list)
