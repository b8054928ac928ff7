"""The index in plain Python is an index."""

import pytest
from tests.adapters.stores.index_conformance import IndexConformance

from vademecum.adapters.stores.memory import MemoryIndex


class TestMemoryIndex(IndexConformance):
    @pytest.fixture
    def index(self):
        index = MemoryIndex()
        yield index
        index.close()
