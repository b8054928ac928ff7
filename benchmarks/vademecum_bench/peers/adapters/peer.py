"""Interface of the compared memories. Standard library only, because it runs in the environment of each of them."""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

#: One conversation: id, time (ISO or None), and turns with id, speaker and text.
Session = dict[str, Any]


class Peer(Protocol):
    """A memory. It stores everything in the folder given to its constructor."""

    def ingest(self, sessions: list[Session]) -> None:
        """Ingest sessions, searchable on return. It is called again when later sessions have happened."""

    def ask(self, question: str, limit: int | None) -> list[str]:
        """Return the text that it shows, one string per item, best first.

        Args:
            limit: number of items; None: its own default.
        """

    def close(self) -> None:
        """Stop everything that it started."""


def said(turn: dict[str, Any]) -> str:
    """Return a turn as text, for memories without fields for the speaker."""
    return f"{turn['speaker']}: {turn['text']}"


def as_markdown(session: Session) -> str:
    """Return a conversation as a Markdown file with one paragraph per turn, for memories that read files."""
    heading = f"# Session {session['id']}" + (f" ({session['time'][:10]})" if session["time"] else "")
    return "\n\n".join([heading, *(said(turn) for turn in session["turns"])]) + "\n"


def file_name(session: Session) -> str:
    """Return a name for the file of a conversation."""
    return "".join(letter if letter.isalnum() else "-" for letter in session["id"]) + ".md"


def _cpu_s() -> float:
    """Return the CPU seconds of this process and of its finished child processes."""
    ended = os.times()
    return time.process_time() + ended.children_user + ended.children_system


def serve(make: Callable[..., Peer]) -> None:
    """Answer requests, one JSON object per line, until the input ends. Every `use_*.py` runs this.

    Command line: a folder, then further arguments of `make`. Output of the memory itself goes to standard error.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    peer = make(Path(sys.argv[1]), *sys.argv[2:])
    for line in sys.stdin:
        request, began_s = json.loads(line), _cpu_s()
        answer: dict[str, Any] = {}
        if request["do"] == "ingest":
            peer.ingest(request["sessions"])
        elif request["do"] == "ask":
            answer["items"] = peer.ask(request["question"], request["limit"])
        elif request["do"] == "close":
            peer.close()
        answer["cpu_s"] = _cpu_s() - began_s
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
