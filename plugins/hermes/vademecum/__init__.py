"""Memory provider for Hermes: it briefs each session, answers prompts from memory, and saves what was said.

All of it goes through the command `vade` of the same machine. When that fails or takes too long, Hermes goes on without memory.
"""

import json
import shutil
import subprocess
import threading
from typing import Any

from agent.memory_provider import MemoryProvider

#: Seconds that Hermes waits for what is shown, and for a turn to be saved.
SHOWN_S, SAVED_S = 5, 20


class VademecumProvider(MemoryProvider):
    """What Vademecum knows, for one session at a time."""

    def __init__(self) -> None:
        self._session = ""
        self._saves = True
        self._conversations: dict[str, str] = {}  # session -> id of its conversation in memory
        self._saving: threading.Thread | None = None

    @property
    def name(self) -> str:
        return "vademecum"

    def is_available(self) -> bool:
        return shutil.which("vade") is not None

    def unavailable_reason(self) -> str:
        return "The command vade is not on PATH. Install Vademecum, then run: vade setup"

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Begin a session. What others than the person at this agent say, such as a schedule or a sub-agent, is not saved."""
        self._session = session_id
        self._saves = kwargs.get("agent_context", "primary") == "primary"

    def on_session_switch(self, new_session_id: str, **kwargs: Any) -> None:
        self._session = new_session_id

    def system_prompt_block(self) -> str:
        return str(_answer("briefing", "--session", self._session).get("text", ""))

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        if not query.strip():
            return ""
        return str(_answer("agent bundle", "--session", session_id or self._session, "--", query).get("text", ""))

    def sync_turn(self, user_content: str, assistant_content: str, *, session_id: str = "", messages: Any = None) -> None:
        """Save a turn, without waiting for it; the one before is waited for, because its answer names the conversation."""
        if not self._saves:
            return
        self._wait()
        turn = [{"role": "user", "content": user_content}, {"role": "assistant", "content": assistant_content}]
        asked = (session_id or self._session, json.dumps(turn))
        self._saving = threading.Thread(target=self._save, args=asked, daemon=True)
        self._saving.start()

    def shutdown(self) -> None:
        self._wait()

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return none: the tools come from the MCP server `vade mcp`."""
        return []

    def _wait(self) -> None:
        """Wait until the last turn is saved."""
        if self._saving is not None:
            self._saving.join(SAVED_S)

    def _save(self, session: str, turn: str) -> None:
        known = self._conversations.get(session)
        more = ("--conversation-id", known) if known else ("--no-living-document",)
        saved = _answer("agent save-conversation", "hermes", "--messages", "-", *more, typed=turn, seconds=SAVED_S)
        if saved.get("conversation_id"):
            self._conversations[session] = str(saved["conversation_id"])


def _answer(verb: str, *arguments: str, typed: str = "", seconds: float = SHOWN_S) -> dict[str, Any]:
    """Return what a command of ours answers; nothing when it fails or takes too long."""
    command = ["vade", *verb.split(), "--json", *arguments]
    try:
        done = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=seconds, check=False)
        answered = json.loads(done.stdout) if done.returncode == 0 else {}
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return {}
    return answered if isinstance(answered, dict) else {}


def register(context: Any) -> None:
    """Give Hermes the provider."""
    context.register_memory_provider(VademecumProvider())
