"""chromadb by its Python API with its default embedder: a document for each turn. A plain vector database, as many memories use it."""

from pathlib import Path

import chromadb
from peer import Session, said, serve


class Chroma:
    """One collection in one folder."""

    def __init__(self, folder: Path) -> None:
        client = chromadb.PersistentClient(str(folder), chromadb.Settings(anonymized_telemetry=False))
        self._turns = client.get_or_create_collection("turns")

    def ingest(self, sessions: list[Session]) -> None:
        """Add a document for each turn."""
        texts = [said(turn) for session in sessions for turn in session["turns"]]
        for start in range(0, len(texts), 1000):
            some = texts[start : start + 1000]
            first = self._turns.count()
            self._turns.add(ids=[str(first + number) for number in range(len(some))], documents=some)

    def ask(self, question: str, limit: int | None) -> list[str]:
        """Return the nearest documents."""
        number = {} if limit is None else {"n_results": limit}
        found = self._turns.query(query_texts=[question], **number)["documents"]
        return list(found[0]) if found else []

    def close(self) -> None:
        """Nothing to end."""


if __name__ == "__main__":
    serve(Chroma)
