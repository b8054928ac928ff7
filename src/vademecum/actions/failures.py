"""What failed or was refused before, told at the call that would do it again. No model: the log of calls and what programs print.

Per project: nothing that an agent did in one project is told in another, and what belongs to no project is told nowhere.
"""

import shlex
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.action import WHEN, ActionRule, Level, LoggedCall
from vademecum.domain.call_patterns import fits, literal, parsed
from vademecum.domain.errors import Refused
from vademecum.domain.memory import By, Draft
from vademecum.extract.alternatives import alternative
from vademecum.extract.faults import (
    Fault,
    fault_in,
    has_no_such,
    is_of_work,
    key_of,
    real_commands,
    same_error,
    speaking,
)
from vademecum.ports.call_log import CallLog
from vademecum.write.gate import keep

BY_ACTIONS = By("extraction", "actions")
#: So many sessions in which it failed make a rule pause the call, and a memory be proposed.
REPEATED = 2
#: Longest line that an agent is told, and of it what the program said, in characters.
TEXT_MAX_CHARS, SAYS_MAX_CHARS = 200, 90
#: Commands of a session behind the one that failed, among which the one that worked instead is looked for.
LOOKED_AT = 8
#: Sessions of which that is looked for, the last ones.
_SESSIONS_LOOKED_AT = 3
_FIRST = datetime.min.replace(tzinfo=UTC)


class Trouble(Struct, frozen=True):
    """Calls of one kind that failed or were refused in a project.

    Attributes:
        pattern: that they fit. name: what they are called in a sentence, such as "`rtk bun`".
        calls: the first that failed in each session, the oldest first. times: how many failed.
        open: how many of these sessions are not made up for by calls that succeeded since.
        succeeded: how many succeeded ever. worked: the last command that worked instead, "" when none is plain.
    """

    project: str
    pattern: str
    name: str
    calls: tuple[LoggedCall, ...]
    times: int
    open: int
    succeeded: int
    worked: str = ""

    @property
    def last(self) -> LoggedCall:
        """The call that failed last."""
        return self.calls[-1]


def failing(context: Context) -> tuple[ActionRule, ...]:
    """Return a rule for each kind of call that failed or was refused and has not succeeded as often since, in the order of projects."""
    found = (trouble for trouble in troubles(context, None) if trouble.open)
    return tuple(
        ActionRule(f"failed:{one.pattern}", one.project, (one.pattern,), (), _level(one), text_of(one)) for one in found
    )


def propose_lessons(context: Context, projects: Collection[str]) -> int:
    """Propose a memory to the person for each kind of call that failed in two sessions of one of these projects, once for each; how many.

    What was proposed before is not proposed again, whatever became of it.
    """
    proposed = 0
    told: frozenset[str] | None = None
    for project in projects:
        for trouble in troubles(context, project):
            if trouble.open < REPEATED or not context.storage.calls.propose(project, trouble.pattern):
                continue
            told = _told(context) if told is None else told
            if trouble.pattern not in told and _propose(context, trouble):
                proposed += 1
    return proposed


def troubles(context: Context, project: str | None) -> tuple[Trouble, ...]:
    """Return what failed or was refused, by project and pattern; None: in all projects."""
    log = context.storage.calls
    left_out = context.storage.pauses.excluded()
    calls = defaultdict[str, list[LoggedCall]](list)
    for call in log.failed(project):
        if call.project and call.session not in left_out:
            calls[call.project].append(call)
    return tuple(one for name in sorted(calls) for one in _of_project(log, name, calls[name], left_out))


def text_of(trouble: Trouble) -> str:
    """Return what an agent is told, one line."""
    last, count = trouble.last, len(trouble.calls)
    day = f"{last.at:%Y-%m-%d}" if last.at else ""
    sessions = "an earlier session" if count == 1 else f"{count} earlier sessions"
    since = f", {'on' if count == 1 else 'last on'} {day}" if day else ""
    if last.outcome == "refused":
        said = f' They said: "{last.words}"' if last.words else ""
        text = f"The person refused {trouble.name} in {sessions}{since}.{said}"
    else:
        says = f": {last.says[:SAYS_MAX_CHARS].rstrip(' .')}" if last.says else ""
        text = f"{trouble.name} failed in {sessions}{since}{says}."
    more = f" What worked instead: `{trouble.worked}`." if trouble.worked else ""
    room = TEXT_MAX_CHARS - len(more)
    return (text if len(text) <= room else text[: room - 1].rstrip() + "…") + more


def _level(trouble: Trouble) -> Level:
    return "pause" if trouble.open >= REPEATED and not trouble.succeeded else "note"


def _of_project(log: CallLog, project: str, failed: Sequence[LoggedCall], left_out: Collection[str]) -> Iterator[Trouble]:
    """Yield the troubles of a project, those that failed last behind the others."""
    kinds = _kinds(failed)
    fine = {pattern: list[LoggedCall]() for pattern in kinds}
    for call, pattern in _succeeded(log, project, tuple(kinds)):
        if call.session not in left_out:
            fine[pattern].append(call)
    narrow = {pattern for pattern, kind in kinds.items() if kind.wider and not fine[kind.wider]}
    wider = {kind.wider for kind in kinds.values() if kind.wider}
    for pattern, kind in kinds.items():
        if pattern in narrow or (pattern in wider and fine[pattern]):
            continue
        calls, opened = _history(kind.calls, fine[pattern])
        worked = _worked(log, kind, pattern)
        yield Trouble(project, pattern, kind.name, calls, len(kind.calls), opened, len(fine[pattern]), worked)


class _Kind(Struct):
    """Failed calls of one pattern: what they are called, the calls with what is wrong with them, and a wider pattern for them, "" for
    none."""

    name: str
    calls: list[LoggedCall]
    faults: list[Fault | None]
    wider: str = ""


def _kinds(failed: Sequence[LoggedCall]) -> dict[str, _Kind]:
    """Return pattern -> the calls that failed in a way that is about the call itself, or with the same error in two sessions."""
    kinds: dict[str, _Kind] = {}
    for pattern, name, call, fault, wider in (*_about_themselves(failed), *_alike(failed)):
        if _is_pattern(pattern):
            kind = kinds.setdefault(pattern, _Kind(name, [], [], wider))
            kind.calls.append(call)
            kind.faults.append(fault)
    return kinds


#: Pattern of a failed call, its name, the call, what is wrong with it, and a wider pattern, "" for none.
_Found = tuple[str, str, LoggedCall, Fault | None, str]


def _about_themselves(failed: Iterable[LoggedCall]) -> Iterator[_Found]:
    """Yield the calls that were refused, or whose answer says that the call itself is wrong."""
    for call in failed:
        fault = fault_in(call.target, call.says) if call.tool == "run" and call.outcome == "failed" else None
        if fault is not None:
            written, wide = _written(fault.key), _written(_without_subcommand(fault.key))
            wider = f"run: {wide}" if wide else ""
            yield f"run: {written}", f"`{written}`", call, fault, wider
            if wider:
                yield wider, f"`{wide}`", call, fault, ""
        elif (named := _named(call)) is not None:
            yield *named, call, None, ""


def _alike(failed: Iterable[LoggedCall]) -> Iterator[_Found]:
    """Yield the calls that failed with the same error in two sessions, where failing is no part of the work."""
    same: dict[tuple[tuple[str, ...], str], list[LoggedCall]] = defaultdict(list)
    for call in failed:
        if call.tool == "run" and call.outcome == "failed" and fault_in(call.target, call.says) is None:
            command = speaking(real_commands(call.target), call.says)
            if command and call.says and not is_of_work(command) and len(key := key_of(command)) > 1:
                same[key, same_error(call.says)].append(call)
    for (key, _), calls in same.items():
        if len({call.session for call in calls}) >= REPEATED:
            yield from ((f"run: {_written(key)}", f"`{_written(key)}`", call, None, "") for call in calls)


def _named(call: LoggedCall) -> tuple[str, str] | None:
    """Return (pattern, name) of a call that was refused, or of a skill or tool that there is not; None for any other."""
    if call.outcome == "failed":
        there_is_none = call.tool in _KINDS and has_no_such(_KINDS[call.tool], call.says)
        return (f"{call.tool}: {call.target}", f"The {_KINDS[call.tool]} `{call.target}`") if there_is_none else None
    if call.tool in _KINDS:
        return f"{call.tool}: {call.target}", f"the {_KINDS[call.tool]} `{call.target}`"
    commands = real_commands(call.target) if call.tool == "run" else []
    if len(commands) != 1:
        return None
    options = [word for word in commands[0][1:] if word.startswith("-") and "=" not in word]
    written = _written((*key_of(commands[0]), *options[:2]))
    return f"run: {written}", f"`{written}`"


_KINDS = {"skill": "skill", "mcp": "tool"}


def _without_subcommand(key: Sequence[str]) -> tuple[str, ...]:
    """Return the program and the option that it complains of, when the key holds a word between them; () else.

    A letter means something else in each subcommand; an option with a name hardly does.
    """
    return (key[0], key[-1]) if len(key) > 2 and key[-1].startswith("--") else ()


def _written(key: Sequence[str]) -> str:
    return " ".join(word if word.isalnum() else shlex.quote(word) for word in key)


def _is_pattern(pattern: str) -> bool:
    try:
        parsed(pattern)
    except ValueError:
        return False
    return True


def _succeeded(log: CallLog, project: str, patterns: Sequence[str]) -> Iterator[tuple[LoggedCall, str]]:
    """Yield (call that succeeded, pattern that it fits)."""
    by_tool = defaultdict[str, list[tuple[str, str, str]]](list)
    for line in patterns:
        tool, pattern = parsed(line)
        by_tool[tool].append((line, pattern, literal(pattern)))
    for tool, wanted in by_tool.items():
        for call in log.succeeded(project, tool):
            for line, pattern, text in wanted:
                if text in call.target and fits(tool, pattern, (tool, call.target, "")):
                    yield call, line


def _history(failed: Iterable[LoggedCall], fine: Iterable[LoggedCall]) -> tuple[tuple[LoggedCall, ...], int]:
    """Return the first failed call of each session, and how many of those sessions no later success makes up for."""
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
    """Return the command that worked instead of those that failed, as most of the last sessions found it; "" when none is plain."""
    tool, wanted = parsed(pattern)
    found = Counter[str]()
    for call, fault in list(zip(kind.calls, kind.faults, strict=True))[-_SESSIONS_LOOKED_AT:]:
        if fault is None:
            continue
        after = [one for one in _after(log.of(call.session), call) if one.tool == tool and one.outcome == "ok"]
        others = (one.target for one in after[:LOOKED_AT] if not fits(tool, wanted, (tool, one.target, "")))
        if worked := next(filter(None, (alternative(fault, line) for line in others)), ""):
            found[worked] += 1
    return max(found, key=lambda one: found[one], default="")


def _after(calls: Sequence[LoggedCall], call: LoggedCall) -> Sequence[LoggedCall]:
    place = next((number for number, one in enumerate(calls) if one.call == call.call), len(calls))
    return calls[place + 1 :]


# ---------------------------------------------------------------------- proposals


def _told(context: Context) -> frozenset[str]:
    """Return the patterns of all memories, also of proposals that the person rejected."""
    return frozenset(pattern for memory in context.vault.files() for pattern in memory.when)


def _propose(context: Context, trouble: Trouble) -> bool:
    last = trouble.last
    refused = last.outcome == "refused"
    title = f"{trouble.name} was refused" if refused else f"{trouble.name} fails"
    body = text_of(trouble)
    if trouble.worked:
        title = f"{trouble.name} fails, `{trouble.worked}` works"
    properties = {
        "status": "inbox",
        "project": trouble.project,
        "source": last.session,
        "source_span": last.call,
        "trust": "extracted",
        WHEN: (trouble.pattern,),
        "mining_route": "propose",
        "mining_confidence": "medium",
        "mining_occurrences": len(trouble.calls),
        "mining_excerpt": f"{last.target}\n{last.words or last.says}".strip(),
        "mining_sessions": tuple(call.session for call in trouble.calls[-10:]),
        "mining_rationale": f"actions.repeated: {'refused' if refused else 'failed'} in {len(trouble.calls)} sessions",
    }
    if last.at is not None:
        properties |= {"said": last.at, "valid_from": last.at}
    try:
        keep(context, Draft("lesson" if refused else "fix", title, body, properties=properties), by=BY_ACTIONS, unique=True)
    except Refused:
        return False
    return True
