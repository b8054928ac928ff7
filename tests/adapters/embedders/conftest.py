"""Every embedder under one roof. Models are loaded once, endpoints are a real server on loopback."""

import pytest
from tests.plugins.embedders.embedding_stub import create as borrowed
from tests.plugins.embedders.embedding_stub import serving

from vademecum.adapters.embedders import create
from vademecum.adapters.embedders.cached import Cached
from vademecum.plugins.embedders.options import Options

EMBEDDERS = ["use", "hashing", "openai", "ollama", "cached"]


@pytest.fixture(scope="session")
def loaded(tmp_path_factory):
    """Name -> embedder, made when first asked for."""
    made = {}
    with serving() as stub:

        def get(name):
            if name not in made:
                made[name] = make(name, stub.url)
            return made[name]

        def make(name, url):
            match name:
                case "openai":
                    return borrowed("openai:stub", Options(url=f"{url}/v1"))
                case "ollama":
                    return borrowed("ollama:stub", Options(url=url))
                case "cached":
                    return Cached(create("hashing"), tmp_path_factory.mktemp("cache") / "vectors.db")
                case _:
                    return create(name)

        yield get


@pytest.fixture(params=EMBEDDERS)
def embedder(request, loaded):
    return loaded(request.param)


@pytest.fixture
def model(loaded):
    return loaded("use")
