"""Edits of files that are not JSON, and what a person adds to an entry of ours."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.adapters.hosts.commands import our_commands

from vademecum.adapters.hosts.edits import Block, Listed, Member, TomlTable, WholeFile
from vademecum.domain.errors import InvalidInput, Refused

TABLE = TomlTable(("mcp_servers", "vademecum"), {"command": "/opt/py", "args": ["-P", "-m", "vademecum", "mcp"]})
NEWER = TomlTable(TABLE.path, {**TABLE.values, "command": "/new/py"})

_PIECES = [
    "# a comment\n", "\n", 'model = "x" # why\n', "[tui]\nx = 1\n", "[mcp_servers.other]\ncommand = 'o'\n", "[[many]]\ny = 2\n",
    '[text]\nlong = """\n[mcp_servers.fake]\n# [x]\n"""\n', "[mcp_servers.other.env]\nA = '1'\n", "  [ indented ]\n  z = [\n    1,\n  ]\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), unique=True), st.booleans(), st.booleans())
def test_toml_any_file(pieces, crlf, ended):
    """Whatever stands in a TOML file, the table is put behind it, renewed and taken back with every byte as it was."""
    text = "".join(sorted(pieces, key=lambda piece: "[" in piece and "=" in piece and not piece.startswith("model")))
    text = (text if ended else text.rstrip("\n")).replace("\n", "\r\n" if crlf else "\n")
    try:
        meant = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return  # pieces that do not go together in this order
    put = TABLE.put(text)
    assert put.startswith(text)
    assert tomllib.loads(put)["mcp_servers"]["vademecum"] == TABLE.values
    assert TABLE.put(put) == put
    assert NEWER.put(put) == put.replace("/opt/py", "/new/py")
    assert NEWER.put(put + "[after]\nq = 1\n") == (put + "[after]\nq = 1\n").replace("/opt/py", "/new/py")
    taken = TABLE.take(put)
    assert taken in (text, text + "\n", text + "\r\n")
    assert tomllib.loads(taken) == meant


def test_toml_in_between():
    """A table that was moved between others is renewed and taken where it stands; comments of others stay."""
    put = '[a]\nx = 1\n\n[ mcp_servers . vademecum ]\ncommand = "/opt/py"\nargs = []\n\n# of b\n[b]\ny = 2\n'
    renewed = NEWER.put(put)
    assert renewed == put.replace('"/opt/py"', '"/new/py"').replace("[]", '["-P", "-m", "vademecum", "mcp"]')
    assert NEWER.take(renewed) == "[a]\nx = 1\n\n# of b\n[b]\ny = 2\n"


def test_toml_additions_stay():
    """What a person added to our table survives an upgrade, and goes with it when we go."""
    put = TABLE.put("") + "enabled = false\n\n[mcp_servers.vademecum.env]\nA = '1'\n"
    renewed = NEWER.put(put)
    assert tomllib.loads(renewed)["mcp_servers"]["vademecum"] == {**NEWER.values, "enabled": False, "env": {"A": "1"}}
    assert NEWER.put(renewed) == renewed
    assert tomllib.loads(NEWER.take(renewed)) == {}


def test_toml_own_table_returns():
    """A table of the person's under our name comes back when we go."""
    own = '[mcp_servers.vademecum]\ncommand = "uvx"\nargs = ["vademecum", "mcp"]\n'
    assert not TABLE.ours(own)
    assert tomllib.loads(TABLE.take(TABLE.put(own), own)) == tomllib.loads(own)


@pytest.mark.parametrize("text", [
    'mcp_servers.vademecum = { command = "x" }\n', 'mcp_servers = { vademecum = { command = "x" } }\n', "a = \n", "mcp_servers = 1\n",
])  # fmt: skip
def test_toml_refused(text):
    """A form that cannot be edited as a block is refused rather than rewritten."""
    with pytest.raises(InvalidInput):
        TABLE.put(text)


@given(st.text(alphabet="ab# \n<!->", max_size=40), st.booleans())
def test_block(text, crlf):
    """A marked part is put once, renewed in place, and taken back with all other lines as they were."""
    text = text.replace("\n", "\r\n" if crlf else "\n")
    old, new = Block("## Memory\n\nold"), Block("## Memory\n\nnew words")
    put = old.put(text)
    assert put.startswith(text) and old.put(put) == put
    renewed = new.put(put + "\n# behind\n")
    assert renewed.count("vademecum: begin") == 1
    assert renewed.endswith("\n# behind\n") and "new words" in renewed
    taken = old.take(put)
    assert taken.rstrip("\r\n") == text.rstrip("\r\n")


def test_json_additions_stay():
    """What a person added to our server's entry survives an upgrade."""
    server = Member(("mcpServers", "vademecum"), {"command": "/opt/py", "args": ["-m", "vademecum", "mcp"]})
    text = server.put('{"mcpServers": {}}').replace('"args"', '"env": {"A": "1"}, "args"')
    newer = Member(server.path, {**server.value, "command": "/new/py"})
    assert newer.put(text) == text.replace("/opt/py", "/new/py")


def test_listed():
    """A task is known by its label: renewed in place, never doubled."""
    task = Listed(("tasks",), "label", {"label": "ours", "n": 1})
    text = task.put('{"tasks": [{"label": "theirs"}]}')
    newer = Listed(("tasks",), "label", {"label": "ours", "n": 2})
    assert json.loads(newer.put(text)) == {"tasks": [{"label": "theirs"}, {"label": "ours", "n": 2}]}
    assert task.take(text) == '{"tasks": [{"label": "theirs"}]}'


def test_whole_file():
    """A file of ours is replaced; one that is not ours is refused."""
    rule = WholeFile("# vademecum 2\n")
    assert rule.put("# vademecum 1\n") == rule.put("") == "# vademecum 2\n"
    assert rule.take("# vademecum 1\n") == ""
    assert rule.take("something else") == "something else"
    with pytest.raises(Refused):
        rule.put("something else")


@pytest.mark.parametrize(("command", "known"), [
    ("/usr/bin/python3 -I -S /home/u/.local/share/vademecum/hook/client.py codex || exit 0", True),
    ("'/opt/my py/python' -I -S '/a b/hook/client.py' claude-code || exit 0", True),
    ('& "C:/Py/python.exe" -I -S "C:/Users/u/hook/client.py" gemini; exit 0', True),
    ("python hook/client.py codex", False),
    ("python -I -S ./other/client.py codex", False),
    ("./hook/client.py", False),
])  # fmt: skip
def test_our_command(command, known):
    """Ours is known by how it is called, wherever it lies; a script of the same name is not."""
    assert our_commands(json.dumps({"hooks": {"Stop": [{"hooks": [{"command": command}]}]}})) == [command] * known
