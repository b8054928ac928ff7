"""Each plugin of ours is a folder that can be removed, and knows no other one."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vademecum.plugin import added

SOURCE = Path(__file__).parent.parent.parent / "src"
PLUGINS = sorted(path.name for path in (SOURCE / "vademecum" / "plugins").iterdir() if (path / "plugin.py").exists())


#: All plugins at once.
EVERY = "every"
#: Plugins whose removal `make test` tries; `make soak` tries each.
IN_EACH_RUN = {"pages", "opencode"}
#: The tests of the core that `make soak` runs without each plugin: of its stations, of saving, and of recall as a whole.
OF_THE_CORE = ("vault", "index", "extract", "guard", "reconcile", "write", "recall", "inject")


@pytest.mark.parametrize("name", PLUGINS)
def test_knows_no_other_plugin(name):
    """A plugin imports the core and itself."""
    others = tuple(f"vademecum.plugins.{other}" for other in PLUGINS if other != name)
    for path in (SOURCE / "vademecum" / "plugins" / name).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            imported = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            assert not imported.startswith(others), f"{path}: {imported}"


def test_public_names_are_used():
    """What `plugin_api` shows is what a plugin of ours or the one of the page uses: the list stays as short as it can be."""
    page = (SOURCE.parent / "docs" / "plugins.md").read_text(encoding="utf-8")
    sources = [path.read_text(encoding="utf-8") for path in (SOURCE / "vademecum" / "plugins").rglob("*.py")]
    used = set()
    for text in (*sources, re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("vademecum.plugin_api."):
                used |= {(node.module.rpartition(".")[2], alias.name) for alias in node.names}
    shown = set()
    for path in (SOURCE / "vademecum" / "plugin_api").glob("[a-z]*.py"):
        assert f"`vademecum.plugin_api.{path.stem}`" in page, f"docs/plugins.md does not list {path.stem}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("vademecum."):
                shown |= {(path.stem, alias.asname or alias.name) for alias in node.names}
    assert shown == used


#: Where the core has a word that is also a name of a plugin's host, and what it means there.
NAMED = {
    "adapters/transcripts/folders.py": "vscode-remote is a scheme of URIs",
    "adapters/llms/readers.py": "a subscription, as the person knows it",
    "adapters/repositories/docs.py": "a file of a repository, .github/copilot-instructions.md",
    "adapters/stores/device_file.py": "a cursor is how far a transcript was read",
    "adapters/stores/device_tables.py": "likewise",
    "adapters/stores/state.py": "likewise",
    "adapters/transcripts/claude_code.py": "where Claude Code runs, as it writes that",
    "adapters/transcripts/codex.py": "likewise Codex",
    "domain/conversation.py": "names that a tool may give itself, as an earlier design has them",
    "domain/project.py": "folders in which tools put work trees",
    "entrypoints/hooks/acting.py": "answers in the form of each host: this runs at each tool call and imports nothing of ours",
    "entrypoints/verbs/examples.py": "an example",
    "entrypoints/verbs/inbox.py": "likewise",
    "entrypoints/verbs/verb.py": "likewise",
    "extract/commits.py": "folders of tools",
    "settings/definitions.py": "the default of a setting, names as in domain/conversation.py",
}


def test_core_names_no_host_of_a_plugin():
    """No text in the code of the core names a host that a plugin adds."""
    names = {host.name for _, host in added("hosts")} | {form.name for _, form in added("formats")}
    word = re.compile(rf"\b(?:{'|'.join(sorted(names))})\b", re.IGNORECASE)
    assert {"gemini", "pi"} <= names
    naming = set()
    for path in (SOURCE / "vademecum").rglob("*.py"):
        relative = path.relative_to(SOURCE / "vademecum").as_posix()
        if relative.startswith("plugins/"):
            continue
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        if any(isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs and word.search(node.value)
               for node in nodes):  # fmt: skip
            naming.add(relative)
    assert naming == NAMED.keys()


def removed(name):
    """The plugins whose folders are removed."""
    return PLUGINS if name == EVERY else [name]


def copy_without(name, folder):
    """A copy of the source in `folder/src`, without the folder of one plugin, or of every one."""
    shutil.copytree(SOURCE, folder / "src", ignore=shutil.ignore_patterns("__pycache__", "weights"))
    weights = Path("vademecum", "adapters", "embedders", "weights")
    (folder / "src" / weights).symlink_to(SOURCE / weights)  # 80 MB that nobody changes
    for plugin in removed(name):
        shutil.rmtree(folder / "src" / "vademecum" / "plugins" / plugin)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in IN_EACH_RUN else pytest.mark.soak) for name in (*PLUGINS, EVERY)]
)
def test_works_without(name, tmp_path):
    """Without the folder of a plugin the program starts, saves, recalls, does its jobs and demo; doctor reports no failure of it."""
    copy_without(name, tmp_path)
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(tmp_path / "src"),
        "VADEMECUM_EMBEDDER": "none",
        "VADEMECUM_DATA_DIR": str(tmp_path / "data"),
    }

    def vade(*arguments: str, fails: bool = False, program: tuple[str, ...] = ("-m", "vademecum")) -> str:
        command = [sys.executable, *program, *arguments]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert fails or done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    loaded = vade("-c", "from vademecum.plugin import plugins; print([plugin.name for plugin in plugins()])", program=())
    assert [other for other in PLUGINS if other not in removed(name)] == ast.literal_eval(loaded)
    assert "More, explained by" in vade("--help")
    vade("init", str(tmp_path / "memory"))
    with next(tmp_path.rglob("config.toml")).open("a", encoding="utf-8") as config:
        config.write("plugins.of_what_is_gone = 1\n")
    vade("save", "decision", "Postgres for storage", "--body", "Its JSON columns are enough.")
    assert "Postgres for storage" in vade("recall", "what do we use for storage?")
    vade("jobs", "run")
    vade("demo")
    assert f"plugins.{name}" not in vade("doctor", fails=True)


@pytest.mark.soak
@pytest.mark.parametrize("name", [*PLUGINS, EVERY])
def test_core_passes_without(name, tmp_path):
    """Without the folder of a plugin the tests of the core pass."""
    copy_without(name, tmp_path)
    root = SOURCE.parent
    shutil.copytree(root / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    for needed in ("pyproject.toml", "tools", "docs", "benchmarks"):
        (tmp_path / needed).symlink_to(root / needed)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow and not soak"]
    paths = [f"tests/{folder}" for folder in OF_THE_CORE]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path / "src"), str(tmp_path)))}
    done = subprocess.run([*command, *paths], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


def test_table_is_true():
    """The page lists each plugin of ours once, and says what is lost without it."""
    page = (SOURCE.parent / "docs" / "plugins.md").read_text(encoding="utf-8").partition("## Plugins of ours")[2]
    assert re.findall(r"^\| `(\w+)` \| \S.* \|$", page, re.MULTILINE) == PLUGINS
