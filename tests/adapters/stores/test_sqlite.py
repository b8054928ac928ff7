"""The index in SQLite is an index, and agrees with the one in plain Python."""

import pytest
from index_conformance import EVERYTHING, MODEL, STOP, IndexConformance, everything, find, note, numbers, rows

from vademecum.adapters.stores.memory import MemoryIndex
from vademecum.adapters.stores.sqlite import SqliteIndex


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index.db"


class TestSqliteIndex(IndexConformance):
    @pytest.fixture
    def index(self, path):
        index = SqliteIndex(path)
        yield index
        index.close()


@pytest.fixture
def index(path):
    index = SqliteIndex(path)
    yield index
    index.close()
