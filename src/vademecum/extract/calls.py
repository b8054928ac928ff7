"""Which result belongs to which tool call: by the host's id of the call, and by order only where a host has no ids."""

from collections.abc import Iterator, Sequence

from vademecum.domain.session import Turn


def answered_calls(turns: Sequence[Turn]) -> Iterator[tuple[Turn, Turn | None]]:
    """Yield (turn that calls a tool, turn that answers it or None) in the order of the calls; sub-agents' turns are left out.

    Results without an id belong to calls without one that were made before them and after the last results or words of the person: in
    order, by the name of the tool where the result has one. When there are fewer results than calls the last calls are those answered:
    hosts without ids leave out a result that has no words.
    """
    main = [turn for turn in turns if (turn.role == "tool" and not turn.sidechain) or turn.role == "user"]
    results = {turn.call: turn for turn in main if turn.call and turn.role == "tool" and not turn.tools}
    ordered = _by_order(main)
    for turn in main:
        if turn.role == "tool" and turn.tools:
            yield turn, results.get(turn.call) if turn.call else ordered.get(turn.ref)


def _by_order(turns: Sequence[Turn]) -> dict[str, Turn]:
    """Return ref of a call -> its result, for those that have no ids."""
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
