"""A day of the simulated week on a small memory; `make soak` lives the week on a large one."""

import pytest

from vademecum.settings import Settings
from vademecum_bench.show import week as shown
from vademecum_bench.week import Size, bench_week

SMALL = Size(notes=60, turns=800, projects=4, sessions=1, edits=4, days=1)


@pytest.mark.soak
def test_a_day(tmp_path):
    """What was said, saved and edited on the day is found at its end, and a second run goes on where the first one ended."""
    settings = Settings(embedder="none")
    result = bench_week(settings, tmp_path, SMALL, lambda *_: None)
    day = result["day 1"]
    assert (day["lost"], day["drift"], day["hooks_failed"], day["said"] > 2) == ([], [0, 0, 0], 0, True)
    last = result["at last"]
    assert (last["projects"], last["conversations"], last["turns"] >= SMALL.turns + day["said"]) == (4, 5, True)
    assert "| lost | 0 |" in shown(result)
    assert bench_week(settings, tmp_path, SMALL, lambda *_: None) == result
