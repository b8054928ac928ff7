"""The real Claude Code looks at the plugin and the marketplace as strictly as it can, and runs what it brings."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.real.memories import logs
from tests.real.model_api import ModelApi
from tests.real.person import Claude, Program
from tests.real.programs import claude_code, command_of
from tests.real.test_real_proof import MATCHING, OTHER_MATCHING, UNRELATED, change, counts
from vademecum.adapters.hosts.all_hosts import hosts
from vademecum.adapters.hosts.own_settings import hooks_off
from vademecum.adapters.hosts.places import host_folders

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
@pytest.mark.parametrize("folder", [ROOT, ROOT / "plugins" / "vademecum"], ids=["marketplace", "plugin"])
def test_claude_code_accepts(folder, tmp_path):
    """`claude plugin validate --strict` has nothing to say against it, and finds the skills, the hooks and the MCP server."""
    environment = {**os.environ, "HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path)}
    done = subprocess.run(
        [*command_of(claude_code), "plugin", "validate", str(folder), "--strict"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if folder != ROOT:
        assert all(
            part in done.stdout for part in ("vademecum:recall", "vademecum:remember", "mcpServers: vademecum", "hooks: Stop")
        )


def registration(claude: Program) -> dict[str, str]:
    """What `vade doctor` says of how Claude Code comes to call us."""
    told = claude.person.typed("doctor", "--json").stdout
    found: dict[str, str] = next(one for one in json.loads(told)["checks"] if one["id"] == "host.claude-code.registration")
    return found


@pytest.mark.slow
def test_session_with_the_plugin(light_memory, claude: Claude, model_api: ModelApi):
    """Installed from the marketplace, without `vade install`, the plugin briefs, recalls and offers the tools; with both there, each
    thing is still told once (X-46), and `vade doctor` says so."""
    for arguments in (["marketplace", "add", str(ROOT)], ["install", "vademecum@vademecum"]):
        ran = claude.run("plugin", *arguments)
        assert ran.code == 0, ran
    session = claude.ask(UNRELATED).session
    assert counts(model_api) == {"briefed": 1, "database": 0, "reading": 0}, logs(claude.person)
    told = claude.ask(MATCHING, resume=session)
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 0}, logs(claude.person)
    assert "mcp__plugin_vademecum_vademecum__recall_memory" in told.stdout
    assert "vademecum:recall" in told.stdout
    assert registration(claude) | {"id": ""} == {
        "id": "", "status": "ok", "details": "By the plugin vademecum@vademecum", "hint": "",
    }  # fmt: skip

    claude.person.vade("install", "claude-code")
    claude.ask(OTHER_MATCHING)
    assert counts(model_api) == {"briefed": 1, "database": 0, "reading": 1}, logs(claude.person)
    assert registration(claude)["status"] == "warn"


@pytest.mark.slow
def test_plugin_switched_off(light_memory, claude: Claude, model_api: ModelApi):
    """A plugin that the person disabled runs no hook, and `vade doctor` sees that it does not."""
    for arguments in (
        ["marketplace", "add", str(ROOT)],
        ["install", "vademecum@vademecum"],
        ["disable", "vademecum@vademecum"],
    ):
        assert claude.run("plugin", *arguments).code == 0
    claude.ask(MATCHING)
    assert counts(model_api) == {"briefed": 0, "database": 0, "reading": 0}
    assert registration(claude)["status"] in ("warn", "skip")


def silence(program: Program) -> None:
    """The program's own setting that switches off every hook."""
    if program.name == "codex":
        config = program.hooks_file.with_name("config.toml")
        config.write_text(config.read_text("utf-8") + "\n[features]\nhooks = false\n", "utf-8")
        return
    setting = '"disableAllHooks": true' if program.name == "claude-code" else '"hooksConfig": {"enabled": false}'
    change(program.hooks_file, '"hooks": {', f'{setting},\n  "hooks": {{')


@pytest.mark.slow
@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
def test_hooks_switched_off_in_the_program(request, light_memory, name, model_api: ModelApi):
    """X-17: with that setting the registered hooks never run, and what `vade doctor` looks for is that setting."""
    program: Program = request.getfixturevalue(name)
    program.person.vade("install", program.name)
    folders = host_folders(program.person.env)
    assert hooks_off(hosts()[program.name], folders) == ""
    silence(program)
    assert program.ask(MATCHING).code == 0
    assert counts(model_api) == {"briefed": 0, "database": 0, "reading": 0}
    assert hooks_off(hosts()[program.name], folders)
