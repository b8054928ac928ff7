"""Turns with their neighbours for ranking, as columns rather than rows, since a query reads thousands of passages."""

from collections.abc import Sequence
from typing import Any

import apsw
import numpy as np

from vademecum.adapters.stores.sqlite import schema
from vademecum.adapters.stores.sqlite.columns import NO_TIME
from vademecum.adapters.stores.sqlite.conditions import moment
from vademecum.adapters.stores.sqlite.follow import Numbers, distinct
from vademecum.adapters.stores.sqlite.opened import Opened
from vademecum.ports.index import Surroundings

#: In microseconds.
_DAY = 86_400_000_000

#: The text is not read: it comes after the codes in a row, and a long one is on separate pages.
_TURN = "SELECT t.number, t.codes FROM carray(?) a CROSS JOIN texts t ON t.place >= a.value AND t.place < a.value + ?"


def window(opened: Opened, turns: Sequence[tuple[str, int]], reach: int) -> Surroundings:
    ids = opened.ids_of(dict.fromkeys(key for key, _ in turns))
    at = np.array([schema.place(ids[key], turn) for key, turn in turns if key in ids], np.int64)
    around = at[:, None] + schema.MOST_PARTS * np.arange(-reach, reach + 1)
    inside = around // schema.place(1) == at[:, None] // schema.place(1)
    places = distinct(around[inside])
    keys = {item: place for place, (_, item) in enumerate(sorted(ids.items()))}
    ranks = np.array([keys[item] for item in (places // schema.place(1)).tolist()], np.int64)
    places = places[np.argsort(ranks, kind="stable")]  # by the items' keys
    rows: list[Any] = opened.db.execute(_TURN, (apsw.carray(places), schema.MOST_PARTS)).fetchall() if len(places) else []
    numbers = np.array([row[0] for row in rows], np.int64)
    blobs = [row[1] for row in rows]
    columns = opened.columns
    columns.follow(opened.db)
    item = np.array([keys[entry] for entry in columns.items(numbers).tolist()], np.int64)
    speakers, speaker = _numbered(columns.speaker[numbers].astype(np.int64))
    times = columns.time[numbers]
    days, date = _numbered(np.where(times == NO_TIME, NO_TIME, times // _DAY))
    names = opened.speakers() if len(speakers) else {}
    spoken = [names[count] for count in speakers]  # a name may occur several times, with different roles
    named = {name: place for place, name in enumerate(dict.fromkeys(spoken))}
    return Surroundings(
        keys=tuple(sorted(ids)),
        speakers=tuple(named),
        dates=tuple(opened.analyser.dated(None if day == NO_TIME else moment(day * _DAY)) for day in days),
        numbers=numbers,
        item=item,
        turn=columns.turns(numbers),
        speaker=np.array([named[name] for name in spoken], np.int64)[speaker],
        date=date,
        codes=np.frombuffer(b"".join(blobs), np.uint32),
        ends=np.cumsum(np.array([len(blob) // 4 for blob in blobs], np.int64)),
    )


def _numbered(values: Numbers) -> tuple[list[int], Numbers]:
    """Return the distinct values, and the index of each value among them."""
    different = distinct(values)
    return different.tolist(), np.searchsorted(different, values)
