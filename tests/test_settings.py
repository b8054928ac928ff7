"""Settings as data."""

import dataclasses
from pathlib import Path

import pytest

from vademecum.model.errors import InvalidInput, UnknownWord
from vademecum.settings import Settings, load, reference_page, store


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
