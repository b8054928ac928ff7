"""What Codex trusts: our reckoning against hashes that Codex 0.163.0 itself gave for these hooks (`app-server`, `hooks/list`)."""

import json

import pytest

from vademecum.adapters.hosts.codex import Codex, trust
from vademecum.domain.host import HostFolders, Programs
from vademecum.ports.host import Target

PROGRAMS = Programs("/usr/bin/python3", "/home/user/.local/share/vademecum/hook/client.py")
PATH = "/home/user/.codex/hooks.json"
HASHES = {
    "pre_compact": "beb92d697d067ab09220b5b2ca91dc48b28f281b7c185758f89c624702567cd5",
    "session_start": "52541dc6168863e1d4e93ab9c9e09e862bef4e11188c9bc1077916ef0179a475",
    "session_end": "e268de4762f06f66fce93d8c2a57f7cc2d860ba3fb7ae37725a4583f3b120268",
    "user_prompt_submit": "02c6dbf8015b344331d2fe4679c8ae57544ae9b64b54defa3a1a70ea1d88e8f3",
    "subagent_start": "2685c210a0a93a224ad1f1c96af2fcae3df71f25ccf724957a93349a24520e9c",
    "subagent_stop": "4672e258d9493466d6d700508d8ee4465f6c157b82ad8c60a50dfd0d198e98ef",
    "stop": "81a9392abb96a922c348ba49c02cd9f5d6b7f5301dcd31177126f8af9a2c88cc",
}


@pytest.fixture
def hooks():
    folders = HostFolders(*["/home/user"] * 6, codex="/home/user/.codex")
    registered = Codex().files(Target(folders, PROGRAMS, "user", "", mcp=True))[0].edits[0].put("")
    return json.loads(registered.replace(f" || /bin/sh {PROGRAMS.gone}", ""))  # as it was when the hashes were recorded


@pytest.fixture
def state():
    return {f"{PATH}:{event}:0:0": {"trusted_hash": f"sha256:{value}"} for event, value in HASHES.items()}


def test_hashes_of_the_program(hooks, state):
    """Hooks that Codex was told to trust are trusted: our reckoning gives its hashes."""
    del hooks["hooks"]["PreToolUse"]  # came later than the recorded hashes
    assert dict(trust(PATH, hooks, {"hooks": {"state": state}})) == dict.fromkeys(hooks["hooks"], "trusted")


def test_other_states(hooks, state):
    """Never reviewed, changed since, and switched off are told apart."""
    del state[f"{PATH}:stop:0:0"]
    state[f"{PATH}:session_end:0:0"]["enabled"] = False
    hooks["hooks"]["PreCompact"][0]["hooks"][0]["timeout"] = 9
    found = dict(trust(PATH, hooks, {"hooks": {"state": state}}))
    assert found["Stop"] == "untrusted" and found["SessionEnd"] == "disabled" and found["PreCompact"] == "modified"
    assert set(dict(trust(PATH, hooks, {})).values()) == {"untrusted"}


def test_others_are_not_asked(hooks):
    """Hooks of others are their business; ours keep their own places behind them."""
    hooks["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "say done"}]})
    state = {f"{PATH}:stop:1:0": {"trusted_hash": f"sha256:{HASHES['stop']}"}}
    assert ("Stop", "trusted") in list(trust(PATH, hooks, {"hooks": {"state": state}}))
