"""dory-memory by its Python API: `observe` for each turn, `query` for the text that it would put before a prompt."""

from pathlib import Path

from dory import DoryMemory
from peer import Session, said, serve


class Dory:
    """One graph in one file. Its `query` takes no number of items."""

    def __init__(self, folder: Path) -> None:
        self._memory = DoryMemory(db_path=folder / "dory.db")

    def ingest(self, sessions: list[Session]) -> None:
        """Observe each turn."""
        for session in sessions:
            for turn in session["turns"]:
                self._memory.observe(said(turn))

    def ask(self, question: str, limit: int | None) -> list[str]:
        """Return the lines of the block that it gives, cut after `limit`."""
        lines = [line for line in self._memory.query(question).splitlines() if line.strip()]
        return lines if limit is None else lines[:limit]

    def close(self) -> None:
        """Nothing to end."""


if __name__ == "__main__":
    serve(Dory)
