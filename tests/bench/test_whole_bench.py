"""The whole bench takes an hour and writes a page, so it begins only when it was asked for and nothing else."""

import pytest
from click.testing import CliRunner

from vademecum_bench.__main__ import main


@pytest.mark.parametrize("given", ["hook", "--memories", "all"])
def test_refuses_what_it_does_not_know(given):
    """What it does not know is refused before anything is measured, with what exists."""
    done = CliRunner().invoke(main, [given])
    assert done.exit_code == 2
    assert repr(given) in done.stderr
    assert "vade bench hook" in done.stderr
    assert not done.stdout
