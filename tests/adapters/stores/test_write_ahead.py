"""A new database that several open at once is there for all of them."""

import threading

import pytest

from vademecum.adapters.stores.archive import SqliteArchive
from vademecum.adapters.stores.call_log import SqliteCallLog
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.adapters.stores.state import SqliteState

#: Files that are made, and how many open each at once.
FILES, AT_ONCE = 30, 6
STORES = {
    "index": lambda path: SqliteIndex(path, lambda: None).stats(),
    "state": lambda path: SqliteState(path, lambda: None).usage.of(["memory://a"]),
    "calls": lambda path: SqliteCallLog(path).of("session://plain/a"),
    "archive": lambda path: SqliteArchive(path).size(),
}


@pytest.mark.parametrize("store", STORES)
def test_opened_by_several_at_once(tmp_path, store):
    """Whoever opens a file that another one is just making waits for it: a capture beside a running helper is as safe as alone."""
    failed: list[Exception] = []

    def opened(path, together):
        together.wait()
        try:
            STORES[store](path)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told below
            failed.append(error)

    for number in range(FILES):
        together = threading.Barrier(AT_ONCE)
        threads = [threading.Thread(target=opened, args=(tmp_path / f"{number}.db", together)) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failed == []
