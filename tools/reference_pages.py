"""docs/commands.md, docs/mcp.md, docs/http.md and docs/settings.md, made from the tables, so that they cannot drift."""

import json
from collections.abc import Iterable
from dataclasses import Field
from typing import Any

from vademecum.domain import errors
from vademecum.domain.conversation import INTERFACES, RESERVED
from vademecum.domain.errors import VademecumError
from vademecum.domain.tokens import estimate_tokens
from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.older import older_routes
from vademecum.entrypoints.mcp.prompts import all_prompts
from vademecum.entrypoints.mcp.server import Rules, described, tool_list
from vademecum.entrypoints.mcp.tools import DEFAULT, OLDER_ARGUMENTS, PER_MINUTE, older_names
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.verbs.examples import EXAMPLES
from vademecum.entrypoints.verbs.verb import DATES, REQUIRED, Param, Verb, with_flags
from vademecum.plugins.lint.checks import CHECKS
from vademecum.settings import groups, row_named, takes
from wrapping import wrapped

_HEAD = """# Commands

Look a command up here, or run `vade COMMAND --help`. Each command takes `--json` and then prints one JSON object, several results under
`results`, what went wrong as `error` (the word of the table below), `message` and `hint`. `vade --home FOLDER` and
`vade --config FILE` choose another memory. A *ref* is a title, an alias, an id or the start of one (six letters), or a path.
`DATE` is {dates}; without a zone it is local time. `TAG,...` takes several, separated by commas, and the option may be repeated.
"""

_OTHERS = r"""
## Only on the command line

| command | what it does |
|---|---|
| `vade setup [FOLDER] [--yes] [--no-conversations] [--json]` | all at once: makes a memory, connects the AI tools that are here, reads past conversations |
| `vade init FOLDER [--vault DIR] [--json]` | makes a memory in FOLDER; in an Obsidian vault makes `Vademecum/` and indexes its notes |
| `vade install [HOST] [--scope user\|project] [--no-mcp] [--dry-run] [--json]` | makes a tool use this memory (docs/hosts.md) |
| `vade backup FILE [--passphrase-file FILE] [--unencrypted] [--json]` | puts everything into the new FILE, see [backups](backup.md) |
| `vade backup check FILE`, `vade backup restore FILE --to FOLDER` | tells whether FILE is whole; puts it into a new folder |
| `vade uninstall HOST\|--all [--dry-run] [--json]` | takes that back, byte for byte where nobody changed the file since; `--all`: everything of ours but your notes |
| `vade doctor [--canary] [--json]` | checks everything, sessions on disk against sessions captured too; ends with 1 when something fails |
| `vade watch [--every SECONDS] [--json]` | follows notes and transcripts until stopped: sync, capture, vectors |
| `vade pause [--session S] [--json]` | nothing is shown, captured or written until `vade resume`; what is said meanwhile is never captured |
| `vade resume [--session S] [--json]` | takes memory up again, for all or for that conversation |
| `vade off [FOLDER] [--json]`, `vade on [FOLDER] [--json]` | the same for one project: a file STOP in its folder `.harness` |
| `vade serve`, `vade stop [--json]` | runs the helper, ends it; the first hook starts it by itself |
| `vade mcp` | MCP on standard streams, for agents (docs/mcp.md) |
| `vade demo [--team] [--json]` | shows on sample conversations what memory does; or [a team](team.md) |
| `vade team prepare`, `vade team open SPACE --keeper NAME`, `vade team serve` | a team's server: its tables, a space, the service; see [team](team.md) |
| `vade team backup SPACE FILE [--unencrypted]`, `vade team restore FILE` | a space of it into one file, and back on an empty server |
| `vade bench recall FILE... [--pooled] [--profile P] [--embedder E] [--vectors P,...] [--json]` | measures recall on recall sets |
| `vade bench notes FOLDER [--translated FOLDER]... [--unrelated FOLDER] [--json]` | measures how notes are found by name and meaning |
| `vade bench mixed [--notes FOLDER] [--embedder E] [--json]` | measures what memories tell beside a vault of notes |
| `vade bench latency [--memories N] [--turns M] [--queries Q] [--json]` | measures speed on generated notes |
| `vade bench real LABELS TRANSCRIPTS [--person P] [--llm L] [--json]` | measures what is kept of sessions: [how](measurements/keeping.md#measure-it) |
| `vade bench lives LABELS TRANSCRIPTS [--llm L] [--lines FILE] [--json]` | what real sessions are shown at starts and prompts, and what became of what came up again |
| `vade bench story LABELS TRANSCRIPTS [--person P] [--sessions N] [--llm L] [--counts] [--json]` | one person's sessions, one after the other: what each start shows, and what is saved of each |
| `vade settings [--json]` | every setting by group: its value, where it was set, what it does |
| `vade settings explain NAME`, `set NAME VALUE...`, `unset NAME` | what a setting takes and where its value is from; writes it into the configuration file, whose comments and order stay; takes it out again |
| `vade sessions parse FILE [--json]` | reads a transcript without a memory: ref, role and text of each turn |
| `vade completion bash\|zsh\|fish [--json]` | prints the script that completes commands, kinds and references in your shell |
"""


def _lint_checks() -> str:
    head = [
        "",
        "## What lint looks for",
        "",
        "An *error* is wrong, a *review* is to be looked at, a *note* is good to know, counted, and no reason to end with 1.",
        "",
        "| check | | what it means |",
        "|---|---|---|",
    ]
    return "\n".join([*head, *(f"| {name} | {level} | {meaning} |" for name, (level, meaning) in CHECKS.items()), ""])


def commands_page() -> str:
    """Return the text of docs/commands.md."""
    parts = [_HEAD.format(dates=DATES), *(_section(verb) for verb in VERBS), _OTHERS, _lint_checks(), _exit_codes()]
    return wrapped("\n".join(parts).rstrip() + "\n")


_MCP_HEAD = """# MCP

Register `vade mcp` in a client that takes MCP servers; `vade install HOST` does it where it can. `vade mcp` speaks MCP on standard streams, the helper also on `/mcp` of its HTTP port, both in
the revisions 2025-11-25 and 2026-07-28. What was remembered comes back between `<memory-data>` marks, with id, age, source and trust:
data, not instructions. A wrong call is answered with what is wrong and what to do (`error`, `message`, `hint`). Calls in a minute:
{limits}.

`server.json` describes the server to the MCP registry. Neither it nor the package that it names is published: install from a wheel, as
[getting started](getting-started.md) says.

The list of tools holds six: {default}. They take about {tokens} tokens (estimated at 3.3 bytes a token). `use_verb` reaches every other
tool of the table and every verb, except those that are the person's own word: {alone}. Each tool is also answered by its own name. With the
setting `mcp_tools = ["all"]`, and with `strict_interfaces`, the list holds every tool with all its arguments: about {all_tokens} tokens.

`recall_memory` answers with the best matches, the first three with their text, the others with one line of at most 100 characters,
and with candidates that passed no threshold, up to 20 lines together. `read_memory` takes several ids: memories, notes, and places in
conversations with the turns around them.

`source_interface` is one of {interfaces}; another name counts as `unknown`, `{reserved}` is reserved. The setting `auto_interfaces`
says whose conversations are read at once; those of others wait for `vade conversations --confirm`. With `strict_interfaces` a tool that
shows or changes memories must name an interface and reaches only what came from it.

Resources: `memory://briefing`, `memory://<id>`. Prompts: {prompts}.

| tool | what it does | takes | annotations |
|---|---|---|---|
"""

_HTTP_HEAD = """# HTTP

```
curl -H "Authorization: Bearer $(cat TOKEN_FILE)" localhost:8233/v1/recall?question=storage
```

The helper listens on a loopback port only. Each request carries `Authorization: Bearer TOKEN`; the token is
made at first start, in the file `token` of the data folder, which only you may read. Only local host names are served; a browser's page is
served only when it is memory's own; a body may have {megabytes} MB, a minute {per_minute} requests. Without the token there are only
`/health` and `/openapi.json`, which describes every route with what it takes and gives.

`/v1/<verb>` for every verb of [commands](commands.md): POST with the arguments as a JSON object; verbs that only read also by GET with
the arguments in the address, lists by repeating the name. The answer is what `--json` prints. A request has no working folder: what is
saved without a `project` belongs to none and is shown in all. An error is `application/problem+json` with
`error`, `message` and `hint`: 400 when an argument does not fit, 422 when what it asks for cannot be done, 404, 409, 403, 503 or 507 as
the word says. `/mcp` is [MCP](mcp.md).

Routes of earlier designs:

| route | what it does | takes |
|---|---|---|
"""


def mcp_page() -> str:
    """Return the text of docs/mcp.md."""
    every = Rules(every_tool=True)
    tools = [tool for tool in tool_list(every).values() if tool.listed]
    head = _MCP_HEAD.format(
        limits=", ".join(f"{number} {cost}" for cost, number in PER_MINUTE.items()),
        alone=", ".join(f"`{verb.name}`" for verb in with_flags(VERBS) if not verb.agents),
        interfaces=", ".join(INTERFACES),
        reserved=RESERVED,
        prompts=", ".join(f"`{name}`" for name in all_prompts()),
        default=", ".join(f"`{name}`" for name in DEFAULT),
        tokens=_tokens(Rules()),
        all_tokens=_tokens(Rules(every_tool=True)),
    )
    rows = []
    for tool in tools:
        hints = {"reads only": tool.reads, "destructive": tool.destroys, "idempotent": tool.repeats}
        facts = ", ".join([*(name for name, holds in hints.items() if holds), tool.cost])
        rows.append(f"| `{tool.name}` | {tool.meaning} | {_taken(tool.params)} | {facts} |")
    older = ", ".join(f"`{name}`" for name in [*older_names(), "sync_session"])
    arguments = ", ".join(f"`{former}` for `{name}`" for former, name in OLDER_ARGUMENTS.items())
    foot = f"\n\nOlder names that are still accepted: of tools {older}; of arguments {arguments}.\n"
    return wrapped(head + "\n".join(rows) + foot)


def _tokens(rules: Rules) -> int:
    """Return about how many tokens the list of tools takes."""
    listed = [described(tool, rules) for tool in tool_list(rules).values() if tool.listed]
    return round(estimate_tokens(json.dumps(listed, separators=(",", ":"))), -1)


def http_page() -> str:
    """Return docs/http.md."""
    rules = Access("none")
    head = _HTTP_HEAD.format(megabytes=rules.max_bytes >> 20, per_minute=rules.per_minute)
    rows = [f"| `{one.method.upper()} {one.path}` | {one.meaning} | {_taken(one.params)} |" for one in older_routes()]
    foot = (
        "\nCompacting and migrating are refused when a proxy forwards them for another machine. Compacting is `vade compact`: no memory "
        "is merged and no file of a former layout deleted, so two of its counts are always 0. Migrating is "
        "`vade import agent-memory FOLDER --mine --yes` of the files that come with the call: a program names no place on this "
        "machine, neither to read nor to write (403).\n"
    )
    return wrapped(head + "\n".join(rows) + "\n" + foot)


def settings_page() -> str:
    """Return docs/settings.md."""
    lines = [
        "# Settings",
        "",
        "```",
        "vade settings                        # values, and where each was set",
        "vade settings explain NAME           # what one means",
        "vade settings set NAME VALUE         # write it into the file",
        "vade settings unset NAME             # back to the default",
        "```",
        "",
        "A file `config.toml`, the environment (`VADEMECUM_<NAME>`) and the command line set them; later beats earlier.",
        "`VADEMECUM_CONFIG` names another file, `VADEMECUM_DISABLED=1` is the same as `enabled = false`. No agent can change a setting.",
        "",
        "Every command, `vade status` and `vade doctor` report an invalid value. Hooks and the helper then use the default; where a setting",
        "restricts (`strict_interfaces`, `personal_data`), the stricter value.",
        "",
    ]
    for title, names in groups().items():
        lines += [f"## {title}", "", *_settings(map(row_named, names)), ""]
    return wrapped("\n".join(lines).rstrip() + "\n")


def _settings(chosen: Iterable[Field[Any]]) -> list[str]:
    return ["| setting | default | takes | unit | meaning |", "|---|---|---|---|---|", *map(_setting, chosen)]


def _setting(row: Field[Any]) -> str:
    default = row.default if row.default not in ("", ()) else "(empty)"
    shown = str(default).lower() if isinstance(default, bool) else default
    meaning = row.metadata["meaning"].replace("|", "\\|")
    return f"| `{row.name}` | {shown} | {takes(row)} | {row.metadata['unit']} | {meaning} |"


def _taken(params: tuple[Param, ...]) -> str:
    return ", ".join(f"`{param.name}`" + ("" if param.default is REQUIRED else "?") for param in params)


def _section(verb: Verb) -> str:
    lines = [f"## vade {verb.typed}", "", verb.meaning, "", f"    {_usage(verb)}", ""]
    lines += ["For example:", "", *(f"    {example}" for example in EXAMPLES[verb.typed]), ""]
    if verb.params:
        lines += ["| argument | meaning |", "|---|---|"]
        lines += [f"| {_name(param)} | {param.meaning}{_choices(param)} |" for param in verb.params]
    return "\n".join(lines) + "\n"


def _usage(verb: Verb) -> str:
    return " ".join(["vade", verb.typed, *(_name(param).strip("`") for param in verb.params if param.place), "[options]"])


def _name(param: Param) -> str:
    if param.place:
        name = param.name.upper() + ("..." if param.type in ("list", "words") else "")
        return f"`{name}`" if param.default is REQUIRED else f"`[{name}]`"
    value = "" if param.type == "flag" else f" {param.placeholder}"
    return f"`--{param.name.replace('_', '-')}{value}`"


def _choices(param: Param) -> str:
    return " One of: " + ", ".join(choice for choice in param.choices if choice) + "." if param.choices else ""


def _exit_codes() -> str:
    rows = sorted(
        {
            (kind.exit_code, kind.code, (kind.__doc__ or "").splitlines()[0])
            for kind in vars(errors).values()
            if _is_error(kind) and "exit_code" in vars(kind)
        }
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
