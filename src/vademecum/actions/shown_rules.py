"""Count the rules shown at tool calls."""

from collections.abc import Mapping, Sequence

from vademecum.context.context import Context
from vademecum.domain.action import LEVELS


def note_acted(context: Context, acted: Sequence[Mapping[str, object]]) -> None:
    """Count the memories whose rules were shown at calls, as for those shown at starts and prompts."""
    keys = [str(line["rule"]) for line in acted if line.get("verdict") in LEVELS]
    if texts := [key for key in keys if key.startswith("memory://")]:
        context.state.usage.note("told", texts, context.clock.now(), "")
