"""A simulated person of known effect: a large one is shown, none is not."""

from vademecum_bench.benefit import World, bench_benefit


def test_power_and_false_alarms():
    """A large effect is shown in most of a few lives, and more of them the longer they last; without one hardly ever."""
    shown = {
        (row["told"], row["weeks"]): row["shown"] for row in bench_benefit([World(0.02, 0.2), World(0.1, 0.1)], (2, 8), runs=20)
    }
    assert shown[0.02, 8] >= 0.9 >= shown[0.02, 2]
    assert shown[0.1, 8] <= 0.1
