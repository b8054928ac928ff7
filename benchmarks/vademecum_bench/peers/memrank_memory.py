"""Vademecum as a memory for memrank: `pip install memrank==0.5.2` beside `vade`, then

import memrank
from vademecum_bench.peers.memrank_memory import VademecumMemory
print(memrank.evaluation("demo").run(system=VademecumMemory()))
"""

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import memrank

from vademecum import __version__
from vademecum.wiring import load_settings, open_memory
from vademecum_bench.asking import over_mcp
from vademecum_bench.recall import isolated, write_transcript
from vademecum_bench.recall_set import SetSession


class VademecumMemory(memrank.Memory):  # type: ignore[misc]
    """A memory queried like an agent does, by the MCP tool `recall_memory`; each document is a session of one turn."""

    def __init__(self) -> None:
        self._open = contextlib.ExitStack()

    def declared_version(self) -> str:
        """Return our version."""
        return __version__

    def prepare(self, isolation_unit: str) -> None:
        """Start an empty memory."""
        self.cleanup()
        self._folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="vade-memrank-")))
        self._memory = self._open.enter_context(open_memory(isolated(load_settings(), self._folder)))
        self._documents: dict[str, Any] = {}

    def ingest(self, documents: list[Any]) -> None:
        """Capture the documents from transcripts."""
        spoken = self._folder / "told"
        spoken.mkdir(exist_ok=True)
        for document in documents:
            number = f"d{len(self._documents)}"
            self._documents[number] = document
            turn = {"id": number, "speaker": document.user_id or "user", "text": document.content}
            write_transcript(SetSession("", number, document.timestamp, (turn,)), spoken / f"{number}.jsonl")
        self._memory.maintenance.capture((str(spoken),), mine=False)
        self._memory.maintenance.refine()

    def retrieve(self, query: str, k: int, user_id: str, query_timestamp: str | None = None) -> Any:
        """Return at most k documents, best first."""
        refs = dict.fromkeys(ref for _, ref in over_mcp(self._memory, query, frozenset(), "auto") if ref in self._documents)
        return memrank.Recall(documents=[self._documents[ref] for ref in refs][:k])

    def cleanup(self) -> None:
        """Remove the memory."""
        self._open.close()
