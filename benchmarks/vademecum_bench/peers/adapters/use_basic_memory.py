"""basic-memory: a note for each session, `basic-memory reindex`, and its MCP tool `search_notes`.

By words only: its vectors need a model from a hub, and a Python that loads SQLite extensions.
"""

import asyncio
import os
import subprocess
from pathlib import Path

os.environ |= {"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false", "BASIC_MEMORY_LOG_LEVEL": "ERROR"}

from basic_memory.mcp.tools import search_notes
from peer import Session, as_markdown, file_name, serve


class BasicMemory:
    """One project in one folder; its database is in the home."""

    def __init__(self, folder: Path) -> None:
        self._notes = folder / "notes"
        self._notes.mkdir()
        subprocess.run(["basic-memory", "project", "add", "talk", str(self._notes), "--default"], check=True)
        self._loop = asyncio.new_event_loop()

    def ingest(self, sessions: list[Session]) -> None:
        """Write a note for each session, and index the notes."""
        for session in sessions:
            (self._notes / file_name(session)).write_text(as_markdown(session), encoding="utf-8")
        subprocess.run(["basic-memory", "reindex", "--search"], check=True)

    def ask(self, question: str, limit: int | None) -> list[str]:
        """Return the content of the results, as given by the tool."""
        number = {} if limit is None else {"page_size": limit}
        answer = self._loop.run_until_complete(search_notes(query=question, output_format="json", **number))
        return [f"{hit['title']}\n{hit['content']}" for hit in answer["results"]]

    def close(self) -> None:
        """Nothing to end."""


if __name__ == "__main__":
    serve(BasicMemory)
