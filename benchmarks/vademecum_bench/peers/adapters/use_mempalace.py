"""MemPalace: `mempalace mine --mode convos` over transcripts, and the search that its MCP tool uses, with their defaults."""

import json
import subprocess
import sys
from pathlib import Path

from mempalace.searcher import search_memories
from peer import Session, file_name, said, serve


class MemPalace:
    """One palace in one folder."""

    def __init__(self, folder: Path) -> None:
        self._palace, self._input = folder / "palace", folder.parent / "input"
        self._input.mkdir()

    def ingest(self, sessions: list[Session]) -> None:
        """Mine the sessions from transcripts as Claude Code writes them: the first speaker is the user."""
        for session in sessions:
            first = session["turns"][0]["speaker"] if session["turns"] else ""
            lines = [
                _line("user" if turn["speaker"] == first else "assistant", said(turn), session) for turn in session["turns"]
            ]
            (self._input / file_name(session)).with_suffix(".jsonl").write_text("".join(lines), encoding="utf-8")
        command = ["-m", "mempalace", "--palace", str(self._palace), "mine", str(self._input), "--mode", "convos"]
        subprocess.run([sys.executable, *command], check=True)

    def ask(self, question: str, limit: int | None) -> list[str]:
        """Return the texts of the drawers found."""
        number = {} if limit is None else {"n_results": limit}
        return [hit["text"] for hit in search_memories(question, str(self._palace), **number)["results"]]

    def close(self) -> None:
        """Nothing to end."""


def _line(role: str, text: str, session: Session) -> str:
    row = {"type": role, "sessionId": session["id"], "message": {"role": role, "content": text}}
    return json.dumps(row | ({"timestamp": session["time"]} if session["time"] else {})) + "\n"


if __name__ == "__main__":
    serve(MemPalace)
