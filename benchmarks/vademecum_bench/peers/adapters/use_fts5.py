"""SQLite's FTS5 in its simplest form: a row for each turn, no stop words, words joined by OR, BM25."""

from pathlib import Path

from vademecum_bench.baseline import PlainWords
from vademecum_bench.peers.adapters.peer import Session, said, serve

#: Rows shown if no number is given; it has no default of its own.
ROWS = 10


class Fts5:
    """One index in one file."""

    def __init__(self, folder: Path) -> None:
        self._index = PlainWords(str(folder / "index.db"))

    def ingest(self, sessions: list[Session]) -> None:
        """Add a row for each turn, in one transaction."""
        rows = [said(turn) for session in sessions for turn in session["turns"]]
        self._index.add([(row, row) for row in rows])

    def ask(self, question: str, limit: int | None) -> list[str]:
        """Return the best rows."""
        return self._index.ask(question, limit or ROWS)

    def close(self) -> None:
        """Nothing to end."""


if __name__ == "__main__":
    serve(Fts5)
