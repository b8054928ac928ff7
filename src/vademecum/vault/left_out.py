"""Hashes of turns said during a pause, in append-only files of each device beside the memories.

Another device that reads a copy of the session can thus leave these turns out, although the files have no word of them.
"""

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from vademecum.domain.left_out import LeftOut
from vademecum.vault.places import JOURNAL
from vademecum.vault.segments import Segments, lines_of
from vademecum.vault.tombstones import names_in

FOLDER = "_left_out"
FORMAT = 1
_HEAD = b"---\nleft-out: 1\n---\n```json\n"


class LeftOutFiles:
    """The paused turns of all devices in some spaces, reloaded when their files change."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = tuple(roots)
        self._marks: tuple[tuple[str, int, int], ...] = ()
        self._known: tuple[LeftOut, ...] = ()

    def all(self) -> tuple[LeftOut, ...]:
        """Return them by device, in the order of writing; torn or unknown lines are skipped."""
        paths = [path for root in self._roots for path in _files_in(root)]
        marks = tuple((str(path), stat.st_size, stat.st_mtime_ns) for path in paths for stat in (path.stat(),))
        if marks != self._marks:
            known = list[LeftOut]()
            for line in (line for path in paths for line in lines_of(path)):
                with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
                    known.append(msgspec.json.decode(line, type=LeftOut))
            self._known, self._marks = tuple(known), marks
        return self._known

    def append(self, device: str, month: str, left_out: LeftOut) -> None:
        """Append turns to this device's file in the first space and flush it to disk.

        Args:
            month: "2026-03".
        """
        line = {"v": FORMAT, "salt": left_out.salt, "session": left_out.session, "turns": left_out.turns}
        segments = Segments(self._roots[0] / JOURNAL / device / FOLDER, _HEAD)
        segments.append(month, [json.dumps(line, separators=(",", ":")).encode() + b"\n"])


def _files_in(root: Path) -> list[Path]:
    folders = (root / JOURNAL / name / FOLDER for name in names_in(f"{root}/{JOURNAL}"))
    return sorted(folder / name for folder in folders for name in names_in(str(folder)) if name.endswith(".md"))
