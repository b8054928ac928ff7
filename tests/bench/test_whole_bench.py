"""The whole bench takes an hour and writes a page, so it begins only when it was asked for and nothing else."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("given", ["hook", "--memories", "all"])
def test_refuses_what_it_does_not_know(given):
    """What it does not know is refused before anything is measured, with what exists."""
    done = subprocess.run(
        [sys.executable, "-m", "vademecum_bench", given], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert repr(given) in done.stderr
    assert "vade bench hook" in done.stderr
    assert not done.stdout
