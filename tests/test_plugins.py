"""The plugins in `plugins/` are what the tables of the hosts say. That Claude Code accepts them: tests/real/test_real_plugin.py."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from vademecum import __version__
from vademecum.adapters.hosts.claude_code import SHARED_WORD, ClaudeCode, groups
from vademecum.entrypoints.mcp.tools import all_tools
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.verbs.verb import with_flags

ROOT = Path(__file__).parent.parent
PLUGIN = ROOT / "plugins" / "vademecum"
COMMAND = f'python3 -I -S "${{CLAUDE_PLUGIN_ROOT}}/hooks/run.py" {SHARED_WORD} || exit 0'
#: Fields that the portable form knows (agent-plugins.org 1.0.0); it takes no others.
PORTABLE = {"$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords"}


def loaded(path):
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def test_hooks_as_the_table():
    """The plugin registers what `vade install claude-code` registers, with the same waiting times."""
    wanted = groups(ClaudeCode().registered(), {"command": COMMAND}).entries
    assert loaded("plugins/vademecum/hooks/hooks.json")["hooks"] == {event: [group] for event, group in wanted.items()}


def test_manifests_agree():
    """Both forms, the marketplace and the package are of one name and version."""
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    portable, claude = loaded("plugins/vademecum/plugin.json"), loaded("plugins/vademecum/.claude-plugin/plugin.json")
    assert {portable["version"], claude["version"], package["version"]} == {__version__}
    assert {portable["name"], claude["name"], package["name"]} == {"vademecum"}
    assert portable["license"] == claude["license"] == package["license"]
    assert set(portable) <= PORTABLE and portable["$schema"].endswith("/1.0.0/plugin.schema.json")
    (listed,) = loaded(".claude-plugin/marketplace.json")["plugins"]
    assert (listed["name"], (ROOT / listed["source"]).resolve()) == ("vademecum", PLUGIN)
    portable_servers = loaded("plugins/vademecum/mcp.json")
    assert portable_servers["$schema"].endswith("/1.0.0/mcp.schema.json")
    server = loaded("plugins/vademecum/.mcp.json")["mcpServers"]["vademecum"]
    assert portable_servers["mcpServers"] == {"vademecum": {"type": "stdio", **server}}


#: Manifest of another host -> its required fields. Checked here once with skillsaw 0.22, which carries the published schemas.
MANIFESTS = {
    "plugins/vademecum/.codex-plugin/plugin.json": {"name", "version", "description", "skills", "mcpServers", "interface"},
    "plugins/vademecum/.cursor-plugin/plugin.json": {"name", "version", "description", "skills", "mcpServers", "hooks"},
    "gemini-extension.json": {"name", "version", "mcpServers"},
}


@pytest.mark.parametrize("path", MANIFESTS)
def test_manifest_of_another_host(path):
    """Each has the fields that its host requires, our name and version, paths that exist, and starts our server."""
    manifest = loaded(path)
    assert MANIFESTS[path] <= set(manifest)
    assert (manifest["name"], manifest["version"]) == ("vademecum", __version__)
    for field in ("skills", "hooks", "mcpServers"):
        if isinstance(manifest.get(field), str):
            assert manifest[field].startswith("./") and (PLUGIN / manifest[field]).exists()
    servers = manifest["mcpServers"]
    servers = servers if isinstance(servers, dict) else json.loads((PLUGIN / servers).read_text("utf-8"))["mcpServers"]
    assert servers == {"vademecum": {"command": "vade", "args": ["mcp"]}}


@pytest.mark.parametrize(("host", "none"), [("cursor", {"version": 1, "hooks": {}}), ("codex", {"hooks": {}})])
def test_no_other_host_takes_hooks_of_claude(host, none):
    """Cursor and Codex would read hooks/hooks.json, which speaks for Claude Code, if their manifests named no file of their own."""
    hooks = json.loads((PLUGIN / loaded(f"plugins/vademecum/.{host}-plugin/plugin.json")["hooks"]).read_text("utf-8"))
    assert hooks == none


@pytest.mark.parametrize(
    "path", [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json", ".cursor-plugin/marketplace.json"]
)
def test_marketplaces_name_the_plugin(path):
    """Each marketplace lists the one plugin and the folder that it is in."""
    (listed,) = loaded(path)["plugins"]
    source = listed["source"] if isinstance(listed["source"], str) else listed["source"]["path"]
    assert (listed["name"], (ROOT / source).resolve()) == ("vademecum", PLUGIN)


def test_mcp_registry_entry():
    """server.json names what the registry requires, this version, and the name that README proves the ownership of."""
    entry = loaded("server.json")
    (package,) = entry["packages"]
    assert {"$schema", "name", "description", "version"} <= set(entry) and len(entry["description"]) <= 100
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert (package["registryType"], package["identifier"], package["transport"]) == ("pypi", "vademecum", {"type": "stdio"})
    assert entry["version"] == package["version"] == __version__
    assert f"mcp-name: {entry['name']} " in (ROOT / "README.md").read_text("utf-8")


def test_llms_txt():
    """llms.txt has a title, a summary and sections of links to pages that exist."""
    lines = (ROOT / "llms.txt").read_text("utf-8").splitlines()
    assert lines[0].startswith("# ") and lines[2].startswith("> ")
    linked = [link for line in lines for link in re.findall(r"^- \[.+?\]\((.+?)\): .+$", line)]
    assert len(linked) > 8 and all((ROOT / link).is_file() for link in linked)


@pytest.mark.parametrize("name", ["recall", "remember", "review-memory"])
def test_skill(name):
    """A skill says what it is for within what hosts show of it, uses portable fields only, and names commands that exist."""
    text = (PLUGIN / "skills" / name / "SKILL.md").read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("---\n")[1])
    assert set(head) == {"name", "description", "allowed-tools"} and head["name"] == name
    assert 80 < len(head["description"]) <= 1024
    from vademecum.entrypoints.cli.cli import commands  # noqa: PLC0415

    for command in re.findall(r"`vade ([a-z-]+)", text):
        assert command in commands().commands


@pytest.mark.parametrize("name", ["recall", "remember", "review-memory"])
def test_skill_tools(name):
    """MV-62: a skill may use without asking what reads files, tools of ours that exist, and `vade` verbs that exist; no shell
    otherwise, nothing that writes files or leaves the machine, and nothing that replaces or removes a memory."""
    head = yaml.safe_load((PLUGIN / "skills" / name / "SKILL.md").read_text(encoding="utf-8").split("---\n")[1])
    harmless = {tool.name for tool in all_tools().values() if not tool.destroys}
    harmless |= {"review_inbox"}  # which decides as the person says
    servers = ("plugin_vademecum_vademecum", "vademecum")  # as the plugin registers it, and as `vade install` does
    ours = {f"mcp__{server}__{tool}" for server in servers for tool in harmless}
    verbs = {f"Bash(vade {verb.name}:*)" for verb in with_flags(VERBS) if not verb.writes or verb.name == "save"}
    allowed = [tool.strip() for tool in head["allowed-tools"].split(",")]
    assert set(allowed) <= {"Read", "Glob", "Grep"} | ours | verbs
    assert any(tool.startswith("mcp__plugin_") for tool in allowed)


def test_license():
    """The plugin is handed on by itself, so the text of its license comes with it."""
    assert loaded("plugins/vademecum/plugin.json")["license"] == "Apache-2.0"
    text = (PLUGIN / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text[:200] and "Version 2.0" in text[:200] and "END OF TERMS AND CONDITIONS" in text


@pytest.fixture
def hook(tmp_path):
    """Runs the plugin's command as Claude Code does, with data in a folder of its own."""

    def run(data):
        environment = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]), "HOME": str(tmp_path)}
        environment |= {"CLAUDE_PLUGIN_ROOT": str(PLUGIN), "VADEMECUM_DATA_DIR": str(data)}
        return subprocess.run(["sh", "-c", COMMAND], input=b"{}", env=environment, capture_output=True, check=False)

    return run


@pytest.mark.skipif(os.name == "nt", reason="the command is for a POSIX shell")
@pytest.mark.parametrize("client", [
    None, "import sys\nsys.exit(2)", "this is no Python", "raise SystemExit('stopped')",
])  # fmt: skip
def test_x34_plugin_never_blocks(hook, tmp_path, client):
    """X-34: without `vade`, or with a client that is broken, the plugin's hook prints nothing and ends with 0."""
    if client is not None:
        (tmp_path / "hook").mkdir()
        (tmp_path / "hook" / "client.py").write_text(client, encoding="utf-8")
        (tmp_path / "hook" / "hook.conf").write_text(f"python={sys.executable}\n", encoding="utf-8")
    done = hook(tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="the command is for a POSIX shell")
def test_plugin_hands_over(hook, tmp_path):
    """The client that `vade init` placed runs with the interpreter that has the package, isolated, with the payload."""
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "client.py").write_text(
        "import sys\nprint(sys.argv[1], sys.executable, sys.flags.isolated, sys.flags.no_site, sys.stdin.read())",
        encoding="utf-8",
    )
    (tmp_path / "hook" / "hook.conf").write_text(f"data=x\npython={sys.executable}\n", encoding="utf-8")
    assert hook(tmp_path).stdout.decode().split() == [SHARED_WORD, sys.executable, "1", "1", "{}"]


#: What Hermes' own base class requires, as its file agent/memory_provider.py has it in version 0.19.0.
HERMES = """
from abc import ABC, abstractmethod

class MemoryProvider(ABC):
    name = property(abstractmethod(lambda self: ""))
    is_available = abstractmethod(lambda self: False)
    initialize = abstractmethod(lambda self, session_id, **kwargs: None)
    get_tool_schemas = abstractmethod(lambda self: [])
"""


@pytest.mark.soak
def test_hermes_provider(tmp_path, monkeypatch):
    """Hermes is given the briefing, what a prompt asks for, and its turns are saved as one conversation; without `vade`, nothing."""
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "__init__.py").write_text("")
    (tmp_path / "agent" / "memory_provider.py").write_text(HERMES)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))

    def vade(*arguments):
        done = subprocess.run(["vade", *arguments], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout

    vade("init", str(tmp_path / "Notes"))
    vade("save", "decision", "SQLite for storage", "--body", "We store everything in SQLite.", "--personal")
    spec = importlib.util.spec_from_file_location("hermes_vademecum", ROOT / "plugins" / "hermes" / "vademecum" / "__init__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    provided = []
    module.register(SimpleNamespace(register_memory_provider=provided.append))
    (provider,) = provided
    provider.initialize("s1", hermes_home=str(tmp_path), platform="cli")
    assert provider.is_available() and "SQLite for storage" in provider.system_prompt_block()
    assert "We store everything in SQLite." in provider.prefetch("what do we use for storage?")
    assert provider.prefetch("when does my passport expire?") == provider.prefetch(" ") == ""
    for said in ("The roof is red.", "The door is blue."):
        provider.sync_turn(said, "Noted.")
    provider.shutdown()
    (conversation,) = json.loads(vade("conversations", "--json"))["results"]
    said = Path(conversation["path"]).read_text("utf-8")
    assert all(text in said for text in ("The roof is red.", "The door is blue."))
    provider.initialize("s2", agent_context="cron")
    provider.sync_turn("Every hour.", "Done.")
    assert len(json.loads(vade("conversations", "--json"))["results"]) == 1
    vade("stop")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not provider.is_available() and provider.system_prompt_block() == ""
