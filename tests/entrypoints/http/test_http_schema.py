"""The published document holds: schemathesis calls every route with what it allows and with what it does not."""

import asyncio

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import negative_data_rejection

from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.app import build_app
from vademecum.entrypoints.mcp.own_thread import OwnThread
from vademecum.settings import Settings
from vademecum.wiring import open_memory

TOKEN = "t0ken-that-is-long-enough"

#: 422: the arguments fit their schema, and what they ask for cannot be done (a kind that does not exist). 501: not there yet.
#: A minute to answer: whether this machine is busy is not what is asked here.
CONFIG = {
    "request-timeout": 60,
    "checks": {
        "not_a_server_error": {"expected-statuses": ["2xx", "3xx", "4xx", "501"]},
        "positive_data_acceptance": {"expected-statuses": ["2xx", "401", "403", "404", "409", "422", "501"]},
        "negative_data_rejection": {"expected-statuses": ["400", "401", "404", "405", "413", "415", "422"]},
    },
}


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """The document of a door over a memory of its own, called from this machine."""
    place = tmp_path_factory.mktemp("served")
    (place / "Vault" / "Vademecum").mkdir(parents=True)
    made = Settings(
        home=str(place / "Vault" / "Vademecum"), data_dir=str(place / "data"), cache_dir=str(place / "cache"), device="laptop",
        embedder="none",
    )  # fmt: skip
    call = OwnThread(lambda: open_memory(made))
    app = build_app(call, Access(TOKEN, per_minute=10**9), now=lambda: 0.0)

    async def local(scope, receive, send):
        if scope["type"] == "http":
            headers = [(name, value) for name, value in scope["headers"] if name != b"host"]
            scope = {**scope, "client": ("127.0.0.1", 1), "headers": [*headers, (b"host", b"127.0.0.1:7821")]}
        await app(scope, receive, send)

    yield schemathesis.openapi.from_asgi("/openapi.json", local, config=SchemathesisConfig.from_dict(CONFIG))
    asyncio.run(call.__aexit__(None, None, None))


#: Calls of each route in each mode: the routes and their schemas are what is asked here; many calls are part of `make soak`.
CALLS, MANY_CALLS = 1, 24


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("most", [CALLS, pytest.param(MANY_CALLS, marks=pytest.mark.soak)])
def test_document_holds(described, mode, most):
    """No call that the document allows is refused as malformed, none that it forbids is accepted, no answer is another than
    promised, and nothing ends in a fault."""
    called = set()
    for found in described.get_all_operations():
        operation = found.ok()
        try:
            cases = operation.as_strategy(generation_mode=mode)
            _call_with(cases, called, most)
        except Unsatisfiable:  # a route that takes nothing cannot be called wrongly
            continue
    assert len(called) > 60


def _call_with(cases, called, most):
    @settings(max_examples=most, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(case=cases)
    def each(case):
        called.add((case.method, case.path))
        #: In an address all values are words: `false` where a list of words belongs is a list of that word.
        left_out = [negative_data_rejection] if case.method == "GET" else []
        case.call_and_validate(headers={"Authorization": f"Bearer {TOKEN}"}, excluded_checks=left_out)

    each()
