"""Answers the hook before or after a tool call from a prepared file of rules. It asks no helper and searches nothing.

`carrier.py`, in the same folder, calls :func:`quick_answer`. The folder also holds `call_patterns.py`, a copy of
:mod:`vademecum.domain.call_patterns`. :mod:`vademecum.adapters.device.ready_briefings` writes the rules and documents the file format.
The tool call waits for this module, so rarely needed modules are imported inside functions.
"""

import os
import time

#: Most notes shown in one session. Pauses and barriers, which only the person sets, are not limited.
MOST = 3
#: Rules older than the last change of the memory stay valid for so many seconds, until the helper has written new ones.
STALE_S = 30
#: CPU seconds after which a rule is given up.
THOUGHT_S = 0.4
#: Longest session id that is used as a file name, in characters.
_SESSION_MAX = 100
#: Most characters of an error in the log. The arguments of a call are never logged.
_LOGGED = 300
#: Events at which a call can be denied; events at which a note reaches the agent.
BEFORE = ("PreToolUse", "preToolUse", "BeforeTool", "tool.execute.before")
NOTED_AT = ("PreToolUse", "preToolUse", "AfterTool", "tool.execute.after")
EVENTS = tuple(dict.fromkeys((*BEFORE, *NOTED_AT)))
#: A payload without an event name is a tool call if it has this field.
TOOL_FIELD = "toolName"
_ORDER = {"barrier": 0, "pause": 1, "note": 2}
_PAUSED = " This call was stopped once because of it. If it does not apply here, make the same call again: it will run."
_BARRED = " The person does not allow this. Ask them, or find another way."
#: Errors that a damaged rule or payload may raise; OSError: a timeout.
_DAMAGED = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


def quick_answer(conf: "dict[str, str]", payload: bytes, host: str, folder: str) -> "bytes | None":
    """Like :func:`answer`, but give up on a regular expression that does not end. It sets a timer for the whole process."""
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
        return _first_unseen(asked, chosen) if chosen and not _is_off(asked.folder) else b""
    except _DAMAGED as error:  # the call runs, and the log says why no rule was shown
        asked.log({"id": _reason(error)}, "failed")
        return b""


class Asked:
    """A tool call that a host asks about.

    Attributes:
        place: folder of the rules. event: the host's name for it.
        session, parent: ids of the conversation, and of the one that started it where a host gives a sub-agent its own session.
        context: names the agent's context window. A sub-agent has its own and has read nothing of its parent's.
        heard: whether a note reaches the agent at this event. call: None until the payload is parsed.
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
        self.host = "cursor" if self.is_cursor else "vscode" if "sessionId" in given else host  # as all_hosts.guess
        self.heard = event in NOTED_AT and not self.is_cursor
        self.call: tuple[str, str, str] | None = None

    def log(self, rule: "dict[str, object]", verdict: str) -> None:
        """Log for the helper which rule was shown. A log that cannot be written changes nothing for the agent."""
        import json

        line = {
            "at": time.time(), "host": self.host, "session": self.session, "rule": rule.get("id", ""), "verdict": verdict,
            "tool": self.call[0] if self.call else "",
        }  # fmt: skip
        _is_appended(self.place + "/acted.jsonl", json.dumps(line))


# ---------------------------------------------------------------------- the rules


def read_rules(place: str, payload: bytes, sessions: "tuple[str, str]", folder: str) -> "list[bytes]":
    """Return the JSON lines of rules that may match this call: a literal that each of their calls contains is in it, ignoring case.

    None if memory is paused for this session or folder.
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
    """Return whether a folder equals another one or lies below it."""
    return (folder.replace(os.sep, "/") + "/").startswith(above.replace(os.sep, "/").rstrip("/") + "/")


def _is_stale(place: str, written: float) -> bool:
    try:
        changed = os.stat(place + "/changed").st_mtime
    except OSError:
        return False
    return changed > written and time.time() - changed > STALE_S


def _is_off(folder: str) -> bool:
    """Return whether memory is switched off for the project of a folder, which need not be the working directory."""
    folder = folder.replace(os.sep, "/")
    while folder:
        if os.path.exists(folder + "/.harness/STOP"):
            return True
        folder = folder.rpartition("/")[0]
    return False


def project_of(place: str, folder: str) -> str:
    """Return the slug of the project that a folder belongs to, by the longest known project folder; "" for none."""
    best, slug = "", ""
    with open(place + "/actions.rules", "rb") as file:
        for line in file.read().decode("utf-8", "replace").split("\n"):
            word, _, rest = line.partition(" ")
            if word == "folder":
                path, _, name = rest.partition("\t")
                if len(path) > len(best) and _is_below(folder, path):
                    best, slug = path, name
    return slug


def _repository_of(folder: str) -> str:
    """Return the folder of the repository that a folder is in a git worktree of; "" if it is in none."""
    folder = folder.replace(os.sep, "/")
    while folder:
        for line in _lines(folder + "/.git"):
            target = os.path.normpath(os.path.join(folder, line.removeprefix("gitdir: "))).replace(os.sep, "/")
            return target.partition("/.git/worktrees/")[0] if "/.git/worktrees/" in target else ""
        if os.path.exists(folder + "/.git"):
            return ""
        folder = folder.rpartition("/")[0]
    return ""


def _chosen(asked: Asked, ready: "list[bytes]") -> "list[dict[str, object]]":
    """Return the rules that match this call, strictest level first, then longest pattern first. Damaged rules are skipped."""
    import json

    from call_patterns import obeys  # type: ignore[import-not-found]

    project: str | None = None
    pairs: list[tuple[int, int, dict[str, object]]] = []
    for line in ready:
        rule: dict[str, object] = {}
        try:
            rule = json.loads(line)
            if rule["project"]:
                if project is None:
                    project = project_of(asked.place, asked.folder) or project_of(asked.place, _repository_of(asked.folder))
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


# ---------------------------------------------------------------------- what is shown


def _first_unseen(asked: Asked, rules: "list[dict[str, object]]") -> bytes:
    """Return the text of the first rule that this agent has not seen yet. A rule that it has seen is only logged.

    If it cannot be recorded that a rule was shown, only barriers apply: a paused call must run the second time.
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
    """Return the answer in the format of the host."""
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
    elif asked.is_cursor:  # it runs the hooks of Claude Code too, and expects its own format
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
    """Append a line to a file, creating it if needed; return whether that succeeded."""
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
    """Return the host's name of the event. The Copilot command line names only the tool."""
    named = _text(given, "hook_event_name", "hookEventName")
    return named or ("preToolUse" if TOOL_FIELD in given and "toolResult" not in given else "")


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
