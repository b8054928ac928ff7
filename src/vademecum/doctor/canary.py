"""The canary: a test with a temporary memory, which saves something and must recall it, with the person's own embedder."""

import dataclasses
import json
import tempfile
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from msgspec import Struct, to_builtins

from vademecum.adapters.device.private_files import private_folder
from vademecum.domain.errors import VademecumError
from vademecum.domain.query import Query
from vademecum.ports.clock import Clock
from vademecum.settings import Settings
from vademecum.wiring import open_memory

#: The test is repeated when the last result is older.
DAILY = timedelta(days=1)
_TITLE = "Canary of the coal mine"
_TEXT = "The canary of this machine lives in cage seventeen of the northern gallery."
_KNOWN = "In which cage does the canary live?"
_UNKNOWN = "zxqvj wqkzp"


class Song(Struct, frozen=True):
    """Result of the canary test.

    Attributes:
        at: ISO 8601.
        error: "" if it passed.
        ms: duration in milliseconds.
    """

    at: str
    error: str
    ms: float


def canary(settings: Settings, clock: Clock, *, again: bool = False) -> Song:
    """Return the last result if it is less than a day old, else test again and store the result in the data folder."""
    place = Path(settings.data_dir) / "doctor" / "canary.json"
    last = None if again else _last(place)
    if last is not None and clock.now() - datetime.fromisoformat(last.at) < DAILY:
        return last
    song = _sing(settings, clock)
    private_folder(place.parent.parent)
    place.parent.mkdir(exist_ok=True)
    place.write_text(json.dumps(to_builtins(song)), encoding="utf-8")
    return song


def _last(place: Path) -> Song | None:
    try:
        known: Mapping[str, object] = json.loads(place.read_text(encoding="utf-8"))
        song = Song(str(known["at"]), str(known["error"]), float(str(known["ms"])))
        datetime.fromisoformat(song.at)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return song


def _sing(settings: Settings, clock: Clock) -> Song:
    start = clock.elapsed_s()
    with tempfile.TemporaryDirectory(prefix="vademecum-canary-", ignore_cleanup_errors=True) as folder:
        mine = dataclasses.replace(
            settings,
            home=f"{folder}/Vademecum",
            data_dir=f"{folder}/data",
            cache_dir=f"{folder}/cache",
            vault="",
            projects=(),
            transcripts=(),
            enabled=True,
        )
        try:
            error = _saves_and_recalls(mine)
        except (VademecumError, OSError) as problem:
            error = f"{type(problem).__name__}: {problem}"
    return Song(clock.now().isoformat(), error, round((clock.elapsed_s() - start) * 1000, 1))


def _saves_and_recalls(settings: Settings) -> str:
    """Save a memory and recall it; return what is wrong, or ""."""
    Path(settings.home).mkdir()
    with open_memory(settings) as memory:
        memory.notes.save("fact", _TITLE, _TEXT)
        result = memory.recall.ask(Query(_KNOWN))
        if not any(hit.item.title == _TITLE for hit in result.hits):
            return f"what was saved is not recalled ({result.verdict})"
        return "something is recalled for an unrelated question" if memory.recall.ask(Query(_UNKNOWN)).hits else ""
