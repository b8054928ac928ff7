"""The command lines of ours that stand in a host's file."""

from typing import Any

from vademecum.adapters.hosts import json_spans
from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import OUR_COMMAND


def our_commands(text: str) -> list[str]:
    """The command lines in a JSON file that call our client, in its order; none in a text that is no JSON."""
    try:
        found: list[str] = []
        _collect(json_spans.parse(text).value, found)
    except InvalidInput:
        return []
    return found


def _collect(value: Any, found: list[str]) -> None:
    if isinstance(value, str) and OUR_COMMAND.search(value):
        found.append(value)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _collect(inner, found)
