"""Pair tool calls with their results: by the host's call id, or by order where the host gives no ids."""

from collections.abc import Iterator, Sequence

from vademecum.domain.session import Turn


def answered_calls(turns: Sequence[Turn]) -> Iterator[tuple[Turn, Turn | None]]:
    """Yield (turn that calls a tool, turn with its result or None) in the order of the calls, without sub-agents.

    A result without an id belongs to a call without an id that came before it and after the previous results or the person's
    last message. Within such a group results are matched in order, and by tool name where the result has one. When there are
    fewer results than calls, the last calls get them: hosts without ids leave out empty results.
    """
    main = [turn for turn in turns if (turn.role == "tool" and not turn.sidechain) or turn.role == "user"]
    results = {turn.call: turn for turn in main if turn.call and turn.role == "tool" and not turn.tools}
    ordered = _by_order(main)
    for turn in main:
        if turn.role == "tool" and turn.tools:
            yield turn, results.get(turn.call) if turn.call else ordered.get(turn.ref)


def _by_order(turns: Sequence[Turn]) -> dict[str, Turn]:
    """Return ref of a call -> its result, for calls without ids."""
    all_turns: dict[str, Turn] = {}
    calls: list[Turn] = []
    results: list[Turn] = []
    for turn in turns:
        if turn.role == "user" or (turn.tools and results):
            all_turns |= _paired(calls, results)
            calls, results = [], []
        if turn.role == "tool" and not turn.call:
            (calls if turn.tools else results).append(turn)
    return all_turns | _paired(calls, results)


def _paired(calls: Sequence[Turn], results: Sequence[Turn]) -> dict[str, Turn]:
    turns: dict[str, Turn] = {}
    for name in dict.fromkeys(result.name for result in results):
        of_tool = [call for call in calls if name in ("", call.tools[0])]
        all_turns = [result for result in results if result.name == name]
        turns |= {
            call.ref: result for call, result in zip(of_tool[max(0, len(of_tool) - len(all_turns)) :], all_turns, strict=False)
        }
    return turns
