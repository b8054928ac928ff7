"""docs/commands.md, made from the verb table and the errors, so that it cannot drift."""

from vademecum.doors.verbs import REQUIRED, VERBS, Param, Verb
from vademecum.model import errors
from vademecum.model.errors import VademecumError

_HEAD = """# Commands

Generated from the verb table. Each command takes `--json` and then prints one JSON object, several results under
`results`, what went wrong as `error` (the word of the table below), `message` and `hint`. `vade --home FOLDER` and
`vade --config FILE` choose another memory. A *ref* is an id, the start of one (six letters), an alias, a path or a title.
Dates are ISO 8601; without a zone they are UTC. Lists are separated by commas, or the option is repeated.
"""

_OTHERS = r"""
## Only on the command line

| command | what it does |
|---|---|
| `vade init FOLDER [--vault DIR]` | makes a memory in FOLDER; in an Obsidian vault makes `Vademecum/` and indexes its notes |
| `vade install [HOST] [--scope user\|project] [--no-mcp] [--dry-run] [--json]` | makes a tool use this memory (docs/hosts.md) |
| `vade uninstall HOST [--dry-run] [--json]` | takes that back, byte for byte where nobody changed the file since |
| `vade doctor [--canary] [--json]` | checks everything, sessions on disk against sessions captured too; ends with 1 when something fails |
| `vade watch [--every SECONDS]` | follows notes and transcripts until stopped: sync, capture, finer vectors |
| `vade demo` | shows on sample conversations what memory does |
| `vade bench recall FILE... [--pooled] [--profile P] [--embedder E] [--json]` | measures recall on recall sets |
| `vade bench latency [--memories N] [--turns M] [--queries Q] [--json]` | measures speed on generated notes |
| `vade settings` | what is set |
"""


def commands_page() -> str:
    """The whole page."""
    parts = [_HEAD, *(_section(verb) for verb in VERBS), _OTHERS, _exit_codes()]
    return "\n".join(parts).rstrip() + "\n"


def _section(verb: Verb) -> str:
    lines = [f"## vade {verb.name}", "", verb.meaning, "", f"    {_usage(verb)}", ""]
    if verb.params:
        lines += ["| argument | meaning |", "|---|---|"]
        lines += [f"| {_name(param)} | {param.meaning}{_choices(param)} |" for param in verb.params]
    return "\n".join(lines) + "\n"


def _usage(verb: Verb) -> str:
    return " ".join(["vade", verb.name, *(_name(param).strip("`") for param in verb.params if param.place), "[options]"])


def _name(param: Param) -> str:
    if param.place:
        name = param.name.upper() + ("..." if param.type in ("list", "words") else "")
        return f"`{name}`" if param.default is REQUIRED else f"`[{name}]`"
    value = (
        ""
        if param.type == "flag"
        else " " + {"number": "N", "share": "0..1", "date": "DATE", "file": "TEXT"}.get(param.type, "WORD")
    )
    return f"`--{param.name.replace('_', '-')}{value}`"


def _choices(param: Param) -> str:
    return " One of: " + ", ".join(choice for choice in param.choices if choice) + "." if param.choices else ""


def _exit_codes() -> str:
    rows = sorted(
        {(kind.exit_code, kind.code, (kind.__doc__ or "").splitlines()[0]) for kind in vars(errors).values() if _is_error(kind)}
    )
    lines = [
        "## Exit codes",
        "",
        '2 is never used: hosts read it as "block the prompt".',
        "",
        "| code | word | meaning |",
        "|---|---|---|",
    ]
    lines += ["| 0 | | done |", "| 64 | | the command line was not understood |", "| 130 | | stopped from the keyboard |"]
    lines += [f"| {number} | {word} | {meaning} |" for number, word, meaning in rows]
    return "\n".join(lines)


def _is_error(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, VademecumError)
