"""A server on loopback that speaks the embedding protocols."""

import pytest
from tests.plugins.embedders.embedding_stub import serving


@pytest.fixture
def stub():
    with serving() as stub:
        yield stub
