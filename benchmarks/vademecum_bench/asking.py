"""Ask memory exactly as it is asked in use: by a hook at a prompt, by an agent over MCP, by a person at the command line.

The limits, the threshold and everything that leaves something out are those of the entrances themselves.
"""

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from vademecum.api import Vademecum
from vademecum.inject.delivery import Moment, PromptSources, deliver_at_prompt, key_of, session_of
from vademecum.inject.lottery import Lottery
from vademecum.domain.host import HookEvent
from vademecum.domain.query import Bundle, Hit, Query, Recall, Scope
from vademecum.entrypoints.mcp.tools import RECALLED, candidates
from vademecum.entrypoints.recalled import chosen
from vademecum.inject.ask import ask_at_once
from vademecum.inject.at_prompt import opened

#: What is delivered: item key and the id of the turn, "" where there is none.
Piece = tuple[str, str]
#: (memory, question, keys of what had not happened yet, profile) -> the pieces delivered, best first.
Way = Callable[[Vademecum, str, frozenset[str], str], list[Piece]]


def as_hook(memory: Vademecum, question: str, hidden: frozenset[str], profile: str) -> list[Piece]:
    """Return what a prompt is given in a new session that was briefed with nothing, however long it takes."""
    recall = memory.recall.context
    asked, answers = recall.prompt(0.0), list[Recall]()
    now = recall.context.clock.now()

    def noted(query: Query) -> Recall:
        answers.append(ask_at_once(recall, query))
        return answers[-1]

    sources = PromptSources(
        query=replace(asked, profile=profile, deadline_s=None, scope=replace(asked.scope, without=hidden)),
        recall=noted,
        brief=lambda: Bundle("", 0, 0),
        budget_tokens=recall.limits.prompt_tokens,
        opened=lambda hits: opened(recall.context.index, recall.briefed_project, question, hits, now),
    )
    event = HookEvent("plain", "prompt", "prompt", "", prompt=question)
    nothing_left_out = Lottery(recall.context.state.lots, "", "", lambda _: "", on=False)
    told = deliver_at_prompt(event, sources, Moment(recall.context.state, now, nothing_left_out))
    recall.context.state.told.forget(session_of(event))
    return _pieces(hit for answer in answers for hit in answer.hits if key_of(hit) in told.keys)


def over_mcp(memory: Vademecum, question: str, hidden: frozenset[str], profile: str) -> list[Piece]:
    """Return what the tool `recall_memory` lists for an agent that names no number of results: hits, then candidates."""
    query = Query(question, Scope(without=hidden), profile, RECALLED)
    found = memory.recall.ask(query)
    return _pieces((*found.hits, *candidates(memory, query, found)))


def at_command_line(memory: Vademecum, question: str, hidden: frozenset[str], profile: str) -> list[Piece]:
    """Return what `vade recall` shows a person."""
    shown = chosen(memory.recall.ask(Query(question, Scope(without=hidden), profile)))
    return _pieces(hit for hits in shown.groups.values() for hit in hits)


def _pieces(hits: Iterable[Hit]) -> list[Piece]:
    return [(hit.item.key, passage.ref) for hit in hits for passage in (hit.passage, *hit.more)]


#: Name in the figures -> how it asks.
WAYS: Mapping[str, Way] = {"hook": as_hook, "mcp": over_mcp, "command line": at_command_line}
