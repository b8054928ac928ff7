"""Answers the hook before, or after, a tool call of an agent from the rules that lie ready. No helper is asked, nothing is searched.

`carrier.py`, beside it, calls :func:`answer`. Beside it lies `call_patterns.py` too, a copy of :mod:`vademecum.domain.call_patterns`. The
rules are written by :mod:`vademecum.adapters.ready_rules`, which says how their file looks. A call of a tool waits for this, so what
most calls do not need is imported where it is needed.
"""

import os
import time

#: Rules told in one session at most. A barrier is told each time.
MOST = 3
#: Rules that no longer follow from the memory hold so many seconds, in which the helper writes new ones.
STALE_S = 30
#: Longest id of a session that makes the name of a file.
_SESSION_MAX = 100
#: Characters of an error in the log. What a call says is not logged.
_LOGGED = 300
#: Events at which a call can be refused, and those at which a note reaches the agent.
BEFORE = ("PreToolUse", "preToolUse", "BeforeTool", "tool.execute.before")
NOTED_AT = ("PreToolUse", "preToolUse", "AfterTool", "tool.execute.after")
EVENTS = tuple(dict.fromkeys((*BEFORE, *NOTED_AT)))
#: The field by which a payload that names no event tells of a tool call.
TOLD_BY = "toolName"
_ORDER = {"barrier": 0, "pause": 1, "note": 2}
_PAUSED = " This call was held back once because of it. If it does not apply here, make the same call again: it will run."
_BARRED = " The person lets nobody do this. Ask them, or find another way."


def answer(conf: "dict[str, str]", payload: bytes, host: str, folder: str) -> "bytes | None":
    """Return what to print for a tool call, b"" for nothing; None when the payload tells of no tool call."""
    import json

    try:
        given = json.loads(payload)
    except ValueError:
        return None
    event = _event(given)
    if event not in EVENTS:
        return None
    session = _text(given, "session_id", "sessionId", "sessionID")
    try:
        here = _text(given, "cwd") or folder
        ready = read_rules(conf["data"] + "/ready", payload, session, here)
        call = _call(given) if ready and 0 < len(session.encode()) <= _SESSION_MAX else None
        if call is None:
            return b""
        found = _chosen([json.loads(line) for line in ready], call, conf["data"] + "/ready", here)
        return _told(conf, found, event, session, call, host) if found else b""
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:  # the call runs, and the log says why nothing was told
        _log(conf, {"id": f"{error.__class__.__name__}: {error}"[:_LOGGED]}, "failed", session, ("", "", ""), host)
        return b""


# ---------------------------------------------------------------------- the rules


def read_rules(place: str, payload: bytes, session: str, folder: str) -> "list[bytes]":
    """Return the rules, as JSON, that may be for this call: those of which a text that stands in each of their calls stands in it. None for
    a session or a folder in which memory is paused.
    """
    try:
        with open(place + "/actions.rules", "rb") as file:
            written = os.fstat(file.fileno()).st_mtime
            lines = file.read().split(b"\n")
    except OSError:
        return []
    if _is_stale(place, written):
        return []
    found = []
    for line in lines:
        word, _, rest = line.partition(b" ")
        if word == b"silent" and (os.fsdecode(rest) == session or f"{folder}/".startswith(f"{os.fsdecode(rest).rstrip('/')}/")):
            return []
        if word == b"rule":
            literals, _, rule = rest.partition(b"\t")
            if any(not one or one in payload for one in literals.split(b",")):
                found.append(rule)
    return found


def _is_stale(place: str, written: float) -> bool:
    try:
        changed = os.stat(place + "/changed").st_mtime
    except OSError:
        return False
    return changed > written and time.time() - changed > STALE_S


def project_of(place: str, folder: str) -> str:
    """Return the slug of the project that a folder lies in, by the longest folder of those that are known; "" for none."""
    best, slug = "", ""
    with open(place + "/actions.rules", "rb") as file:
        for line in file.read().decode("utf-8", "replace").split("\n"):
            word, _, rest = line.partition(" ")
            if word == "folder":
                path, _, name = rest.partition("\t")
                if len(path) > len(best) and (folder == path or folder.startswith(path.rstrip("/\\") + os.sep)):
                    best, slug = path, name
    return slug


def _chosen(
    rules: "list[dict[str, object]]", call: "tuple[str, str, str]", place: str, folder: str
) -> "list[dict[str, object]]":
    """Return the rules for this call, the strictest first, then those of the longest pattern."""
    project: str | None = None
    found = []
    for rule in rules:
        if rule["project"]:
            project = project_of(place, folder) if project is None else project
            if rule["project"] != project:
                continue
        longest = max((len(pattern) for pattern in _fitting(rule, call)), default=0)
        if longest and not _obeys(rule, call):
            found.append((_ORDER.get(str(rule["level"]), 2), -longest, rule))
    found.sort(key=lambda one: one[:2])
    return [rule for _, _, rule in found]


def _fitting(rule: "dict[str, object]", call: "tuple[str, str, str]") -> "list[str]":
    from call_patterns import fits, parsed  # type: ignore[import-not-found]

    return [line for line in rule["when"] if fits(*parsed(line), call)]  # type: ignore[attr-defined]


def _obeys(rule: "dict[str, object]", call: "tuple[str, str, str]") -> bool:
    """Return whether a call holds a text, or a regular expression between slashes, by which it obeys the rule already."""
    from call_patterns import is_regex

    held = f"{call[1]}\n{call[2]}"
    for text in rule["unless"]:  # type: ignore[attr-defined]
        if is_regex(text):
            import re

            if re.search(text[1:-1], held):
                return True
        elif text in held:
            return True
    return False


# ---------------------------------------------------------------------- what is told


def _told(
    conf: "dict[str, str]", rules: "list[dict[str, object]]", event: str, session: str, call: "tuple[str, str, str]", host: str
) -> bytes:
    """Return what to print of the first rule that is still to be told in this session; what was told before is only logged."""
    place = conf["data"] + "/ready/acted"
    os.makedirs(place, 0o700, exist_ok=True)
    path = place + "/" + session.encode().hex()
    known = _lines(path)
    for rule in rules:
        level, name = str(rule["level"]), str(rule["id"])
        is_new = name not in known
        if level != "barrier" and (not is_new or len(known) >= MOST):
            if event in NOTED_AT and not is_new:
                _log(conf, rule, "again", session, call, host)
            continue
        if event not in (NOTED_AT if level == "note" else BEFORE):
            continue
        if is_new:
            _append(path, name)
        _log(conf, rule, level, session, call, host)
        return _printed(event, level, f"Memory: {rule['text']}")
    return b""


def _printed(event: str, level: str, text: str) -> bytes:
    """Return the answer in the form that the host of this event reads."""
    import json

    refused = level != "note"
    text += {"pause": _PAUSED, "barrier": _BARRED}.get(level, "")
    answer: dict[str, object]
    if event.startswith("tool.execute"):
        answer = {"refuse" if refused else "note": text}
    elif event == "BeforeTool":
        answer = {"decision": "deny", "reason": text}
    elif event == "preToolUse":
        answer = {"permissionDecision": "deny", "permissionDecisionReason": text} if refused else {"additionalContext": text}
    else:
        said = {"permissionDecision": "deny", "permissionDecisionReason": text} if refused else {"additionalContext": text}
        answer = {"hookSpecificOutput": {"hookEventName": event, **said}}
    return json.dumps(answer).encode()


def _log(
    conf: "dict[str, str]", rule: "dict[str, object]", verdict: str, session: str, call: "tuple[str, str, str]", host: str
) -> None:
    import json

    line = {
        "at": time.time(), "host": host, "session": session, "rule": rule["id"], "verdict": verdict, "tool": call[0],
    }  # fmt: skip
    _append(conf["data"] + "/ready/acted.jsonl", json.dumps(line))


def _lines(path: str) -> "list[str]":
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split("\n")[:-1]
    except OSError:
        return []


def _append(path: str, line: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, line.encode() + b"\n")
    finally:
        os.close(descriptor)


# ---------------------------------------------------------------------- the payload


def _event(given: "dict[str, object]") -> str:
    """Return the host's name of the event; the Copilot command line names none and tells a tool."""
    named = _text(given, "hook_event_name", "hookEventName")
    return named or ("preToolUse" if TOLD_BY in given and "toolResult" not in given else "")


def _call(given: "dict[str, object]") -> "tuple[str, str, str] | None":
    from call_patterns import call_of

    name = _text(given, "tool_name", "toolName", "tool")
    arguments = next((given[key] for key in ("tool_input", "toolArgs", "args") if key in given), None)
    if isinstance(arguments, str) and arguments.lstrip().startswith("{"):
        import json

        try:
            arguments = json.loads(arguments)
        except ValueError:
            return None
    return call_of(name, arguments)  # type: ignore[no-any-return]


def _text(given: "dict[str, object]", *names: str) -> str:
    return next((value for name in names if isinstance(value := given.get(name), str) and value), "")
