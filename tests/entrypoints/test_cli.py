"""The command line as such: exit codes, help, JSON, and the page that documents it."""

import errno
import hashlib
import inspect
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reference_pages import commands_page, http_page, mcp_page
from vademecum import wiring
from vademecum.domain import errors
from vademecum.domain.errors import VademecumError
from vademecum.entrypoints.cli import cli
from vademecum.entrypoints.verbs import VERBS

ROOT = Path(__file__).parent.parent.parent
VAULTS = ROOT.parent / "shared" / "data" / "vaults"
ERRORS = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, VademecumError)]


@pytest.mark.parametrize("words", [
    [], ["nonsense"], ["--nonsense"], ["save"], ["show"], ["evolve", "a", "b"], ["list", "--limit", "x"],
    ["recall"], ["recall", "--profile"], ["link", "a", "eats", "b"], ["bench"], ["bench", "recall"], ["init"],
    ["save", "fact", "x", "--confidence", "total"],
], ids=" ".join)  # fmt: skip
def test_usage(vade, words):
    """X-34: a command line that is not understood ends with 64, never with 2, which a host takes as a wish to erase the prompt."""
    code, out, err = vade(*words)
    assert code == 64
    assert "Traceback" not in out + err
    assert out or err


@pytest.mark.parametrize("command", ["save", "show", "recall", "edit", "evolve"])
def test_what_is_missing_is_shown_by_an_example(vade, command):
    """A command that lacks what it is about shows how it is typed, to a person and to a program."""
    assert f"\nFor example: vade {command} " in vade(command)[2]
    assert json.loads(vade(command, "--json")[1])["hint"].startswith(f"For example: vade {command} ")


def test_nothing_to_search_for(vade):
    """A question without a word is refused in a sentence that says what must stand there."""
    assert vade("recall", "") == (3, "", "The question is empty.\nGive the question.\n")


def test_nobody_to_ask_is_no_success(person, vade):
    """What cannot be undone is only shown where nobody can be asked; the command says how to do it and ends with a code of error."""
    person("save", "fact", "Kettle", "--body", "It stands on the third shelf.")
    code, out, err = vade("forget", "Kettle")
    assert (code, err) == (3, "Nothing was changed, because there is no terminal to ask.\nTo do what is listed, add: --yes\n")
    assert out.startswith("This would be forgotten; nothing was removed yet.\n")
    code, out, err = vade("forget", "Kettle", "--json")
    assert (code, json.loads(out)["done"], err) == (1, False, "")
    assert vade("forget", "Kettle", "--dry-run")[0] == 0
    assert vade("forget", "Kettle", "--yes")[0] == 0


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "C:\\shop"])
def test_project_is_no_path(person, vade, name):
    """A project has a name; a path is refused wherever one is named, and nothing is saved."""
    code, out, err = vade("save", "fact", "Kettle", "--body", "It stands on the third shelf.", "--project", name)
    assert (code, out) == (3, "")
    assert "cannot be the name of a project" in err
    person("save", "fact", "Kettle", "--body", "It stands on the third shelf.")
    assert vade("edit", "Kettle", "--set", f"project={name}")[0] == 3
    assert vade("save", "fact", "Teapot", "--body", "It is blue.", "--project", "Tea Time")[0] == 0


def test_pipes_of_others(vade, monkeypatch):
    """A pipe to another program that breaks is an error with words; it is not taken for a closed standard output."""

    def fail(*_, **__):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(wiring, "open_memory", fail)
    code, out, err = vade("list")
    assert (code, out.strip()) == (1, "")
    assert err.startswith("A program that this command talked to ended early")


def test_text_without_its_option(vade):
    """Whoever types the text of a memory behind its title is told which option it goes in."""
    code, out, err = vade("save", "fact", "Payments", "We take payments with Stripe.")
    assert (code, out) == (64, "")
    assert err.endswith("Got unexpected extra argument (We take payments with Stripe.). The text goes in --body.\n")
    assert vade("list", "x", "y")[2].endswith("Got unexpected extra arguments (x y).\n")


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_error_classes(vade, monkeypatch, kind):
    """Each sort of error shows its sentence and its hint and ends with its own code; as JSON it is one object."""
    error = VademecumError.__new__(kind)
    VademecumError.__init__(error, "The kettle is empty.", "Fill it with: vade fill")

    def fail(*_, **__):
        raise error

    monkeypatch.setattr("vademecum.wiring.memory.open_memory", fail)
    assert vade("list") == (kind.exit_code, "", "The kettle is empty.\nFill it with: vade fill\n")
    code, out, err = vade("list", "--json")
    assert (code, err) == (kind.exit_code, "")
    assert json.loads(out) == {"error": kind.code, "message": "The kettle is empty.", "hint": "Fill it with: vade fill"}


def test_exit_codes_apart():
    """X-34: no two sorts of error share a code or a word, and none has 0, 2 or 64."""
    own = [kind for kind in ERRORS if "exit_code" in vars(kind)]
    codes, words = [kind.exit_code for kind in own], [kind.code for kind in own]
    assert len(set(codes)) == len(codes)
    assert len(set(words)) == len(words)
    assert not {0, 2, 64} & set(codes)


def test_help(vade):
    """Each verb explains itself and each of its options."""
    for verb in VERBS:
        code, out, _ = vade(*verb.name.split(), "--help")
        assert code == 0, verb.name
        assert verb.meaning.split(";")[0].split(".")[0][:30] in " ".join(out.split())
        for param in verb.params:
            assert (f"--{param.name.replace('_', '-')}" in out) or (param.place and param.name.upper() in out), verb.name


def test_nobody_listens(tmp_path):
    """X-34: a reader that goes away, as `head` does, is no error of ours: no traceback, and no code that a host could misread."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "VADEMECUM_CONFIG": str(tmp_path / "none.toml")}
    command = [sys.executable, "-m", "vademecum", "settings"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, env=environment)
    os.close(writing)
    assert (done.returncode in (0, 1), done.stderr) == (True, "")


def test_page_is_current():
    """docs/commands.md, mcp.md and http.md are what the tables say (X-30)."""
    for name, page in (("commands", commands_page), ("mcp", mcp_page), ("http", http_page)):
        assert (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") == page()


def test_page_is_whole():
    """The page explains every verb, every option and every exit code."""
    page = commands_page()
    for verb in VERBS:
        assert f"## vade {verb.typed}\n" in page
        for param in verb.params:
            assert param.meaning in page
    for kind in ERRORS:
        assert f"| {kind.exit_code} | {kind.code} |" in page


def test_readme_commands():
    """Every command that README shows exists."""
    shown = {line.split()[1] for line in (ROOT / "README.md").read_text("utf-8").splitlines() if line.startswith("vade ")}
    assert shown <= set(cli.commands().commands)


def test_config_elsewhere(vade, tmp_path):
    """Another configuration file and another home are taken when named."""
    assert vade("--config", str(tmp_path / "other.toml"), "init", "There")[0] == 0
    assert vade("--config", str(tmp_path / "other.toml"), "save", "fact", "Kettle", "--body", "Descale it.")[0] == 0
    assert "Kettle" in vade("--home", str(tmp_path / "There"), "list")[1]
    assert vade("list")[0] == 3


def prints(folder):
    """Fingerprint of every file and folder below, contents and names."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.skipif(not VAULTS.is_dir(), reason="the public vaults lie beside the repository and are not here")
@pytest.mark.parametrize("name", ["dataview-example-vault", "obsidian-help-en"])
def test_real_vaults(vade, tmp_path, name):
    """X-48: making a memory in a real vault, indexing and asking changes no byte of its notes and adds nothing but one folder."""
    vault = Path(shutil.copytree(VAULTS / name, tmp_path / "vault"))
    for folder, _, _ in os.walk(vault):
        Path(folder).chmod(0o755)
    (vault / ".obsidian").mkdir(exist_ok=True)
    before = prints(vault)
    assert vade("init", str(vault))[0] == 0
    for words in (
        ["recall", "how do I link notes"],
        ["search", "note"],
        ["sync"],
        ["rebuild"],
        ["briefing"],
        ["status", "--deep"],
    ):
        assert vade(*words)[0] == 0
    assert json.loads(vade("status", "--json")[1])["documents"] > 10
    after = prints(vault)
    assert {path: after[path] for path in before} == before
    assert {path.split("/")[0] for path in after.keys() - before.keys()} == {"Vademecum"}


@pytest.mark.parametrize(("kind", "first", "second", "body"), [
    ("fact", "Postgres version", "Redis version", "We run 16.3"),
    ("event", "Dentist", "Haircut", "2026-12-01 10:00"),
    ("fact", "Staging DB password rotation", "TLS certificate rotation", "Every 90 days."),
    ("fact", "Staging port", "Production port", "8080"),
])  # fmt: skip
def test_same_text_of_something_else_is_saved(vade, tmp_path, kind, first, second, body):
    """X-35: what a save acknowledges is on disk, though another memory has the same text under another title."""
    assert vade("init", str(tmp_path / "Notes"))[0] == 0
    vade("save", kind, first, "--body", body, "--tags", "one")
    code, out, _ = vade("save", kind, second, "--body", body, "--tags", "two", "--json")
    assert (code, json.loads(out)["action"]) == (0, "saved")
    listed = {one["title"]: one["tags"] for one in json.loads(vade("list", "--json")[1])["results"]}
    assert listed == {first: ["one"], second: ["two"]}
    assert second in "".join(file.read_text(encoding="utf-8") for file in (tmp_path / "Notes").rglob("*.md"))


@pytest.mark.parametrize(("words", "kind", "title", "body"), [
    ("Always run make lint before a push.", "preference", "Always run make lint before a push", ""),
    ("remember that the staging server is on port 8443", "fact", "The staging server is on port 8443", ""),
    ("We use Postgres. It runs on the NAS.", "fact", "We use Postgres", "We use Postgres. It runs on the NAS."),
    ("周报每周五发", "fact", "周报每周五发", ""),
])  # fmt: skip
def test_a_sentence_is_enough_to_save(vade, tmp_path, words, kind, title, body):
    """A sentence alone is saved: its form gives the kind, its first sentence the title; a kind alone is asked for its title."""
    assert vade("init", str(tmp_path / "Notes"))[0] == 0
    memory = json.loads(vade("save", words, "--json")[1])["memory"]
    assert (memory["kind"], memory["title"], memory["body"].strip()) == (kind, title, body)
    code, _, error = vade("save", "decision")
    assert (code, "vade save decision TITLE" in error) == (3, True)


def test_a_narrower_save_replaces_nothing(vade, tmp_path):
    """MV-05: a rule that every session is told stays when something narrower is saved; a twin joins its tags and flags."""
    assert vade("init", str(tmp_path / "Notes"))[0] == 0
    broad = ("save", "preference", "Indentation", "--body", "Use tabs in Makefiles and Go; spaces in Python.")
    vade(*broad, "--always-load")
    code, out, _ = vade(
        "save", "preference", "Go indentation", "--body", "In Go code indent with tabs, width 8; gofmt does it."
    )
    assert (code, "replaced" in out) == (0, False)
    assert len(json.loads(vade("list", "--json")[1])["results"]) == 2
    assert json.loads(vade(*broad, "--tags", "style", "--json")[1])["action"] == "confirmed"
    listed = {one["title"]: (one["tags"], one["always_load"]) for one in json.loads(vade("list", "--json")[1])["results"]}
    assert listed["Indentation"] == (["style"], True)
    assert "said again: Indentation: Use tabs in Makefiles" in vade("history", "Indentation")[1]


@pytest.mark.parametrize("place", ["Notes", "Vault/Journal", "Vademecum", "Vault/Vademecum"])
def test_init_beside_notes_of_others(vade, tmp_path, place):
    """A folder with Markdown of others, within an Obsidian vault or not, whatever its name: its notes are searchable, none becomes
    a memory."""
    folder = tmp_path / place
    (folder / "deep").mkdir(parents=True)
    if place.startswith("Vault"):
        (tmp_path / "Vault" / ".obsidian").mkdir()
    for name in ("Kettle.md", "deep/Tea.md"):
        (folder / name).write_text(f"# {name}\n\nThe {name} stands on the shelf.\n", encoding="utf-8")
    before = {path: path.read_bytes() for path in folder.rglob("*.md")}
    code, out, _ = vade("init", place)
    assert (code, f"Memory in {folder / 'Vademecum'}" in out) == (0, True)
    assert "2 notes are searchable; they are never changed" in out
    assert json.loads(vade("list", "--json")[1])["results"] == []
    assert vade("save", "fact", "Cup", "--body", "It is blue.")[0] == 0
    assert {path: path.read_bytes() for path in before} == before
    again = vade("init", place)[1]
    assert (f"Memory in {folder / 'Vademecum'}" in again, "2 notes are searchable" in again) == (True, True)


def test_init_where_the_name_is_taken(vade, tmp_path):
    """A folder Vademecum that holds notes of others is not taken for a memory either."""
    taken = tmp_path / "Vault" / "Vademecum"
    taken.mkdir(parents=True)
    (tmp_path / "Vault" / ".obsidian").mkdir()
    (taken / "Latin.md").write_text("# Latin\n\nGo with me.\n", encoding="utf-8")
    assert f"Memory in {taken / 'Vademecum'}" in vade("init", "Vault")[1]
    assert (taken / "Latin.md").read_text(encoding="utf-8") == "# Latin\n\nGo with me.\n"


def test_init_of_moved_vault(vade, tmp_path):
    """A moved vault is told as such and taken over with its index and sessions; nothing is journaled as deleted."""
    vade("init", "Old")
    vade("save", "fact", "Kettle", "--body", "Descale it with vinegar.")
    (tmp_path / "Old").rename(tmp_path / "New")
    code, _, err = vade("list")
    assert (code, "moved" in err, "vade init" in err) == (10, True, True)
    assert not (tmp_path / "Old").exists()
    code, out, _ = vade("init", "New")
    assert (code, f"Memory in {tmp_path / 'New'}, taken over from {tmp_path / 'Old'}" in out) == (0, True)
    assert "Kettle" in vade("list")[1]
    assert "0 gone, 1 unchanged" in vade("sync")[1]
    assert not (tmp_path / "data-homes").exists()


def test_init_beside_another(vade, tmp_path):
    """Who makes another memory is told that it is used from now on, and how to come back to the one before, with the notes around it."""
    (tmp_path / "My Vault").mkdir()
    (tmp_path / "My Vault" / "Tea.md").write_text("# Tea\n", encoding="utf-8")
    vade("init", "My Vault")
    vade("save", "fact", "Kettle", "--body", "Descale it with vinegar.")
    _, told, _ = vade("init", "Other")
    assert "Kettle" not in vade("list")[1]
    back = told.partition("To go back: ")[2].splitlines()[0]
    assert "1 notes are searchable" in vade(*shlex.split(back)[1:])[1]
    assert "Kettle" in vade("list")[1]
    assert "stays there" not in vade("init", "My Vault")[1]


def test_homes_apart(vade, tmp_path):
    """F5: what is in one home is listed, recalled or journaled as deleted in no other; a home that is not there is an error."""
    vade("init", "A")
    vade("save", "fact", "Kettle", "--body", "Descale it with vinegar.")
    (tmp_path / "B").mkdir()
    assert vade("--home", "B", "list")[1] == "No memories here.\n"
    vade("--home", "B", "save", "fact", "Secret plan", "--body", "The merger is planned for May.")
    assert "Nothing known" in vade("recall", "merger planned for May")[1]
    for words in (("sync",), ("--home", "B", "sync")):
        assert "0 gone, 1 unchanged" in vade(*words)[1]
    assert "Kettle" in vade("list")[1]
    assert "Secret plan" not in vade("list")[1]
    assert vade("--home", "C", "list")[0] == 10
    assert not (tmp_path / "C").exists()


def test_wrong_setting_is_told(vade, monkeypatch):
    """Commands refuse a value that no setting takes; `vade status` goes on with the default and names it."""
    vade("init", "A")
    for name, value in (("PROFILE", "nope"), ("EMBEDDER", "nope"), ("PORT", "99999"), ("PROMPT_LIMIT", "-3")):
        with monkeypatch.context() as set_now:
            set_now.setenv(f"VADEMECUM_{name}", value)
            said = f"Setting {name.lower()} is '{value}' (VADEMECUM_{name} in the environment)"
            code, _, err = vade("list")
            assert (code, said in err) == (3, True)
            code, out, _ = vade("status")
            assert (code, f"degraded   setting: {said}" in out) == (0, True)


def test_settings_tell_where_from(vade, tmp_path):
    """`vade settings` says where each value was set, one line each under the title of its group."""
    vade("init", "A")
    out = vade("settings")[1]
    rows = {line.split()[0]: line.split()[1:3] for line in out.splitlines() if line.startswith("  ")}
    assert rows["home"] == [str(tmp_path / "A"), "file"]
    assert rows["embedder"] == ["none", "environment"]
    assert rows["prompt_limit"] == ["5", "default"]
    assert str(tmp_path / "config.toml") in out
    assert f"({tmp_path / 'config.toml'})" in vade("settings", "explain", "home")[1]
    assert "(VADEMECUM_EMBEDDER in the environment)" in vade("settings", "explain", "embedder")[1]


def test_commands_need_no_network():
    """A command that asks no other machine is loaded without HTTP and mail, and finds the garbage collector on."""
    code = (
        "import gc, sys\n"
        "from vademecum.entrypoints.cli import cli, entry\n"
        "loaded, cli.run = set(sys.modules), lambda arguments: 0 if gc.isenabled() else 1\n"
        "entry.through_helper.run = lambda arguments: None\n"
        "sys.argv = ['vade', 'list']\n"
        "try:\n"
        "    entry.main()\n"
        "finally:\n"
        "    print(*loaded)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"urllib.request", "http.client", "email.message", "uvicorn", "mcp"} & set(done.stdout.split())
