"""Calls that failed or were refused, by kind and project, with the number of later successes."""

import shlex
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.action import LoggedCall
from vademecum.domain.call_patterns import fits, is_pattern, literal, parsed
from vademecum.extract.alternatives import alternative
from vademecum.extract.wrong_commands import (
    Fault,
    argument_in,
    command_behind,
    fault_in,
    has_no_such,
    is_of_work,
    key_of,
    real_commands,
    same_error,
    shell_mistake,
)
from vademecum.ports.call_log import CallLog

#: Number of occurrences from which calls with the same error form a kind.
REPEATED = 2
#: Number of later commands in a session among which the one that worked instead is searched.
LOOKED_AT = 8
#: Number of latest sessions searched for it.
_SESSIONS_LOOKED_AT = 3
_FIRST = datetime.min.replace(tzinfo=UTC)


class FailedCalls(Struct, frozen=True):
    """Calls of one kind that failed or were refused in a project.

    Attributes:
        pattern: matches the calls. name: their name in a sentence, such as "`rtk bun`".
        calls: the first failed call of each session, oldest first. times: number of failed calls.
        open: number of these sessions minus later successes.
        succeeded: number that ever succeeded. worked: the command that worked instead, "" if unclear.
        advice: a sentence that says what to do instead, "" for none.
    """

    project: str
    pattern: str
    name: str
    calls: tuple[LoggedCall, ...]
    times: int
    open: int
    succeeded: int
    worked: str = ""
    advice: str = ""

    @property
    def last(self) -> LoggedCall:
        """The last failed call."""
        return self.calls[-1]


class _Log(Struct, frozen=True):
    """The call log since a moment (None: all of it), without excluded sessions."""

    log: CallLog
    left_out: Collection[str]
    since: datetime | None

    def failed(self, project: str | None) -> list[LoggedCall]:
        """Return the failed and refused calls of a project, None: of all projects."""
        logged_calls = self.log.failed(project, self.since)
        return [call for call in logged_calls if call.project and call.session not in self.left_out]

    def succeeded(self, project: str, patterns: Iterable[str]) -> Iterator[tuple[LoggedCall, str]]:
        """Yield (successful call, pattern that it matches)."""
        by_tool = defaultdict[str, list[tuple[str, str, str]]](list)
        for line in patterns:
            tool, pattern = parsed(line)
            by_tool[tool].append((line, pattern, literal(pattern)))
        for tool, wanted in by_tool.items():
            literals = {text for _, _, text in wanted}
            for call in self.log.succeeded(project, tool, self.since, partial(_holds_one, literals)):
                if call.session not in self.left_out:
                    target = (tool, call.target, "")
                    yield from (
                        (call, line) for line, pattern, text in wanted if text in call.target and fits(tool, pattern, target)
                    )


def failed_calls(context: Context, project: str | None, since: datetime | None) -> tuple[FailedCalls, ...]:
    """Return what failed or was refused, by project and pattern.

    Args:
        project: only there; None: in all projects. since: only later calls; None: all.
    """
    log = _Log(context.storage.calls, context.storage.pauses.excluded(), since)
    calls = defaultdict[str, list[LoggedCall]](list)
    for call in log.failed(project):
        calls[call.project].append(call)
    return tuple(failed for name in sorted(calls) for failed in _of_project(log, name, calls[name]))


def _of_project(log: _Log, project: str, failed: Sequence[LoggedCall]) -> Iterator[FailedCalls]:
    """Yield what failed or was refused in a project, in the order of their first occurrence."""
    kinds = _kinds(failed)
    fine = {pattern: list[LoggedCall]() for pattern in kinds}
    for call, pattern in log.succeeded(project, kinds):
        fine[pattern].append(call)
    histories = {pattern: _history(kind.calls, fine[pattern]) for pattern, kind in kinds.items()}
    for pattern, kind in kinds.items():
        calls, opened = histories[pattern]
        if (kind.is_wider and not _is_proved(histories[pattern])) or (kind.wider and _is_proved(histories[kind.wider])):
            continue
        worked = _worked(log.log, kind, pattern) if opened or len(calls) >= REPEATED else ""
        counts = len(kind.calls), opened, len(fine[pattern])
        yield FailedCalls(project, pattern, kind.name, calls, *counts, worked, kind.advice)


def _is_proved(history: tuple[Sequence[LoggedCall], int]) -> bool:
    """Return whether calls of a wide kind failed in enough sessions to be reported in place of its parts."""
    calls, opened = history
    return len(calls) >= REPEATED and opened > 0


def _holds_one(literals: Collection[str], target: str) -> bool:
    return any(text in target for text in literals)


class _Found(Struct, frozen=True):
    """A failed call with its kind.

    Attributes:
        pattern: matches the calls of the kind. name: their name in a sentence. fault: the mistake in the command.
        wider: pattern of the kind that contains this one, "" for none. is_wider: it is such a kind.
        advice: a sentence that says what to do instead, if the kind implies it.
    """

    pattern: str
    name: str
    call: LoggedCall
    fault: Fault | None = None
    wider: str = ""
    is_wider: bool = False
    advice: str = ""


class _Kind(Struct):
    """Failed calls of one kind, with the mistake in each; other attributes as in :class:`_Found`."""

    name: str
    calls: list[LoggedCall]
    faults: list[Fault | None]
    wider: str
    is_wider: bool
    advice: str


def _kinds(failed: Sequence[LoggedCall]) -> dict[str, _Kind]:
    """Return pattern -> the calls that failed because of a mistake in the call, or repeatedly with the same error."""
    kinds: dict[str, _Kind] = {}
    unexplained: list[LoggedCall] = []
    matches: list[_Found] = []
    for call in failed:
        about = list(_about_itself(call))
        matches += about
        unexplained += [] if about else [call]
    for match in (*matches, *_alike(unexplained)):
        if is_pattern(match.pattern):
            kind = kinds.setdefault(match.pattern, _Kind(match.name, [], [], match.wider, match.is_wider, match.advice))
            kind.calls.append(match.call)
            kind.faults.append(match.fault)
    return kinds


def _about_itself(call: LoggedCall) -> Iterator[_Found]:
    """Yield the kinds of a call that was refused, or whose output says that the call itself is wrong."""
    if call.outcome == "refused":
        yield from _refused(call)
    elif call.tool == "run":
        yield from _faulty(call)
    elif call.tool in _NAMES:
        name, _, given = call.target.partition(" ")
        if has_no_such(_NAMES[call.tool], call.says):
            yield _Found(f"{call.tool}: {name}", f"The {_NAMES[call.tool]} `{name}`", call)
        elif word := argument_in(given, call.says):
            yield _Found(f"{call.tool}: {name} {word}", f"`{name}` with `{word}`", call)


def _refused(call: LoggedCall) -> Iterator[_Found]:
    if call.tool in _NAMES:
        name = call.target.partition(" ")[0]
        yield _Found(f"{call.tool}: {name}", f"the {_NAMES[call.tool]} `{name}`", call)
    commands = real_commands(call.target) if call.tool == "run" else []
    if len(commands) == 1:  # of several commands it is unknown which one was refused
        options = [word for word in commands[0][1:] if word.startswith("-") and "=" not in word]
        written = _written((*key_of(commands[0]), *options[:2]))
        yield _Found(f"run: {written}", f"`{written}`", call)


def _faulty(call: LoggedCall) -> Iterator[_Found]:
    if mistake := _mistake_in(call.target, call.says):
        yield _Found(f"run: /{mistake.pattern}/", mistake.name, call, advice=mistake.advice)
    elif fault := _fault_in(call.target, call.says):
        written, wide = _written(fault.key), _written(_without_subcommand(fault.key))
        wider = f"run: {wide}" if wide else ""
        yield _Found(f"run: {written}", f"`{written}`", call, fault, wider)
        if wider:
            yield _Found(wider, f"`{wide}`", call, fault, is_wider=True)


def _alike(failed: Iterable[LoggedCall]) -> Iterator[_Found]:
    """Yield the commands that failed repeatedly with the same error, except where failing is part of the work."""
    same: dict[tuple[tuple[str, ...], str], list[LoggedCall]] = defaultdict(list)
    for call in failed:
        command = command_behind(real_commands(call.target), call.says) if call.tool == "run" and call.says else None
        if command and not is_of_work(command) and len(key := key_of(command)) > 1:
            same[key, same_error(call.says)].append(call)
    for (key, _), calls in same.items():
        if len(calls) >= REPEATED:
            yield from (_Found(f"run: {_written(key)}", f"`{_written(key)}`", call) for call in calls)


#: Number of calls whose mistakes are cached, because they are needed each time the rules are written.
_KEPT = 4_000
_mistake_in, _fault_in = lru_cache(_KEPT)(shell_mistake), lru_cache(_KEPT)(fault_in)
#: Tools whose calls begin with a name.
_NAMES = {"skill": "skill", "mcp": "tool"}


def _without_subcommand(key: Sequence[str]) -> tuple[str, ...]:
    """Return (program, option) without the word between them; () if the key has no such word or the option is a single letter.

    A one-letter option differs between subcommands; a long option rarely does.
    """
    return (key[0], key[-1]) if len(key) > 2 and key[-1].startswith("--") else ()


def _written(key: Sequence[str]) -> str:
    return " ".join(word if word.isalnum() else shlex.quote(word) for word in key)


def _history(failed: Iterable[LoggedCall], fine: Iterable[LoggedCall]) -> tuple[tuple[LoggedCall, ...], int]:
    """Return the first failed call of each session, and the number of those sessions minus later successes."""
    firsts: dict[str, LoggedCall] = {}
    for call in failed:
        firsts.setdefault(call.session, call)
    calls = sorted(firsts.values(), key=_moment)
    opened = 0
    for _, is_failure in sorted([*((_moment(call), True) for call in calls), *((_moment(call), False) for call in fine)]):
        opened = opened + 1 if is_failure else max(0, opened - 1)
    return tuple(calls), opened


def _moment(call: LoggedCall) -> datetime:
    return call.at or _FIRST


def _worked(log: CallLog, kind: _Kind, pattern: str) -> str:
    """Return the command that worked instead of the failed ones in most of the latest sessions; "" if unclear."""
    tool, wanted = parsed(pattern)
    result = Counter[str]()
    for call, fault in list(zip(kind.calls, kind.faults, strict=True))[-_SESSIONS_LOOKED_AT:]:
        if fault is None:
            continue
        after = [
            logged_call
            for logged_call in _after(log.of(call.session), call)
            if logged_call.tool == tool and logged_call.outcome == "ok"
        ]
        others = (
            logged_call.target for logged_call in after[:LOOKED_AT] if not fits(tool, wanted, (tool, logged_call.target, ""))
        )
        if worked := next(filter(None, (alternative(fault, line) for line in others)), ""):
            result[worked] += 1
    return max(result, key=lambda entry: result[entry], default="")


def _after(calls: Sequence[LoggedCall], call: LoggedCall) -> Sequence[LoggedCall]:
    place = next((number for number, logged_call in enumerate(calls) if logged_call.call == call.call), len(calls))
    return calls[place + 1 :]
