"""The real Claude Code looks at the plugin and the marketplace as strictly as it can."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.real.programs import claude_code, command_of

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
