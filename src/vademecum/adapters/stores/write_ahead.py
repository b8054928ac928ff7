"""Switch a database to a write-ahead log, while other processes do the same."""

import time

import apsw

#: Seconds between two tries.
_STEP_S = 0.005


def log_ahead(connection: apsw.Connection, within_s: float) -> None:
    """Keep changes in a write-ahead log, so that who reads and who writes do not wait for each other.

    Of two that switch a new file at once SQLite refuses one at once, whatever busy timeout was set (it could wait for ever), so it is tried
    again here.

    Raises:
        apsw.BusyError: another process held the file for so long.
    """
    for _ in range(int(within_s / _STEP_S)):
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            time.sleep(_STEP_S)
        else:
            return
    connection.pragma("journal_mode", "wal")
