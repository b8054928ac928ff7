"""Command lines, as tests of entrances have them."""

from tests.entrypoints.conftest import caller, person, run, vade

__all__ = ["caller", "person", "run", "vade"]
