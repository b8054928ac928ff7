import os

import pytest
from tests.adapters.llms.llm_stub import programs_in, serving


@pytest.fixture
def stub():
    with serving() as found:
        yield found


@pytest.fixture
def programs(tmp_path):
    """`claude` and `codex`, found on PATH before any real ones."""
    return programs_in(tmp_path / "bin")


@pytest.fixture
def environment(programs):
    return {"PATH": f"{programs.folder}{os.pathsep}{os.environ['PATH']}", "VADEMECUM_DISABLED": "1"}
