"""docs/hosts.md, made from the tables of the hosts, so that it cannot drift."""

from pathlib import PurePosixPath

from vademecum.adapters.hosts.all_hosts import hosts, wants
from vademecum.adapters.hosts.places import OUTPUT_FOLDERS, places, without_hooks
from vademecum.domain.host import HostFolders, Programs
from wrapping import wrapped

_HOME, _PROJECT = "/~", "/PROJECT"
_FOLDERS = HostFolders(
    home=_HOME, config=f"{_HOME}/.config", data=f"{_HOME}/.local/share", editors=f"{_HOME}/.config",
    claude=f"{_HOME}/.claude", claude_state=f"{_HOME}/.claude.json", codex=f"{_HOME}/.codex",
)  # fmt: skip

_HEAD = """\
# AI tools

```
vade install claude-code --dry-run    # shows the change of each file
vade install claude-code              # or codex, gemini, cursor, vscode, opencode, antigravity
vade doctor                           # is it connected, and were its conversations captured?
vade uninstall claude-code            # takes it back, in all projects
```

`vade install HOST` merges what this page lists into the host's own files; a second time changes nothing. `vade uninstall HOST`
restores a file that nobody changed since byte for byte, and removes only our entries from one that was changed. The page is generated
from the tables of the hosts.

Every hook runs the same small program, `PYTHON -I -S DATA/hook/client.py WORD || /bin/sh DATA/hook/gone.sh || exit 0`.
When Python or the client is gone, the shell script says so to the person, once a day. It prints what memory answers or nothing, and
ends with 0 even when it is gone, because hosts read other codes as "block the prompt". `vade init` and `vade install` put it in
place; its path does not change with upgrades. DATA is `data_dir` of `vade settings`. Claude Code, Cursor and VS Code read one another's
files, so they get the same command line and each prompt is answered once.

In a project, what is written names the paths of this machine. On another machine the hooks end with 0 and do nothing; to share the files of
a project through version control, leave these out, or install for the person instead.

Only text goes to the agent; the line "Loaded 3 memories: ..." goes to the person, where the host has a place for one. A text longer than
the host takes is cut at the end of a paragraph or line.
"""

_TAIL = """\
## Conversations that a program leads

What was asked by a program that drives a host is archived and found by a search, and nothing is learnt from it. Hosts mark it so:

| host | what marks it | not marked |
|---|---|---|
| Claude Code | `entrypoint`, `turnOrigin`, `promptSource` of a line: `claude -p`, the SDK, GitHub actions | |
| Codex | `source` and `originator` of the head: `codex exec`, SDKs, automations | |
| OpenCode | the rules of the session: `opencode run` forbids it every question and both ends of a plan, \
also when a person goes on with it \
| prompts that `opencode run --continue` adds to a person's session |
| Gemini CLI, Copilot, pi, Cursor | nothing in what they write \
| `gemini -p`, `copilot -p`, `pi -p`, `cursor-agent -p` count as a person's; sub-agents are marked |

## In projects only

`vade install agents-md` puts a marked part into the project's `AGENTS.md`, which Codex, Cursor, OpenCode and others read.
`vade install vscode-tasks` adds a task to `.vscode/tasks.json` that starts the helper when the folder is opened; VS Code runs it only in
a trusted workspace and when automatic tasks are allowed. The settings that allow it are left to the person.

`vade install git` makes git merge notes by what they say, in the repository of your memory's folder and of the
project's: two lines in `.gitattributes` there, and a merge driver in the repository's own configuration. See
[syncing](syncing.md).

## Hermes and OpenClaw

`plugins/hermes/vademecum` is a memory provider for Hermes: it briefs each session, answers prompts from memory, and saves
what was said; such a conversation waits for `vade conversations --confirm`. Hermes uses one provider at a time.

```
cp -r plugins/hermes/vademecum ~/.hermes/plugins/
hermes config set memory.provider vademecum
hermes mcp add vademecum --command vade --args mcp    # the tools
```

Loaded, asked and given a turn by Hermes 0.19.0's own memory manager, without a model. OpenClaw installs
`plugins/vademecum` as a bundle (`openclaw plugins install ./plugins/vademecum`): by its source it takes the skills and the MCP
server, and runs none of the hooks, so sessions are neither briefed nor captured. That was read, not run.

## Removing by hand

Delete each entry whose command contains `hook/client.py`, the server `vademecum` among the MCP servers, the part of `AGENTS.md`
between its marks, and the files named `vademecum` in the tables above. What the files held before the first installation is kept in
`DATA/hosts/backup`, and `DATA/hosts/installed.json` says which is whose.

## Not known

Nothing here was run on Windows or macOS. Cursor, VS Code and Antigravity were compared with documents and the reports of other
projects only. What is built for Windows, and what of it was tried elsewhere, says
[platforms](platforms.md). Hosts that run hooks with PowerShell older than 7 would need the form
`& PYTHON ...; exit 0`, which Gemini CLI and Copilot get and the others do not.
"""


def reference_page() -> str:
    """Return the whole page."""
    return wrapped("\n".join([_HEAD, *(_section(name) for name in hosts()), _conversations(), _TAIL]))


def _section(name: str) -> str:
    host = hosts()[name]
    checked = host.checked
    how = {"run": "the program itself", "vendor": "its maker's documents or source", "others": "reports of other projects"}
    lines = [
        f"## {host.title}",
        "",
        host.about,
        "",
        f"[At a tool call](actions.md): {host.at_calls}",
        "",
        f"`vade install {name}`; compared with versions {checked.oldest} to {checked.newest}, by {how[checked.how]}.",
        "",
        "| event | what it is to us | text reaches the agent | waits |",
        "|---|---|---|---|",
        *(f"| {row.event} | {row.moment} | {'yes' if row.shows_text else ''} | {row.wait_s} s |" for row in host.registered()),
        "",
        "| file | for | holds |",
        "|---|---|---|",
        *_files(name),
        "",
    ]
    return "\n".join(lines)


_BASES = {"home": "~/", "config": "CONFIG/", "data": "DATA/", "xdg": "$XDG_DATA_HOME/"}


def _conversations() -> str:
    """Return the table of the places where hosts keep conversations."""
    rows = {}
    for place in places():
        named = f" (`{place.variable}`)" if place.variable else ""
        files = ", ".join(f"`{glob}`" for glob in place.files) or "the file itself"
        side = ", ".join(f"`{glob}`" for glob in place.side)
        rows[f"| {place.host} | `{_BASES[place.base]}{place.path}`{named} | {files} | {side} | {place.never} |"] = None
    printed = ", ".join(f"`{name}`" for name in sorted(OUTPUT_FOLDERS))
    return "\n".join([
        "## Conversations",
        "",
        "What is read below the folders of hosts, and nothing else there: a file outside this table is never a conversation, whatever it",
        "looks like. CONFIG and DATA are the platform's folders for applications. A copy of a host's folder is read by the same table, and",
        f"folders named {printed} hold no conversations anywhere. Kinds of records, and who speaks in each, are listed for each host",
        "as data in `tests/adapters/transcripts/conformance` and `tests/plugins/<host>/transcript_cases.py`, with the versions that they",
        "were taken from; what is read of each says",
        "[transcripts](transcripts.md).",
        "",
        "| host | place | conversations | with sub-agents | among what is not read |",
        "|---|---|---|---|---|",
        *rows,
        "",
        "These second stores are not read. What only they have is counted by `vade doctor`, with the host and its version: "
        + ", ".join(dict.fromkeys(f"`{_BASES[store.base]}{store.path}`" for host in hosts().values() for store in host.unread)) + ".",
        "",
        f"{', '.join(without_hooks().values())} call no hook, so the helper, `vade watch` or `vade capture` finds what they write.",
        "",
    ])  # fmt: skip


def _files(name: str) -> list[str]:
    wanted = wants(_FOLDERS, Programs("PYTHON", "DATA/hook/client.py"))
    return [
        f"| `{_shown(one.path)}` | {'you' if reach == 'user' else 'the project'} | {one.role} |"
        for reach in ("user", "project")
        for one in wanted(name, reach, _PROJECT)
    ]


def _shown(path: str) -> str:
    place = PurePosixPath(path)
    return str(place.relative_to(_PROJECT)) if place.is_relative_to(_PROJECT) else path.removeprefix("/")
