"""A week with a large memory: what is said and done is kept, and no process grows.

SOAK_NOTES, SOAK_TURNS and SOAK_PROJECTS make it smaller; SOAK_FOLDER keeps it, so that a run that was ended goes on.
"""

import os
from pathlib import Path

import pytest

from vademecum.settings import Settings
from vademecum_bench.show import week as shown
from vademecum_bench.week import Size, bench_week

pytestmark = pytest.mark.soak

#: Megabytes by which the helper may be larger at the end of the week than at the end of its second day.
ROOM_MB = 60


def test_week(tmp_path):
    """Nothing is lost, the index agrees with the files, no hook fails, and the helper does not grow from day to day."""
    sizes = {"notes": 100_000, "turns": 1_000_000, "projects": 2_000}
    size = Size(**{name: int(os.environ.get(f"SOAK_{name.upper()}", most)) for name, most in sizes.items()})
    folder = Path(os.environ.get("SOAK_FOLDER", tmp_path))
    result = bench_week(Settings(), folder, size, lambda *_: None)
    print(shown(result))
    days = [result[f"day {number + 1}"] for number in range(size.days)]
    assert [day["lost"] for day in days] == [[]] * size.days
    assert [day["drift"] for day in days] == [[0, 0, 0]] * size.days
    assert sum(day["hooks_failed"] for day in days) == 0
    assert days[-1]["helper_own_mb"] <= days[1]["helper_own_mb"] + ROOM_MB
