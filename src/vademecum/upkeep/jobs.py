"""The jobs as the road calls them, each loaded when it is first done.

A question needs none of them, and to load all takes longer than to answer it. To add one: its line in both halves.
"""

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

__all__ = [
    "absorb", "answer_and_heal", "changed", "cleaned", "cleaned_values", "drop_former_vectors", "follow", "keep", "rebuild",
    "try_refine", "waiting",
]  # fmt: skip


def _late(module: str, name: str) -> Callable[..., Any]:
    def job(*given: Any, **named: Any) -> Any:
        return getattr(importlib.import_module(f"vademecum.upkeep.{module}"), name)(*given, **named)

    return job


if TYPE_CHECKING:
    from vademecum.upkeep.absorb import absorb
    from vademecum.upkeep.follow import drop_former_vectors, follow, waiting
    from vademecum.upkeep.heal import answer_and_heal, rebuild
    from vademecum.upkeep.keep import changed, cleaned, cleaned_values, keep
    from vademecum.upkeep.refine import try_refine
else:
    absorb = _late("absorb", "absorb")
    answer_and_heal = _late("heal", "answer_and_heal")
    changed = _late("keep", "changed")
    cleaned = _late("keep", "cleaned")
    cleaned_values = _late("keep", "cleaned_values")
    drop_former_vectors = _late("follow", "drop_former_vectors")
    follow = _late("follow", "follow")
    keep = _late("keep", "keep")
    rebuild = _late("heal", "rebuild")
    try_refine = _late("refine", "try_refine")
    waiting = _late("follow", "waiting")
