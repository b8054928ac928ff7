"""Change log of the database, by which copies in memory are updated."""

import apsw
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

#: Value of the log's `model` for changes of the passages themselves.
PASSAGES = 0

#: Number of writes in the log; an older copy is rebuilt completely.
_LOGGED = 2000


def distinct(numbers: Numbers) -> Numbers:
    """Return the distinct numbers, sorted. Like numpy.unique, whose first call takes 20 ms to load."""
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def record(db: apsw.Connection, touched: dict[int, Numbers]) -> None:
    """Start a new generation and log the changed passages: model (or PASSAGES) -> passage numbers."""
    generation = db.execute("UPDATE meta SET value = value + 1 WHERE name = 'generation' RETURNING value").get
    rows = [(generation, model, numbers.astype(np.int32).tobytes()) for model, numbers in touched.items() if len(numbers)]
    db.executemany("INSERT INTO log VALUES(?, ?, ?)", rows)
    if generation % (_LOGGED // 10) == 0:
        start = generation - _LOGGED
        db.execute("DELETE FROM log WHERE generation <= ?", (start,))
        db.execute("UPDATE meta SET value = max(value, ?) WHERE name = 'log_start'", (start,))


def touched_since(db: apsw.Connection, generation: int, model: int, most: int) -> Numbers | None:
    """Return the passages changed after `generation`, sorted, whose data must be read again. None: too many, so read all."""
    if generation < db.execute("SELECT value FROM meta WHERE name = 'log_start'").get:
        return None
    logged = "SELECT {} FROM log WHERE generation > ? AND model IN (0, ?)"
    if (db.execute(logged.format("sum(length(numbers))"), (generation, model)).get or 0) > most * 4:
        return None
    blobs = [row[0] for row in db.execute(logged.format("numbers"), (generation, model))]
    return distinct(np.frombuffer(b"".join(blobs), np.int32).astype(np.int64))
