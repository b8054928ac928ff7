"""A memory with the hook client installed, as `vade install` leaves it, and calls of that client as a host makes them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vademecum import settings as settings_module
from vademecum.entrypoints.daemon.call import call
from vademecum.entrypoints.hooks.place import write_client
from vademecum.wiring import open_memory

KNOWN = {
    "Where the kettle service runs": "The kettle service listens on port 4417 of the harbour machine.",
    "Backups of the orchard database": "Backups of the orchard database run at three in the morning, to the cellar disk.",
    "Deploying the lighthouse site": "Deploy the lighthouse site with make beam, never by hand.",
}
ABOUT_KETTLE = "Which port does the kettle service listen on?"
ABOUT_NOTHING = "How do I braise fennel with saffron and oranges?"


class Installed:
    """One installation in temporary folders."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "config.toml"
        self.data = folder / "data"
        (folder / "work").mkdir()
        (folder / "home").mkdir()
        self.configure()
        self.at_first = self.settings
        with open_memory(self.settings) as memory:
            for title, text in KNOWN.items():
                memory.notes.save("fact", title, text)
            memory.notes.save("preference", "Short answers", "The user prefers short answers.")
        self.client = write_client(self.settings, self.config)

    def configure(self, **more: str) -> None:
        lines = {
            "home": f'"{self.folder / "home"}"',
            "data_dir": f'"{self.data}"',
            "cache_dir": f'"{self.folder / "cache"}"',
            "port": "0",
            "transcripts": f'["{self.folder / "transcripts"}"]',
            "embedder": '"none"',
            **more,
        }
        self.config.write_text("".join(f"{name} = {value}\n" for name, value in lines.items()))

    @property
    def settings(self):
        return settings_module.load(config=self.config, environment={})

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("VADEMECUM", "XDG", "CLAUDE"))}
        return {**kept, "HOME": str(self.folder), **more}

    def hook(self, payload: bytes | dict, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """The client as a host runs it."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return subprocess.run(
            [sys.executable, "-I", "-S", str(self.client), *(arguments or ("claude-code",))],
            input=data,
            capture_output=True,
            cwd=self.folder / "work",
            env=self.environment(**environment),
            check=False,
        )

    def told(self, event: str, session: str = "s1", **fields: str) -> str:
        """The text that the agent gets."""
        done = self.hook({"hook_event_name": event, "session_id": session, "cwd": str(self.folder / "work"), **fields})
        assert done.returncode == 0
        assert done.stderr == b""
        if not done.stdout:
            return ""
        return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]

    def started(self, session: str = "s1", source: str = "startup") -> str:
        return self.told("SessionStart", session, source=source)

    def prompted(self, prompt: str, session: str = "s1", **fields: str) -> str:
        return self.told("UserPromptSubmit", session, prompt=prompt, **fields)

    def log(self) -> list[dict]:
        """Lines of the log, oldest first."""
        files = sorted((self.data / "log").glob("hooks-*.jsonl"))
        return [json.loads(line) for path in files for line in path.read_text().splitlines()]

    def conf(self, **values: str) -> None:
        """Change lines of the client's file."""
        path = self.client.with_name("hook.conf")
        lines = [line for line in path.read_text().splitlines() if line.partition("=")[0] not in values]
        path.write_text("\n".join([*lines, *(f"{name}={value}" for name, value in values.items())]) + "\n")

    def begin(self, line: str) -> None:
        """Have the client run a line of Python before all it does: what another system lacks."""
        self.client.write_text(self.client.read_text().replace("import sys\n", f"import sys\n{line}\n", 1))

    def no_helper(self) -> None:
        """Let no helper come up: what hooks would start is a program that does nothing."""
        self.conf(python="/bin/true")

    def patient(self) -> None:
        """Let hooks wait for a helper, however busy the machine is. They run from a copy, because a helper writes its client anew."""
        copy = self.folder / "hook"
        if not copy.exists():
            shutil.copytree(self.client.parent, copy)
            self.client = copy / self.client.name
        self.conf(deadline_ms="60000")


@pytest.fixture
def installed(tmp_path):
    one = Installed(tmp_path)
    yield one
    call(one.at_first, "stop")
