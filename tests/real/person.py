"""A person with an empty home, and the programs that they run in it."""

import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from tests.real.model_api import ModelApi
from vademecum.entrypoints.cli import cli

#: No program needs a tenth of this. It only ends a test that would hang for ever.
RUN_LIMIT_S = 180

#: A key of the stand-in.
ANTHROPIC_KEY = "sk-not-a-key"

#: How long processes get to notice that they should end.
END_LIMIT_S = 20


class Ran(Struct, frozen=True):
    """How one run of a program ended.

    Attributes:
        session: the program's id of the conversation; "" when it told none.
        reply: what the agent said last; "" when it was never asked.
    """

    code: int
    stdout: str
    stderr: str
    session: str = ""
    reply: str = ""

    def __str__(self) -> str:
        return f"exit code {self.code}\n{self.stdout}\n{self.stderr}"


class Person:
    """A home folder with nothing in it, and an environment that leads nowhere else.

    Attributes:
        home: short path, because a Unix socket below it may have 104 characters at most.
        work: where the person works; not a repository.
        env: all that a program sees. The way out of the machine is `api`, which refuses.
    """

    def __init__(self, home: Path, api: ModelApi) -> None:
        self.home = home
        self.api = api
        self.work = home / "work"
        self.env = {
            "HOME": str(home),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "TMPDIR": str(home / "tmp"),
            "DO_NOT_TRACK": "1",
        }
        for folder in ("config", "data", "cache", "state", "runtime"):
            path = home / "xdg" / folder
            path.mkdir(parents=True, mode=0o700)
            self.env["XDG_RUNTIME_DIR" if folder == "runtime" else f"XDG_{folder.upper()}_HOME"] = str(path)
        for name in ("http_proxy", "https_proxy"):
            self.env |= {name: api.url, name.upper(): api.url}
        self.env |= {"no_proxy": "127.0.0.1,localhost", "NO_PROXY": "127.0.0.1,localhost"}
        if "PYTHONPATH" in os.environ:  # the tests may run on a source folder that is not installed
            paths = os.environ["PYTHONPATH"].split(os.pathsep)
            self.env["PYTHONPATH"] = os.pathsep.join(str(Path(path).resolve()) for path in paths)
        self.work.mkdir()
        (home / "tmp").mkdir()

    def run(
        self, command: Sequence[str], *, cwd: Path | None = None, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run to its end, whatever its exit code. `env` adds to the person's own."""
        return subprocess.run(
            command,
            cwd=cwd or self.work,
            env=self.env | dict(env or {}),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=RUN_LIMIT_S,
            check=False,
        )

    def vade(self, *arguments: str) -> str:
        """Run our own command line; what it printed. It has to succeed."""
        ran = self.typed(*arguments)
        assert ran.code == 0, f"vade {' '.join(arguments)}: {ran}"
        return ran.stdout

    def typed(self, *arguments: str) -> Ran:
        """Run our own command line in this process, which has the person's environment and folder meanwhile: to start Python and load
        all of ours takes longer than most commands."""
        environment, folder = dict(os.environ), Path.cwd()
        out, err = io.StringIO(), io.StringIO()
        _replace_environment(self.env)
        os.chdir(self.work)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = cli.run(list(arguments))
        finally:
            os.chdir(folder)
            _replace_environment(environment)
        return Ran(code, out.getvalue(), err.getvalue())

    def processes(self) -> dict[int, str]:
        """Command line by id of every process that lives in this home, ours or a program's. Empty where there is no /proc."""
        return dict(_with_environment(f"HOME={self.home}"))

    def left_over(self) -> dict[int, str]:
        """What is still running after everything had the time to end. It is killed, so that no test disturbs the next."""
        running = self.alone_within(END_LIMIT_S)
        for process in running:
            self.kill(process)
        return running

    def alone_within(self, limit_s: float) -> dict[int, str]:
        """Wait so many seconds at most for everything to end; what is still running."""
        deadline = time.monotonic() + limit_s
        while (running := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return running

    def kill(self, process: int) -> None:
        """End a process of this home at once."""
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            return


def _replace_environment(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


def _with_environment(entry: str) -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if entry.encode() in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name), (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:  # it ended meanwhile, or is somebody else's
            continue


@dataclass
class Program:
    """A host that runs in a person's home and asks the stand-in instead of a model.

    Attributes:
        start: command line to start it with.
        options: further arguments of every run.
    """

    person: Person
    start: list[str]
    options: list[str] = field(default_factory=list)

    #: Its name in `vade install NAME`.
    name: ClassVar[str]
    #: Events it runs a hook for in a plain session, in order: start, prompt, pause, end.
    events: ClassVar[tuple[str, str, str, str]]
    #: What it shows in a terminal when it waits for a prompt.
    ready: ClassVar[str]
    #: What a second of a hook's timeout is, in its configuration.
    second: ClassVar[int] = 1

    def __post_init__(self) -> None:
        self._set_up()

    def ask(self, prompt: str, *, resume: str = "", cwd: Path | None = None) -> Ran:
        """One prompt, without a terminal. `resume` is the session to go on with."""
        done = self.person.run(self._command(prompt, resume), cwd=cwd, env=self._environment())
        session, reply = self._read(done.stdout)
        return Ran(done.returncode, done.stdout, done.stderr, session, reply)

    def talk(self, *said: tuple[str, str]) -> str:
        """Hold a conversation in a terminal: type each prompt, wait for its reply, and leave. The session.

        Args:
            said: (prompt, reply) pairs; no reply may stand in what the program shows before it.
        """
        self._move_in()
        known = set(self._transcripts())
        from tests.real.terminal import Terminal  # noqa: PLC0415 - there are none on Windows

        with Terminal(self._in_terminal(), cwd=self.person.work, env=self.person.env | self._environment()) as terminal:
            terminal.wait(lambda: terminal.shows(self.ready))
            for prompt, reply in said:
                terminal.type(prompt)
                terminal.wait(partial(terminal.shows, reply))
            terminal.end()
        (path,) = set(self._transcripts()) - known
        return path.stem[-len("01234567-89ab-cdef-0123-456789abcdef") :]

    def run(self, *arguments: str) -> Ran:
        """Any other command of the program."""
        done = self.person.run([*self.start, *arguments], env=self._environment())
        return Ran(done.returncode, done.stdout, done.stderr)

    def hook(self, command: str, *events: str, timeout_s: int = 60) -> None:
        """Write a configuration in which each of `events` (all of `self.events` when none is named) runs `command`."""
        entry = {"type": "command", "command": command, "timeout": timeout_s * self.second}
        hooks = {event: [{"hooks": [entry]}] for event in events or self.events}
        path = self.hooks_file
        known = json.loads(path.read_text("utf-8")) if path.exists() else {}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(known | {"hooks": known.get("hooks", {}) | hooks}), "utf-8")

    @property
    def hooks_file(self) -> Path:
        """Where it reads a person's hooks."""
        raise NotImplementedError

    def written(self, session: str) -> str:
        """What it wrote of the conversation: one file, or another one for each minute in which a session of Gemini CLI goes on."""
        found = sorted(path for path in self._transcripts() if session in path.name)
        assert found, f"no transcript of {session}"
        return "".join(path.read_text("utf-8") for path in found)

    def _set_up(self) -> None:
        """Leave in the home what the program cannot run without."""

    def _environment(self) -> dict[str, str]:
        """What only the program needs of an environment: its model, its manners."""
        return {}

    def _command(self, prompt: str, resume: str) -> list[str]:
        raise NotImplementedError

    def _move_in(self) -> None:
        """Leave in the home what a person has answered when they first started it in a terminal."""
        raise NotImplementedError

    def _in_terminal(self) -> list[str]:
        """Command line for a terminal."""
        raise NotImplementedError

    def _read(self, stdout: str) -> tuple[str, str]:
        """(session, reply) from what it printed."""
        raise NotImplementedError

    def _transcripts(self) -> Iterator[Path]:
        raise NotImplementedError


class Claude(Program):
    """Claude Code, in print mode or in a terminal."""

    name = "claude-code"
    ready = "auto mode on"
    events = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")

    def _environment(self) -> dict[str, str]:
        quiet = (
            "DISABLE_AUTOUPDATER",
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL",
        )
        api = {"ANTHROPIC_BASE_URL": self.person.api.url, "ANTHROPIC_API_KEY": ANTHROPIC_KEY}
        return dict.fromkeys(quiet, "1") | api

    @property
    def folder(self) -> Path:
        """Its configuration and its transcripts."""
        return Path(self.person.env.get("CLAUDE_CONFIG_DIR", self.person.home / ".claude"))

    @property
    def hooks_file(self) -> Path:
        return self.folder / "settings.json"

    def _command(self, prompt: str, resume: str) -> list[str]:
        going_on = ["--resume", resume] if resume else []
        return [*self.start, "--print", "--output-format", "stream-json", "--verbose", *going_on, *self.options, prompt]

    def _move_in(self) -> None:
        path = self.person.home / ".claude.json"
        known = json.loads(path.read_text("utf-8")) if path.exists() else {}
        answered = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [ANTHROPIC_KEY], "rejected": []},
            "projects": {str(self.person.work): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        }
        path.write_text(json.dumps(known | answered), "utf-8")

    def _in_terminal(self) -> list[str]:
        return [*self.start, *self.options]

    def _read(self, stdout: str) -> tuple[str, str]:
        told = _objects(stdout)
        return (told[-1].get("session_id", ""), told[-1].get("result", "")) if told else ("", "")

    def _transcripts(self) -> Iterator[Path]:
        return (self.folder / "projects").glob("*/*.jsonl")


class Codex(Program):
    """Codex, in exec mode or in a terminal. What it needs to know of the stand-in stands on the command line: its home stays empty.

    Attributes:
        trusting: hooks run without the person having reviewed them, which nobody can do without a terminal.
    """

    name = "codex"
    ready = "gpt-5.1"
    trusting = True
    events = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")

    @property
    def folder(self) -> Path:
        """Its configuration and its rollouts."""
        return Path(self.person.env.get("CODEX_HOME", self.person.home / ".codex"))

    @property
    def hooks_file(self) -> Path:
        return self.folder / "hooks.json"

    def _environment(self) -> dict[str, str]:
        return {"STAND_IN_KEY": "not-a-key"}

    def _command(self, prompt: str, resume: str) -> list[str]:
        options = ["--json", "--skip-git-repo-check", *self._manners()]
        return [*self.start, "exec", *(["resume", *options, resume] if resume else options), prompt]

    def _move_in(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.person.api.news.add("CONNECT raw.githubusercontent.com:443")  # announcements
        with (self.folder / "config.toml").open("a", encoding="utf-8") as config:
            config.write(f'\n[projects.{json.dumps(str(self.person.work))}]\ntrust_level = "trusted"\n')

    def _in_terminal(self) -> list[str]:
        return [*self.start, "--no-daemon", *self._manners()]

    def _manners(self) -> list[str]:
        """Options of every run."""
        provider = f'name="stand-in", base_url="{self.person.api.url}/v1", wire_api="responses", env_key="STAND_IN_KEY"'
        config = (
            f"model_providers.stand-in={{{provider}, request_max_retries=0, stream_max_retries=0}}",
            'model_provider="stand-in"',
            'model="gpt-5.1"',
            "analytics.enabled=false",
            "check_for_update_on_startup=false",
            "features.plugins=false",  # or it looks for plugins in the network
        )
        trust = ["--dangerously-bypass-hook-trust"] if self.trusting else []
        return [*trust, *self.options, *(part for value in config for part in ("-c", value))]

    def _read(self, stdout: str) -> tuple[str, str]:
        session = reply = ""
        for told in _objects(stdout):
            session = told.get("thread_id", session)
            item = told.get("item", {})
            reply = item.get("text", reply) if item.get("type") == "agent_message" else reply
        return session, reply

    def _transcripts(self) -> Iterator[Path]:
        return (self.folder / "sessions").glob("*/*/*/rollout-*.jsonl")


class Gemini(Program):
    """Gemini CLI in headless mode, with the settings of somebody who has chosen an API key and nothing else.

    A model is named, or another model is asked first which one to take.
    """

    name = "gemini"
    events = ("SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd")
    second = 1000

    def _set_up(self) -> None:
        self.folder.mkdir()
        self.hooks_file.write_text(json.dumps({
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False},
            "security": {"auth": {"selectedType": "gemini-api-key"}},
        }, indent=2), "utf-8")  # fmt: skip

    @property
    def folder(self) -> Path:
        """Its configuration and its transcripts."""
        return self.person.home / ".gemini"

    @property
    def hooks_file(self) -> Path:
        return self.folder / "settings.json"

    def _environment(self) -> dict[str, str]:
        return {
            "GEMINI_API_KEY": "not-a-key",
            "GOOGLE_GEMINI_BASE_URL": self.person.api.url,
            "GEMINI_TELEMETRY_ENABLED": "false",
        }

    def _command(self, prompt: str, resume: str) -> list[str]:
        going_on = ["--resume", resume] if resume else []
        return [
            *self.start,
            "--model",
            "gemini-2.5-flash",
            "--skip-trust",
            "--output-format",
            "json",
            *going_on,
            *self.options,
            "--prompt",
            prompt,
        ]

    def _read(self, stdout: str) -> tuple[str, str]:
        start = stdout.find("{")
        told: Mapping[str, Any] = json.loads(stdout[start:]) if start >= 0 else {}
        return told.get("session_id", ""), told.get("response", "")

    def written(self, session: str) -> str:
        """Its files are named by the first eight characters of the id."""
        return super().written(session[:8])

    def _transcripts(self) -> Iterator[Path]:
        return (self.folder / "tmp").glob("*/chats/session-*.jsonl")


class OpenCode(Program):
    """OpenCode's `run`. Its model and its manners come with the environment: its files of settings stay empty. It wants to fetch a
    package into a folder that holds a plugin, and goes on without; npm is told that there is no network. It puts an argument with
    blanks between quotation marks, so the prompt comes on standard input."""

    name = "opencode"
    events = ("session.created", "chat.message", "session.idle", "session.deleted")

    def _set_up(self) -> None:
        (self.person.home / ".npmrc").write_text("offline=true\n", "utf-8")

    def _environment(self) -> dict[str, str]:
        model = {"name": "Stand-in", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
        config = {
            "provider": {
                "anthropic": {
                    "options": {"baseURL": f"{self.person.api.url}/v1", "apiKey": "not-a-key"},
                    "models": {"stand-in": model},
                }
            },
            "model": "anthropic/stand-in",
            "small_model": "anthropic/stand-in",
            "share": "disabled",
        }
        quiet = ("AUTOUPDATE", "DEFAULT_PLUGINS", "LSP_DOWNLOAD", "MODELS_FETCH")
        return {f"OPENCODE_DISABLE_{name}": "1" for name in quiet} | {"OPENCODE_CONFIG_CONTENT": json.dumps(config)}

    def ask(self, prompt: str, *, resume: str = "", cwd: Path | None = None) -> Ran:
        done = self.person.run(self._command("", resume), cwd=cwd, env=self._environment(), stdin=prompt)
        session, reply = self._read(done.stdout)
        return Ran(done.returncode, done.stdout, done.stderr, session, reply)

    def _command(self, prompt: str, resume: str) -> list[str]:
        going_on = ["--session", resume] if resume else []
        return [*self.start, "run", "--format", "json", *going_on, *self.options, *([prompt] if prompt else [])]

    def _read(self, stdout: str) -> tuple[str, str]:
        session = reply = ""
        for told in _objects(stdout):
            session = told.get("sessionID", session)
            reply = told["part"].get("text", reply) if told.get("type") == "text" else reply
        return session, reply

    def written(self, session: str) -> str:
        """Its conversations lie in a database, and it tells one as a document."""
        return self.run("export", session).stdout

    def _transcripts(self) -> Iterator[Path]:
        raise NotImplementedError


class Copilot(Program):
    """The Copilot command line with a provider of one's own, offline, so that nobody has to be logged in."""

    name = "vscode"
    events = ("sessionStart", "UserPromptSubmit", "agentStop", "sessionEnd")

    @property
    def folder(self) -> Path:
        """Its configuration and its transcripts."""
        return self.person.home / ".copilot"

    @property
    def hooks_file(self) -> Path:
        return self.folder / "hooks" / "vademecum.json"

    def _environment(self) -> dict[str, str]:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_MODEL": "claude-sonnet-4",
            "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_PROVIDER_BASE_URL": self.person.api.url,
            "COPILOT_PROVIDER_API_KEY": "not-a-key",
        }

    def _command(self, prompt: str, resume: str) -> list[str]:
        going_on = [f"--resume={resume}"] if resume else []
        return [*self.start, *going_on, "--allow-all-tools", *self.options, "--prompt", prompt]

    def ask(self, prompt: str, *, resume: str = "", cwd: Path | None = None) -> Ran:
        """The session stands in what it says beside the reply."""
        ran = super().ask(prompt, resume=resume, cwd=cwd)
        session = re.search(r"--resume=(\S+)", ran.stderr)
        return replace(ran, session=session.group(1) if session else "")

    def _read(self, stdout: str) -> tuple[str, str]:
        return "", stdout.strip()

    def written(self, session: str) -> str:
        """Its conversations lie in a folder each."""
        return (self.folder / "session-state" / session / "events.jsonl").read_text("utf-8")

    def _transcripts(self) -> Iterator[Path]:
        return (self.folder / "session-state").glob("*/events.jsonl")


def _objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects among the lines of a program's output."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def remove(folder: Path) -> None:
    """Remove a home, also the folders a program wrote for itself alone."""
    shutil.rmtree(folder, ignore_errors=True)
