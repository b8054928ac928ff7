"""Plugins of others: the one in docs/plugins.md, installed as a distribution, and ones that fail."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from vademecum import plugin as registry
from vademecum.plugin import Failure, Plugin, Setting, entry_points, named

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "plugins.md"


def install(folder: Path, name: str, source: str, target: str = "PLUGIN") -> None:
    """Make a folder of Python's path that holds a distribution with one plugin, as an installer leaves it."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    about = folder / f"vade_{name}-0.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vade-{name}\nVersion: 0.1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[vademecum.plugins]\n{name} = {name}:{target}\n", encoding="utf-8")


@pytest.fixture
def vade(tmp_path):
    """Run `vade` with a home of its own and the folder `site` on Python's path; gives what it printed."""
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join((str(tmp_path / "site"), str(ROOT))),
        "VADEMECUM_EMBEDDER": "none",
        "VADEMECUM_PROGRESS": "false",
        "VADEMECUM_DATA_DIR": str(tmp_path / "data"),
    }

    def run(*arguments: str, program: tuple[str, ...] = ("-m", "vademecum"), fails: bool = False) -> str:
        done = subprocess.run(
            [sys.executable, *program, *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert fails or done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def documented() -> str:
    """The plugin that the page shows."""
    return re.search(r"`standup.py`:\n\n```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]


@pytest.mark.slow
def test_documented_plugin(vade, tmp_path):
    """The plugin of the page works through the command line: its verb, its setting, its job and its transcript format."""
    install(tmp_path / "site", "standup", documented())
    vade("init", str(tmp_path / "memory"))
    for title in ("Postgres for storage", "Redis for queues"):
        vade("save", "decision", title, "--body", f"{title} it is.")
    assert "Redis for queues" in vade("standup")
    vade("settings", "set", "standup_lines", "1")
    assert len(vade("standup").splitlines()) == 1
    assert "standup_lines" in vade("settings")
    assert "memories: 2" in vade("jobs", "run", "standup")
    lines = [
        {"standup_by": "me", "n": 1, "text": "The heron count goes into the ledger on Fridays."},
        {"standup_by": "it", "n": 2, "text": "Noted: the heron count is a Friday task."},
    ]
    chat = tmp_path / "standup.jsonl"
    chat.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert json.loads(vade("sessions", "parse", str(chat), "--json"))["kind"] == "standup"
    vade("capture", str(chat))
    assert "heron" in vade("search", "heron ledger")
    assert "standup" in vade("doctor", fails=True)


_THROUGH_HTTP_AND_MCP = """
import asyncio
from mcp import Client
from tests.entrypoints.http.test_http import send
from vademecum.entrypoints.mcp.own_thread import OwnThread
from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.app import build_app
from vademecum.entrypoints.mcp.server import build_server
from vademecum.wiring import load_settings, open_memory

TOKEN = "t0ken-that-is-long-enough"

async def talk():
    async with OwnThread(lambda: open_memory(load_settings())) as call, Client(build_server(call)) as client:
        sent = await send(build_app(call, Access(TOKEN)), "POST", "/v1/standup", body={"project": ""})
        used = await client.call_tool("use_verb", {"verb": "standup", "arguments": {}})
        print(sent.status, sent.body.decode(), used.content[0].text)

asyncio.run(talk())
"""


@pytest.mark.slow
def test_used_through_mcp_and_http(vade, tmp_path):
    """A verb of a plugin answers through MCP's tool for all verbs, and at its route over HTTP."""
    install(tmp_path / "site", "standup", documented())
    vade("init", str(tmp_path / "memory"))
    vade("save", "decision", "Postgres for storage", "--body", "It is.")
    answer = vade(_THROUGH_HTTP_AND_MCP, program=("-c",))
    assert answer.startswith("200 ")
    assert answer.count("Postgres for storage") >= 2, answer


def test_settings_of_a_plugin_that_is_gone(vade, tmp_path):
    """Whether a plugin was removed or fails to load, what was set for it stops nothing, is named by doctor, and can be removed."""
    install(tmp_path / "site", "standup", documented())
    vade("init", str(tmp_path / "memory"))
    vade("settings", "set", "standup_lines", "3")
    config = next(tmp_path.rglob("config.toml"))
    assert "plugins.standup_lines = 3" in config.read_text()
    assert "3" in vade("settings", "explain", "standup_lines")
    (tmp_path / "site" / "standup.py").write_text("raise RuntimeError('half installed')\n", encoding="utf-8")
    vade("save", "decision", "Postgres for storage", "--body", "It is.")
    assert "Postgres" in vade("recall", "what do we use for storage?")
    assert "No installed plugin has the setting 'standup_lines'" in vade("doctor", fails=True)
    assert "nothing uses it" in vade("settings", "unset", "standup_lines")
    assert "standup_lines" not in config.read_text()


def test_unset(vade, tmp_path):
    """A plugin's setting that is unset has its default again."""
    install(tmp_path / "site", "standup", documented())
    vade("init", str(tmp_path / "memory"))
    vade("settings", "set", "standup_lines", "3")
    assert "it is 5 now" in vade("settings", "unset", "standup_lines")
    assert "There is no setting" in vade("settings", "set", "standup_line", "3", fails=True)


def test_failing_plugin_is_named(vade, tmp_path):
    """A plugin that raises at import, or of which a part raises, is named by doctor; everything else works."""
    install(tmp_path / "site", "broken", "raise RuntimeError('no licence')\n")
    source = "from vademecum.plugin import Plugin\ndef fail(): raise KeyError('gone')\n"
    install(tmp_path / "site", "halfway", source + "PLUGIN = Plugin(name='halfway', about='', verbs=fail, formats=fail)\n")
    vade("init", str(tmp_path / "memory"))
    vade("save", "decision", "Postgres for storage", "--body", "It is.")
    report = vade("doctor", fails=True)
    assert "broken: RuntimeError: no licence" in report
    assert "halfway: verbs: KeyError: 'gone'" in report
    assert "halfway: formats: KeyError: 'gone'" in report


def test_failing_job(vade, tmp_path):
    """A job of a plugin that raises is told with its error, and other jobs of the round are done."""
    source = (
        "from vademecum.plugin import Plugin\n"
        "def jobs():\n"
        "    from vademecum.plugin_api.upkeep import Job\n"
        "    def fail(context, seconds): raise ValueError('nothing to count')\n"
        "    return (Job('counting', 'Counts.', fail),)\n"
        "PLUGIN = Plugin(name='counting', about='Counts.', jobs=jobs)\n"
    )
    install(tmp_path / "site", "counting", source)
    vade("init", str(tmp_path / "memory"))
    report = vade("jobs", "run", fails=True)
    assert "ValueError: nothing to count" in report
    assert "ValueError: nothing to count" in vade("status", fails=True)


def test_entry_points_are_read_as_installers_write_them(tmp_path):
    """Only our group counts, extras behind a target are cut, and of two distributions of one name the first on the path is used."""
    for place, target in (("first", "module:PLUGIN [extra]"), ("second", "older:PLUGIN")):
        about = tmp_path / place / "Some_Plugin-1.0.dist-info"
        about.mkdir(parents=True)
        text = f"[console_scripts]\nx = y:z\n\n[vademecum.plugins]\n# ours\nsome = {target}\n[other]\na = b:c\n"
        (about / "entry_points.txt").write_text(text, encoding="utf-8")
    folders = [str(tmp_path / name) for name in ("none", "first", "second")]
    assert list(entry_points(folders)) == [("some", "module:PLUGIN")]


def test_taken_names_stay(monkeypatch):
    """A plugin cannot take the name of what is ours, nor of another plugin's; both are reported."""
    rows = [Plugin(name=name, about="", verbs=lambda: ("save", "shout"), settings=(Setting("home", "", "x"),)) for name in "ab"]
    monkeypatch.setattr(registry, "plugins", lambda: tuple(rows))
    monkeypatch.setattr(registry, "_failures", {})
    assert named("verbs", ("save",), str) == ("shout",)
    assert registry.setting_rows(["home"]) == ()
    taken = [Failure("a", "verbs: save is taken"), Failure("b", "verbs: save is taken"), Failure("b", "verbs: shout is taken")]
    assert list(registry.tried())[:3] == taken


def test_ranker_of_a_plugin(vade, tmp_path):
    """A ranker that a plugin adds is a recall profile like ours; one called like the default one does not take its place, and one that
    cannot be had is named by doctor."""
    source = (
        "from vademecum.plugin import Plugin\n"
        "def rankers():\n"
        "    from vademecum.plugin_api.recall import Profile, Ranker, answer\n"
        "    class Silent(Ranker, frozen=True):\n"
        "        def recall(self, tools, run):\n"
        "            return answer(tools, run, (), (), 0.0, 'nothing known')\n"
        "    return (Silent(Profile('silent')), Silent(Profile('auto')))\n"
        "PLUGIN = Plugin(name='quiet', about='', rankers=rankers)\n"
    )
    install(tmp_path / "site", "quiet", source)
    vade("init", str(tmp_path / "memory"))
    vade("save", "decision", "Postgres for storage", "--body", "Its JSON columns are enough.")
    assert "Postgres for storage" in vade("recall", "what do we use for storage?")
    assert "Nothing known" in vade("recall", "what do we use for storage?", "--profile", "silent")
    vade("stop")
    broken = "from vademecum.plugin import Plugin\ndef fail(): raise KeyError('gone')\n"
    install(tmp_path / "site", "broken", f"{broken}PLUGIN = Plugin(name='broken', about='', rankers=fail)\n")
    assert "rankers: KeyError: 'gone'" in vade("doctor", fails=True)


_VARIANTS = """
import json
import numpy as np
from vademecum.plugin import EmbedderService, Plugin

class Counts:
    model_id, dim = "counting:letters", 26
    calibration = {}

    def embed(self, texts, *, role="passage"):
        rows = np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], np.float32).reshape(-1, 26)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)

def checks():
    from vademecum.plugin_api.helper import Finding
    return (lambda facts: Finding("harbour", "warn", f"The tide of {facts.settings.home} is low.", "Wait."),)

def hosts():
    from vademecum.plugin_api.hosts import Member, Row, TableHost
    from vademecum.domain.host import Checked
    from vademecum.ports.host import Wanted
    class Shed(TableHost):
        name, title, checked = "shed", "Shed", Checked("1.0", "1.0", "run")
        rows = (Row("opened", "start", 5, shows_text=True),)
        def files(self, to):
            return (Wanted(f"{to.folders.home}/.shed/hooks.json", "hooks", (Member(("opened",), to.programs.hook(self.name)),)),)
        def sessions(self, folders):
            return ()
    return (Shed(),)

def fail(): raise KeyError("gone")

class Box:
    name = "box"

    def recognises(self, head, path): return head.startswith(b"BOX")

    def members(self, path):
        from vademecum.ports.transcripts import Member
        return [Member("only", "1")]

    def read(self, path, names):
        turns = [{"role": "user", "text": "Where is the heron ledger?"}, {"role": "agent", "text": "The heron ledger is upstairs."}]
        yield "only", "".join(json.dumps(turn) + "\\n" for turn in turns).encode()

PLUGIN = Plugin(
    name="variants", about="", checks=checks, hosts=hosts, libraries=lambda: (Box(),),
    embedders=lambda: (EmbedderService("counting", "letters", lambda model, url, key: Counts()), EmbedderService("ollama", "", fail)),
)
"""


def test_variants_of_a_plugin(vade, tmp_path):
    """A check of doctor, a host, an embedder and a kind of library that a plugin adds are used like ours; a name of ours stays ours, and
    checks that raise are named."""
    install(tmp_path / "site", "variants", _VARIANTS)
    broken = "from vademecum.plugin import Plugin\ndef checks(): return (lambda facts: 1 / 0,)\n"
    install(tmp_path / "site", "broken", f"{broken}PLUGIN = Plugin(name='broken', about='', checks=checks)\n")
    vade("init", str(tmp_path / "memory"))
    report = vade("doctor", fails=True)
    assert "The tide of" in report
    assert "broken: checks: ZeroDivisionError" in report
    assert "variants: embedders: ollama is taken" in report
    assert "Shed" in vade("install", "shed")
    assert "client.py shed" in (tmp_path / ".shed" / "hooks.json").read_text(encoding="utf-8")
    box = tmp_path / "talk.box"
    box.write_bytes(b"BOX")
    vade("capture", str(box))
    assert "heron ledger" in vade("search", "heron ledger upstairs")
    vade("settings", "set", "embedder", "counting")
    with_embedder = (
        "import os; del os.environ['VADEMECUM_EMBEDDER']\n"
        "from vademecum.wiring import load_settings, open_memory\n"
        "with open_memory(load_settings()) as memory: print(memory.context.models.embedder.model_id)\n"
    )
    assert "counting:letters" in vade("-c", with_embedder, program=())
