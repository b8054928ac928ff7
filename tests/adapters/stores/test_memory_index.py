"""The index in plain Python is an index."""

import pytest
from tests.adapters.stores.index_conformance import IndexConformance
from tests.adapters.stores.memory_index import MemoryIndex


class TestMemoryIndex(IndexConformance):
    @pytest.fixture
    def index(self):
        index = MemoryIndex()
        yield index
        index.close()
