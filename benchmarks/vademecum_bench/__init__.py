"""Measurements of Vademecum: recall, latency, reading, guard, hooks. See docs/benchmarks.md."""
