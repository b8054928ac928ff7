"""Command lines, as tests of entrances have them."""

from tests.entrypoints.conftest import person, vade

__all__ = ["person", "vade"]
