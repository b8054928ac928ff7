"""Turns with those around them, as ranking wants them: thousands of passages for a question, so columns rather than rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import apsw
import numpy as np

from vademecum.adapters.stores.analysis import Codes
from vademecum.adapters.stores.sqlite import schema
from vademecum.adapters.stores.sqlite.columns import NO_TIME
from vademecum.adapters.stores.sqlite.conditions import moment
from vademecum.adapters.stores.sqlite.follow import Numbers, distinct
from vademecum.adapters.stores.sqlite.opened import Opened
from vademecum.model.ports import Traits

#: In microseconds.
_DAY = 86_400_000_000


def window(opened: Opened, turns: Sequence[tuple[str, int]], reach: int) -> dict[tuple[str, int], tuple[Traits, ...]]:
    """See :meth:`Index.window`."""
    ids = opened.ids_of(dict.fromkeys(key for key, _ in turns))
    keys = {item: key for key, item in ids.items()}
    at = np.array([schema.place(ids[key], turn) for key, turn in turns if key in ids], np.int64)
    around = at[:, None] + schema.MOST_PARTS * np.arange(-reach, reach + 1)
    inside = around // schema.place(1) == at[:, None] // schema.place(1)
    passages = _passages(opened, keys, distinct(around[inside]))
    starts = [row for row, traits in enumerate(passages) if traits.part == 0]
    return {
        (passages[start].item, passages[start].turn): tuple(passages[start:end])
        for start, end in zip(starts, [*starts[1:], len(passages)], strict=False)
    }


def _passages(opened: Opened, keys: Mapping[int, str], places: Numbers) -> list[Traits]:
    """The passages of the turns that begin at those places, in order."""
    if not len(places):
        return []
    rows: list[Any] = opened.db.execute(
        "SELECT t.number, t.text, t.codes FROM carray(?) a CROSS JOIN texts t ON t.place >= a.value AND t.place < a.value + ?",
        (apsw.carray(places), schema.MOST_PARTS),
    ).fetchall()
    if not rows:
        return []
    numbers, texts, blobs = zip(*rows, strict=True)
    columns = opened.columns
    columns.follow(opened.db)
    at = np.array(numbers, np.int64)
    items = map(keys.__getitem__, columns.items(at).tolist())
    turns, parts = columns.turns(at).tolist(), columns.parts(at).tolist()
    speakers = map(opened.speakers().__getitem__, columns.speaker[at].tolist())
    return list(map(Traits, numbers, items, turns, parts, speakers, texts, _split(blobs), _dated(opened, columns.time[at])))


def _split(blobs: Sequence[bytes]) -> list[Codes]:
    """Each blob as an array; all share one memory."""
    together = np.frombuffer(b"".join(blobs), np.uint32)
    ends = np.cumsum([len(blob) // 4 for blob in blobs]).tolist()
    return [together[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _dated(opened: Opened, times: Numbers) -> list[Codes]:
    """For each moment the codes of the words of its day."""
    days = np.where(times == NO_TIME, NO_TIME, times // _DAY).tolist()
    of_day = {day: opened.analyser.dated(None if day == NO_TIME else moment(day * _DAY)) for day in set(days)}
    return [of_day[day] for day in days]
