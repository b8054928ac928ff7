"""A key comes from the settings, the environment or a command, goes to one address, and is in no message."""

import sys

import pytest

from vademecum.adapters.llms.api_keys import key_from
from vademecum.domain.errors import LLMRefused
from vademecum.entrypoints.cli.setting import settings_text
from vademecum.settings import load

KEY = "sk-live-0123456789"


def loaded(tmp_path, **environment):
    named = {f"VADEMECUM_{name.upper()}": value for name, value in environment.items() if name.islower()}
    other = {name: value for name, value in environment.items() if not name.islower()}
    return load(config=tmp_path / "none.toml", environment={"HOME": str(tmp_path), **named, **other})


def test_usual_variable(tmp_path):
    assert loaded(tmp_path, llm="openai:small", OPENAI_API_KEY=KEY).llm_key == KEY
    assert loaded(tmp_path, llm="anthropic", ANTHROPIC_API_KEY=KEY).llm_key == KEY


def test_not_for_others(tmp_path):
    """A key for one service is not shown to another, nor to a gateway."""
    assert not loaded(tmp_path, llm="openai:small", OPENAI_API_KEY=KEY, llm_url="http://gateway.invalid/v1").llm_key
    assert not loaded(tmp_path, llm="anthropic", OPENAI_API_KEY=KEY).llm_key
    assert not loaded(tmp_path, llm="none", OPENAI_API_KEY=KEY).llm_key


def test_not_shown(tmp_path):
    assert KEY not in settings_text(loaded(tmp_path, llm="openai:small", OPENAI_API_KEY=KEY))


def test_command():
    assert key_from(f"{sys.executable} -c \"print('{KEY}')\"")() == KEY


@pytest.mark.parametrize("code", ["print()", f"raise SystemExit('{KEY}')"])
def test_command_fails(code):
    with pytest.raises(LLMRefused) as raised:
        key_from(f'{sys.executable} -c "{code}"')()
    assert KEY not in str(raised.value) + raised.value.hint


def test_command_is_none():
    with pytest.raises(LLMRefused):
        key_from("/no/such/program")()
