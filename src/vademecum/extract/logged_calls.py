"""Extract the tool calls of a conversation that change or run something, for the log of calls."""

import json
import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from vademecum.domain.action import LoggedCall
from vademecum.domain.call_patterns import call_of
from vademecum.domain.session import Session, Turn, writes_files
from vademecum.extract.commits import HERE_TEXT, commands_of
from vademecum.extract.numbers import HEAD_CHARS, LOGGED_CALLS_WORDS_MAX_CHARS, TARGET_MAX_CHARS
from vademecum.extract.paired_calls import answered_calls
from vademecum.extract.wrong_commands import informative_line, is_plain_failure, is_refusing

#: Beginnings of results, in lower case: of a call that was interrupted, and of one whose outcome is still unknown.
_STOPPED = ("[request interrupted", "aborted by user", "[operation cancelled]", "the user interrupted", "command aborted")
_UNDECIDED = ("sibling tool call errored", "command running in background", "process running with session id")
_SKILL = re.compile(r'"(?:skill|command|name)": ?"([^"]+)"')


def logged_calls(session: Session, waiting: Iterable[LoggedCall] = ()) -> tuple[LoggedCall, ...]:
    """Return the calls in a conversation's turns with their outcomes. Sub-agents' calls are left out.

    Args:
        waiting: calls logged earlier without an outcome; those whose results are among the turns are returned too.
    """
    words = {turn.call: turn.text for turn in session.turns if turn.speaker == "refusal" and turn.call}
    all_logged_calls, answered = [], set()
    for turn, answer in answered_calls(session.turns):
        if (called := _called(turn)) is None:
            continue
        tool, target = called
        call = LoggedCall(session.uri, turn.ref, session.project, turn.time, tool, target[:TARGET_MAX_CHARS], "", id=turn.call)
        all_logged_calls.append(_with_outcome(call, answer, words.get(turn.call, "")))
        answered.add(turn.call)
    known = {call.id: call for call in waiting if call.id and not call.outcome and call.id not in answered}
    results = {turn.call: turn for turn in session.turns if turn.call in known and turn.role == "tool" and not turn.tools}
    late = [_with_outcome(known[name], turn, words.get(name, "")) for name, turn in results.items()]
    return (*late, *all_logged_calls)


def has_late_answers(session: Session) -> bool:
    """Return whether turns contain results of calls made in earlier turns."""
    made = {turn.call for turn in session.turns if turn.tools}
    return any(turn.call and not turn.tools and turn.role == "tool" and turn.call not in made for turn in session.turns)


def _called(turn: Turn) -> tuple[str, str] | None:
    """Return (tool, target) of a call; None when it only reads or plans."""
    name = turn.tools[0]
    given = turn.text.removeprefix(f"{name}: ").strip() if turn.text.startswith(f"{name}: ") else ""
    if name.lower() == "skill":
        named = _SKILL.search(given)
        return ("skill", named[1]) if named else None
    if not given and not name.lower().startswith("mcp"):
        return None
    command = next(commands_of(turn), "")
    if command:
        call = call_of(name, {"command": HERE_TEXT.sub(_without_text, command)})
    elif turn.files and writes_files(name):
        return "edit", "\n".join(turn.files)
    else:
        call = call_of(name, _object(given))
    if call is None:
        return None
    return call[0], f"{call[1]} {call[2]}" if call[0] == "mcp" and call[2] not in ("", "{}") else call[1]


def _without_text(here: re.Match[str]) -> str:
    """Return a here-document without its text, which is not part of the command."""
    return here[0].partition("\n")[0] + "\n" + here[2]


def _object(given: str) -> Mapping[str, object]:
    """Return the arguments of a call that is not a command: the given JSON object, or the text as `query`."""
    if given.startswith("{"):
        try:
            value = json.loads(given)
        except ValueError:
            value = None
        if isinstance(value, dict):
            return value
    return {"query": given}


def _with_outcome(call: LoggedCall, answer: Turn | None, words: str) -> LoggedCall:
    """Return a call with its outcome: as the host reports it, or by its output where a pipe hides the exit code."""
    if answer is None:
        return call
    text = answer.text[:HEAD_CHARS].lower()
    if any(mark in text for mark in _UNDECIDED):
        return call
    if answer.outcome == "refused":
        return replace(call, outcome="refused", words=words[:LOGGED_CALLS_WORDS_MAX_CHARS], says="")
    if any(mark in text for mark in _STOPPED):
        return replace(call, outcome="interrupted")
    failed = answer.outcome == "failed" or _is_plain_failure(call, answer)
    if not failed:
        return replace(call, outcome="ok")
    return replace(call, outcome="failed", says=informative_line(call.target * (call.tool == "run"), answer.text))


def _is_plain_failure(call: LoggedCall, answer: Turn) -> bool:
    """Return whether the output shows a failure that the host does not report."""
    if call.tool == "run":
        return is_plain_failure(call.target, answer.text)
    return call.tool in ("mcp", "skill") and answer.outcome == "" and is_refusing(call.target, answer.text)
