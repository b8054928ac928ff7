"""The command line as such: exit codes, help, JSON, and the page that documents it."""

import hashlib
import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vademecum.doors import cli
from vademecum.doors.reference import commands_page, http_page, mcp_page
from vademecum.doors.verbs import REQUIRED, VERBS
from vademecum.model import errors
from vademecum.model.errors import VademecumError

ROOT = Path(__file__).parent.parent.parent
VAULTS = ROOT.parent / "shared" / "data" / "vaults"
ERRORS = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, VademecumError)]

#: Arguments by position with which each verb that needs some works on the memory `Kettle`.
MESSAGES = '[{"role": "user", "text": "Build the shop."}]'
SAID = [("user", "Please plan the garden."), ("agent", "Potatoes."), ("user", "And beans."), ("agent", "Beans behind them.")]
GIVEN = {
    "migrate": ["Notes"],
    "observe": ["Reads", "mail", "at", "noon."], "style add": ["email", "Be formal."], "style remove": ["Manner"],
    "style update": ["Manner", "--importance", "0.9"], "update-soul": ["value", "I", "am", "patient."],
    "idea add": ["Boat"], "idea research": ["Sloop"], "idea promote": ["Sloop"],
    "queue drop": ["t"],
    "sql": ["SELECT text FROM facts"], "settle": ["Lid"], "doubts": [],
    "forget": ["Kettle", "--dry-run"],
    "save": ["fact", "Bicycle"], "evolve": ["Kettle", "better", "--body", "New."], "supersede": ["Kettle", "Teapot"],
    "link": ["Kettle", "related", "Teapot"], "recall": ["descale", "kettle"], "search": ["kettle"], "bundle": ["kettle"],
    "edit": ["Kettle", "--body", "Changed."], "move": ["Kettle", "--kind", "lesson"], "capture": [], "process": [],
    "save-conversation": ["claude-ai", "--messages", '[{"role": "user", "content": "Hello."}]'],
    "close-conversation": ["WAITING"], "confirm-conversation": ["WAITING"], "mark": [], "review": ["Teapot", "approve"],
    "review-all": ["reject"],
    "sessions exclude": [], "sessions include": ["t"],
    "sessions show": ["t"], "sessions search": ["kettle"], "sessions export": ["t"], "sessions restore": ["t", "--to", "b.jsonl"],
    "working-set": ["t"], "handoff": ["t"], "checkpoint": ["dev", "--messages", MESSAGES], "recover": ["dev"], "sleep": ["dev"],
    "sync-checkpoints": ["."], "add-source": ["Other.md"], "remove-source": ["Note.md"],
}  # fmt: skip


@pytest.fixture
def vade(tmp_path, monkeypatch, capfd):
    """Runs a command line: (exit code, standard output, standard error)."""
    for name in [name for name in os.environ if name.startswith("VADEMECUM_")]:
        monkeypatch.delenv(name)
    values = {"CONFIG": "config.toml", "DATA_DIR": "data", "CACHE_DIR": "cache"}
    for name, value in values.items():
        monkeypatch.setenv(f"VADEMECUM_{name}", str(tmp_path / value))
    monkeypatch.setenv("VADEMECUM_EMBEDDER", "none")
    monkeypatch.setenv("VADEMECUM_QUICK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)

    def typed(*words):
        code = cli.run(list(words))
        said = capfd.readouterr()
        return code, said.out, said.err

    return typed


@pytest.mark.parametrize("words", [
    [], ["nonsense"], ["--nonsense"], ["save"], ["save", "fact"], ["show"], ["evolve", "a", "b"], ["list", "--limit", "x"],
    ["recall"], ["recall", "--profile"], ["link", "a", "eats", "b"], ["bench"], ["bench", "recall"], ["init"],
    ["save", "fact", "x", "--confidence", "total"],
], ids=" ".join)  # fmt: skip
def test_usage(vade, words):
    """X-34: a command line that is not understood ends with 64, never with 2, which a host takes as a wish to erase the prompt."""
    code, out, err = vade(*words)
    assert code == 64
    assert "Traceback" not in out + err
    assert "Usage: vade" in out + err or "Error: " in err


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_error_classes(vade, monkeypatch, kind):
    """Each sort of error shows its sentence and its hint and ends with its own code; as JSON it is one object."""
    error = VademecumError.__new__(kind)
    VademecumError.__init__(error, "The kettle is empty.", "Fill it with: vade fill")

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(cli, "open_memory", fail)
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


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_help(vade, verb):
    """Each verb explains itself and each of its options."""
    code, out, _ = vade(*verb.name.split(), "--help")
    assert code == 0
    assert verb.meaning.split(";")[0].split(".")[0][:30] in " ".join(out.split())
    for param in verb.params:
        assert (f"--{param.name.replace('_', '-')}" in out) or (param.place and param.name.upper() in out)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_json(vade, verb, tmp_path, monkeypatch):
    """With --json each verb prints exactly one JSON object on one line, and nothing else."""
    monkeypatch.setenv("VADEMECUM_LLM", "openai:small")
    monkeypatch.setenv("VADEMECUM_LLM_URL", "nowhere")
    (tmp_path / "Notes" / ".obsidian").mkdir(parents=True)
    for name in ("Note", "Other"):
        (tmp_path / "Notes" / f"{name}.md").write_text("We decided to use Helix.\n")
    vade("init", "Notes")
    vade("save", "fact", "Kettle", "--body", "Descale the kettle.")
    vade("save", "fact", "Teapot", "--body", "Rinse the teapot.")
    vade("idea", "Sloop")
    vade("save", "style", "Manner", "--body", "Be brief.")
    monkeypatch.setenv("VADEMECUM_RESEARCH", "1")
    vade("save", "fact", "Lid", "--body", "The lid is kept in the red box.")
    vade("save", "fact", "The lid", "--body", "The lid is kept in the blue box.")
    vade("recall", "kettle")
    vade("edit", "Teapot", "--set", "status=inbox")
    vade("add-source", "Note.md")
    said = ["--messages", '[{"role": "user", "content": "The kettle hums."}]', "--json"]
    vade("save-conversation", "claude-ai", *said)
    waiting = json.loads(vade("save-conversation", "chatgpt", *said)[1])["conversation_id"]
    needed = ["Kettle"] if any(param.default is REQUIRED and param.name == "ref" for param in verb.params) else []
    words = [waiting if word == "WAITING" else word for word in GIVEN.get(verb.name, needed)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"role": role, "text": text}) + "\n" for role, text in SAID))
    vade("capture", "t.jsonl")
    vade("checkpoint", "dev", "--messages", MESSAGES)
    code, out, err = vade(*verb.name.split(), *words, "--json")
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    answer = json.loads(out)
    assert isinstance(answer, dict)
    assert "error" not in answer


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
        assert f"## vade {verb.name}\n" in page
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
