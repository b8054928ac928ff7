"""Settings as data."""

import re
from pathlib import Path

import platformdirs
import pytest

from reference_pages import settings_page
from vademecum.adapters.device.config_file import store
from vademecum.adapters.hosts.places import host_places, places
from vademecum.domain.errors import InvalidInput, UnknownWord
from vademecum.plugins.team.set_up import VARIABLES
from vademecum.settings import EVERYDAY, Settings, claim_data, load, no_memory, rows
from vademecum.settings.definitions import RETIRED
from vademecum.settings.places import platform_dir
from vademecum.wiring import registries

ROOT = Path(__file__).parent.parent


def settings(tmp_path: Path, text: str = "", environment: dict[str, str] | None = None, **overrides: object) -> Settings:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return load(config=path, environment=environment or {}, overrides=overrides, registries=registries())


@pytest.mark.parametrize("which", ["config", "data", "cache"])
def test_usual_folders(tmp_path, monkeypatch, which):
    """They are those of platformdirs, which Linux does without."""
    for name in ("CONFIG", "DATA", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    usual = getattr(platformdirs, f"user_{which}_dir")("vademecum", appauthor=False)
    assert platform_dir(which, {}) == usual
    assert platform_dir(which, {f"XDG_{which.upper()}_HOME": "/elsewhere"}) == str(Path("/elsewhere/vademecum"))


def test_later_beats_earlier(tmp_path):
    """File, then environment, then command line."""
    text = 'embedder = "hashing"\nprompt_limit = 3\nbriefing_tokens = 100'
    found = settings(tmp_path, text, {"VADEMECUM_PROMPT_LIMIT": "5", "VADEMECUM_BRIEFING_TOKENS": "200"}, briefing_tokens=300)
    assert (found.embedder, found.prompt_limit, found.briefing_tokens) == ("hashing", 5, 300)


def test_unknown_setting(tmp_path):
    """A misspelt setting is an error with the right spelling, not silence."""
    with pytest.raises(UnknownWord) as caught:
        settings(tmp_path, 'embeder = "none"')
    assert "embedder" in caught.value.hint


def test_former_settings(tmp_path):
    """A former setting in an existing file is no error: it is ignored, and what says so names the command that removes it."""
    found = settings(tmp_path, "recall_limit = 9\nprompt_limit = 3")
    assert (found.prompt_limit, found.wrong) == (3, ())
    assert len(found.retired) == 1 and "vade settings unset recall_limit" in found.retired[0]
    assert RETIRED.isdisjoint(row.name for row in rows())
    of_a_plugin = settings(tmp_path, "plugins.retention_events = 9")
    assert "vade settings unset retention_events" in of_a_plugin.retired[0] and of_a_plugin.wrong == ()


def test_variables_that_are_named():
    """Every variable of the environment that a message, a comment or a page names is one that is read."""
    read = {f"VADEMECUM_{row.name.upper()}" for row in rows()} | {"VADEMECUM_CONFIG", "VADEMECUM_DISABLED", "VADEMECUM_STARTED"}
    read |= {f"VADEMECUM_{name.upper()}" for name in RETIRED if name.startswith("backup_")} | {"VADEMECUM_TEAM"}
    read |= {f"VADEMECUM_TEAM_{name}{file}" for name in VARIABLES for file in ("", "_FILE")}
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    named = {str(path): set(re.findall(r"\bVADEMECUM_[A-Z_]*[A-Z]", path.read_text(encoding="utf-8"))) for path in pages}
    assert {name: found - read for name, found in named.items() if found - read} == {}


@pytest.mark.parametrize(
    "text", ["prompt_limit = 'many'", "enabled = 'perhaps'", "prompt_limit = -1", "consent = 'never'", "no toml ["]
)
def test_bad_values(tmp_path, text):
    """A value that cannot be meant says so."""
    with pytest.raises(InvalidInput):
        settings(tmp_path, text)


def test_kill_switch(tmp_path):
    """VADEMECUM_DISABLED=1 switches memory off, whatever the file says (MV-45)."""
    assert not settings(tmp_path, "enabled = true", {"VADEMECUM_DISABLED": "1"}).enabled


def test_stored_beside_others(tmp_path):
    """Writing one setting leaves the other lines of the file, comments included."""
    path = tmp_path / "config.toml"
    path.write_text('# mine\nembedder = "none"\nhome = "/old"\n', encoding="utf-8")
    store(path, {"home": "/new"})
    assert path.read_text(encoding="utf-8") == '# mine\nembedder = "none"\nhome = "/new"\n'


def test_page_is_current():
    """docs/settings.md is what the settings say (X-30: a number lives in one place)."""
    page = Path(__file__).parent.parent / "docs" / "settings.md"
    assert page.read_text(encoding="utf-8") == settings_page()


def test_every_row_documented():
    """Each setting has a meaning."""
    assert all(row.metadata["meaning"] for row in rows())


HOSTS_FOUND = {
    "linux": {
        "claude-code": ["/u/.claude/projects", "/u/.config/claude/projects"],
        "codex": ["/u/.codex/sessions", "/u/.codex/archived_sessions"],
        "cursor": ["/u/.cursor/projects", "/u/.cursor/chats", "/u/.config/Cursor/User/globalStorage/state.vscdb"],
        "opencode": [
            "/u/.local/share/opencode/opencode*.db",
            "/u/.local/share/opencode/storage/session",
            "/u/.local/share/opencode/project/*/storage/session/info",
        ],
    },
    "darwin": {
        "cursor": [
            "/u/.cursor/projects",
            "/u/.cursor/chats",
            "/u/Library/Application Support/Cursor/User/globalStorage/state.vscdb",
        ],
        "opencode": [
            "/u/.local/share/opencode/opencode*.db",
            "/u/.local/share/opencode/storage/session",
            "/u/.local/share/opencode/project/*/storage/session/info",
        ],
        "gemini": ["/u/.gemini/tmp"],
    },
    "win32": {
        "cursor": ["/u/.cursor/projects", "/u/.cursor/chats", "/u/AppData/Roaming/Cursor/User/globalStorage/state.vscdb"],
        "copilot": [
            "/u/.copilot/session-state",
            "/u/.copilot/session-store.db",
            "/u/AppData/Roaming/Code/User/workspaceStorage/*/GitHub.copilot-chat/transcripts",
            "/u/AppData/Roaming/Code - Insiders/User/workspaceStorage/*/GitHub.copilot-chat/transcripts",
            "/u/AppData/Roaming/VSCodium/User/workspaceStorage/*/GitHub.copilot-chat/transcripts",
            "/u/.vscode-server/data/User/workspaceStorage/*/GitHub.copilot-chat/transcripts",
        ],
        "droid": ["/u/.factory/sessions"],
    },
}


@pytest.mark.parametrize("system", HOSTS_FOUND)
def test_places_of_hosts(system):
    """IN-45: every host's conversations are looked for where that host keeps them on this platform."""
    found = host_places({"HOME": "/u"}, system)
    for host, paths in HOSTS_FOUND[system].items():
        assert [Path(path).as_posix() for name, path in found if name == host] == paths
    assert {name for name, _ in found} == {place.host for place in places()}


def test_places_of_hosts_moved():
    """A host that was told to keep its conversations elsewhere is followed."""
    moved = {
        "HOME": "/u", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "OPENCODE_DB": "/o/my.db", "XDG_CONFIG_HOME": "/g",
        "PI_CODING_AGENT_SESSION_DIR": "/p",
    }  # fmt: skip
    found = {Path(path).as_posix() for _, path in host_places(moved, "linux")}
    assert found >= {
        "/c/projects",
        "/x/sessions",
        "/x/archived_sessions",
        "/o/my.db",
        "/g/Cursor/User/globalStorage/state.vscdb",
        "/p",
    }
    assert host_places({}, "linux") == ()


def test_transcripts_found(tmp_path):
    """Without any setting, the hosts that are there are read; with one, only what it names."""
    (tmp_path / ".codex" / "sessions").mkdir(parents=True)
    (tmp_path / ".gemini" / "tmp").mkdir(parents=True)
    found = settings(tmp_path, environment={"HOME": str(tmp_path)}).transcripts
    assert set(found) == {str(tmp_path / ".codex" / "sessions"), str(tmp_path / ".gemini" / "tmp")}
    assert settings(tmp_path, 'transcripts = ["/t"]', {"HOME": str(tmp_path)}).transcripts == ("/t",)


#: Setting -> a value that it does not take, and a word of what it takes.
WRONG = {
    "profile": ("nope", "swarm"),
    "log_level": ("loud", "debug, info"),
    "port": ("99999", "from 0 to 65535"),
    "embedder": ("nope", "use"),
    "llm": ("nope:1", "openai:<model>"),
    "strict_interfaces": ("perhaps", "true or false"),
    "guard_allow": ("sha256:zz", "64 of the digits"),
    "home": ("~nobody-of-that-name/x", "text"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("by", ["file", "environment"])
def test_wrong_value_told(tmp_path, name, by):
    """A value that a setting does not take is refused with name, value, what it takes and where it was set."""
    value, takes = WRONG[name]
    text, environment = (f'{name} = "{value}"', {}) if by == "file" else ("", {f"VADEMECUM_{name.upper()}": value})
    with pytest.raises(InvalidInput) as caught:
        settings(tmp_path, text, environment)
    where = str(tmp_path / "config.toml") if by == "file" else f"VADEMECUM_{name.upper()} in the environment"
    assert f"Setting {name} is " in caught.value.message
    assert value in caught.value.message
    assert where in caught.value.message
    assert takes in caught.value.message


def test_restricting_falls_back_stricter(tmp_path):
    """Where work must go on, the default stands in for a bad value; of a setting that restricts, the stricter value."""
    text = 'personal_data = "redcat"\nstrict_interfaces = "ture"\nprofile = "nope"\nhom = "x"\nprompt_limit = 3'
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    found = load(config=tmp_path / "config.toml", environment={}, registries=registries(), forgiving=True)
    assert (found.personal_data, found.strict_interfaces, found.profile, found.prompt_limit) == ("redact", True, "auto", 3)
    assert len(found.wrong) == 4


def test_stored_array_of_many_lines(tmp_path):
    """An array over several lines is replaced whole; a line like it inside a text is left alone, and so are line ends."""
    path = tmp_path / "config.toml"
    rest = b'device = """\r\ntranscripts = 1\r\n"""\r\n# mine\r\n[later]\r\nhome = "x"\r\n'
    path.write_bytes(b'transcripts = [ # two\r\n  "/a",\r\n  "/b",\r\n]\r\n' + rest)
    store(path, {"transcripts": ["/c"]})
    assert path.read_bytes() == b'transcripts = ["/c"]\r\n' + rest


def test_data_of_another_home(tmp_path):
    """F5: the configured home keeps the data folder, marked or not; any other home has a folder of its own beside it."""
    text = f'home = "{tmp_path / "A"}"\ndata_dir = "{tmp_path / "data"}"'
    other = settings(tmp_path, text, {"VADEMECUM_HOME": str(tmp_path / "B")})
    assert settings(tmp_path, text).data_dir == str(tmp_path / "data")
    assert Path(other.data_dir).parent == tmp_path / "data-homes"
    again = settings(tmp_path, text, {"VADEMECUM_HOME": other.home, "VADEMECUM_DATA_DIR": other.data_dir})
    assert again.data_dir == other.data_dir
    (tmp_path / "data").mkdir()
    claim_data(settings(tmp_path, text))
    second = settings(tmp_path, text.replace('/A"', '/C"'))
    assert Path(second.data_dir).parent == tmp_path / "data-homes"
    assert second.data_dir != other.data_dir


def test_everyday_first():
    """The page begins with the dozen settings that people change; each setting stands in it once."""
    everyday, _, rarely = settings_page().partition("## Rarely")
    assert len(EVERYDAY) <= 13
    assert all(f"| `{name}` |" in everyday for name in EVERYDAY)
    assert all((everyday + rarely).count(f"| `{row.name}` |") == 1 for row in rows())


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (b'home = "/m"\nthis is = broken\n', "line 2"), (b'home = "/m"\nname = "\xff"\n', "line 2"), (b'home = "/m\n', "line 1"),
        ("home = '/m'".encode("utf-16"), "line 1"), (b'\xef\xbb\xbfhome = "/m"\n', ""),
    ],
)  # fmt: skip
def test_broken_file_of_settings(tmp_path, written, told):
    """A configuration file that cannot be read never means that there is no memory: file and line are named, and that it is as it was."""
    config = tmp_path / "config.toml"
    config.write_bytes(written)
    settings = load(config=config, environment={"HOME": str(tmp_path)}, forgiving=True)
    if not told:
        assert settings.home == "/m"
        return
    error = no_memory(settings)
    assert str(config) in error.message
    assert told in error.message
    assert "no memory" not in error.message
    assert "init" not in error.message + error.hint


def test_settings_that_name_no_memory(tmp_path):
    """Without a configuration file there is no memory yet."""
    settings = load(config=tmp_path / "config.toml", environment={"HOME": str(tmp_path)}, forgiving=True)
    assert no_memory(settings).message == "There is no memory yet."
