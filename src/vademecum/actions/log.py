"""What was told at tool calls, counted."""

from collections.abc import Mapping, Sequence

from vademecum.context.context import Context

#: Verdicts of the client by which an agent was told a rule.
TOLD = ("note", "pause", "barrier")


def note_acted(context: Context, acted: Sequence[Mapping[str, object]]) -> None:
    """Count the rules that were told at calls, as what is told at a start or a prompt is counted."""
    keys = [str(line["rule"]) for line in acted if line.get("verdict") in TOLD]
    if texts := [key for key in keys if key.startswith("memory://")]:
        context.state.usage.note("told", texts, context.clock.now(), "")
