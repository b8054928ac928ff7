"""Hooks on Windows: `on_windows.py` replaces `sys.platform` and modules of the whole process, so it gets one of its own."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).with_name("on_windows.py")


def test_hooks_on_windows(tmp_path):
    """Prompts, the single helper, MCP and the hidden start work over a named pipe."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'own'}", str(TESTS)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=TESTS.parents[3], env=environment)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "5 passed" in ran.stdout
