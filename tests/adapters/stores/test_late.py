"""An index that loads its searches late is the same index."""

from functools import partial

import pytest
from tests.adapters.stores.index_conformance import IndexConformance, everything, find, note

from vademecum.adapters.stores.sqlite import schema
from vademecum.adapters.stores.sqlite.late import late_index
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.adapters.stores.sqlite.word_rows import WordRows
from vademecum.domain.errors import IndexDamaged
from vademecum.domain.query import Scope


@pytest.fixture
def index(tmp_path):
    index = late_index(tmp_path / "index.db", partial(SqliteIndex, tmp_path / "index.db"))
    assert index.counts() == {}  # read by rows; what follows is not
    yield index
    index.close()


class TestLateIndex(IndexConformance):
    @pytest.fixture
    def index(self, index):
        return index


@pytest.mark.parametrize("loaded", [False, True])
def test_reads_are_those_of_the_whole(tmp_path, loaded):
    path = tmp_path / "index.db"
    whole = SqliteIndex(path)
    whole.apply([note("a", "The kettle is on."), note("b", "The kettle is off.")])
    index = late_index(path, partial(SqliteIndex, path))
    if loaded:
        assert find(index, "kettle") == find(whole, "kettle")
    keys = ["document://a", "document://b"]
    for call in (
        lambda read: read.fingerprints(),
        lambda read: read.items(keys),
        lambda read: read.select(Scope()),
        lambda read: read.passages_of("document://a"),
        lambda read: read.counts(),
        lambda read: read.edges(keys),
        lambda read: read.named("a"),
        lambda read: read.is_complete(),
    ):
        assert call(index) == call(whole)
    assert everything(index) == everything(whole)
    index.close()
    whole.close()


def test_words_are_read_over_one_connection(tmp_path, monkeypatch):
    """It only reads, and still sees what another process writes."""
    opened = []
    connect = schema.connect_to_read
    monkeypatch.setattr(schema, "connect_to_read", lambda *given: opened.append(given) or connect(*given))
    whole = SqliteIndex(tmp_path / "index.db")
    whole.apply([note("a", "The kettle is on.")])
    words = WordRows(tmp_path / "index.db")
    before = words.passages_in_all()
    whole.apply([note("b", "The kettle is off.")])
    assert (before, words.passages_in_all(), len(opened)) == (1, 2, 1)
    words.close()
    whole.close()


def test_file_that_is_deleted_between(tmp_path):
    """As with one index: what was there and is gone is damage, never an empty index."""
    path = tmp_path / "index.db"
    whole = SqliteIndex(path)
    whole.apply([note("a", "The kettle is on.")])
    whole.close()
    index = late_index(path, partial(SqliteIndex, path))
    assert len(index.select(Scope())) == 1
    for file in tmp_path.glob("index.db*"):
        file.unlink()
    with pytest.raises(IndexDamaged):
        index.stats()
