"""Settings as data."""

import dataclasses
from pathlib import Path

import pytest

from vademecum.model.errors import InvalidInput, UnknownWord
from vademecum.settings import HOST_PLACES, Settings, host_places, load, reference_page, store


def settings(tmp_path: Path, text: str = "", environment: dict[str, str] | None = None, **overrides: object) -> Settings:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return load(config=path, environment=environment or {}, overrides=overrides)


def test_later_beats_earlier(tmp_path):
    """File, then environment, then command line."""
    text = 'embedder = "static"\nrecall_limit = 3\nbriefing_tokens = 100'
    found = settings(tmp_path, text, {"VADEMECUM_RECALL_LIMIT": "5", "VADEMECUM_BRIEFING_TOKENS": "200"}, briefing_tokens=300)
    assert (found.embedder, found.recall_limit, found.briefing_tokens) == ("static", 5, 300)


def test_unknown_setting(tmp_path):
    """A misspelt setting is an error with the right spelling, not silence."""
    with pytest.raises(UnknownWord) as caught:
        settings(tmp_path, 'embeder = "none"')
    assert "embedder" in caught.value.hint


@pytest.mark.parametrize(
    "text", ["recall_limit = 'many'", "enabled = 'perhaps'", "recall_limit = -1", "consent = 'never'", "no toml ["]
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
    assert page.read_text(encoding="utf-8") == reference_page()


def test_every_row_documented():
    """Each setting has a meaning."""
    assert all(row.metadata["meaning"] for row in dataclasses.fields(Settings))


HOSTS_FOUND = {
    "linux": {
        "claude-code": ["/u/.claude/projects"],
        "codex": ["/u/.codex/sessions", "/u/.codex/archived_sessions"],
        "cursor": ["/u/.cursor/projects", "/u/.config/Cursor/User/globalStorage/state.vscdb"],
        "opencode": ["/u/.local/share/opencode/opencode.db"],
    },
    "darwin": {
        "cursor": ["/u/.cursor/projects", "/u/Library/Application Support/Cursor/User/globalStorage/state.vscdb"],
        "opencode": ["/u/.local/share/opencode/opencode.db"],
        "gemini": ["/u/.gemini/tmp"],
    },
    "win32": {
        "cursor": ["/u/.cursor/projects", "/u/AppData/Roaming/Cursor/User/globalStorage/state.vscdb"],
        "copilot": ["/u/.copilot/session-state"],
        "droid": ["/u/.factory/sessions"],
    },
}


@pytest.mark.parametrize("system", HOSTS_FOUND)
def test_places_of_hosts(system):
    """IN-45: every host's conversations are looked for where that host keeps them on this platform."""
    found = host_places({"HOME": "/u"}, system)
    for host, paths in HOSTS_FOUND[system].items():
        assert [Path(path).as_posix() for name, path in found if name == host] == paths
    assert {name for name, _ in found} == {place.host for place in HOST_PLACES}


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
