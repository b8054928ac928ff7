"""agentrecall-db by its Python API, with the keyword search that it has without extras."""

from pathlib import Path

from agentrecall import Memory
from peer import Session, said, serve


class AgentRecall:
    """One SQLite file."""

    def __init__(self, folder: Path) -> None:
        self._memory = Memory(str(folder / "memory.db"))

    def ingest(self, sessions: list[Session]) -> None:
        """Add a memory for each turn."""
        self._memory.add_many([said(turn) for session in sessions for turn in session["turns"]])

    def ask(self, question: str, limit: int | None) -> list[str]:
        """Return the results of `search`."""
        found = self._memory.search(question) if limit is None else self._memory.search(question, k=limit)
        return [hit.content for hit in found]

    def close(self) -> None:
        """Close the file."""
        self._memory.close()


if __name__ == "__main__":
    serve(AgentRecall)
