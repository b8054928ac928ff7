"""Every `vade ...` that a message, a docstring or a page names is a command line that there is."""

import ast
import re
import shlex
from collections.abc import Iterator
from copy import copy
from functools import cache
from itertools import takewhile
from pathlib import Path

import click

from vademecum.entrypoints.cli import cli
from vademecum.settings.definitions import rows
from vademecum_bench.commands import bench

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    *(ROOT / f"{name}.md" for name in ("AGENTS", "CHANGELOG", "CONTRIBUTING", "README", "SECURITY")),
    *sorted(page for folder in ("docs", "plugins") for page in (ROOT / folder).rglob("*.md")),
]
MODULES = sorted((ROOT / "src" / "vademecum").rglob("*.py"))

#: A mention: the words behind `vade`, unless another program is told its name, up to where the sentence, the code or the column ends.
_MENTION = re.compile(r"(?<!--command )(?<![\w./~-])vade((?: +(?:--?[a-z][\w-]*|[^\s`;,()|<>:]+))+)")
_NAME = re.compile(r"[a-z][a-z-]*$")
#: A whole command line: in marks of code, or alone on a line up to a gap, behind which stands what it does.
_LINE = re.compile(r"`(vade [^`\n]+)`|^(vade [^\n]+?)(?: {2,}.*)?$", re.MULTILINE)
#: Where the command ends for a shell, or the mention for a reader.
_END = re.compile(r"[|;&<>#].*|\d?>.*|->.*|…|\.\.\.")
_SETTING = re.compile(r"[a-z][a-z0-9_]*")
_OPTION = re.compile(r"--[a-z][a-z-]*")


def texts_of(path: Path) -> Iterator[str]:
    """What a file says to people: of a module its strings, with X for what is filled in; of a page all of it."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield text
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@cache
def mentioned() -> list[tuple[Path, list[str]]]:
    """Of every page and module, the words behind each `vade`."""
    return [
        (path.relative_to(ROOT), found[1].split())
        for path in (*PAGES, *MODULES)
        for text in texts_of(path)
        for found in _MENTION.finditer(text)
    ]


@cache
def commands_of(*, with_bench: bool) -> click.Group:
    """The whole command line, built once for all pages; with `bench`, which a distribution of its own brings."""
    group = copy(cli.commands())  # the command line of this process stays as it is
    group.commands = dict(group.commands)
    if with_bench:
        group.add_command(bench)
        # The command that the plugin in docs/plugins.md adds; tests/test_added_plugins.py installs and runs it.
        group.add_command(click.Command("standup", params=[click.Option(["--project"])]))
    return group


def wrong_with(words: list[str]) -> str:
    """What of a mention the command line does not know; "" when it knows all."""
    command: click.Command = commands_of(with_bench=True)  # the distribution that brings it need not be installed
    options = {option for param in command.params for option in param.opts}
    place = 0
    while isinstance(command, click.Group) and place < len(words):
        word = words[place].strip("'\".?!*")
        if word.startswith("-"):
            place += 1 + (word in ("--home", "--config"))
            continue
        known = command.commands.get(word)
        if known is None:
            return f"no command {word}" if _NAME.match(word) and not getattr(command, "usual", "") else ""
        command, place = known, place + 1
        options |= {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
    given = {option for word in words for option in _OPTION.findall(word)}
    return "".join(f"no option {option} of {command.name}" for option in sorted(given - options - {"--help", "--version"}))


def surplus_of(line: str) -> str:
    """What stands in a whole command line behind all that the command takes; "" when nothing does."""
    try:
        words = shlex.split(line.replace("[", "").replace("]", ""))[1:]
    except ValueError:  # a quotation that goes on in the next line
        return ""
    words = list(takewhile(lambda word: not _END.fullmatch(word), words))
    command: click.Command | None = commands_of(with_bench=False)
    while isinstance(command, click.Group) and words:
        if words[0] in ("--home", "--config"):
            words = words[2:]
            continue
        command, words = command.commands.get(words[0]), words[1:]
    if command is None or isinstance(command, click.Group):
        return ""
    _, rest, _ = command.make_parser(click.Context(command, resilient_parsing=True)).parse_args(words)
    return " ".join(rest)


def test_named_commands():
    """D3 of the review: an error advised `vade sync --rebuild`, which there is not."""
    wrong = {(str(path), " ".join(words)): why for path, words in mentioned() if (why := wrong_with(words))}
    assert not wrong


def test_named_command_lines():
    """A command line on a page takes what the page gives it: nobody copies one that ends with an error of usage."""
    lines = {found[1] or found[2] for path in PAGES for found in _LINE.finditer(path.read_text(encoding="utf-8"))}
    wrong = {line: rest for line in lines if (rest := surplus_of(line))}
    assert not wrong


def wrong_settings(words: list[str]) -> list[str]:
    """The setting that `vade settings set NAME`, `unset` or `explain` names, when there is none of that name."""
    if words[0] != "settings" or len(words) < 3 or words[1] not in ("set", "unset", "explain"):
        return []
    name = words[2].strip("'\".?!*")
    known = {row.name for row in rows()} | {"standup_lines"}  # the setting of the plugin in docs/plugins.md
    return [] if name in known or not _SETTING.fullmatch(name) else [name]


def test_named_settings():
    """A setting that a page or message tells people to set is one that there is."""
    assert [(str(path), name) for path, words in mentioned() for name in wrong_settings(words)] == []


def test_a_wrong_one_is_seen():
    """The check itself can fail."""
    assert wrong_with(["sync", "--rebuild"]) == "no option --rebuild of sync"
    assert wrong_with(["sessions", "brew"]) == "no command brew"
    assert wrong_with(["brew"]) == "no command brew"
    assert wrong_with(["sessions", "list", "--tea"]) == "no option --tea of list"
    assert surplus_of('vade forget "Tea" "Coffee"') == "Coffee"
    assert wrong_settings(["settings", "set", "hold_for_branches", "false"]) == ["hold_for_branches"]
    assert not wrong_settings(["settings", "set", "NAME", "VALUE"])
    assert not wrong_with(["--home", "X", "save", "fact", "X", "--body", "X"])
