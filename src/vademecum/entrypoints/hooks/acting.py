"""Answers the hook before, or after, a tool call of an agent from the rules that lie ready. No helper is asked, nothing is searched.

`carrier.py`, beside it, calls :func:`quick_answer`. Beside it lies `call_patterns.py` too, a copy of
:mod:`vademecum.domain.call_patterns`. The rules are written by :mod:`vademecum.adapters.ready_briefings`, which says how their file
looks. A call of a tool waits for this, so what most calls do not need is imported where it is needed.
"""

import os
import time

#: Rules told in one session, behind which no note is: the person's own rules hold calls back all the same.
MOST = 3
#: Rules that no longer follow from the memory hold so many seconds, in which the helper writes new ones.
STALE_S = 30
#: Seconds of CPU that one rule may take, and then the next one.
THOUGHT_S = 0.4
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
_PAUSED = " This call was stopped once because of it. If it does not apply here, make the same call again: it will run."
_BARRED = " The person does not allow this. Ask them, or find another way."
#: What a rule of the file, or the call that it is compared with, may raise when it is damaged; OSError: it took too long.
_DAMAGED = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


def quick_answer(conf: "dict[str, str]", payload: bytes, host: str, folder: str) -> "bytes | None":
    """Do the same as :func:`answer` in a process of its own, where a regular expression that would never end is given up."""
    import _signal  # type: ignore[import-not-found]

    def stop(*_: object) -> None:
        raise TimeoutError("this takes too long")

    if not hasattr(_signal, "setitimer"):  # Windows; the host ends us there
        return answer(conf, payload, host, folder)
    _signal.signal(_signal.SIGPROF, stop)
    _signal.setitimer(_signal.ITIMER_PROF, THOUGHT_S, THOUGHT_S)
    raw = answer(conf, payload, host, folder)
    _signal.setitimer(_signal.ITIMER_PROF, 0)
    return raw


def answer(conf: "dict[str, str]", payload: bytes, host: str, folder: str) -> "bytes | None":
    """Return what to print for a tool call, b"" for nothing; None when the payload tells of no tool call."""
    import json

    try:
        given = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    event = _event(given) if isinstance(given, dict) else ""
    if event not in EVENTS:
        return None
    asked = Asked(conf, given, event, host, folder)
    try:
        ready = read_rules(asked.place, payload, (asked.session, asked.parent), asked.folder)
        asked.call = _call(given) if ready else None
        chosen = _chosen(asked, ready) if asked.call else []
        return _told(asked, chosen) if chosen and not _is_off(asked.folder) else b""
    except _DAMAGED as error:  # the call runs, and the log says why nothing was told
        asked.log({"id": _reason(error)}, "failed")
        return b""


class Asked:
    """A tool call that a host asks about.

    Attributes:
        place: folder of the rules. event: the host's name for it. session, parent: of the conversation and, where a host gives a sub-agent
            a session of its own, of the one that it works for. context: name of what the agent has read: a sub-agent has read nothing of
            the conversation that it was started from. heard: a note reaches the agent at this event. call: None until it is known.
    """

    def __init__(self, conf: "dict[str, str]", given: "dict[str, object]", event: str, host: str, folder: str) -> None:
        self.place = conf["data"] + "/ready"
        self.event = event
        self.session = _text(given, "session_id", "sessionId", "sessionID", "conversation_id")
        self.parent = _text(given, "parent_agent_id", "parentAgentId")
        agent = _text(given, "agent_id", "agentId")
        self.context = f"{self.session} {agent}" if agent and agent != self.session else self.session
        roots = given.get("workspace_roots")
        self.folder = str(roots[0]) if isinstance(roots, list) and roots and roots[0] else _text(given, "cwd") or folder
        self.is_cursor = any(name in given for name in ("cursor_version", "conversation_id", "workspace_roots"))
        self.host = "cursor" if self.is_cursor else "vscode" if "sessionId" in given else host  # as adapters.hosts.guess
        self.heard = event in NOTED_AT and not self.is_cursor
        self.call: tuple[str, str, str] | None = None

    def log(self, rule: "dict[str, object]", verdict: str) -> None:
        """Note what was told for the helper; where that cannot be written, nobody is told less for it."""
        import json

        line = {
            "at": time.time(), "host": self.host, "session": self.session, "rule": rule.get("id", ""), "verdict": verdict,
            "tool": self.call[0] if self.call else "",
        }  # fmt: skip
        _is_appended(self.place + "/acted.jsonl", json.dumps(line))


# ---------------------------------------------------------------------- the rules


def read_rules(place: str, payload: bytes, sessions: "tuple[str, str]", folder: str) -> "list[bytes]":
    """Return the rules, as JSON, that may be for this call: those of which a text that stands in each of their calls stands in it, in
    capitals or not. None for a session or a folder in which memory is paused.
    """
    try:
        with open(place + "/actions.rules", "rb") as file:
            written = os.fstat(file.fileno()).st_mtime
            lines = file.read().split(b"\n")
    except OSError:
        return []
    if _is_stale(place, written):
        return []
    result, held = [], payload.lower()
    for line in lines:
        word, _, rest = line.partition(b" ")
        if word == b"silent" and rest and (os.fsdecode(rest) in sessions or _is_below(folder, os.fsdecode(rest))):
            return []
        if word == b"rule":
            literals, _, rule = rest.partition(b"\t")
            if any(not raw or raw.lower() in held for raw in literals.split(b",")):
                result.append(rule)
    return result


def _is_below(folder: str, above: str) -> bool:
    """Return whether a folder is another one, or lies in it."""
    return (folder.replace(os.sep, "/") + "/").startswith(above.replace(os.sep, "/").rstrip("/") + "/")


def _is_stale(place: str, written: float) -> bool:
    try:
        changed = os.stat(place + "/changed").st_mtime
    except OSError:
        return False
    return changed > written and time.time() - changed > STALE_S


def _is_off(folder: str) -> bool:
    """Return whether the person switched memory off in the project of a folder, which may be another than this process runs in."""
    folder = folder.replace(os.sep, "/")
    while folder:
        if os.path.exists(folder + "/.harness/STOP"):
            return True
        folder = folder.rpartition("/")[0]
    return False


def project_of(place: str, folder: str) -> str:
    """Return the slug of the project that a folder lies in, by the longest folder of those that are known; "" for none."""
    best, slug = "", ""
    with open(place + "/actions.rules", "rb") as file:
        for line in file.read().decode("utf-8", "replace").split("\n"):
            word, _, rest = line.partition(" ")
            if word == "folder":
                path, _, name = rest.partition("\t")
                if len(path) > len(best) and _is_below(folder, path):
                    best, slug = path, name
    return slug


def _chosen(asked: Asked, ready: "list[bytes]") -> "list[dict[str, object]]":
    """Return the rules for this call, the strictest first, then those of the longest pattern. A rule that is damaged is left out."""
    import json

    from call_patterns import obeys  # type: ignore[import-not-found]

    project: str | None = None
    pairs: list[tuple[int, int, dict[str, object]]] = []
    for line in ready:
        rule: dict[str, object] = {}
        try:
            rule = json.loads(line)
            if rule["project"]:
                project = project_of(asked.place, asked.folder) if project is None else project
                if rule["project"] != project:
                    continue
            longest = max((len(pattern) for pattern in _fitting(rule, asked.call)), default=0)
            if longest and not obeys(rule["unless"], asked.call):
                pairs.append((_ORDER[str(rule["level"])], -longest, {name: rule[name] for name in ("id", "level", "text")}))
        except _DAMAGED as error:
            asked.log({"id": rule.get("id") or _reason(error)} if isinstance(rule, dict) else {}, "failed")
    pairs.sort(key=lambda row: row[:2])
    return [rule for _, _, rule in pairs]


def _reason(error: BaseException) -> str:
    return f"{error.__class__.__name__}: {error}"[:_LOGGED]


def _fitting(rule: "dict[str, object]", call: "tuple[str, str, str] | None") -> "list[str]":
    from call_patterns import fits, parsed

    return [line for line in rule["when"] if fits(*parsed(line), call)]  # type: ignore[attr-defined]


# ---------------------------------------------------------------------- what is told


def _told(asked: Asked, rules: "list[dict[str, object]]") -> bytes:
    """Return what to print of the first rule that is still to be told to this agent; what was told before is only logged. Where it cannot
    be noted that a rule was told, only a barrier is: a call that is held back must run the second time.
    """
    context = asked.context.encode("utf-8", "replace")
    path = f"{asked.place}/acted/{context.hex()}" if 0 < len(context) <= _SESSION_MAX else ""
    known = _lines(path) if path else []
    for rule in rules:
        level, name = str(rule["level"]), str(rule["id"])
        is_new = name not in known
        if level != "barrier" and (not is_new or (level == "note" and len(known) >= MOST)):
            if asked.heard and not is_new:
                asked.log(rule, "again")
            continue
        if not (asked.heard if level == "note" else asked.event in BEFORE):
            continue
        if is_new and not _is_appended(path, name) and level != "barrier":
            return b""
        asked.log(rule, level)
        return _printed(asked, level, f"Memory: {rule['text']}")
    return b""


def _printed(asked: Asked, level: str, text: str) -> bytes:
    """Return the answer in the form that the host of this event reads."""
    import json

    refused = level != "note"
    text += {"pause": _PAUSED, "barrier": _BARRED}.get(level, "")
    text = text.encode("utf-8", "replace").decode()
    fields = {"permissionDecision": "deny", "permissionDecisionReason": text} if refused else {"additionalContext": text}
    answer: dict[str, object]
    if asked.event.startswith("tool.execute"):
        answer = {"refuse" if refused else "note": text}
    elif asked.event == "BeforeTool":
        answer = {"decision": "deny", "reason": text}
    elif asked.is_cursor:  # its own form beside the one of Claude Code, whose file it reads
        own = {"permission": "deny", "user_message": text, "agent_message": text}
        answer = {**own, "hookSpecificOutput": {"hookEventName": asked.event, **fields}}
    elif asked.event == "preToolUse":
        answer = {**fields}
    else:
        answer = {"hookSpecificOutput": {"hookEventName": asked.event, **fields}}
    return json.dumps(answer).encode()


def _lines(path: str) -> "list[str]":
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().split("\n")[:-1]
    except OSError:
        return []


def _is_appended(path: str, line: str) -> bool:
    """Add a line to a file, which is made where there is none; return whether that could be done."""
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line.encode("utf-8", "replace") + b"\n")
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return True


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
