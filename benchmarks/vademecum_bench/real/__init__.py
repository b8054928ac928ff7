"""`vade bench real`: compare the memories saved from real sessions with labels made by reading them."""

from vademecum_bench.real.lives import bench_lives
from vademecum_bench.real.measure import bench_real
from vademecum_bench.real.recording import record
from vademecum_bench.real.story import bench_story
from vademecum_bench.real.typed import bench_typed

__all__ = ["bench_lives", "bench_real", "bench_story", "bench_typed", "record"]
