"""Tombstones: what must not come back, one append-only file for each device beside the memories, so that they travel along."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from vademecum.model.forgotten import Digest, Tombstone
from vademecum.vault.files import write_all

FOLDER = "_forgotten"
FORMAT = 1


def read_tombstones(roots: Iterable[Path]) -> tuple[Tombstone, ...]:
    """Those of all devices in these spaces, each once, oldest first; a torn or foreign line is passed over."""
    found: dict[str, Tombstone] = {}
    for root in roots:
        for path in sorted((root / FOLDER).glob("*.jsonl")):
            for line in path.read_bytes().splitlines():
                stone = _from_line(line)
                if stone is not None:
                    found.setdefault(stone.id, stone)
    return tuple(found[identity] for identity in sorted(found))


def append_tombstone(root: Path, device: str, stone: Tombstone) -> None:
    """Put one behind this device's others; after return it is on disk."""
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    line = json.dumps({"v": FORMAT, **asdict(stone)}, separators=(",", ":")).encode() + b"\n"
    handle = os.open(folder / f"{device}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
    try:
        write_all(handle, b"\n" + line)  # closes a line that a dead writer left open
        os.fsync(handle)
    finally:
        os.close(handle)


def _from_line(line: bytes) -> Tombstone | None:
    try:
        data = json.loads(line)
        return Tombstone(
            id=data["id"],
            time=data["time"],
            salt=data["salt"],
            memories=tuple(data.get("memories", ())),
            sources=tuple(data.get("sources", ())),
            digests=tuple(Digest(int(one["words"]), int(one["gate"]), str(one["value"])) for one in data.get("digests", ())),
            everywhere=bool(data.get("everywhere")),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
