"""`vade settings set`, `unset` and `explain`: a change keeps the rest of the file, and is checked like what is read."""

import json

import pytest

from vademecum.adapters.device.config_file import changed
from vademecum.domain.errors import InvalidInput
from vademecum.entrypoints.cli.cli import commands
from vademecum.entrypoints.verbs import VERBS
from vademecum.settings import groups, load, rows

FILE = """# mine, do not touch
log_level = "info"  # quiet enough

prompt_limit = 3
projects = [
  "/a",  # first
  "/b",
]  # both

# a table of somebody else's time
[later]
x = 1
"""


@pytest.fixture
def config(vade, tmp_path):
    """The configuration file of somebody who wrote comments into it."""
    file = tmp_path / "config.toml"
    file.write_text(FILE.partition("\n# a table")[0], encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        (["log_level", "debug"], 'log_level = "info"  # quiet', 'log_level = "debug"  # quiet'),
        (["prompt_limit", "7"], "prompt_limit = 3", "prompt_limit = 7"),
        (["projects", "/c", "/d, e"], FILE[FILE.index("projects") : FILE.index("]  #") + 1], 'projects = ["/c", "/d, e"]'),
    ],
)
def test_set_keeps_the_rest(vade, config, words, old, new):
    """A changed setting keeps its place and its comment, and every other line."""
    before = config.read_text()
    code, out, err = vade("settings", "set", *words)
    assert (code, err) == (0, "")
    assert words[0] in out and "Take it back" in out
    assert config.read_text() == before.replace(old, new)


@pytest.mark.parametrize("line", ["team_port = 9000", "memory_tool = true", "llm_prices = [2]"])
def test_former_setting_is_named(vade, config, line):
    """A file that still sets what is no setting any more is read; the list says so in one sentence."""
    name = line.partition(" ")[0]
    config.write_text(f"{line}\n" + config.read_text(), encoding="utf-8")
    code, out, err = vade("settings")
    assert (code, err) == (0, "")
    assert f"{name} is no setting any more and is ignored" in out and f"vade settings unset {name}" in out
    assert vade("settings", "unset", name)[0] == 0 and name not in vade("settings")[1]


@pytest.mark.parametrize("table", ["", FILE[FILE.index("\n# a table") :].replace("[later]", "[team]")])
def test_new_setting_stands_behind_the_others(tmp_path, table):
    """A setting that was not there is written behind those that were, before the first table."""
    file = tmp_path / "config.toml"
    file.write_text(FILE.partition("\n# a table")[0] + table, encoding="utf-8")
    text = changed(file, {"consent": "silent"})
    assert text == FILE.partition("\n# a table")[0] + 'consent = "silent"\n' + table
    file.write_text(text, encoding="utf-8")
    assert changed(file, {"consent": None}) == FILE.partition("\n# a table")[0] + table


def test_unset(vade, config):
    """The default counts again; what was not set says so and changes nothing."""
    before = config.read_text()
    assert "it is 5 now" in vade("settings", "unset", "prompt_limit")[1]
    assert config.read_text() == before.replace("prompt_limit = 3\n", "")
    assert "is not set" in vade("settings", "unset", "prompt_limit")[1]


def test_way_back(vade, config):
    """What the answer names as the way back brings the former value."""
    out = vade("settings", "set", "prompt_limit", "9")[1]
    back = out.splitlines()[-1].partition("vade ")[2].split()
    assert back == ["settings", "set", "prompt_limit", "3"]
    vade(*back)
    assert load(config=config, environment={}).prompt_limit == 3


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["prompt_limi", "3"], "prompt_limit"),
        (["prompt_limit", "many"], "a whole number, at least 0"),
        (["consent", "perhaps"], "interactive, silent, auto"),
        (["embedder", "nonsense"], "openai:<model>"),
        (["enabled", "maybe"], "true or false"),
        (["home", "/elsewhere"], "vade init"),
    ],
)
def test_wrong_is_refused(vade, config, words, told):
    """An unknown name or value says what is possible, and nothing is written."""
    before = config.read_text()
    code, _, err = vade("settings", "set", *words)
    assert (code, told in err) == (3, True), err
    assert config.read_text() == before
    answer = json.loads(vade("settings", "set", *words, "--json")[1])
    assert answer["error"] == "invalid"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["auto_interfaces", "codex,cursor"], ("codex", "cursor")),
        (["llm_exclude", "garden", "shed"], ("garden", "shed")),
        (["guard_allow", "a:b,c"], ("a:b,c",)),
        (["enabled", "off"], False),
        (["skill_sources", "https://a.example/x"], ("https://a.example/x",)),
    ],
)
def test_values_of_each_type(vade, config, words, value):
    """What is typed is read back as it was meant, from the file."""
    assert vade("settings", "set", *words)[0] == 0
    assert load(config=config, environment={}).value(words[0]) == value


def test_secret_is_not_shown(vade, config):
    """A key is written and never printed."""
    out = (
        vade("settings", "set", "llm_key", "k-0123456789")[1] + vade("settings", "explain", "llm_key")[1] + vade("settings")[1]
    )
    assert "k-0123456789" not in out
    assert load(config=config, environment={}).llm_key == "k-0123456789"


def test_environment_comes_first(vade, config, monkeypatch):
    """Where a variable says otherwise, the answer says that it is what counts."""
    monkeypatch.setenv("VADEMECUM_PROMPT_LIMIT", "2")
    assert "VADEMECUM_PROMPT_LIMIT in the environment" in vade("settings", "set", "prompt_limit", "9")[1]


@pytest.mark.parametrize("broken", [b"home = [", b"\xff\xfe", b"prompt_limit = 'many'\n"])
def test_broken_file(vade, config, broken):
    """A file that is no TOML is told, not overwritten; a wrong value in it can be corrected by the command."""
    config.write_bytes(broken)
    code, _, err = vade("settings", "set", "prompt_limit", "4")
    assert "Traceback" not in err
    if broken.startswith(b"prompt"):
        assert (code, load(config=config, environment={}).prompt_limit) == (0, 4)
    else:
        assert (code, config.read_bytes()) == (3, broken)
    assert vade("settings")[0] == 0


def test_dotted_key(tmp_path):
    """A key with a dot is changed before the tables or in its own table; where that stands in braces, nothing is broken."""
    file = tmp_path / "config.toml"
    file.write_text(FILE, encoding="utf-8")
    file.write_text(changed(file, {"plugins.lines": 3}), encoding="utf-8")
    assert "plugins.lines = 3\n" in changed(file, {"prompt_limit": 4})
    assert "plugins.lines = 4\n" in changed(file, {"plugins.lines": 4})
    assert changed(file, {"plugins.lines": None}) == FILE
    file.write_text("x = 1\n[plugins]  # by hand\nlines = 3 # of three\n\n[later]\nlines = 9", encoding="utf-8")
    assert "[plugins]  # by hand\nlines = 4 # of three\n\n[later]\nlines = 9" in changed(file, {"plugins.lines": 4})
    assert changed(file, {"plugins.lines": None}) == "x = 1\n[plugins]  # by hand\n\n[later]\nlines = 9"
    assert "lines = 3 # of three\nmore = 1\n\n[later]" in changed(file, {"plugins.more": 1})
    file.write_text("[plugins]", encoding="utf-8")
    assert changed(file, {"plugins.lines": 3}) == "[plugins]\nlines = 3\n"
    file.write_text("plugins = { lines = 3, more = 1 }\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"has a table in which plugins\.lines belongs"):
        changed(file, {"plugins.lines": 4})


def test_every_setting_has_a_group(vade):
    """The groups hold each setting once; explain knows each."""
    listed = [name for names in groups().values() for name in names]
    assert sorted(listed) == sorted(row.name for row in rows())
    for name in listed:
        facts = json.loads(vade("settings", "explain", name, "--json")[1])
        assert facts["name"] == name and facts["takes"] and facts["meaning"]


def test_agents_cannot_set():
    """No verb changes a setting, so MCP and HTTP, which are made from the verbs, offer none."""
    assert not [verb.name for verb in VERBS if verb.name.startswith("settings")]


def test_completion_of_names_and_values(vade):
    """A shell is offered the names of settings and the words that a setting takes."""
    group = commands().commands["settings"]
    command = group.commands["set"]
    context = command.make_context("set", ["consent"], resilient_parsing=True)
    name, value = command.params[0], command.params[1]
    assert [one.value for one in name.shell_complete(context, "briefing")] == ["briefing_tokens"]
    assert {one.value for one in value.shell_complete(context, "")} == {"interactive", "silent", "auto"}
