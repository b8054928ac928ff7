"""REALTALK (chats of real people over three weeks, arXiv 2502.13270) as a recall set. Its text is never part of this project.

Its files are read from a checkout of github.com/danny911kr/REALTALK; recall is not tuned on it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vademecum.domain.errors import InvalidInput

#: Number in its files -> category of questions, by its paper.
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "commonsense"}
#: A turn named as evidence; some were typed with a space ("D 2:18").
_TURN = re.compile(r"D\s?(\d+):(\d+)")
#: A range of turns of one conversation ("D12:3-D12:5").
_RANGE = re.compile(r"D\s?(\d+):(\d+)\s*-\s*D\s?(\d+):(\d+)")
_TIME = "%d.%m.%Y, %H:%M:%S"

Row = dict[str, Any]


def convert_realtalk(folder: Path, out: Path) -> tuple[int, int]:
    """Write the chats in a folder as one recall set, one scope per chat; return the numbers of chats and questions.

    Questions whose evidence names no turn of the chat are left out.

    Raises:
        InvalidInput: the folder contains no chat, or one that cannot be read.
    """
    files = sorted(folder.glob("Chat_*.json"))
    if not files:
        raise InvalidInput(f"{folder} holds no file Chat_*.json.", "Name the folder data of a checkout of REALTALK.")
    rows = [row for file in files for row in _rows(file)]
    out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return len(files), sum(row["type"] == "query" for row in rows)


def _rows(file: Path) -> Iterator[Row]:
    try:
        chat = json.loads(file.read_text(encoding="utf-8"))
        sessions = [(name, chat[name]) for name in _session_names(chat)]
        session_of = {turn["dia_id"]: name for name, turns in sessions for turn in turns}
        yield from (_session(file.stem, name, turns) for name, turns in sessions)
        for number, asked in enumerate(chat["qa"]):
            gold = [turn for turn in _turns_in(asked["evidence"]) if turn in session_of]
            if gold:
                yield {
                    "type": "query",
                    "scope": file.stem,
                    "id": f"{file.stem}#{number}",
                    "text": asked["question"],
                    "category": CATEGORIES.get(asked["category"], str(asked["category"])),
                    "gold_turns": gold,
                    "gold_sessions": sorted({session_of[turn] for turn in gold}),
                    "visible_sessions": None,
                }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{file} is no chat of REALTALK: {error!r}.") from error


def _session_names(chat: Mapping[str, Any]) -> list[str]:
    """Return the keys of the conversations in order of time."""
    names = [name for name in chat if re.fullmatch(r"session_\d+", name)]
    return sorted(names, key=lambda name: int(name.rpartition("_")[2]))


def _session(scope: str, name: str, turns: list[Mapping[str, Any]]) -> Row:
    said = [{"id": turn["dia_id"], "speaker": turn["speaker"], "text": _text(turn)} for turn in turns]
    time = datetime.strptime(turns[0]["date_time"], _TIME).replace(tzinfo=UTC).isoformat() if turns else None
    return {"type": "session", "scope": scope, "id": name, "time": time, "turns": said}


def _text(turn: Mapping[str, Any]) -> str:
    """Return the text of a turn; for a picture, its caption, if the files have one."""
    captions = turn.get("blip_caption") or ()
    shown = [captions] if isinstance(captions, str) else list(captions)
    return " ".join([turn["clean_text"], *(f"[picture: {caption}]" for caption in shown if caption)]).strip()


def _turns_in(evidence: list[str]) -> list[str]:
    """Return the turns named by evidence, each once, ranges expanded."""
    found: list[str] = []
    for text in evidence:
        for talk, first, same_talk, last in _RANGE.findall(text):
            if talk == same_talk:
                found += [f"D{talk}:{turn}" for turn in range(int(first), int(last) + 1)]
        found += [f"D{talk}:{turn}" for talk, turn in _TURN.findall(text)]
    return list(dict.fromkeys(found))
