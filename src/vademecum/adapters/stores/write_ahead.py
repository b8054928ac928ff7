"""Switches a database to a write-ahead log while other processes may do the same."""

import time

import apsw

#: Seconds between two attempts.
_STEP_S = 0.005


def log_ahead(connection: apsw.Connection, within_s: float) -> None:
    """Use a write-ahead log, so that readers and writers do not wait for each other.

    If two processes switch a new file at once, SQLite refuses one of them immediately, whatever the busy timeout (it might wait
    for ever). So the switch is retried here.

    Raises:
        apsw.BusyError: another process held the file for `within_s` seconds.
    """
    for _ in range(int(within_s / _STEP_S)):
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            time.sleep(_STEP_S)
        else:
            return
    connection.pragma("journal_mode", "wal")
