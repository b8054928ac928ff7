"""What each compared memory is asked through. Only the standard library: this runs in the environment of each of them."""

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
    """A memory. Everything it stores lies in the folder that it was made with."""

    def ingest(self, sessions: list[Session]) -> None:
        """Take sessions in; they can be searched when this returns. Called again when later sessions have happened."""

    def ask(self, question: str, limit: int | None) -> list[str]:
        """Return the text of what it shows, one text for each item, best first.

        Args:
            limit: items asked for; None: no number is given, so its own default holds.
        """

    def close(self) -> None:
        """End what it started."""


def said(turn: dict[str, Any]) -> str:
    """Return a turn as every memory without fields for it gets it: who spoke, and what was said."""
    return f"{turn['speaker']}: {turn['text']}"


def as_markdown(session: Session) -> str:
    """Return a conversation as a Markdown file with a paragraph for each turn, for what reads files."""
    heading = f"# Session {session['id']}" + (f" ({session['time'][:10]})" if session["time"] else "")
    return "\n\n".join([heading, *(said(turn) for turn in session["turns"])]) + "\n"


def file_name(session: Session) -> str:
    """Return a name for the file of a conversation."""
    return "".join(letter if letter.isalnum() else "-" for letter in session["id"]) + ".md"


def _cpu_s() -> float:
    """Return seconds of processor of this process and of those that it started and waited for."""
    ended = os.times()
    return time.process_time() + ended.children_user + ended.children_system


def serve(make: Callable[..., Peer]) -> None:
    """Answer requests, one JSON object a line, until the input ends: what a `use_*.py` runs.

    Command line: a folder, then what else `make` takes. What the memory itself prints goes to standard error.
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
