"""Query the memory exactly as in use: by a hook at a prompt, by an agent over MCP, by a person on the command line.

Limits, threshold and all filters are those of these interfaces.
"""

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from vademecum.api import Vademecum
from vademecum.domain.host import HookEvent
from vademecum.domain.query import Hit, Query, Scope
from vademecum.entrypoints.mcp.tools import RECALLED, candidates
from vademecum.entrypoints.recall_text import chosen
from vademecum.ingest.ending import Ending
from vademecum.inject.at_prompt import Withheld, shown_at_prompt
from vademecum.inject.delivered import key_of
from vademecum.inject.holdout import holdout_of

#: One delivered result: (item key, turn id, or "" if it has none).
Piece = tuple[str, str]
#: (memory, question, keys of items that did not exist yet, profile) -> delivered pieces, best first.
Way = Callable[[Vademecum, str, frozenset[str], str], list[Piece]]


def as_hook(memory: Vademecum, question: str, hidden: frozenset[str], profile: str) -> list[Piece]:
    """Return the pieces that a hook shows at a prompt in a new session without a briefing, without a time limit."""
    recall = memory.recall.context
    query = recall.prompt(0.0)
    query = replace(query, profile=profile, deadline_s=None, scope=replace(query.scope, without=hidden))
    event = HookEvent("plain", "prompt", "prompt", "", prompt=question)
    answer, shown = shown_at_prompt(recall, event, query, Ending(), Withheld(frozenset(), holdout_of(recall, event)))
    return _pieces(hit for hit in answer.hits if key_of(hit) in shown.keys)


def over_mcp(memory: Vademecum, question: str, hidden: frozenset[str], profile: str) -> list[Piece]:
    """Return the results of the tool `recall_memory` with its default number: hits, then candidates."""
    query = Query(question, Scope(without=hidden), profile, RECALLED)
    found = memory.recall.ask(query)
    return _pieces((*found.hits, *candidates(memory, query, found)))


def at_command_line(memory: Vademecum, question: str, hidden: frozenset[str], profile: str) -> list[Piece]:
    """Return the results that `vade recall` shows to a person."""
    shown = chosen(memory.recall.ask(Query(question, Scope(without=hidden), profile)))
    return _pieces(hit for hits in shown.groups.values() for hit in hits)


def _pieces(hits: Iterable[Hit]) -> list[Piece]:
    return [(hit.item.key, passage.ref) for hit in hits for passage in (hit.passage, *hit.more)]


#: Name in the figures -> way of asking.
WAYS: Mapping[str, Way] = {"hook": as_hook, "mcp": over_mcp, "command line": at_command_line}
