"""ripgrep over a Markdown file for each session: lines with any word of the question, those with the most different words first."""

import subprocess
from pathlib import Path

from vademecum_bench.baseline import asked_words
from vademecum_bench.peers.adapters.peer import Session, file_name, said, serve

#: Lines shown if no number is given; it has no default of its own.
LINES = 10


class Ripgrep:
    """A folder of files, and the command `rg`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ingest(self, sessions: list[Session]) -> None:
        """Write a file for each session, a line for each turn."""
        for session in sessions:
            lines = [said(turn).replace("\n", " ") + "\n" for turn in session["turns"]]
            (self._folder / file_name(session)).write_text("".join(lines), encoding="utf-8")

    def ask(self, question: str, limit: int | None) -> list[str]:
        """Return the lines with the most different words of the question."""
        words = list(dict.fromkeys(asked_words(question)))
        if not words:
            return []
        wanted = [part for word in words for part in ("-e", word)]
        command = ["rg", "--no-filename", "--no-line-number", "--sort", "path", "-i", "-F", *wanted, str(self._folder)]
        lines = subprocess.run(command, capture_output=True, encoding="utf-8", check=False).stdout.splitlines()
        lines.sort(key=lambda line: -sum(word in line.lower() for word in words))
        return lines[: limit or LINES]

    def close(self) -> None:
        """Nothing to end."""


if __name__ == "__main__":
    serve(Ripgrep)
