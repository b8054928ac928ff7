"""A memory behind a caller, as doors that serve many have it: opened in a thread of its own."""

import asyncio
import contextlib

import pytest

from vademecum.doors.calling import OwnThread
from vademecum.wiring import open_memory


@pytest.fixture
def caller(settings, clock):
    """Opens the memory in its own thread: `async with caller() as call`."""
    made = settings()

    @contextlib.asynccontextmanager
    async def opened(setup=None):
        async with OwnThread(lambda: open_memory(made, clock=clock)) as call:
            if setup:
                await call(setup)
            yield call

    return opened


@pytest.fixture
def run():
    """Runs a coroutine to its end, with a limit, so that a hang is a failure."""

    def to_end(work, seconds=60):
        return asyncio.run(asyncio.wait_for(work, seconds))

    return to_end
