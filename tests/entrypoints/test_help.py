"""What a person sees of the command line first: few commands, the kinds, and what every row of JSON begins with."""

import json
import shlex

import click
import pytest

from vademecum.domain.kinds import KINDS
from vademecum.entrypoints.cli.cli import commands
from vademecum.entrypoints.cli.menu import MENU
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.verbs.examples import EXAMPLES

FOR_AGENTS = [verb for verb in VERBS if verb.standing == "agent"]


def test_everyday_first(vade):
    """Twelve commands are explained under what a person wants to do; the others are named in the same groups, those of agents not."""
    _, out, _ = vade("--help")
    first, _, others = out.partition("More, explained by")
    explained = [name for section in MENU.values() for name in section.explained]
    assert len(explained) == 12
    assert all(f"\n  {name} " in first for name in explained)
    assert [line for line in first.splitlines() if line in MENU] == list(MENU)[:6]
    assert "supersede" not in first
    assert "supersede" in others
    assert "working-set" not in out
    shown = {*first.split(), *others.replace(",", " ").split()}
    assert {verb.name.split()[0] for verb in VERBS if verb.standing != "agent"} <= shown


def test_menu_names_each_command_once():
    """Every command that is not hidden stands in one group, and no group names what is none."""
    named = [name for section in MENU.values() for name in (*section.explained, *section.named)]
    assert sorted(named) == sorted(name for name, command in commands().commands.items() if not command.hidden)


def _below_usage(text):
    """The words of a help below its first line, without the row of the option itself, which click words by who asked first."""
    words = " ".join(" ".join(text.splitlines()[2:]).split())
    return words.replace("-h, --help Show this message and exit.", "").replace("--help Show this message and exit.", "").split()


@pytest.mark.parametrize("verb", FOR_AGENTS, ids=lambda verb: verb.name)
def test_agents_commands(vade, verb):
    """They stand behind `vade agent`; without that word they work too, and are not shown."""
    behind, alone = (_below_usage(vade(*words, "--help")[1]) for words in (("agent", verb.name), (verb.name,)))
    assert behind == alone
    assert f"\n  {verb.name} " in vade("agent", "--help")[1]


def test_kinds_are_told(vade):
    """`vade save --help` and an unknown kind name every kind; what is no slip of one is not taken for one."""
    vade("init", "memory")
    shown = " ".join(vade("save", "--help")[1].split())
    code, _, err = vade("save", "opinion", "Tea")
    assert code == 3
    assert "Did you mean" not in err
    assert all(kind in shown and kind in err for kind in KINDS)
    assert "Did you mean 'preference'?" in vade("save", "preferense", "Tea")[2]


def test_reason_by_name(vade):
    """`evolve` takes its reason by name, by position as it did, or not at all."""
    vade("init", "memory")
    vade("save", "fact", "Kettle", "--body", "It is red.")
    vade("evolve", "Kettle", "--reason", "painted", "--body", "It is blue.")
    vade("evolve", "Kettle", "painted again", "--body", "It is green.")
    assert vade("evolve", "Kettle", "--body", "It is white.")[0] == 0
    reasons = [one["reason"] for one in json.loads(vade("history", "Kettle", "--json")[1])["results"]]
    assert [reason for reason in dict.fromkeys(reasons) if reason] == ["painted", "painted again", "replaced by hand"]


def test_rows_begin_with_what_names_them(vade):
    """A row of JSON begins with id, title, kind and path; the question is not told back with all that was not asked."""
    vade("init", "memory")
    saved = json.loads(vade("save", "fact", "Kettle", "--body", "The kettle is red.", "--json")[1])
    (row,) = json.loads(vade("list", "--json")[1])["results"]
    assert list(row)[:4] == ["id", "title", "kind", "path"]
    assert row["id"] == saved["memory"]["id"]
    found = json.loads(vade("recall", "which", "colour", "has", "the", "kettle", "--json")[1])
    assert next(iter(found)) == "hits"
    assert list(found["hits"][0])[:4] == ["id", "title", "kind", "path"]
    assert found["query"]["text"] == "which colour has the kettle"
    assert None not in found["query"].values()


#: Speak a protocol, stay, or are run by git.
NO_JSON = {"mcp", "reads", "serve", "merge-file"}


def leaves(command, path=()):
    """Every command below one, with the words that lead to it."""
    if isinstance(command, click.Group):
        for name, one in command.commands.items():
            yield from leaves(one, (*path, name))
    else:
        yield path, command


def test_json_everywhere():
    """Each command has --json."""
    with_it = {
        path for path, command in leaves(commands()) if "--json" in {one for param in command.params for one in param.opts}
    }
    assert [path for path, _ in leaves(commands()) if path not in with_it and not set(path) & NO_JSON] == []


def shown_leaves():
    """Every command that a person is shown, with the words that lead to it."""
    return [(path, command) for path, command in leaves(commands()) if not command.hidden]


def test_examples_of_each_command(tmp_path, monkeypatch):
    """Each command has two examples; each is read by the command line as that very command, with nothing left over or missing."""
    monkeypatch.chdir(tmp_path)
    for name in ("chat.jsonl", "messages.json", "project.md", "new.md", "event.json", "chat.json"):
        (tmp_path / name).write_text("[]")
    listed = [(path, command, EXAMPLES[" ".join(path)]) for path, command in shown_leaves()]
    assert {len(examples) for _, _, examples in listed} == {2}
    for path, command, example in ((path, command, one) for path, command, examples in listed for one in examples):
        words = shlex.split(example)
        assert words[0] == "vade"
        context, reached = commands().make_context("vade", words[1:]), []
        while isinstance(context.command, click.Group):
            name, below, rest = context.command.resolve_command(context, [*context._protected_args, *context.args])
            reached.append(name)
            context = below.make_context(name, list(rest), parent=context)
        assert (reached, context.command) == (list(path), command), example


def test_examples_are_of_commands():
    """No example is left of a command that is gone."""
    assert set(EXAMPLES) == {" ".join(path) for path, _ in shown_leaves()}


def test_help_of_a_group(vade):
    """The screen of a first word has examples too: its own, or those of its commands."""
    for words, example in {
        "sessions": "vade sessions list",
        "reader": "vade reader show",
        "agent": "vade agent bundle",
    }.items():
        assert example in vade(words, "--help")[1].partition("Examples:")[2].partition("Options:")[0]


def test_help_of_a_command(vade):
    """A sentence, the examples, then arguments and options; also of commands without a row."""
    out = vade("archive", "--help")[1]
    assert (
        out.index("Archive a memory")
        < out.index("Examples:")
        < out.index('vade archive "Old staging host"')
        < out.index("Options:")
    )
    out = vade("settings", "set", "--help")[1]
    assert out.index("Write setting NAME") < out.index("vade settings set briefing_tokens 1000") < out.index("Options:")


def test_json_of_commands_without_a_row(vade, tmp_path):
    """What is no verb answers with one object as well."""
    made = json.loads(vade("init", "memory", "--json")[1])
    assert made["home"] == str(tmp_path / "memory")
    assert json.loads(vade("settings", "--json")[1])["home"] == made["home"]
    assert json.loads(vade("pause", "--json")[1])["mark"].endswith("STOP")
    assert json.loads(vade("resume", "--json")[1])["since"]
    assert json.loads(vade("stop", "--json")[1]) == {"stopped": None}


def test_evidence(vade, tmp_path):
    """`list --evidence` tells what a memory comes from, `sessions parse` the turns that it names, without a memory."""
    said = [("user", "Remember: the deploy box is called heron."), ("agent", "Noted."), ("user", "Thanks."), ("agent", "Sure.")]
    file = tmp_path / "t.jsonl"
    file.write_text("".join(json.dumps({"role": role, "text": text}) + "\n" for role, text in said))
    turns = json.loads(vade("sessions", "parse", str(file), "--json")[1])["turns"]
    assert [(turn["role"], turn["text"]) for turn in turns] == said
    vade("init", "memory")
    vade("capture", str(file))
    rows = json.loads(vade("list", "--status", "active,inbox", "--evidence", "--json")[1])["results"]
    (row,) = [row for row in rows if "heron" in row["body"]]
    assert list(row)[:4] == ["id", "title", "kind", "path"]
    assert row["source"].startswith("session://plain/t")
    assert row["span"] in {turn["ref"] for turn in turns}


def test_parse_needs_a_transcript(vade, tmp_path):
    (tmp_path / "t.bin").write_bytes(b"\x00\x01")
    code, _, err = vade("sessions", "parse", "t.bin")
    assert code == 3
    assert "cannot be read" in err


def test_completion(vade, monkeypatch, capfd):
    """A shell is offered commands, kinds and memories."""
    vade("init", "memory")
    vade("save", "fact", "Deploy box", "--body", "It is called heron.")

    def offered(words):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
        monkeypatch.setenv("_VADE_COMPLETE", "bash_complete")
        with pytest.raises(SystemExit):
            vade()
        monkeypatch.delenv("_VADE_COMPLETE")
        return [line.partition(",")[2] for line in capfd.readouterr().out.splitlines()]

    assert offered("vade show dep") == ["deploy-box"]
    assert offered("vade save pre") == ["preference"]
    assert offered("vade sess") == ["sessions"]
    assert offered("vade install cl") == ["claude-code"]
    assert offered("vade reader use co") == ["codex"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(vade, shell):
    assert "_VADE_COMPLETE" in vade("completion", shell)[1]
