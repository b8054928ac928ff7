"""Registering us with hosts: other people's files keep what is theirs, and every byte comes back."""

import codecs
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.adapters.hosts.commands import our_commands

from vademecum.adapters.hosts.all_hosts import hosts, pieces, wants
from vademecum.adapters.hosts.installing import Installer
from vademecum.domain.errors import Conflict, InvalidInput, Refused, WriteFailed
from vademecum.domain.host import OUR_COMMAND, HostFolders, Programs

TARGETS = [(name, reach) for name in hosts() for reach in ("user", "project")] + [(name, "project") for name in pieces()]

#: A person's files before us, by the end of their path: comments, odd order, tabs, CRLF, no newline at the end.
THEIRS = {
    ".claude/settings.json": '{\n\t"model": "opus",\n\t"hooks": {'
    '\n\t\t"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],'
    '\n\t\t"UserPromptSubmit": []\n\t},\n\t"permissions": {"allow": ["Bash(ls:*)"]}\n}',
    ".claude.json": '{"numStartups":7,"mcpServers":{"other":{"command":"other"}},"projects":{}}',
    ".mcp.json": '{\r\n  "mcpServers": {\r\n    "other": { "command": "other" }\r\n  }\r\n}\r\n',
    "hooks.json": '{\n  "hooks": {\n    "Stop": [\n      { "command": "./mine.sh" }\n    ]\n  }\n}\n',
    "config.toml": '# mine\r\nmodel = "gpt-5"  # the good one\r\n\r\n[mcp_servers.other]\r\ncommand = "other"\r\n\r\n[tui]\r\nx = 1',
    ".gemini/settings.json": '{\n  // my theme\n  "theme": "Dracula",\n  "hooks": {}, // none yet\n}\n',
    "mcp.json": "{\n    // servers of mine\n    /* several */\n}\n",
    "mcp_config.json": "{}",
    "opencode.json": '{"$schema": "https://opencode.ai/config.json"}\n',
    "hooks/vademecum.json": '{ "version": 1, "hooks": { "agentStop": [ { "type": "command", "bash": "true" } ] } }\n',
    "tasks.json": '{\n    // See tasks.md\n    "version": "2.0.0",\n    "tasks": [\n        {\n'
    '            "label": "build", // mine\n        },\n    ],\n}\n',
    "AGENTS.md": "# House rules\n\nBe kind.",
    ".gitattributes": "*.png binary",
}


@pytest.fixture
def folders(tmp_path):
    home = tmp_path / "home"
    return HostFolders(
        home=str(home), config=str(home / ".config"), data=str(home / ".local/share"), editors=str(home / ".config"),
        claude=str(home / ".claude"), claude_state=str(home / ".claude.json"), codex=str(home / ".codex"),
    )  # fmt: skip


@pytest.fixture
def programs(tmp_path):
    return Programs("/opt/vade/bin/python", str(tmp_path / "data/hook/client.py"))


@pytest.fixture
def project(tmp_path):
    (tmp_path / "home").mkdir()
    folder = tmp_path / "project"
    for name in (".git", ".vademecum"):
        (folder / name).mkdir(parents=True)
    (folder / ".git/config").write_text("[core]\n\tbare = false\n", encoding="utf-8")
    return folder


@pytest.fixture
def made(tmp_path, folders, programs, project):
    """A fresh installer, as the next process would have it."""
    return lambda **more: Installer(tmp_path / "data", wants(folders, replace(programs, **more)))


@pytest.fixture
def theirs(folders, programs, project):
    """Gives a target's files what a person may have had there; the paths."""

    def write(target, reach):
        paths = [Path(one.path) for one in wants(folders, programs)(target, reach, str(project))]
        for path in paths:
            text = next((text for end, text in THEIRS.items() if path.as_posix().endswith(end)), None)
            if text is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
        return [path for path in paths if path.exists()]

    return write


def tree(folder):
    """Every file and folder below, with contents."""
    return {path.relative_to(folder): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def words(data):
    """What a file says: its strings, comments and words, in order."""
    return re.findall(rb'"[^"]*"|//[^\r\n]*|#[^\r\n]*|[\w.-]+', data)


def is_within(inner, outer):
    """Whether all of `inner` stands in `outer`, in its order."""
    rest = iter(outer)
    return all(word in rest for word in inner)


@pytest.mark.parametrize(("target", "reach"), TARGETS)
def test_empty_home(made, tmp_path, project, target, reach):
    """In a home that never saw the host, uninstalling leaves not even a folder behind."""
    before = {place: tree(tmp_path / place) for place in ("home", "project")}
    assert made().apply(made().plan(target, reach, str(project)))
    assert {one.state for one in made().installed(target, reach, str(project))} == {"whole"}
    made().apply(made().plan_removal(target, str(project)))
    assert {place: tree(tmp_path / place) for place in ("home", "project")} == before


@pytest.mark.parametrize("order", [("vscode", "vscode-tasks"), ("vscode-tasks", "vscode")])
def test_shared_folder(made, project, order):
    """A folder that was made for the first of two goes with the last of them."""
    before = tree(project)
    for target in ("vscode", "vscode-tasks"):
        made().apply(made().plan(target, "project", str(project)))
    for target in order:
        made().apply(made().plan_removal(target, str(project)))
    assert tree(project) == before


@pytest.mark.parametrize(("target", "reach"), TARGETS)
def test_existing_files(made, theirs, tmp_path, project, target, reach):
    """What a person had stands as it was, with ours beside it; installing again changes nothing; all bytes come back."""
    paths = theirs(target, reach)
    assert paths or target == "opencode"
    before = {place: tree(tmp_path / place) for place in ("home", "project")}
    made().apply(made().plan(target, reach, str(project)))
    for path in paths:
        place = "home" if path.is_relative_to(tmp_path / "home") else "project"
        was = before[place][path.relative_to(tmp_path / place)]
        assert is_within(words(was), words(path.read_bytes()))
    assert not any(change.changes for change in made().plan(target, reach, str(project)).changes)
    made().apply(made().plan_removal(target, str(project)))
    assert {place: tree(tmp_path / place) for place in ("home", "project")} == before
    assert not made().plan_removal(target, str(project)).changes


@pytest.mark.parametrize(("target", "reach"), TARGETS)
def test_changed_since(made, theirs, folders, programs, project, target, reach):
    """When the person changed a file meanwhile, only our entries go; their change stays."""
    theirs(target, reach)
    made().apply(made().plan(target, reach, str(project)))
    paths = [Path(one.path) for one in wants(folders, programs)(target, reach, str(project))]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        theirs_now = text.replace("{", '{ "mine": 1,', 1) if path.suffix in (".json", ".jsonc") else text + "\n# mine\n"
        path.write_text(theirs_now, encoding="utf-8")
    made().apply(made().plan_removal(target, str(project)))
    for path in paths:
        if path.suffix in (".mdc", ".js"):
            assert not path.exists()  # wholly ours
            continue
        text = path.read_text(encoding="utf-8")
        assert "mine" in text
        assert not OUR_COMMAND.search(text) and "vademecum" not in text.lower()


@pytest.mark.parametrize(("target", "reach"), TARGETS)
def test_upgrade(made, theirs, folders, programs, project, target, reach):
    """Another interpreter or folder: our entries are replaced where they stand, never doubled, and all bytes still come back."""
    before = {path: path.read_bytes() for path in theirs(target, reach)}
    made().apply(made().plan(target, reach, str(project)))
    lines = {
        one.path: Path(one.path).read_bytes().count(b"\n") for one in wants(folders, programs)(target, reach, str(project))
    }
    newer = made(python="/opt/new/bin/python", client="/elsewhere/hook/client.py")
    newer.apply(newer.plan(target, reach, str(project)))
    for path, count in lines.items():
        data = Path(path).read_bytes()
        assert b"/opt/vade/bin/python" not in data
        assert data.count(b"\n") == count
    made().apply(made().plan_removal(target, str(project)))
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("target", hosts())
def test_record_lost(made, theirs, tmp_path, project, target):
    """Without the record of what we did, what is surely ours still goes, and nothing else."""
    paths = theirs(target, "user")
    made().apply(made().plan(target, "user", str(project)))
    shutil.rmtree(tmp_path / "data")
    made().apply(made().plan_removal(target, str(project)))
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert not OUR_COMMAND.search(text) and '"vademecum"' not in text and ".vademecum]" not in text
    assert not any(one.state != "missing" for one in made().installed(target, "user", str(project)))


def test_own_entry_of_the_same_name(made, folders, project):
    """A server that the person had registered under our name returns."""
    path = Path(folders.claude_state)
    own = b'{"mcpServers": {"vademecum": {"command": "uvx", "args": ["vademecum", "mcp"]}}}'
    path.write_bytes(own)
    made().apply(made().plan("claude-code", "user", ""))
    assert json.loads(path.read_bytes())["mcpServers"]["vademecum"]["args"][0] == "-P"
    path.write_bytes(path.read_bytes() + b"\n")
    made().apply(made().plan_removal("claude-code", str(project)))
    assert json.loads(path.read_bytes()) == json.loads(own)


def test_shared_group(made, folders, project):
    """A handler of somebody else's that was put into our group stays, and ours leaves it."""
    made().apply(made().plan("claude-code", "user", ""))
    path = Path(folders.claude) / "settings.json"
    settings = json.loads(path.read_bytes())
    settings["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "say done"})
    path.write_text(json.dumps(settings), encoding="utf-8")
    made().apply(made().plan("claude-code", "user", ""))
    stop = json.loads(path.read_bytes())["hooks"]["Stop"]
    assert [len(group["hooks"]) for group in stop] == [1, 1]
    made().apply(made().plan_removal("claude-code", str(project)))
    assert json.loads(path.read_bytes())["hooks"] == {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}


def test_event_dropped(made, folders):
    """An event that we no longer register leaves the file at the next installation; a doubled one is left once."""
    path = Path(folders.claude) / "settings.json"
    path.parent.mkdir(parents=True)
    command = "/old/python -I -S '/a b/hook/client.py' claude-code || exit 0"
    group = {"hooks": [{"type": "command", "command": command}]}
    path.write_text(json.dumps({"hooks": {"PostToolUse": [group], "Stop": [group, group]}}), encoding="utf-8")
    made().apply(made().plan("claude-code", "user", ""))
    hooks = json.loads(path.read_bytes())["hooks"]
    assert "PostToolUse" not in hooks
    assert len(hooks["Stop"]) == 1


@pytest.mark.parametrize(("target", "end", "broken"), [
    ("claude-code", ".claude.json", b'{"a": 1'),
    ("claude-code", "settings.json", b"[]"),
    ("claude-code", "settings.json", b'{"hooks": 3}'),
    ("claude-code", "settings.json", b'{"hooks": {"Stop": {}}}'),
    ("claude-code", "settings.json", b"\xff\xfe{"),
    ("codex", "config.toml", b"model = "),
    ("codex", "config.toml", b'mcp_servers = { other = { command = "x" } }\n'),
    ("cursor", "mcp.json", b"{,}"),
    ("gemini", "settings.json", b'{"a": 1} trailing'),
])  # fmt: skip
def test_broken_file_refused(made, folders, programs, tmp_path, project, target, end, broken):
    """A file that cannot be understood is named, and nothing at all is written, not even the files beside it."""
    path = next(Path(one.path) for one in wants(folders, programs)(target, "user", "") if one.path.endswith(end))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(broken)
    before = tree(tmp_path)
    with pytest.raises(InvalidInput, match=end) as refused:
        made().plan(target, "user", "")
    assert refused.value.hint
    assert tree(tmp_path) == before


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE])
def test_empty_file_filled(made, folders, mark):
    """A file in which nothing stands holds no settings yet; it is filled in the encoding that its mark tells."""
    path = Path(folders.claude) / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(mark)
    made().apply(made().plan("claude-code", "user", ""))
    data = path.read_bytes()
    assert data.startswith(mark)
    assert json.loads(data.decode({codecs.BOM_UTF16_LE: "utf-16"}.get(mark, "utf-8-sig")))["hooks"]


def test_foreign_file_refused(made, folders, project):
    """A rule of somebody else's under our name is not overwritten."""
    rule = project / ".cursor" / "rules" / "vademecum.mdc"
    rule.parent.mkdir(parents=True)
    rule.write_text("my own rule", encoding="utf-8")
    with pytest.raises(Refused, match="rule"):
        made().plan("cursor", "project", str(project))


def test_changed_between(made, folders, tmp_path):
    """A file that changes between the plan and the writing stops the whole."""
    plan = made().plan("claude-code", "user", "")
    Path(folders.claude_state).write_text("{}", encoding="utf-8")
    before = tree(tmp_path)
    with pytest.raises(Conflict, match=r"\.claude\.json"):
        made().apply(plan)
    assert tree(tmp_path) == before


def test_failure_takes_back(made, folders, tmp_path):
    """When the second of two files cannot be written, the first is as it was."""
    plan = made().plan("codex", "user", "")
    config = Path(folders.codex) / "config.toml"
    config.parent.mkdir(parents=True)
    blocked = config.with_name(f".{config.name}.vademecum-{os.getpid()}.tmp")
    blocked.mkdir()  # where the new text would be written first
    with pytest.raises(WriteFailed, match=r"config\.toml"):
        made().apply(plan)
    assert [path.name for path in config.parent.iterdir()] == [blocked.name]


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_link_and_mode(made, folders, tmp_path, project):
    """A settings file that is a link into a folder of dotfiles stays one, and its permissions stay."""
    real = tmp_path / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    real.chmod(0o640)
    link = Path(folders.claude) / "settings.json"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    made().apply(made().plan("claude-code", "user", ""))
    assert link.is_symlink() and our_commands(real.read_text(encoding="utf-8"))
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    made().apply(made().plan_removal("claude-code", str(project)))
    assert link.is_symlink() and real.read_text(encoding="utf-8") == "{}"


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.sampled_from(["install", "upgrade", "edit", "uninstall"]), max_size=6))
def test_any_order(made, folders, project, steps):
    """Whatever is done in which order: never a second entry of ours, never a lost edit; after the last removal none of ours."""
    path = Path(folders.claude) / "settings.json"
    path.unlink(missing_ok=True)
    edits = 0
    for step in [*steps, "uninstall"]:
        if step == "edit":
            edits += 1
            there = path.read_text(encoding="utf-8") if path.exists() else "{}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(there.replace("{", f'{{ "mine{edits}": 1, // note {edits}\n', 1), encoding="utf-8")
        elif step == "uninstall":
            made().apply(made().plan_removal("claude-code", str(project)))
        else:
            worker = made(python="/other") if step == "upgrade" else made()
            worker.apply(worker.plan("claude-code", "user", ""))
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        assert all(f"note {number + 1}" in text and f'"mine{number + 1}"' in text for number in range(edits))
        commands = our_commands(text)
        assert len(commands) == (0 if step == "uninstall" else len(commands))
        assert len(commands) in (0, 8)
    assert edits or not path.exists()


@pytest.mark.parametrize("target", hosts())
def test_x34_missing_client(tmp_path, folders, project, target):
    """X-34: Python ends with 2 when its script is gone, which would erase every prompt; the registered command ends with 0."""
    programs = Programs(sys.executable, str(tmp_path / "it's gone" / "hook" / "client.py"))
    bare = subprocess.run([sys.executable, "-I", "-S", programs.client], capture_output=True, check=False)
    assert bare.returncode == 2
    texts = [edit.put("") for one in wants(folders, programs)(target, "user", "") for edit in one.edits]
    commands = [command for text in texts for command in our_commands(text) if not command.startswith("&")]
    assert commands or target == "opencode"
    for command in set(commands):
        done = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (0, b"")
    for command in set(commands):
        gone = command.replace(sys.executable, str(tmp_path / "no-python"))
        assert subprocess.run(["sh", "-c", gone], input=b"{}", capture_output=True, check=False).returncode == 0


def test_x46_same_command(folders, programs, project):
    """X-46: hosts that read one another's files find the same command in each, and can tell that it is one."""
    found = {}
    for name in ("claude-code", "cursor", "vscode"):
        texts = [edit.put("") for one in wants(folders, programs)(name, "user", "") for edit in one.edits]
        found[name] = {command for text in texts for command in our_commands(text) if not command.startswith("&")}
    assert found["claude-code"] == found["cursor"]
    assert len(found["cursor"]) == 1
    own = {
        command for command in found["vscode"] if " vscode || /bin/sh " in command and command.endswith(" || exit 0")
    }  # of the Copilot command line's prompt
    assert (len(own), found["vscode"] - own) == (1, found["cursor"])


@pytest.mark.parametrize(("path", "windows", "quoted"), [
    ("/opt/my tools/python", False, "'/opt/my tools/python'"),
    ("/opt/it's/python", False, "'/opt/it'\"'\"'s/python'"),
    ("/opt/python", False, "/opt/python"),
    (r"C:\Program Files\Python\python.exe", True, '"C:/Program Files/Python/python.exe"'),
])  # fmt: skip
def test_quoting(path, windows, quoted):
    """A path with spaces or quotes stays one word, and our command is known again."""
    command = Programs(path, path.replace("python.exe", "hook/client.py").replace("python", "hook/client.py", 1), windows)
    assert command.hook("codex").startswith(quoted + " -I -S ")
    assert OUR_COMMAND.search(command.hook("codex"))
    assert OUR_COMMAND.search(command.hook_powershell("codex"))


def test_units(folders, programs):
    """Each host is given its waiting time in its own unit, within its own limits."""

    def hooks(name):
        wanted = wants(folders, programs)(name, "user", "")[0]
        return json.loads(wanted.edits[-1 if name in ("cursor", "vscode") else 0].put(""))

    assert hooks("claude-code")["hooks"]["UserPromptSubmit"][0]["hooks"][0]["timeout"] == 5
    assert hooks("codex")["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] == 3
    assert hooks("gemini")["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"] == 5000
    assert hooks("cursor")["hooks"]["stop"][0]["timeout"] == 5
    assert hooks("gemini")["hooks"]["AfterTool"][0]["hooks"][0]["timeout"] == 3000
    assert hooks("vscode")["hooks"]["preToolUse"][0]["timeoutSec"] == 3
    assert hooks("vscode")["hooks"]["sessionStart"][0]["timeoutSec"] == 5
    assert hooks("vscode")["hooks"]["agentStop"][0]["timeoutSec"] == 5
    assert hooks("antigravity")["vademecum"]["Stop"][0]["timeout"] == 5
    assert set(hooks("codex")) == {"hooks"}  # Codex refuses a file with any other member
    assert "matcher" not in hooks("gemini")["hooks"]["SessionStart"][0]  # compared as a whole word there


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "vscode"])
def test_hook_at_calls_never_fails(tmp_path, folders, host):
    """Some hosts refuse a call when its hook fails (Copilot for every exit code but 0): the command that is registered ends with 0 without
    Python, without the client, without the script that says so, and with a client that is broken."""
    client = tmp_path / "hook" / "client.py"
    client.parent.mkdir()
    edits = wants(folders, Programs(sys.executable, str(client)))(host, "user", "")[0].edits
    hooks = next(json.loads(text)["hooks"] for text in (edit.put("") for edit in edits) if '"hooks"' in text)
    event = {"gemini": "BeforeTool", "vscode": "preToolUse"}.get(host, "PreToolUse")
    (entry,) = hooks[event]
    command = our_commands(json.dumps(entry))[0]
    for broken in ("", "raise SystemExit(3)", "import os; os.kill(os.getpid(), 9)", "(", "import os; os._exit(2)"):
        if broken:
            client.write_text(broken, encoding="utf-8")
        for line in (command, command.replace(sys.executable, str(tmp_path / "no-python"))):
            done = subprocess.run(["sh", "-c", line], input=b"{}", capture_output=True, check=False)
            assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js to run a JavaScript plugin")
def test_opencode_plugin(tmp_path, folders):
    """OpenCode's plugin passes a session on to the client, and what memory answers into the system prompt, in its order."""
    client = tmp_path / "hook" / "client.py"
    client.parent.mkdir()
    client.write_text(
        "import json, sys, time\nevent = json.load(sys.stdin)\n"
        "time.sleep(0.5 if event['hook_event_name'] == 'session.created' else 0)\n"  # a helper that is starting
        "with open(__file__ + '.log', 'a') as log: log.write(json.dumps([sys.argv[1], event]) + '\\n')\n"
        "told = {'session.created': 'the briefing', 'chat.message': 'about: ' + event.get('prompt', '')}\n"
        "name = event['hook_event_name']\nprint(json.dumps({'context': told[name]}) if name in told else '')\n",
        encoding="utf-8",
    )
    plugin = wants(folders, Programs(sys.executable, str(client)))("opencode", "user", "")[0]
    (tmp_path / "plugin.mjs").write_text(plugin.edits[0].put(""), encoding="utf-8")
    (tmp_path / "run.mjs").write_text(
        "import { Vademecum } from './plugin.mjs'\n"
        "const hooks = await Vademecum({ client: {}, directory: '/work' })\n"
        "const say = (type, more = {}) => hooks.event({ event: { type, properties: { sessionID: 's1', ...more } } })\n"
        "say('session.created', { info: { id: 's1' } })\n"  # OpenCode does not wait for it
        "await hooks['chat.message']({ sessionID: 's1' }, { parts: [{ type: 'text', text: 'ports' }, { type: 'file' }] })\n"
        "const first = { system: ['theirs'] }\nawait hooks['experimental.chat.system.transform']({ sessionID: 's1' }, first)\n"
        "await say('session.idle')\nawait say('session.compacted')\n"
        "const after = { system: [] }\nawait hooks['experimental.chat.system.transform']({ sessionID: 's1' }, after)\n"
        "const child = (type) => hooks.event({ event: { type, properties: { info: { id: 's2', parentID: 's1' }, sessionID: 's2' } } })\n"
        "await child('session.created')\n"
        "await hooks['chat.message']({ sessionID: 's2' }, { parts: [{ type: 'text', text: 'look into it' }] })\n"
        "await child('session.idle')\n"
        "const other = { system: [] }\nawait hooks['experimental.chat.system.transform']({ sessionID: 's2' }, other)\n"
        "await say('session.deleted')\nconsole.log(JSON.stringify([first.system, after.system, other.system]))\n",
        encoding="utf-8",
    )
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout) == [["theirs", "the briefing", "about: ports"], [], []]
    sent = [json.loads(line) for line in Path(f"{client}.log").read_text(encoding="utf-8").splitlines()]
    assert {word for word, _ in sent} == {"opencode"}
    assert [event["hook_event_name"] for _, event in sent] == [
        "session.created", "chat.message", "session.idle", "session.compacted", "session.deleted",
    ]  # fmt: skip
    assert all(hosts()["opencode"].read(event).session == "s1" for _, event in sent)  # a sub-agent is no person


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js to run a JavaScript plugin")
def test_opencode_plugin_broken(tmp_path, folders):
    """Without Python, or with a client that prints rubbish, OpenCode goes on with nothing told."""
    for number, programs in enumerate((Programs("/no/python", "/no/client.py"), Programs("/bin/echo", "x"))):
        plugin = wants(folders, programs)("opencode", "user", "")[0]
        (tmp_path / f"plugin{number}.mjs").write_text(plugin.edits[0].put(""), encoding="utf-8")
        (tmp_path / "run.mjs").write_text(
            f"import {{ Vademecum }} from './plugin{number}.mjs'\nconst hooks = await Vademecum({{ directory: '/' }})\n"
            "await hooks['chat.message']({ sessionID: 's' }, { parts: [{ type: 'text', text: 'x' }] })\n"
            "const out = { system: [] }\nawait hooks['experimental.chat.system.transform']({ sessionID: 's' }, out)\n"
            "console.log(JSON.stringify(out.system))\n",
            encoding="utf-8",
        )
        done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
        assert json.loads(done.stdout) == []


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js to run a JavaScript plugin")
def test_opencode_plugin_at_calls(tmp_path, folders):
    """A refusal stops the call with its text, a note stands behind the result, of a sub-agent's calls too; reading costs no process, and
    no error of ours fails a call."""
    client = tmp_path / "hook" / "client.py"
    client.parent.mkdir()
    client.write_text(
        "import json, sys, time\nevent = json.load(sys.stdin)\n"
        "with open(__file__ + '.log', 'a') as log: log.write(json.dumps(event) + '\\n')\n"
        "told = event['args'].get('command', '')\n"
        "time.sleep(60 if told == 'hang' else 0)\n"
        "kind = 'refuse' if event['hook_event_name'].endswith('before') else 'note'\n"
        "print({'rubbish': '{', 'null': 'null', 'odd': '{\"refuse\": 1, \"note\": []}'}.get(told) or json.dumps({kind: told}))\n",
        encoding="utf-8",
    )
    plugin = wants(folders, Programs(sys.executable, str(client)))("opencode", "user", "")[0]
    (tmp_path / "plugin.mjs").write_text(plugin.edits[0].put(""), encoding="utf-8")
    (tmp_path / "run.mjs").write_text(
        "import { Vademecum } from './plugin.mjs'\n"
        "const hooks = await Vademecum({ client: {}, directory: '/work' })\nconst seen = []\n"
        "const before = async (tool, args, sessionID = 's1') => {\n"
        "  try { await hooks['tool.execute.before']({ tool, sessionID, callID: 'c' }, { args }); seen.push('runs') }\n"
        "  catch (error) { seen.push(error.message) }\n}\n"
        "const after = async (tool, args, output) => {\n"
        "  await hooks['tool.execute.after']({ tool, sessionID: 's1', callID: 'c', args }, output); seen.push(output)\n}\n"
        "await before('bash', { command: 'never' })\nawait before('bash', { command: 'never' }, 'child')\n"
        "for (const command of ['rubbish', 'null', 'odd', 'hang']) await before('bash', { command })\n"
        "const ring = { command: 'never' }; ring.ring = ring\nawait before('bash', ring)\n"
        "await before('read', { command: 'never' })\nawait before('vademecum_save', { command: 'never' })\n"
        "await after('bash', { command: 'careful' }, { title: 't', output: 'done', metadata: {} })\n"
        "await after('mini_shelf', { command: 'careful' }, { content: [{ type: 'text', text: 'done' }], isError: false })\n"
        "await after('bash', { command: 'odd' }, { output: 'done' })\n"
        "await after('bash', { command: 'careful' }, {})\n"
        "console.log(JSON.stringify(seen))\n",
        encoding="utf-8",
    )
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    note = {"type": "text", "text": "careful"}
    assert json.loads(done.stdout) == [
        "never", "never", "runs", "runs", "runs", "runs", "runs", "runs", "runs",
        {"title": "t", "output": "done\n\ncareful", "metadata": {}},
        {"content": [{"type": "text", "text": "done"}, note], "isError": False},
        {"output": "done"},
        {},
    ]  # fmt: skip
    sent = [json.loads(line) for line in Path(f"{client}.log").read_text(encoding="utf-8").splitlines()]
    assert {event["tool"] for event in sent} == {"bash", "mini_shelf"}
    assert [event["session_id"] for event in sent][:2] == ["s1", "child"]
    assert {event["cwd"] for event in sent} == {"/work"}
