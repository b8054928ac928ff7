"""`vade setup`: one command from nothing to connected tools and a history that is known."""

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from tests.adapters.transcripts.conformance import claude_code, codex

from vademecum.adapters import vaults
from vademecum.adapters.hosts import starting
from vademecum.adapters.vaults import obsidian_vaults
from vademecum.domain.item import Item
from vademecum.entrypoints.cli import hosts, setup
from vademecum.entrypoints.cli.cli import run
from vademecum.entrypoints.hooks.place import client_files
from vademecum.wiring import HostHere, load_settings


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A person with an Obsidian vault and conversations of two tools, before anything of ours."""
    for name in ("CONFIG", "HOME", "DATA_DIR", "CACHE_DIR"):
        monkeypatch.delenv(f"VADEMECUM_{name}", raising=False)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("VADEMECUM_EMBEDDER", "none")
    monkeypatch.setattr(starting, "server_fault", lambda command, environment: "")  # it takes seconds; test_doctor.py starts it
    monkeypatch.setattr(hosts, "leave_briefings", lambda settings, names: None)  # it starts a helper; test_first_start.py does
    monkeypatch.chdir(tmp_path)
    vault = tmp_path / "Garden notes"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "Pears.md").write_text("# Pears\n\nPruned in March.\n", encoding="utf-8")
    listed = tmp_path / ".config" / "obsidian" / "obsidian.json"
    listed.parent.mkdir(parents=True)
    listed.write_text(json.dumps({"vaults": {"a": {"path": str(vault), "ts": 1, "open": True}}}), encoding="utf-8")
    said = [
        claude_code.user(0, "Prune the pear trees", **claude_code.HUMAN),
        claude_code.agent(1, claude_code.words("All pear trees are pruned. Next: water the plums.")),
        claude_code.user(2, "I prefer short answers.", **claude_code.HUMAN),
        claude_code.agent(3, claude_code.words("Understood.")),
        claude_code.user(4, "Write the list of the trees into trees.md", **claude_code.HUMAN),
        claude_code.agent(5, claude_code.words("I wrote trees.md. Still open: the plums have no water.")),
    ]
    written(tmp_path / ".claude" / "projects" / "-srv-orchard" / f"{claude_code.SESSION}.jsonl", said)
    rollout = [
        codex.meta(),
        codex.message(1, "user", "Mend the fence", kinds=("user.text",)),
        codex.message(2, "assistant", "Done."),
    ]
    written(
        tmp_path / ".codex" / "sessions" / "2026" / "11" / "20" / f"rollout-2026-11-20T10-00-00-{codex.SESSION}.jsonl", rollout
    )
    return tmp_path


def written(path, records):
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")


def answered(capfd, *words):
    """What `vade setup --json` tells."""
    capfd.readouterr()
    assert run(["setup", *words, "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def test_from_nothing(home, capfd):
    """The vault is found, both tools are connected, what was said is read, and the person's own history is named at the end."""
    told = answered(capfd, "--yes")
    assert told["home"] == str(home / "Garden notes" / "Vademecum")
    assert told["connected"] == ["claude-code", "codex"]
    assert told["conversations"] == {"Claude Code": 1, "Codex": 1} and told["read"] == 2
    assert 1 <= len(told["known"]) <= 3
    assert "client.py" in (home / ".claude" / "settings.json").read_text(encoding="utf-8")
    assert "reader" not in told and "llm" not in told  # a model reads only after a yes of the person
    assert (home / "Garden notes" / "Pears.md").read_text(encoding="utf-8") == "# Pears\n\nPruned in March.\n"


def test_twice(home, capfd):
    """Run again, nothing is done twice: no other memory, no other entry, nothing read anew."""
    first = answered(capfd, "--yes")
    before = {path: path.read_bytes() for path in (home / ".claude" / "settings.json", home / ".codex" / "hooks.json")}
    again = answered(capfd, "--yes")
    assert (again["connect"], again["connected"], again.get("conversations")) == ([], [], None)
    assert "seconds" in first and "seconds" not in again  # no time is announced where nothing is to be done
    assert again["folder"] == first["home"]
    assert {path: path.read_bytes() for path in before} == before


def test_goes_on_where_it_was(home, capfd):
    """What an interrupted run left undone is done by the next one."""
    assert run(["init", str(home / "Garden notes")]) == 0
    assert run(["install", "codex"]) == 0
    told = answered(capfd, "--yes")
    assert (told["connected"], told["read"]) == (["claude-code"], 2)


def test_nobody_to_ask(home, capfd):
    """Without a terminal and without --yes it tells what it would do, and changes nothing."""
    assert run(["setup"]) != 0
    assert "2 conversations of Claude Code and Codex will be read" in capfd.readouterr().out
    assert not (home / "Garden notes" / "Vademecum").exists() and not (home / ".claude" / "settings.json").exists()


def test_names_the_folder_it_will_make(home, capfd):
    """What is announced is what happens: the folder of the memory, the vault whose notes become searchable, the tools."""
    assert run(["setup"]) != 0
    announced = capfd.readouterr().out
    vault = home / "Garden notes"
    assert f"Memory: it will be made in {vault / 'Vademecum'}. The notes of {vault} become searchable" in announced
    assert "AI tools to connect: Claude Code and Codex." in announced
    assert answered(capfd, "--yes")["home"] == str(vault / "Vademecum")


def test_without_notes_promises_nothing_about_notes(home, capfd):
    """Where the memory gets a folder without notes, nothing is said of notes that become searchable."""
    assert run(["setup", str(home / "empty")]) != 0
    announced = capfd.readouterr().out
    assert f"Memory: it will be made in {home / 'empty'}.\n" in announced and "searchable" not in announced


def test_says_what_it_knows(home, capfd):
    """At the end it names things from the person's own conversations, that no model reads, and a question that is answered."""
    assert run(["setup", "--yes"]) == 0
    told = capfd.readouterr().out
    end = told[told.index("From your conversations:") :].splitlines()
    assert any(line.startswith("  * preference") for line in end), end
    assert any(line.startswith("  * where you stopped in ") for line in end), end
    assert any(line.startswith("No language model reads conversations;") for line in end)
    command = shlex.split(end[-1].partition(": ")[2])
    assert run(command[1:]) == 0 and "short answers" in capfd.readouterr().out


def test_names_what_is_sure_first():
    """A saved memory and where two projects stopped come before what waits for a yes, which fills what is left."""
    kept, waiting, last = (
        [Item(key=f"memory://{one}", source="memory", kind=kind, title=one, path="", space="", stat="", digest="", project=one[0])
         for one in names]
        for kind, names in (("fact", ["a1", "a2"]), ("fix", ["b1"]), ("handoff", ["a3", "a4", "b2", "c1"]))
    )  # fmt: skip
    assert [one.title for one in setup.worth_naming(kept, waiting, last)] == ["a1", "a3", "b2"]
    assert [one.title for one in setup.worth_naming(kept, waiting, [])] == ["a1", "a2", "b1"]
    assert [one.title for one in setup.worth_naming([], waiting, last[:2])] == ["a3", "b1"]


def test_says_that_nothing_is_known(home, capfd):
    """Where nothing was said yet, it says what to do instead of naming a question that nothing answers."""
    for folder in (".claude", ".codex"):
        shutil.rmtree(home / folder)
    assert run(["setup", "--yes"]) == 0
    told = capfd.readouterr().out
    assert "Ready. Nothing is known yet." in told and "vade save" in told and "vade recall" not in told


@pytest.mark.parametrize("text", ["", "[]", '{"vaults": 7}', '{"vaults": {"a": {"path": "/nowhere"}}}'])
def test_lists_that_cannot_be_read(home, text):
    """Obsidian's list may be damaged, of another version, or name what is gone."""
    (home / ".config" / "obsidian" / "obsidian.json").write_text(text, encoding="utf-8")
    assert obsidian_vaults({"HOME": str(home)}, elapsed_s) == (home / "Garden notes",)  # found without the list


def elapsed_s():
    return 0.0


def vault_at(folder, used_s=0):
    """Make a vault that was used last at that time, in seconds since 1970."""
    (folder / ".obsidian").mkdir(parents=True)
    (folder / ".obsidian" / "workspace.json").touch()
    os.utime(folder / ".obsidian" / "workspace.json", (used_s, used_s))
    return folder


def test_vaults_in_the_usual_places(tmp_path):
    """Without Obsidian's list vaults are found in the usual places and near the home folder, the one used last first."""
    places = ["Documents/Work/Recipes", "Library/Mobile Documents/iCloud~md~obsidian/Documents/Cloud", "OneDrive - Mill/Bread",
              "Dropbox/Oven", "Obsidian/Flour", "code/docs", "Plain"]  # fmt: skip
    made = [vault_at(tmp_path / place, 1_000 + number) for number, place in enumerate(places)]
    assert obsidian_vaults({"HOME": str(tmp_path)}, elapsed_s) == tuple(reversed(made))


def test_no_vaults(tmp_path):
    """Neither hidden folders nor links nor deep ones are looked at, and a vault inside a vault is no second one."""
    outer = vault_at(tmp_path / "Documents" / "Outer")
    vault_at(outer / "Inner")
    vault_at(tmp_path / ".trash" / "Old")
    vault_at(tmp_path / "code" / "node_modules" / "docs")
    vault_at(tmp_path / "a" / "b" / "c" / "d" / "e" / "Deep")
    elsewhere = vault_at(tmp_path.parent / f"{tmp_path.name}-elsewhere" / "Vault")
    (tmp_path / "Obsidian").symlink_to(elsewhere.parent, target_is_directory=True)
    (tmp_path / "Notes").symlink_to(elsewhere, target_is_directory=True)
    assert obsidian_vaults({"HOME": str(tmp_path)}, elapsed_s) == (outer,)


def test_the_list_comes_first(home):
    """A vault of Obsidian's list stands before one that is found, and no vault is there twice."""
    found = vault_at(home / "Documents" / "Newer", 4_000_000_000)
    assert obsidian_vaults({"HOME": str(home)}, elapsed_s) == (home / "Garden notes", found)


def test_the_search_for_vaults_ends(tmp_path):
    """On a slow disk the search ends when its time is over, with what was found so far."""
    for number in range(20):
        vault_at(tmp_path / "Documents" / f"Vault {number:02}")
    ticks = iter(range(100))
    assert len(obsidian_vaults({"HOME": str(tmp_path)}, lambda: next(ticks) / 5)) < 10


def test_vaults_of_windows_in_wsl(tmp_path, monkeypatch):
    """In WSL the list and the folders of Windows are looked at, with their paths as WSL shows them."""
    users = tmp_path / "Users"
    monkeypatch.setattr(vaults, "_USERS_OF_WINDOWS", str(users))
    found = vault_at(users / "sam" / "OneDrive" / "Notes")
    vault_at(users / "Public" / "Documents" / "Shared")
    assert obsidian_vaults({"HOME": str(tmp_path / "home"), "WSL_DISTRO_NAME": "Ubuntu"}, elapsed_s) == (found,)
    assert vaults._as_here("D:\\Books\\Vault") == Path("/mnt/d/Books/Vault")


def test_names_the_other_vaults(home, capfd):
    """Where several vaults are found, the announcement names the others and how to take one of them."""
    other = vault_at(home / "Documents" / "Other")
    assert run(["setup"]) != 0
    assert f"Other Obsidian vaults: {other}. To use one of them instead: vade setup FOLDER" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("size", "notes", "connects", "busy", "seconds"),
    [
        (0, 0, False, 0.2, (5, 10)),
        (12_000_000, 0, True, 0.5, (10, 20)),
        (12_000_000, 300, True, 1.0, (15, 30)),
        (12_000_000, 300, True, 3.0, (15, 80)),
        (12_000_000, 300, True, 20.0, (15, 105)),
    ],
)
def test_announced_time_is_of_everything(size, notes, connects, busy, seconds):
    """What is announced covers notes, hosts, conversations and helper, and grows with what else the machine does."""
    host = HostHere("codex", "Codex", "", True, False, ())
    wanted = setup._Wanted(None, (), (host,) if connects else (), {}, size, notes)
    assert setup._seconds(wanted, busy) == seconds


def test_hooks_hold_the_settings_that_were_chosen(home, capfd):
    """The files that hooks run are those of the settings as they are after the last question, and after each change by a command."""
    answered(capfd, "--yes")
    for change in ((), ("reader", "off"), ("settings", "set", "prompt_limit", "4"), ("settings", "unset", "prompt_limit")):
        assert run(list(change)) == 0 if change else True
        settings = load_settings()
        files = client_files(settings, None)
        assert {path.name for path, text in files.items() if path.read_text(encoding="utf-8") != text} == set(), change


def test_announces_one_time(home, capfd):
    """One time is announced, that of all steps."""
    assert run(["setup"]) != 0
    assert re.search(r"\nAll of this takes \d+ to \d+ s\.\n", capfd.readouterr().out)
