"""`vade doctor` tells what is, in a home where one thing after the other goes wrong."""

import json
import os
import re
import shutil
import sqlite3
import stat
import sys
import time
from pathlib import Path

import pytest

from vademecum import __version__, settings
from vademecum.adapters.hosts import all_hosts, starting
from vademecum.entrypoints.cli import hosts
from vademecum.entrypoints.cli.cli import run
from vademecum.entrypoints.daemon import call as call_module
from vademecum.wiring import open_memory

DAY = 86400
SESSION = {
    "type": "user", "uuid": "1", "parentUuid": None, "isSidechain": False, "sessionId": "s1", "cwd": "/work",
    "timestamp": "2026-03-02T09:00:00Z", "version": "2.1.0",
    "message": {"role": "user", "content": "Which port does the kettle service use?"},
}  # fmt: skip


#: What starts the MCP server, before the tests put nothing in its place.
SERVER_FAULT = starting.server_fault


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A person's home without any host, and with a memory."""
    for name in [name for name in os.environ if name.startswith(("VADEMECUM_", "XDG_", "CLAUDE_", "CODEX_"))]:
        monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    values = {
        "CONFIG": tmp_path / "config.toml", "DATA_DIR": tmp_path / "data", "CACHE_DIR": tmp_path / "cache",
        "DEVICE": "laptop", "EMBEDDER": "none",
    }  # fmt: skip
    for name, value in values.items():
        monkeypatch.setenv(f"VADEMECUM_{name}", str(value))
    monkeypatch.setattr(starting, "server_fault", lambda command, environment: "")  # it takes seconds; two tests below start it
    monkeypatch.setattr(hosts, "leave_briefings", lambda settings, names: None)  # it starts a helper
    monkeypatch.chdir(folder)
    assert run(["init", str(tmp_path / "Notes")]) == 0
    return folder


@pytest.fixture
def by_meaning(home, monkeypatch):
    """The memory is searched by meaning too; the others do without, as a model takes long to load."""
    monkeypatch.setenv("VADEMECUM_EMBEDDER", "use")


@pytest.fixture
def found(home, capfd):
    """Runs the doctor: (exit code, id -> finding)."""

    def look(*more):
        capfd.readouterr()
        code = run(["doctor", "--json", *more])
        report = json.loads(capfd.readouterr().out)
        assert report["schemaVersion"] == 1
        assert report["ok"] == (code == 0)
        by_id = {check["id"]: check for check in report["checks"]}
        assert len(by_id) == len(report["checks"])
        return code, by_id

    return look


def conversation(home, name="s1", days_ago=2.0):
    """A conversation that Claude Code wrote some days ago."""
    path = home / ".claude" / "projects" / "-work" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(SESSION | {"sessionId": name}) + "\n", encoding="utf-8")
    aged(path, days_ago)
    return path


def aged(path, days):
    moment = time.time() - days * DAY
    os.utime(path, (moment, moment))


@pytest.mark.usefixtures("by_meaning")
def test_healthy(home, found):
    """Nothing is wrong in a fresh memory with one host, whose conversations were captured."""
    conversation(home)
    assert run(["install", "claude-code"]) == 0
    assert run(["capture"]) == 0
    code, checks = found()
    assert code == 0
    assert {one["status"] for one in checks.values()} <= {"ok", "skip"}
    assert checks["host.claude-code.sessions"]["details"].startswith("1 of 1 captured; last captured turn 2026-03-02")
    assert checks["host.claude-code.registration"]["status"] == "ok"
    assert checks["canary"]["status"] == "ok"


def test_x17_never_captured(home, found, capfd):
    """X-17: conversations on disk that were never captured are counted, and fail loudly where a host is registered."""
    conversation(home, "old")
    assert run(["capture"]) == 0
    missed = conversation(home, "missed", days_ago=1)
    conversation(home, "just-now", days_ago=0)
    assert found()[1]["host.claude-code.sessions"]["status"] == "warn"
    assert run(["install", "claude-code"]) == 0
    code, checks = found()
    sessions = checks["host.claude-code.sessions"]
    assert (code, sessions["status"]) == (1, "fail")
    assert "1 of 3 captured" in sessions["details"]
    assert "1 never" in sessions["details"] and str(missed) in sessions["details"]
    capfd.readouterr()
    assert run(["doctor"]) == 1
    assert "FAIL  host.claude-code.sessions" in capfd.readouterr().out
    assert run(["capture"]) == 0
    assert found()[0] == 0


def test_strange_lines_are_told(home, found, capfd):
    """Kinds of lines that nobody knows are passed over, counted as the transcript grows, and told."""
    path = conversation(home)
    assert run(["capture"]) == 0
    assert found()[1]["transcripts"]["status"] == "ok"
    for _ in range(2):
        with path.open("a", encoding="utf-8") as file:
            file.write('{"type": "hologram", "uuid": "7", "sessionId": "s1"}\n{broken\n')
        assert run(["capture"]) == 0
    code, checks = found()
    assert (code, checks["transcripts"]["status"]) == (0, "warn")
    told = "4 lines were skipped: claude-code unreadable (2), claude-code hologram (2)"
    assert checks["transcripts"]["details"] == told
    capfd.readouterr()
    assert run(["rebuild"]) == 0
    assert found()[1]["transcripts"]["details"] == told


def test_x17_grown_since(home, found):
    """X-17: a conversation that went on after it was captured is not captured."""
    path = conversation(home)
    assert run(["install", "claude-code"]) == 0
    assert run(["capture"]) == 0
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(SESSION | {"uuid": "2"}) + "\n")
    aged(path, 1)
    assert "1 in part" in found()[1]["host.claude-code.sessions"]["details"]


def opencode_session(home, *names):
    """Adds conversations to OpenCode's database, which was written to two days ago."""
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE IF NOT EXISTS session(id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INT, time_updated INT);"
        "CREATE TABLE IF NOT EXISTS message(id TEXT, session_id TEXT, time_created INT, time_updated INT, data TEXT);"
        "CREATE TABLE IF NOT EXISTS part(id TEXT, message_id TEXT, session_id TEXT, time_created INT, time_updated INT, data TEXT);"
    )
    for name in names:
        made = 1_772_440_000_000
        base.execute("INSERT INTO session VALUES(?, NULL, '/work', 'Kettle', ?, ?)", (name, made, made))
        about = json.dumps({"role": "user", "time": {"created": made}})
        base.execute("INSERT INTO message VALUES(?, ?, ?, ?, ?)", (f"m{name}", name, made, made, about))
        text = json.dumps({"type": "text", "text": f"Which port does {name} use?"})
        base.execute("INSERT INTO part VALUES(?, ?, ?, ?, ?, ?)", (f"p{name}", f"m{name}", name, made, made, text))
    base.commit()
    base.close()
    aged(path, 2)
    return path


def test_x17_in_a_database(home, found):
    """X-17: conversations that a host keeps in one database are counted one by one, and those never captured are named."""
    path = opencode_session(home, "ses_1", "ses_2")
    assert run(["capture"]) == 0
    assert found()[1]["host.opencode.sessions"]["details"].startswith("2 of 2 captured")
    opencode_session(home, "ses_3")
    told = found()[1]["host.opencode.sessions"]
    assert told["status"] == "warn"
    assert "2 of 3 captured" in told["details"] and "1 never" in told["details"] and f"{path}#ses_3" in told["details"]
    assert run(["install", "opencode"]) == 0
    assert found()[1]["host.opencode.sessions"]["status"] == "fail"
    assert run(["capture"]) == 0
    assert found()[1]["host.opencode.sessions"]["status"] == "ok"


def test_store_of_a_later_version(home, found, capfd):
    """A host's database whose tables nobody knows, or which has tables of a later generation, is a warning that names it: it is never
    `ok` for none of them."""
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE session_v3(id TEXT)")
    base.commit()
    assert run(["capture"]) == 0
    assert f"problem: {path}: opencode stores conversations there" in capfd.readouterr().out
    told = found()[1]["host.opencode.sessions"]
    assert told["status"] == "warn"
    assert "0 of 1 captured" in told["details"] and "session_v3" in told["details"]
    capfd.readouterr()
    run(["status"])
    assert str(path) in capfd.readouterr().out
    base.close()
    opencode_session(home, "ses_1")
    assert run(["capture"]) == 0
    told = found()[1]["host.opencode.sessions"]
    assert told["status"] == "warn"
    assert "1 of 2 captured" in told["details"] and "session_v3" in told["details"]


def test_transcript_without_a_turn(home, found):
    """A transcript of a known kind in which nobody says anything does not count as captured."""
    path = conversation(home)
    path.write_text(json.dumps({"type": "summary", "summary": "x", "leafUuid": "1"}) + "\n", encoding="utf-8")
    aged(path, 2)
    assert run(["capture"]) == 0
    told = found()[1]["host.claude-code.sessions"]
    assert told["status"] == "warn"
    assert "0 of 1 captured" in told["details"] and "1 without a turn" in told["details"]
    conversation(home, "s2")
    assert run(["capture"]) == 0
    told = found()[1]["host.claude-code.sessions"]
    assert told["status"] == "ok"
    assert "1 of 2 captured" in told["details"] and "1 without a turn" in told["details"]


READ_ONLY = {
    "pi": (".pi/agent/sessions/--work--/2026-03-02T09-00-00-000Z_1b.jsonl", [
        {"type": "session", "version": 3, "id": "1b", "timestamp": "2026-03-02T09:00:00Z", "cwd": "/work"},
        {"type": "message", "id": "m1", "parentId": None, "timestamp": "2026-03-02T09:00:01Z",
         "message": {"role": "user", "content": [{"type": "text", "text": "Which port does the kettle service use?"}]}},
    ]),
    "droid": (".factory/sessions/-work/d1.jsonl", [
        {"type": "session_start", "id": "d1", "title": "Kettle", "cwd": "/work"},
        {"type": "message", "id": "m1", "timestamp": "2026-03-02T09:00:01Z",
         "message": {"role": "user", "content": [{"type": "text", "text": "Which port does the kettle service use?"}]}},
    ]),
    "kiro": (".kiro/sessions/cli/k1.jsonl", [
        {"version": "v1", "kind": "Prompt", "data": {"message_id": "m1", "meta": {"timestamp": 1772442001},
         "content": [{"kind": "text", "data": "Which port does the kettle service use?"}]}},
    ]),
}  # fmt: skip


@pytest.mark.parametrize("host", READ_ONLY)
def test_hosts_without_hooks(home, found, capfd, host):
    """X-17: a host whose conversations are read though it calls no hook is told of: what it wrote, what was captured, and what not."""
    name = f"host.{host}.sessions"
    assert name not in found()[1]
    place, lines = READ_ONLY[host]
    path = home / place
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    if host == "kiro":  # which describes each transcript in a file beside it
        path.with_suffix(".json").write_text(json.dumps({"session_id": "k1", "cwd": "/work"}), encoding="utf-8")
    day_ago = time.time() - DAY
    os.utime(path, (day_ago, day_ago))
    finding = found()[1][name]
    assert (finding["status"], str(path) in finding["details"]) == ("warn", True)
    assert finding["details"].startswith("0 of 1 captured")
    capfd.readouterr()
    assert run(["capture"]) == 0
    assert "problem" not in capfd.readouterr().out
    finding = found()[1][name]
    assert (finding["status"], finding["details"][:17]) == ("ok", "1 of 1 captured; ")


@pytest.mark.parametrize(
    ("host", "unread", "read"),
    [
        ("vscode", ".config/Code/User/workspaceStorage/ab/chatSessions/c1.json",
         ".config/Code/User/workspaceStorage/ab/GitHub.copilot-chat/transcripts/c1.jsonl"),
        ("vscode", ".config/Code/User/globalStorage/emptyWindowChatSessions/c1.jsonl",
         ".config/Code/User/workspaceStorage/ab/GitHub.copilot-chat/transcripts/c1.jsonl"),
        ("antigravity", ".gemini/antigravity/brain/c1/.system_generated/logs/overview.txt",
         ".gemini/antigravity/brain/c1/.system_generated/logs/transcript.jsonl"),
        ("antigravity", ".gemini/antigravity/conversations/c1.pb",
         ".gemini/antigravity/brain/c1/.system_generated/logs/transcript.jsonl"),
        ("cursor", ".cursor/chats/0a/c1/store.db", ".cursor/projects/work/agent-transcripts/c1/c1.jsonl"),
    ],
)  # fmt: skip
def test_stores_that_are_not_read(home, found, host, unread, read):
    """A store that is not read is a warning while it alone has a conversation, and none when the store that is read has it too."""
    for place in (unread, read):
        path = home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
        finding = found()[1][f"host.{host}.sessions"]
        is_told = place == unread
        assert (finding["status"] == "warn") == is_told
        assert ("1 in a store that is not read" in finding["details"]) == is_told
        assert (str(path) in finding["details"]) == is_told


def test_unreadable_and_empty_transcripts(home, found):
    """An empty file and one that cannot be read are told apart, and neither is captured."""
    conversation(home, "empty").write_bytes(b"")
    aged(home / ".claude/projects/-work/empty.jsonl", 2)
    assert run(["capture"]) == 0
    told = found()[1]["host.claude-code.sessions"]
    assert (told["status"], "1 empty" in told["details"]) == ("skip", True)


def test_inbox_alarm(home, found, monkeypatch):
    """MV-47: more than fifty proposals, or none looked at for long, is a warning that says how to get through them."""
    assert found()[1]["inbox"]["details"] == "Proposals that wait for you: 0"
    with open_memory(settings.load()) as memory:
        for number in range(51):
            memory.notes.save("fact", f"Kettle {number}")
            memory.notes.edit(f"Kettle {number}", properties={"status": "inbox"})
    told = found()[1]["inbox"]
    assert told["status"] == "warn" and "51" in told["details"] and "vade review" in told["hint"]


def test_x17_hook_never_ran(home, found, tmp_path):
    """X-17: a host that writes conversations for a day without calling one hook is not connected, whatever its files say."""
    assert run(["install", "claude-code"]) == 0
    settings = home / ".claude" / "settings.json"
    aged(settings, 3)
    conversation(home, days_ago=1)
    assert run(["capture"]) == 0
    code, checks = found()
    assert (code, checks["host.claude-code.delivery"]["status"]) == (1, "fail")
    assert "last hook never" in checks["host.claude-code.delivery"]["details"]
    called(tmp_path, moment="prompt", verdict="told")
    code, checks = found()
    assert (code, checks["host.claude-code.delivery"]["status"]) == (0, "ok")
    aged(settings, 0)  # registered anew: what was written before tells nothing
    shutil.rmtree(tmp_path / "data" / "log")
    assert found()[0] == 0


def called(tmp_path, **more):
    """A line in the log of hooks, of now."""
    line = {"at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()), "host": "claude-code", "event": "UserPromptSubmit"}
    path = tmp_path / "data" / "log" / f"hooks-{line['at'][:10]}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line | {"ms": 12.5} | more) + "\n")


def test_hooks_that_failed(found, tmp_path):
    """What hooks met and no host shows is told; when most fail, loudly. Broken lines stop nothing."""
    for _ in range(3):
        called(tmp_path, moment="prompt")
    called(tmp_path, moment="prompt", error="IndexDamaged: page 7")
    log = next((tmp_path / "data" / "log").iterdir())
    log.write_text(log.read_text(encoding="utf-8") + "half a li", encoding="utf-8")
    _, checks = found()
    assert checks["hook.errors"]["status"] == "warn"
    assert "1 of 4 calls" in checks["hook.errors"]["details"] and "page 7" in checks["hook.errors"]["details"]
    assert checks["hook.latency"]["details"].startswith("last 12 ms")
    for _ in range(5):
        called(tmp_path, moment="prompt", ms=900, error="IndexDamaged: page 7")
    code, checks = found()
    assert (code, checks["hook.errors"]["status"], checks["hook.latency"]["status"]) == (1, "fail", "warn")


def test_canary_daily(found, tmp_path):
    """The canary sings once a day, and whenever it is asked."""
    found()
    song = tmp_path / "data" / "doctor" / "canary.json"
    first = song.read_text(encoding="utf-8")
    found()
    assert song.read_text(encoding="utf-8") == first
    found("--canary")
    assert song.read_text(encoding="utf-8") != first
    song.write_text(first.replace("20", "19", 1), encoding="utf-8")  # a century ago
    found()
    assert '"at": "19' not in song.read_text(encoding="utf-8")
    song.write_text("{}", encoding="utf-8")
    assert found()[1]["canary"]["status"] == "ok"


def test_nothing_can_be_opened(found, monkeypatch, tmp_path):
    """Where the home is gone no memory opens: checks say so, and the rest is still looked at."""
    monkeypatch.setenv("VADEMECUM_HOME", str(tmp_path / "Gone"))
    code, checks = found("--canary")
    assert code == 1
    assert checks["vault"]["status"] == "fail"
    assert "Gone" in checks["vault"]["details"]
    assert checks["index"]["status"] == "skip"
    assert checks["sqlite"]["status"] == "ok"


def test_wrong_settings(found, monkeypatch):
    """A value that no setting takes is named with where it was set; everything is looked at with the default in its place."""
    monkeypatch.setenv("VADEMECUM_EMBEDDER", "uses")
    monkeypatch.setenv("VADEMECUM_PORT", "99999")
    code, checks = found()
    assert (code, checks["settings"]["status"], checks["vault"]["status"]) == (1, "fail", "ok")
    for said in ("embedder is 'uses' (VADEMECUM_EMBEDDER in the environment)", "use, hashing", "from 0 to 65535"):
        assert said in checks["settings"]["details"]


def test_no_memory(found, tmp_path):
    """Before `vade init` it says what to do."""
    (tmp_path / "config.toml").unlink()
    code, checks = found()
    assert (code, checks["vault"]["status"]) == (1, "fail")
    assert "vade init" in checks["vault"]["hint"]


def test_drift(found, tmp_path):
    """Files that the index does not know yet are counted; nothing is changed by looking."""
    note = tmp_path / "Notes" / "by-hand.md"
    note.write_text("# By hand\n\nText.\n", encoding="utf-8")
    for _ in range(2):
        assert found()[1]["index.drift"]["details"].startswith("1 files are new, 0 changed, 0 removed")
    assert note.read_text(encoding="utf-8") == "# By hand\n\nText.\n"
    assert run(["sync"]) == 0
    assert found()[1]["index.drift"]["status"] == "ok"
    (tmp_path / "Notes" / "second.md").write_text("Text.\n", encoding="utf-8")
    assert run(["sync"]) == 0
    note.unlink()
    assert "1 removed" in found()[1]["index.drift"]["details"]


def test_emptied(found, tmp_path):
    """An empty folder where notes were is a missing disk: a failure, with no advice to let the index follow it."""
    assert run(["save", "fact", "Lids", "--body", "The lids are in the cellar."]) == 0
    (tmp_path / "Notes").rename(tmp_path / "unplugged")
    (tmp_path / "Notes").mkdir()
    code, checks = found()
    assert (code, checks["index.drift"]["status"]) == (1, "fail")
    assert "mount" in checks["index.drift"]["details"]


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize("line", ["embedder_key = 'k1'", "llm_key = 'long words'"])
def test_secrets_are_private(found, tmp_path, line):
    """A secret in a configuration that others can read is told with its name, never its value; without a secret nothing is."""
    config = tmp_path / "config.toml"
    config.chmod(0o644)
    assert found()[1]["secrets"]["status"] == "ok"
    config.write_text(f"{line}\n{config.read_text()}")
    told = found()[1]["secrets"]
    assert (told["status"], told["hint"]) == ("warn", f"chmod 600 {config}")
    assert line.split()[0] in told["details"]
    assert line.split("'")[1] not in told["details"]
    config.chmod(0o600)
    assert found()[1]["secrets"]["status"] == "ok"


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_data_are_private(found, tmp_path):
    """What was said is kept where no other user of the machine can enter; a folder that an older version made is told."""
    data = tmp_path / "data"
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert found()[1]["data"]["status"] == "ok"
    data.chmod(0o755)
    code, checks = found()
    assert (code, checks["data"]["status"], checks["data"]["hint"]) == (0, "warn", f"chmod 700 {data}")
    shutil.rmtree(data)
    (tmp_path / "config.toml").unlink()
    found()  # without a memory the canary is the first to write there
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


def test_conflict_copy(found, tmp_path):
    """Two files with one id, as sync tools leave them, are named."""
    assert run(["save", "fact", "Port", "--body", "It is 8080."]) == 0
    path = next((tmp_path / "Notes").rglob("port.md"))
    shutil.copy(path, path.with_name("port.sync-conflict-20261121-120000-ABCDEFG.md"))
    checks = found()[1]
    assert checks["vault.files"]["status"] == "warn"
    assert "sync-conflict" in checks["vault.files"]["details"]


def test_damaged_index(found, tmp_path):
    """A damaged index is told, with the way to build it again."""
    (tmp_path / "data" / "index.db").write_bytes(b"no database" * 1000)
    code, checks = found()
    assert code == 1
    assert "rebuild" in checks["index"]["hint"] or checks["vault"]["status"] == "fail"


@pytest.mark.usefixtures("by_meaning")
def test_switched_off(found, monkeypatch, tmp_path):
    """MV-45: a kill switch is a warning, not a failure. It is named, with the way back, and nothing else is blamed for it."""
    with monkeypatch.context() as here:
        here.setenv("VADEMECUM_DISABLED", "1")
        code, checks = found()
    assert (code, checks["enabled"]["status"], checks["embedder"]["status"]) == (0, "warn", "ok")
    assert "VADEMECUM_DISABLED" in checks["enabled"]["details"]
    (tmp_path / "Notes" / "STOP").touch()
    _, checks = found()
    assert "a file STOP since" in checks["enabled"]["details"] and "vade resume" in checks["enabled"]["hint"]
    assert run(["resume"]) == run(["pause"]) == 0
    _, checks = found()
    assert "paused since" in checks["enabled"]["details"] and checks["embedder"]["status"] == "ok"
    assert run(["resume"]) == 0
    assert found()[1]["enabled"] == {"id": "enabled", "status": "ok", "details": "Memory is switched on.", "hint": ""}


@pytest.mark.usefixtures("by_meaning")
def test_x17_sessions_that_failed(found, tmp_path):
    """X-17: what hooks told and nobody could read is a warning of its own, not one about the embedder."""
    assert found()[1]["sessions"]["status"] == "ok"
    queue = tmp_path / "data" / "queue"
    queue.mkdir(exist_ok=True)
    (queue / "one.json").write_bytes(b"no JSON")
    assert run(["process", "--due"]) == 0
    _, checks = found()
    assert (checks["sessions"]["status"], checks["embedder"]["status"]) == ("warn", "ok"), checks["sessions"]
    assert "could not be understood" in checks["sessions"]["details"]


def plugin(home, *, on=True, version=__version__):
    """What `claude plugin install` leaves: Claude Code 2.1.330."""
    folder = home / ".claude" / "plugins"
    folder.mkdir(parents=True, exist_ok=True)
    copies = {"vademecum@notes": [{"scope": "user", "installPath": str(folder / "cache"), "version": version}]}
    (folder / "installed_plugins.json").write_text(json.dumps({"version": 2, "plugins": copies}), encoding="utf-8")
    (home / ".claude" / "settings.json").write_text(json.dumps({"enabledPlugins": {"vademecum@notes": on}}), encoding="utf-8")


def test_plugin(home, found):
    """Who uses the plugin is not told to install; its version, and being there twice, are noticed."""
    plugin(home)
    conversation(home, days_ago=1)
    assert run(["capture"]) == 0
    code, checks = found()
    registered, called_us = checks["host.claude-code.registration"], checks["host.claude-code.delivery"]
    assert (code, registered["status"], registered["details"]) == (0, "ok", "By the plugin vademecum@notes")
    assert called_us["details"].startswith("No hook was called yet")
    aged(home / ".claude" / "plugins" / "installed_plugins.json", 3)
    assert found()[1]["host.claude-code.delivery"]["status"] == "fail"  # X-17 holds for the plugin too
    plugin(home, version="0.0.1")
    assert found()[1]["host.claude-code.registration"]["hint"] == "claude plugin update vademecum@notes"
    plugin(home, on=False)
    assert "not connected to it" in found()[1]["host.claude-code.registration"]["details"]
    plugin(home)
    assert run(["install", "claude-code"]) == 0
    twice = found()[1]["host.claude-code.registration"]
    assert (twice["status"], "vade uninstall claude-code" in twice["hint"]) == ("warn", True)


@pytest.mark.parametrize(("host", "file", "off"), [
    ("claude-code", ".claude/settings.json", '{"disableAllHooks": true, '),
    ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}, '),
    ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
])  # fmt: skip
def test_host_runs_no_hook(home, found, host, file, off):
    """X-17: a setting of the host that silences every hook is named; the real programs are asked in tests/real."""
    assert run(["install", host]) == 0
    assert found()[1][f"host.{host}.registration"]["status"] == "ok"
    path = home / file
    text = path.read_text(encoding="utf-8")
    path.write_text(off + text.lstrip("{") if off.startswith("{") else off + text, encoding="utf-8")
    code, checks = found()
    check = checks[f"host.{host}.registration"]
    assert (code, check["status"]) == (1, "fail")
    assert str(path) in check["details"]


def test_helper_of_another_version(home, found, monkeypatch):
    """A helper that is older than the program, or whose background work fails, is told with what to do."""
    answers = {"pid": 7, "version": "0.0.1", "answered": 3, "memory_mb": 80, "port": 8233, "work_error": ""}
    monkeypatch.setattr("vademecum.entrypoints.daemon.call.call", lambda settings, what: answers)
    check = found()[1]["helper"]
    assert (check["status"], "vade stop" in check["hint"], "HTTP on port 8233" in check["details"]) == ("warn", True, True)
    answers |= {"version": __version__}
    assert found()[1]["helper"]["status"] == "ok"
    answers |= {"work_error": "disk full"}
    assert "disk full" in found()[1]["helper"]["details"]
    answers |= {"port": 0, "http_error": "port 8233 cannot be taken"}
    check = found()[1]["helper"]
    assert "8233" in check["details"] and "setting `port`" in check["hint"]


def test_client_of_another_version(home, found, tmp_path):
    """A hook client that is gone or old fails as soon as a host calls it."""
    (tmp_path / "data" / "hook" / "client.py").unlink()
    assert found()[1]["hook.client"]["status"] == "skip"
    assert run(["install", "gemini"]) == 0
    assert run(["pause"]) == 0
    assert found()[1]["hook.client"]["status"] == "ok"
    (tmp_path / "data" / "hook" / "client.py").write_text("old", encoding="utf-8")
    code, checks = found()
    assert (code, checks["hook.client"]["status"]) == (1, "fail")


def test_older_registration(home, found):
    """Entries that another version wrote are told, with the command that renews them."""
    assert run(["install", "cursor"]) == 0
    path = home / ".cursor" / "hooks.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"timeout": 5', '"timeout": 9'), encoding="utf-8")
    check = found()[1]["host.cursor.registration"]
    assert (check["status"], check["hint"]) == ("warn", "vade install cursor")
    path.write_text("{", encoding="utf-8")
    assert found()[1]["host.cursor.registration"]["status"] in ("warn", "fail")


@pytest.mark.parametrize(("host", "file", "event"), [
    ("claude-code", ".claude/settings.json", "PreToolUse"),
    ("codex", ".codex/hooks.json", "PreToolUse"),
    ("gemini", ".gemini/settings.json", "AfterTool"),
    ("vscode", ".copilot/hooks/vademecum.json", "preToolUse"),
    ("opencode", ".config/opencode/plugin/vademecum.js", ""),
])  # fmt: skip
def test_registered_before_tool_calls_were(home, found, host, file, event):
    """Hooks of a version that told nothing at tool calls are told of, with the command that renews them; then all is well."""
    assert run(["install", host]) == 0
    path = home / file
    text = path.read_text(encoding="utf-8")
    if event:
        known = json.loads(text)
        del known["hooks"][event]
        path.write_text(json.dumps(known), encoding="utf-8")
    else:
        path.write_text(text.replace("tool.execute", "tool.old"), encoding="utf-8")
    check = found()[1][f"host.{host}.registration"]
    assert (check["status"], check["hint"]) == ("warn", f"vade install {host}")
    assert str(path) in check["details"]
    assert run(["install", host]) == 0
    assert found()[1][f"host.{host}.registration"]["status"] == "ok"


@pytest.mark.skipif(os.name == "nt", reason="a shell script stands in for the host")
def test_versions(found, tmp_path):
    """A host's version is asked of its own program; one older than we know is told; one that hangs or fails stops nothing."""
    for name, body in {"claude": "echo '1.0.3 (Claude Code)'", "codex": "echo codex-cli 0.163.0", "gemini": "exit 3"}.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        program.chmod(0o755)
    checks = found()[1]
    assert checks["host.claude-code.version"]["status"] == "warn"
    assert checks["host.codex.version"]["details"].startswith("0.163.0;")
    assert checks["host.gemini.version"]["status"] == "skip"
    assert checks["host.codex.registration"]["status"] == "warn"  # it is here and does not call us


def test_codex_trust(home, found):
    """Hooks that Codex was not told to trust do not run; that is a failure, and the way out is named."""
    assert run(["install", "codex"]) == 0
    code, checks = found()
    assert (code, checks["host.codex.trust"]["status"]) == (1, "fail")
    assert "/hooks" in checks["host.codex.trust"]["hint"]


def test_registered_in_project(home, found, tmp_path, monkeypatch):
    """A registration in the project where the person stands counts, and so does one in a project left since."""
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    assert run(["install", "claude-code", "--scope", "project"]) == 0
    assert str(project) in found()[1]["host.claude-code.registration"]["details"]
    monkeypatch.chdir(home)
    assert str(project) in found()[1]["host.claude-code.registration"]["details"]


def test_every_host_looked_at(found):
    """Each host has its checks, even one that is not on this machine."""
    checks = found()[1]
    for name in all_hosts.hosts():
        for what in ("registration", "version", "sessions", "delivery"):
            assert f"host.{name}.{what}" in checks
    assert Path(checks["vault"]["details"].partition(",")[0]).is_absolute()


@pytest.mark.usefixtures("by_meaning")
def test_language_model(home, found, monkeypatch, tmp_path):
    """Without a model that is no fault; one that refuses is, with what to do, and so is a conversation that was given up."""
    _, checks = found()
    assert checks["model"]["status"] == "skip"
    monkeypatch.setenv("VADEMECUM_LLM", "openai:small")
    monkeypatch.setenv("VADEMECUM_LLM_URL", "nowhere")
    _, checks = found()
    assert checks["model"]["status"] == "ok"
    talk = tmp_path / "talk.jsonl"
    lines = [{"type": "session", "id": "monday", "time": "2026-03-01T09:00:00Z"}]
    lines += [{"id": str(n), "role": "user", "text": f"Something {n} is said."} for n in range(4)]
    talk.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert run(["capture", str(talk)]) == 0
    assert run(["mark", "session://plain/monday"]) == 0
    assert run(["reader", "show", "--preview"]) == 0
    assert run(["reader", "queue", "--run"]) == 0
    code, checks = found()
    assert (code, checks["model"]["status"], checks["model"]["hint"]) == (
        1,
        "fail",
        "Correct that, then: vade reader queue --retry",
    )
    assert "llm_url" in checks["model"]["details"]
    assert checks["embedder"]["status"] == "ok"


def test_helper_of_other_settings(found, monkeypatch):
    """D10: a helper that runs with other settings than this command is named."""
    monkeypatch.setattr(
        call_module, "call", lambda *_: {"pid": 1, "version": __version__, "settings": {"strict_interfaces": False}}
    )
    assert found()[1]["helper"]["status"] == "ok"
    monkeypatch.setenv("VADEMECUM_STRICT_INTERFACES", "1")
    told = found()[1]["helper"]
    assert (told["status"], "strict_interfaces = False" in told["details"]) == ("warn", True)


def test_registered_commands_run(home, found, monkeypatch):
    """Each command that a registered host starts is started: the hook client and the MCP server, which is initialized and ended."""
    assert found()[1]["mcp.command"]["status"] == found()[1]["hook.command"]["status"] == "skip"
    assert run(["install", "claude-code"]) == 0
    monkeypatch.setattr(starting, "server_fault", SERVER_FAULT)
    _, checks = found()
    assert (checks["hook.command"]["status"], checks["mcp.command"]["status"]) == ("ok", "ok")


@pytest.mark.parametrize("damage", ["carrier.py", "hook.conf", "interpreter"])
def test_hook_client_that_does_not_run(home, found, tmp_path, damage):
    """A client whose parts are damaged or gone is told, although hosts see the code of success whatever happens."""
    assert run(["install", "claude-code"]) == 0
    folder = tmp_path / "data" / "hook"
    if damage == "carrier.py":
        (folder / damage).write_text("what is this", encoding="utf-8")
    elif damage == "hook.conf":
        (folder / damage).unlink()
    else:
        text = (folder / "hook.conf").read_text(encoding="utf-8")
        (folder / "hook.conf").write_text(re.sub("(?m)^python=.*", "python=/nowhere/python", text), encoding="utf-8")
    code, checks = found()
    assert (code, checks["hook.command"]["status"]) == (1, "fail")
    assert run(["install", "claude-code"]) == 0  # which writes it anew
    assert found()[1]["hook.command"]["status"] == "ok"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["/nowhere/vade", "mcp"], "No such file"),
        ([sys.executable, "-c", "raise ImportError('no module named mcp')"], "no module named mcp"),
        ([sys.executable, "-c", 'print(\'{"error": "incomplete"}\')'], "incomplete"),
        ([sys.executable, "-c", ""], "printed nothing"),
    ],
)
def test_servers_that_do_not_start(command, told):
    """What the server says of its trouble is told: it is missing, it raises, it answers with an error, or says nothing."""
    assert told in SERVER_FAULT(command, dict(os.environ))


def test_nothing_is_registered_that_cannot_start(home, capfd, monkeypatch):
    """`vade install` leaves the host's files alone when what it would register does not start, and says why."""
    monkeypatch.setattr(starting, "server_fault", lambda command, environment: "No module named 'mcp'")
    capfd.readouterr()
    assert run(["install", "claude-code"]) != 0
    assert "No module named 'mcp'" in capfd.readouterr().err
    assert not (home / ".claude").exists() and not (home / ".claude.json").exists()
    assert run(["install", "claude-code", "--no-mcp"]) == 0


def test_way_of_installation(found):
    """How the program was installed is told, with what upgrades it."""
    assert "to upgrade: " in found()[1]["program"]["details"]
