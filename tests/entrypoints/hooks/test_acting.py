"""What the hook client answers at a tool call, host by host: a note, a call held back once, a call refused; and nothing when unsure."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import vademecum
from vademecum.adapters.device.event_queue import Spool
from vademecum.domain.call_patterns import literal, parsed
from vademecum.domain.host import Programs

PACKAGE = Path(vademecum.__file__).parent
TEXT = "Never tag by hand; run make release (the person's own rule, 2026-03-02, k3f9)"
RULE = {"id": "memory://tag", "project": "", "when": ["run: git tag"], "unless": [], "level": "note", "text": TEXT}


class Device:
    """The data folder of a device with rules in it, and the part of the client that answers tool calls."""

    def __init__(self, folder: Path, monkeypatch) -> None:
        self.folder = folder
        self.ready = folder / "ready"
        self.ready.mkdir()
        hook = folder / "hook"
        hook.mkdir()
        shutil.copy(PACKAGE / "domain" / "call_patterns.py", hook)
        monkeypatch.syspath_prepend(str(hook))
        spec = importlib.util.spec_from_file_location("acting", PACKAGE / "entrypoints" / "hooks" / "acting.py")
        self.acting = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.acting)

    def rules(self, *rules, before=()):
        write_rules(self.ready, *rules, before=before)

    def rule(self, **more):
        self.rules(RULE | more)

    def printed(self, payload, folder="/work"):
        """The bytes that the client prints; None: no tool call."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return self.acting.answer({"data": str(self.folder)}, data, "host", folder)

    def told(self, payload, folder="/work"):
        """(what happens to the call, what the agent is told) as the host of the payload reads it."""
        printed = self.printed(payload, folder)
        return meaning(json.loads(printed)) if printed else ("runs", "")

    def log(self):
        path = self.ready / "acted.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def write_rules(folder, *rules, before=()):
    """Write the file of rules as the helper does."""
    lines = [*before]
    for rule in rules:
        literals = ",".join(sorted({literal(parsed(pattern)[1]) for pattern in rule["when"]}))
        lines.append(f"rule {literals}\t{json.dumps(rule)}")
    folder.mkdir(exist_ok=True)
    (folder / "actions.rules").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def meaning(answer):
    """What hosts make of an answer; each key counts, because Codex drops an answer for one that it does not know."""
    match answer:
        case {"hookSpecificOutput": {"hookEventName": _, "additionalContext": text, **rest}, **more} if not (rest or more):
            return "runs", text
        case {
            "hookSpecificOutput": {
                "hookEventName": _, "permissionDecision": "deny", "permissionDecisionReason": text, **rest
            }, **more,
        } if not rest:  # fmt: skip
            assert not more or (more == {"permission": "deny", "user_message": text, "agent_message": text})
            return "refused", text
        case {"additionalContext": text, **more} | {"note": text, **more} if not more:
            return "runs", text
        case {"permissionDecision": "deny", "permissionDecisionReason": text, **more} if not more:
            return "refused", text
        case {"decision": "deny", "reason": text, **more} | {"refuse": text, **more} if not more:
            return "refused", text
    raise AssertionError(answer)


@pytest.fixture
def device(tmp_path, monkeypatch):
    return Device(tmp_path, monkeypatch)


COMMAND = "git tag v1.2"


def claude(name="Bash", given=None, **more):
    """As Claude Code 2.1.332 sends it."""
    return {
        "session_id": "s1", "transcript_path": "/t.jsonl", "cwd": "/work", "prompt_id": "p", "permission_mode": "auto",
        "effort": {"level": "medium"}, "hook_event_name": "PreToolUse", "tool_name": name,
        "tool_input": given or {"command": COMMAND, "description": "d"}, "tool_use_id": "toolu_0001", **more,
    }  # fmt: skip


def codex(given=None, **more):
    """As Codex 0.171 sends it."""
    return {
        "session_id": "s1", "turn_id": "t", "transcript_path": "/t.jsonl", "cwd": "/work", "hook_event_name": "PreToolUse",
        "model": "gpt-5.1", "permission_mode": "bypassPermissions", "tool_name": "Bash",
        "tool_input": given or {"command": COMMAND}, "tool_use_id": "call_0001", **more,
    }  # fmt: skip


def gemini(event="BeforeTool", name="run_shell_command", given=None):
    """As Gemini CLI 0.61 sends it."""
    after = {"tool_response": {"llmContent": "done", "returnDisplay": "done"}} if event == "AfterTool" else {}
    return {
        "session_id": "s1", "transcript_path": "/t.json", "cwd": "/work", "hook_event_name": event, "timestamp": "2026-03-02T10:00:00Z",
        "tool_name": name, "tool_input": given or {"command": COMMAND, "description": "d"}, **after,
    }  # fmt: skip


def copilot(given=None, name="bash", **more):
    """As the Copilot command line 1.0.102 sends it: no event is named."""
    return {
        "sessionId": "s1", "timestamp": 1772445600000, "cwd": "/work", "toolName": name,
        "toolArgs": given if given is not None else {"command": COMMAND, "description": "d"}, **more,
    }  # fmt: skip


def vscode(name="run_in_terminal", given=None):
    """As VS Code's documents say."""
    return {
        "timestamp": "2026-03-02T10:00:00Z", "cwd": "/work", "sessionId": "s1", "hookEventName": "PreToolUse", "tool_name": name,
        "tool_input": given or {"command": COMMAND, "explanation": "d"}, "tool_use_id": "t",
    }  # fmt: skip


def opencode(event="tool.execute.before", tool="bash", given=None):
    """As our plugin sends it."""
    return {
        "hook_event_name": event, "session_id": "s1", "cwd": "/work", "tool": tool,
        "args": given or {"command": COMMAND, "description": "d"},
    }  # fmt: skip


def cursor(**more):
    """As Cursor sends it when it runs hooks from Claude Code's file, by its documents and the reports of other projects."""
    return {
        "conversation_id": "s1", "session_id": "s1", "cwd": "/home", "generation_id": "g",
        "hook_event_name": "PreToolUse", "cursor_version": "3.11.0",
        "workspace_roots": ["/work"], "tool_name": "Shell", "tool_input": {"command": COMMAND, "cwd": ""}, **more,
    }  # fmt: skip


BEFORE = {
    "claude-code": claude(), "codex": codex(), "gemini": gemini(), "copilot": copilot(),
    "copilot, text": copilot(json.dumps({"command": COMMAND})),
    "vscode": vscode(), "opencode": opencode(), "cursor": cursor(),
}  # fmt: skip
#: Where a host hears a note, if not at the call itself; None: nowhere.
NOTED = {"gemini": gemini("AfterTool"), "opencode": opencode("tool.execute.after"), "cursor": None}


@pytest.mark.parametrize("host", BEFORE)
def test_note(device, host):
    """A note lets the call run and is told once in a session, at the event at which the host hears it."""
    device.rule()
    at = NOTED.get(host, BEFORE[host])
    if at is not BEFORE[host]:
        assert device.told(BEFORE[host]) == ("runs", "")
    if at is None:
        return
    assert device.told(at) == ("runs", f"Memory: {TEXT}")
    assert device.told(at) == ("runs", "")
    assert [(line["rule"], line["verdict"], line["session"]) for line in device.log()] == [
        ("memory://tag", "note", "s1"), ("memory://tag", "again", "s1"),
    ]  # fmt: skip
    own = {"copilot": "vscode", "copilot, text": "vscode", "vscode": "vscode"}.get(host, "host")
    assert (device.log()[0]["tool"], device.log()[0]["host"]) == ("run", own)
    assert "git" not in (device.ready / "acted.jsonl").read_text()  # what a call says is not kept


@pytest.mark.parametrize("host", BEFORE)
def test_pause(device, host):
    """The first call of a session is held back with the rule and how to go on; the same call then runs, without a word after it."""
    device.rule(level="pause")
    verdict, text = device.told(BEFORE[host])
    assert verdict == "refused"
    assert TEXT in text and "make the same call again" in text
    assert device.told(BEFORE[host]) == ("runs", "")
    if NOTED.get(host):
        assert device.told(NOTED[host]) == ("runs", "")


@pytest.mark.parametrize("host", BEFORE)
def test_barrier(device, host):
    """A barrier refuses each time, in every session; what has run already is not refused."""
    device.rule(level="barrier")
    if NOTED.get(host):
        assert device.told(NOTED[host]) == ("runs", "")
    for _ in range(5):
        verdict, text = device.told(BEFORE[host])
        assert verdict == "refused"
        assert TEXT in text and "again" not in text.replace(TEXT, "")


PATCH = "*** Begin Patch\n*** Update File: src/deep/notes.md\n@@\n-a\n+see the appendix\n*** End Patch"
CALLS = [
    ("edit: src/*.md", claude("Edit", {"file_path": "/work/src/notes.md", "old_string": "a", "new_string": "b", "replace_all": False})),
    ("edit: notes.md", claude("Write", {"file_path": "/work/src/notes.md", "content": "x"})),
    ("edit: notes.md", claude("MultiEdit", {"file_path": "/work/notes.md", "edits": [{"old_string": "a", "new_string": "b"}]})),
    (r"edit: /notes[\s\S]*the appendix/", claude("Edit", {"file_path": "/w/notes.md", "old_string": "", "new_string": "see the appendix"})),
    ("mcp: mini shelf", claude("mcp__mini__shelf", {"row": "nine"}, mcp_server={"name": "mini", "source": "user"})),
    ("mcp: Mini SHELF nine", claude("mcp__mini__shelf", {"row": "nine"})),
    ("web: Example.org", claude("WebFetch", {"url": "https://example.org/a", "prompt": "?"})),
    ("run: git tag", claude(agent_id="a1", agent_type="general-purpose")),
    ("run: git tag", codex({"command": "cd sub && git tag -a v1 -m 'first one'"})),
    ("edit: src/*.md", codex({"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF"})),
    (r"edit: /appendix/", codex({"command": PATCH}, tool_name="apply_patch")),
    ("mcp: mini shelf", codex({"row": "nine"}, tool_name="mcp__mini__shelf")),
    ("run: git tag", codex(agent_id="a1", agent_type="worker")),
    ("edit: notes.md", gemini("AfterTool", "replace", {"file_path": "/work/notes.md", "old_string": "a", "new_string": "b"})),
    ("edit: notes.md", gemini("AfterTool", "write_file", {"file_path": "notes.md", "content": "b"})),
    ("mcp: mini shelf", gemini("AfterTool", "mcp_mini_shelf", {"row": "nine"})),
    ("edit: notes.md", copilot({"path": "/work/notes.md", "file_text": "x"}, "create")),
    ("edit: notes.md", copilot({"path": "/work/notes.md", "old_str": "a", "new_str": "b"}, "edit")),
    ("edit: notes.md", copilot(json.dumps({"path": "/work/notes.md", "old_str": "a", "new_str": "b"}), "edit")),
    ("mcp: mini shelf", copilot({"row": "nine"}, "mini-shelf")),
    ("edit: notes.md", vscode("replace_string_in_file", {"filePath": "/work/notes.md", "oldString": "a", "newString": "b"})),
    ("edit: notes.md", vscode("create_file", {"filePath": "/work/notes.md", "content": "b"})),
    ("edit: notes.md", opencode("tool.execute.after", "edit", {"filePath": "/work/notes.md", "oldString": "a", "newString": "b"})),
    ("mcp: mini shelf", opencode("tool.execute.after", "mini_shelf", {"row": "nine"})),
    ("web: example.org", opencode("tool.execute.after", "webfetch", {"url": "https://example.org", "format": "text"})),
    ("skill: review", claude("Skill", {"skill": "review", "args": "now"})),
    ("skill: review", gemini("AfterTool", "activate_skill", {"name": "review"})),
    ("skill: re*", opencode("tool.execute.after", "skill", {"name": "review"})),
    ("edit: app/[slug]/*.tsx", claude("Write", {"file_path": "/work/app/[slug]/page.tsx", "content": "x"})),
    ("run: git tag", {**claude(), "hook_event_name": "PreToolUse", "tool_input": {"command": ["bash", "-lc", COMMAND]}}),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "payload"), CALLS)
def test_calls_of_hosts(device, pattern, payload):
    """A command, a change, an MCP call and an address are found in what each host sends, and another pattern is silent at it."""
    other = RULE | {
        "id": "memory://other",
        "when": ["run: cargo yank", "edit: other/*.rs", "mcp: elsewhere", "web: example.net"],
    }
    device.rules(RULE | {"when": [pattern]}, other)
    assert device.told(payload) == ("runs", f"Memory: {TEXT}")
    assert device.told(payload) == ("runs", "")


QUIET = [
    claude("Read", {"file_path": "/work/git tag"}),
    claude("Grep", {"pattern": "git tag", "path": "/work"}),
    claude("TodoWrite", {"todos": ["git tag"]}),
    claude(given={"command": "git log --grep tag"}),
    claude(given={"command": "echo 'git tag'"}),
    claude("SomethingNew", {"git tag": [1, None, {"git tag": "git tag"}]}),
    claude("", {"command": ""}),
    {**claude(), "tool_name": 7, "tool_input": [COMMAND]},
    {**claude(), "tool_input": None},
    {**claude(), "tool_input": 3},
    {**claude(), "tool_input": {"command": {"git tag": 1}}},
    {"hook_event_name": "PreToolUse", "session_id": "s1"},
    copilot("{git tag"),
    copilot(""),
    opencode(tool="read", given={"filePath": "git tag"}),
    gemini(name="list_directory", given={"path": "git tag"}),
]


@pytest.mark.parametrize("payload", QUIET)
@pytest.mark.parametrize("level", ["note", "pause", "barrier"])
def test_silent_when_unsure(device, payload, level):
    """A call that reads, one that only resembles the pattern, and one that nobody knows how to read run untouched."""
    device.rule(level=level)
    assert device.printed(payload) == b""


def test_three_a_session(device):
    """After three rules of a session no note is told; what the person forbids still holds, and the next session hears the others."""
    many = [RULE | {"id": f"memory://{number}", "text": f"Rule {number}"} for number in range(5)]
    device.rules(*many)
    told = [device.told(claude())[1] for _ in range(8)]
    assert sorted(filter(None, told)) == ["Memory: Rule 0", "Memory: Rule 1", "Memory: Rule 2"]
    assert device.told(claude(session_id="s2"))[1] == "Memory: Rule 0"
    for level in ("pause", "barrier"):
        device.rules(*many, RULE | {"id": f"memory://{level}", "level": level})
        assert device.told(claude())[0] == "refused"


def test_strictest_and_longest_first(device):
    """Of several rules for a call the strictest is told, then that of the longest pattern: one line a call."""
    device.rules(
        RULE | {"id": "memory://a", "text": "A"},
        RULE | {"id": "memory://b", "text": "B", "when": ["run: git tag v1.2"]},
        RULE | {"id": "memory://c", "text": "C", "level": "pause"},
    )
    assert [device.told(claude())[1].split(" This")[0] for _ in range(4)] == ["Memory: C", "Memory: B", "Memory: A", ""]


def test_sub_agent_has_heard_nothing(device):
    """A sub-agent is told what its parent was told, once; in the conversation of its own that some hosts give it, too."""
    device.rule()
    agent = claude(agent_id="a1", agent_type="Explore")
    assert [device.told(one)[1] != "" for one in (claude(), agent, agent, claude(agent_id="a2"))] == [True, True, False, True]
    child = copilot(sessionId="a7", agentType="task", parentAgentId="s1")
    assert [device.told(one)[1] != "" for one in (child, child)] == [True, False]


@pytest.mark.parametrize("unless", ["--sign", "/-(s|-sign)\\b/"])
def test_unless(device, unless):
    """A call that obeys the rule already is let through, by a text that it holds or a regular expression."""
    device.rule(unless=[unless], level="barrier")
    assert device.told(claude(given={"command": "git tag --sign v1"})) == ("runs", "")
    assert device.told(claude(given={"command": "git tag v1"}))[0] == "refused"


def test_projects(device):
    """A rule of a project is told in its folders, by the longest that is known; a rule of none everywhere."""
    folders = ["folder /work\tkettle", "folder /work/vendor\torchard", "folder /else\torchard"]
    kettle, orchard = RULE | {"project": "kettle", "level": "barrier"}, RULE | {"project": "orchard", "level": "barrier"}
    device.rules(kettle, before=folders)
    seen = {
        place: device.told(claude(cwd=place))[0]
        for place in ("/work", "/work/src", "/work/vendor/x", "/workshop", "/else", "/")
    }
    assert seen == {
        "/work": "refused", "/work/src": "refused", "/work/vendor/x": "runs", "/workshop": "runs", "/else": "runs", "/": "runs",
    }  # fmt: skip
    device.rules(orchard, before=folders)
    assert device.told(claude(cwd="/work/vendor/x"))[0] == "refused"
    device.rules(kettle | {"project": ""}, before=folders)
    assert device.told(claude(cwd="/"))[0] == "refused"


def test_folder_of_the_process(device):
    """A host that tells no folder is somewhere all the same."""
    device.rules(RULE | {"project": "kettle"}, before=["folder /work\tkettle"])
    payload = claude()
    del payload["cwd"]
    assert device.told(payload, "/elsewhere") == ("runs", "")
    assert device.told(payload, "/work")[1]
    device.rules(RULE | {"project": "kettle", "level": "barrier"}, before=["folder /work\tkettle"])
    assert device.told(cursor(cwd="/elsewhere"))[0] == "refused"
    assert device.told(cursor(cwd="/work", workspace_roots=["/elsewhere"])) == ("runs", "")


@pytest.mark.parametrize("target", ["{}/lark/.git/worktrees/w", "../lark/.git/worktrees/w"])
def test_a_worktree_without_a_session(device, tmp_path, target):
    """A call in a worktree in which no session began gets the rules of its repository, wherever the host runs its hooks."""
    device.rules(RULE | {"project": "lark", "level": "barrier"}, before=[f"folder {tmp_path}/lark\tlark"])
    for name, git in (("tree", f"gitdir: {target}\n".format(tmp_path)), ("module", "gitdir: ../lark/.git/modules/m\n")):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / ".git").write_text(git)
    assert device.told(claude(cwd=f"{tmp_path}/tree/src"), f"{tmp_path}")[0] == "refused"
    assert device.told(claude(cwd=f"{tmp_path}/module/src"), f"{tmp_path}")[0] == "runs"


@pytest.mark.parametrize("silent", ["s1", "/work", "/work/"])
def test_paused_memory(device, silent):
    """Nothing is told in a session or a folder in which memory is paused, nor to the sub-agents of that session."""
    device.rules(RULE | {"level": "barrier"}, before=[f"silent {silent}"])
    assert device.printed(claude(cwd="/work/src", agent_id="a")) == b""
    assert device.printed(copilot(sessionId="a1", parentAgentId="s1")) == b""
    assert device.told(claude(session_id="s2", cwd="/workshop"))[0] == "refused"


def test_stopped_project(device, tmp_path):
    """Nothing is told in a project in which the person switched memory off, wherever the host runs its hooks."""
    (tmp_path / "kettle" / ".harness").mkdir(parents=True)
    (tmp_path / "kettle" / ".harness" / "STOP").touch()
    device.rule(level="barrier")
    assert device.printed(claude(cwd=str(tmp_path / "kettle" / "src"))) == b""
    assert device.told(claude(cwd=str(tmp_path)))[0] == "refused"


@pytest.mark.parametrize(("changed_s", "told"), [(10, True), (120, False)])
def test_rules_that_memory_left_behind(device, changed_s, told):
    """Rules that no longer follow from memory hold for half a minute, in which the helper writes new ones; nobody renewed them after."""
    device.rule()
    now = time.time()
    os.utime(device.ready / "actions.rules", (now - 1000, now - 1000))
    (device.ready / "changed").touch()
    os.utime(device.ready / "changed", (now - changed_s, now - changed_s))
    assert bool(device.told(claude())[1]) is told


def test_no_rules(device):
    """Without a file of rules nothing is told, and nothing is written."""
    assert device.printed(claude()) == b""
    assert list(device.ready.iterdir()) == []


DAMAGED = [
    b"\xff\xfe\x00rule", b"rule", b"rule \t", b"rule git\t{", b"rule git\t[1]", b"rule git\tnull", b"folder", b"silent", b"\x00" * 5000,
    b'rule git\t{"id": "x"}', b'rule git\t{"id": 3, "project": 7, "when": 5, "unless": null, "level": "x", "text": 1}',
    b'rule git\t{"id": "x", "project": "", "when": ["run: /(/"], "unless": [], "level": "note", "text": "t"}',
    b'rule git\t{"id": "x", "project": "", "when": ["run: git tag"], "unless": ["/(/"], "level": "barrier", "text": "t"}',
    b'rule git\t{"id": "x", "project": "", "when": ["run: git tag"], "unless": [], "level": "shout", "text": "t"}',
    b"rule git\t" + b"[" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("line", DAMAGED)
def test_damaged_rules(device, line):
    """A damaged line tells nothing and takes no other rule with it."""
    path = device.ready / "actions.rules"
    path.write_bytes(line)
    assert device.printed(claude()) == b""
    device.rule()
    path.write_bytes(line + b"\n" + path.read_bytes())
    assert device.told(claude())[1] == f"Memory: {TEXT}"


def test_a_folder_where_the_rules_were(device):
    (device.ready / "actions.rules").mkdir()
    assert device.printed(claude()) == b""


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nobody may write there only for others")
def test_nothing_can_be_written(device):
    """On a full or locked disk a call is never held back for ever: only a barrier speaks."""
    device.rule(level="pause")
    device.ready.chmod(0o500)
    try:
        assert device.printed(claude()) == b""
        device.ready.chmod(0o700)
        device.rule(level="barrier")
        device.ready.chmod(0o500)
        assert device.told(claude())[0] == "refused"
    finally:
        device.ready.chmod(0o700)


def test_something_else_lies_where_it_is_noted(device):
    """The same where no folder can be made: a pause that cannot be noted would never end."""
    (device.ready / "acted").write_text("")
    for level, verdict in (("note", "runs"), ("pause", "runs"), ("barrier", "refused")):
        device.rule(level=level)
        assert device.told(claude())[0] == verdict


@pytest.mark.parametrize("session", ["", "x" * 101])
def test_no_session(device, session):
    """Without a session that can be named it is not known what was told: only a barrier holds."""
    for level, verdict in (("note", "runs"), ("pause", "runs"), ("barrier", "refused")):
        device.rule(level=level)
        assert device.told(claude(session_id=session)) == (verdict, device.told(claude(session_id=session))[1])
        assert device.told(claude(session_id=session))[0] == verdict


def test_odd_signs(device):
    """Half a pair of surrogates, control characters and other scripts in the call, the session and the rule harm nothing."""
    device.rule(text="Nie! \ud83d 标签 \x00", when=["run: git tag"])
    payload = claude(session_id="s\ud800\x00/..", given={"command": "git tag '\udc80 \x00 é 标'"})
    printed = device.printed(payload)
    assert b"\\ud83d" not in printed
    assert "标签" in meaning(json.loads(printed))[1]
    assert device.printed(payload) == b""
    raw = json.dumps(claude(), ensure_ascii=False).encode().replace(b"v1.2", b"\xff\xfe")
    assert device.printed(raw) in (None, b"")


def test_huge_command(device):
    """A command of a megabyte is looked at in its first part, and takes no time that anybody notices."""
    device.rule()
    device.told(claude(session_id="warm"))
    before = time.process_time()
    assert device.told(claude(given={"command": "x" * 1_000_000 + COMMAND})) == ("runs", "")
    assert device.told(claude(given={"command": COMMAND + " '" + "<<a \\\n" * 200_000}))[1]
    assert time.process_time() - before < 1


OTHER = [
    {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": '"PreToolUse" of {"tool_name": "Bash"}'},
    {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "PreToolUse"},
    {"hook_event_name": "chat.message", "session_id": "s1", "prompt": "toolName"},
    {"hook_event_name": "PostToolUse", "session_id": "s1", "tool_name": "Bash", "tool_input": {"command": COMMAND}},
    {"sessionId": "s1", "toolName": "bash", "toolArgs": {"command": COMMAND}, "toolResult": {"resultType": "success"}},
    {"sessionId": "s1", "prompt": "PreToolUse"},
    {"hook_event_name": ["PreToolUse"]},
    {},
]


@pytest.mark.parametrize("payload", OTHER)
def test_other_events_go_to_the_helper(device, payload):
    """What is no call of a tool is not ours to answer, whatever words stand in it."""
    device.rule(level="barrier")
    assert device.printed(payload) is None


@pytest.mark.parametrize("payload", [b"", b"PreToolUse", b"[]", b'"PreToolUse"', b"3", b"[" * 100_000, b"\xff"])
def test_no_payload(device, payload):
    device.rule()
    assert device.printed(payload) is None


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from([COMMAND, "/work/a.md", "git tag"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["command", "path", "content", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.dictionaries(
    st.sampled_from(["session_id", "sessionId", "cwd", "tool_name", "toolName", "tool", "tool_input", "toolArgs", "args", "agent_id",
                     "workspace_roots", "cursor_version"]), _values),
    st.sampled_from(["PreToolUse", "preToolUse", "BeforeTool", "AfterTool", "tool.execute.before", "tool.execute.after"]),
)  # fmt: skip
def test_any_payload(device, payload, event):
    """Whatever a host sends, nothing is raised, and what is printed is an answer."""
    device.rule(level="barrier", when=["run: git tag", "edit: *.md", "mcp: git"])
    printed = device.printed(payload | {"hook_event_name": event})
    assert not printed or meaning(json.loads(printed))[0] == "refused"


# ---------------------------------------------------------------------- the client as hosts run it


@pytest.fixture
def client(installed):
    """The installed client with a rule that holds a call back, and no helper."""
    installed.no_helper()
    write_rules(installed.data / "ready", RULE | {"level": "pause"})
    return installed


def test_client_holds_back_and_lets_go(client):
    """The program that hosts run answers from the file alone: held back, then let through; nothing is kept for the helper."""
    first, second = client.hook(claude()), client.hook(claude())
    assert (first.returncode, first.stderr, second.returncode, second.stdout, second.stderr) == (0, b"", 0, b"", b"")
    assert meaning(json.loads(first.stdout))[0] == "refused"
    assert not (client.data / "queue").exists()


@pytest.mark.parametrize("payload", OTHER[:3])
def test_prompt_about_calls_is_a_prompt(client, payload):
    """A prompt that speaks of hooks is kept for the helper like any other."""
    assert client.hook(payload).returncode == 0
    assert [event.payload for event in Spool(client.data / "queue").waiting()] == [payload]


@pytest.mark.parametrize("gone", ["acting.py", "call_patterns.py", "hook.conf", "carrier.py", "client.py", "ready"])
def test_client_in_pieces(client, gone):
    """Whatever part of the client is gone, the call runs: the command that hosts run ends with 0 and prints nothing."""
    for compiled in client.client.parent.glob("__pycache__/*"):
        compiled.unlink()
    path = client.data / gone if gone == "ready" else client.client.with_name(gone)
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    command = Programs(sys.executable, str(client.client)).hook("claude-code")
    payload = json.dumps(copilot()).encode()
    done = subprocess.run(["sh", "-c", command], input=payload, capture_output=True, env=client.environment(), check=False)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such clock; the host ends the hook there")
def test_pattern_that_takes_for_ever(client):
    """A regular expression that would never come to an end costs half a second, and the rules behind it are told."""
    endless = RULE | {"id": "memory://endless", "when": ["run: /^(a+)+$/"]}
    write_rules(client.data / "ready", endless, RULE)
    done = client.hook(claude(given={"command": "a" * 60 + "; git tag v1"}))
    assert (done.returncode, meaning(json.loads(done.stdout))) == (0, ("runs", f"Memory: {TEXT}"))
    log = [json.loads(line) for line in (client.data / "ready" / "acted.jsonl").read_text().splitlines()]
    assert [(line["rule"], line["verdict"]) for line in log] == [("memory://endless", "failed"), ("memory://tag", "note")]
