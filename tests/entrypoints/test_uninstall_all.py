"""`vade uninstall --all`, as a person runs it."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from tests.adapters.transcripts.conformance import claude_code

from vademecum.adapters.hosts import starting
from vademecum.domain.errors import WriteFailed
from vademecum.entrypoints.cli import hosts
from vademecum.entrypoints.cli.cli import run
from vademecum.plugins.shadow.shadow import LOG
from vademecum.wiring.projects import KNOWN_NAME


@pytest.fixture
def vade(tmp_path):
    """`vade` of a person with a home folder of their own: arguments -> (exit code, all it said)."""

    def run(*arguments, cwd=tmp_path):
        environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "VADEMECUM_EMBEDDER": "none"}
        done = subprocess.run(
            [sys.executable, "-m", "vademecum", *arguments],
            capture_output=True, text=True, check=False, cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    return run


def test_everything_of_ours_goes(vade, tmp_path):
    """Hooks, servers, data, caches and settings go, in projects too; the notes, the host's own lines and strange files stay."""
    theirs = tmp_path / ".claude" / "settings.json"
    theirs.parent.mkdir()
    theirs.write_text(json.dumps({"model": "opus"}), encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    vade("init", "Notes")
    vade("save", "fact", "Kettle", "--body", "Descale it.")
    vade("install", "claude-code")
    vade("install", "codex", "--scope", "project", cwd=work)
    said = [claude_code.user(0, "Descale the kettle", **claude_code.HUMAN), claude_code.agent(1, claude_code.words("Done."))]
    transcript = work / f"{claude_code.SESSION}.jsonl"
    transcript.write_text("".join(json.dumps(line) + "\n" for line in said), encoding="utf-8")
    vade("capture", str(transcript))
    transcript.unlink()
    assert (tmp_path / ".local" / "share" / "vademecum" / "hash.key").is_file()  # made with the first conversation that is read
    strange = tmp_path / ".local" / "share" / "vademecum" / "mine.txt"
    strange.write_text("the person's", encoding="utf-8")
    lock = tmp_path / ".cache" / "vademecum" / "run" / "0badcafe.lock"  # of the process that answers commands
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    weights = tmp_path / ".cache" / "vademecum" / "weights-1" / "use-multilingual.safetensors"  # of who built the package
    weights.parent.mkdir()
    weights.touch()

    code, said = vade("uninstall", "--all")
    assert (code, "--yes" in said) == (3, True)
    assert "vademecum" in theirs.read_text(encoding="utf-8")

    code, said = vade("uninstall", "--all", "--yes")
    assert code == 0
    assert "Checked" in said
    assert f"Your memories stay: {tmp_path / 'Notes'}" in said
    assert [line for line in said.splitlines() if "so it stays:" in line] == [f"Not ours, so it stays: {strange}"]
    assert json.loads(theirs.read_text(encoding="utf-8")) == {"model": "opus"}
    left = {path for path in tmp_path.rglob("*") if path.is_file() and tmp_path / "Notes" not in path.parents}
    assert left == {theirs, strange}
    assert (tmp_path / "Notes" / "personal" / "fact" / "kettle.md").exists()


def test_one_or_all(vade):
    """A host or everything is named, never both and never neither."""
    assert vade("uninstall")[0] == vade("uninstall", "codex", "--all")[0] == 3


#: Files of hosts as they were before: other hooks, an order and a form of their own, no newline at the end, a comment.
BEFORE = {
    ".claude/settings.json": '{\r\n\t"zeta": 1,\r\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},\r\n'
    '\t"alpha": {"b":1,"a":2}}',
    ".claude.json": '{"mcpServers": {"other": {"command": "x"}}, "numStartups": 4}\n',
    ".codex/config.toml": '# mine\nmodel = "m"\n[mcp_servers.other]\ncommand = "x"\n',
    ".codex/hooks.json": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"date"}]}]}}',
}
PLACES = {"config": ".config/vademecum", "memory": "Notes", "data": ".local/share/vademecum"}


@pytest.fixture
def connected(tmp_path, monkeypatch):
    """The home folder of a person whose two tools had files of their own before they were connected."""
    for name in ("CONFIG", "HOME", "DATA_DIR", "CACHE_DIR"):
        monkeypatch.delenv(f"VADEMECUM_{name}", raising=False)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("VADEMECUM_EMBEDDER", "none")
    monkeypatch.setattr(starting, "server_fault", lambda command, environment: "")  # it takes seconds; test_doctor.py starts it
    monkeypatch.setattr(hosts, "leave_briefings", lambda settings, names: None)  # it starts a helper; test_first_start.py does
    monkeypatch.chdir(tmp_path)
    for name, text in BEFORE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    assert run(["init", str(tmp_path / "Notes")]) == 0
    assert run(["install", "claude-code"]) == run(["install", "codex"]) == 0
    assert all("vademecum" in (tmp_path / name).read_text(encoding="utf-8") for name in BEFORE)
    return tmp_path


def left(home):
    """Files in the home folder that are neither the person's notes nor were there before."""
    files = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    return {name for name in files if not name.startswith("Notes/")} - set(BEFORE)


@pytest.mark.parametrize("gone", ["config", "memory", "data", "config memory", "config memory data"])
def test_what_is_gone_already_hinders_nothing(connected, capfd, gone):
    """Without the configuration, the memory or the data, everything else of ours goes all the same, the files of hosts are what
    they were, and what was not found is named."""
    for name in gone.split():
        shutil.rmtree(connected / PLACES[name])
    capfd.readouterr()
    assert run(["uninstall", "--all", "--yes"]) == 0
    said = capfd.readouterr().out
    assert ("Not found: the configuration file" in said) == ("config" in gone)
    assert ("Not found: the folder of your memory" in said) == (gone == "memory")  # without a configuration nobody names it
    assert {name: (connected / name).read_bytes().decode() for name in BEFORE} == BEFORE
    assert left(connected) == set()


def test_a_file_that_cannot_be_understood_keeps_only_itself(connected, capfd):
    """A host's file that is broken stays and is named with what to do; all other files of hosts are what they were."""
    broken = connected / ".claude" / "settings.json"
    broken.write_text(broken.read_text(encoding="utf-8") + "}", encoding="utf-8")
    capfd.readouterr()
    assert run(["uninstall", "--all", "--yes"]) == WriteFailed.exit_code
    assert str(broken) in capfd.readouterr().err
    assert (connected / ".codex" / "hooks.json").read_text(encoding="utf-8") == BEFORE[".codex/hooks.json"]
    assert left(connected) == set()


def test_files_of_every_part_go(connected, capfd):
    """What projects, search, plugins and a team note among our data is known as ours; notes of a team stay, and it says why."""
    data = connected / PLACES["data"]
    for name in (KNOWN_NAME, "index.behind", "addresses.txt", LOG):
        (data / name).touch()
    (data / "teams" / "bakery").mkdir(parents=True)
    capfd.readouterr()
    assert run(["uninstall", "--all", "--yes"]) == 0
    said = capfd.readouterr().out
    assert "Not ours" not in said and f"It holds the notes of your team, so it stays: {data / 'teams'}\n" in said
    assert [path.name for path in data.iterdir()] == ["teams"]


def test_what_would_go_is_told_by_folder(connected, capfd):
    """A dry run names each file of a host, and counts ours by folder; programs get every path. Nothing is changed."""
    capfd.readouterr()
    assert run(["uninstall", "--all", "--dry-run"]) == 0
    said = capfd.readouterr().out
    for name in BEFORE:
        assert f"The entries of Vademecum would be removed from: {connected / name}\n" in said
    assert re.search(rf"Would be deleted: \d+ entries in {re.escape(str(connected / PLACES['data']))}\n", said)
    assert run(["uninstall", "--all", "--dry-run", "--json"]) == 0
    assert str(connected / ".config" / "vademecum" / "config.toml") in json.loads(capfd.readouterr().out)["would_go"]
    assert "vademecum" in (connected / ".claude" / "settings.json").read_text(encoding="utf-8")


def test_one_host_goes_without_a_readable_configuration(connected, capfd):
    """`vade uninstall HOST` needs no setting, so a broken configuration does not keep it from working."""
    (connected / ".config" / "vademecum" / "config.toml").write_text("home = ", encoding="utf-8")
    assert run(["uninstall", "codex"]) == 0
    assert (connected / ".codex" / "hooks.json").read_text(encoding="utf-8") == BEFORE[".codex/hooks.json"]
