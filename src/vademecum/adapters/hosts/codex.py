"""OpenAI Codex. It checks what a hook prints against a schema and drops everything for one unknown key, so only known ones go.

Hooks go into `hooks.json`, never into `config.toml`: a bad shape there keeps Codex from starting. Each hook is trusted by the
person once, by a hash of what stands in the file; that is why the command must not change between our versions.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from vademecum.adapters.hosts.claude_code import STARTS, groups, server
from vademecum.adapters.hosts.edits import TomlTable, is_ours
from vademecum.adapters.hosts.table import CALL_WAIT_S, WAIT_S, Limits, Row, TableHost, context_answer, text
from vademecum.domain.host import Checked, HookEvent, HostFolders, Programs, Reach
from vademecum.ports.host import Switch, Wanted

#: Codex waits no longer than this at the end of a session, in seconds.
_END_WAITS_S = 3

#: A server gets none of the person's variables but HOME, PATH and the like, unless it asks for them: what says where we keep things.
PASSED_ON = (
    "VADEMECUM_CONFIG", "VADEMECUM_HOME", "VADEMECUM_DATA_DIR", "VADEMECUM_CACHE_DIR", "VADEMECUM_DISABLED",
    "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
)  # fmt: skip

Trust = Literal["trusted", "modified", "untrusted", "disabled"]


class Codex(TableHost):
    """Codex 0.15x to 0.163."""

    name: ClassVar[str] = "codex"
    title: ClassVar[str] = "Codex"
    program: ClassVar[str] = "codex"
    checked: ClassVar[Checked] = Checked("0.150.0", "0.171.0", "run")
    about: ClassVar[str] = (
        "As Claude Code. Codex runs a hook only after the person has reviewed it: open `/hooks`; we never do that in the "
        "person's stead. The command stays the same over upgrades, so it is asked once. `CODEX_HOME` is respected. Hooks never "
        "go into `config.toml`."
    )
    at_calls: ClassVar[str] = (
        "note beside the result, pause, barrier; proved by the program, headless, in a terminal and in a sub-agent. It has to "
        "be trusted in `/hooks` like every hook."
    )
    other_names: ClassVar[tuple[str, ...]] = ("codex-cli", "openai-codex")
    switch: ClassVar[Switch | None] = Switch("codex", "config.toml", ("features", "hooks"), False)
    next_step: ClassVar[str] = (
        "Codex runs a hook only after you have reviewed it: start `codex`, open /hooks and trust those of Vademecum."
    )
    #: Above 2,500 tokens Codex puts the text into a file and shows the agent its beginning.
    limits: ClassVar[Limits] = Limits(chars=9000, tokens=2400)
    rows: ClassVar[tuple[Row, ...]] = (
        Row("SessionStart", "start", WAIT_S, STARTS, told=True),
        Row("UserPromptSubmit", "prompt", WAIT_S, told=True),
        Row("PreToolUse", "call", CALL_WAIT_S),
        Row("SubagentStart", "agent start", WAIT_S, told=True),
        Row("SubagentStop", "agent end", WAIT_S),
        Row("Stop", "pause", WAIT_S),
        Row("PreCompact", "shrink", WAIT_S),
        Row("SessionEnd", "end", _END_WAITS_S),
    )

    def by_person(self, row: Row, payload: Mapping[str, object]) -> bool:
        """Tell a person's prompt from what an agent asks its sub-agent: that carries the sub-agent's id."""
        return row.moment != "prompt" or not text(payload, self.fields.agent)

    def answer(self, event: HookEvent, told: str, notice: str) -> dict[str, Any]:
        return context_answer(event, told, notice)

    def files(
        self, folders: HostFolders, programs: Programs, reach: Reach, project: str, *, mcp: bool = True
    ) -> tuple[Wanted, ...]:
        folder = Path(folders.codex) if reach == "user" else Path(project) / ".codex"
        wanted = [
            Wanted(str(folder / "hooks.json"), "hooks", (groups(self.registered(), {"command": programs.hook(self.name)}),))
        ]
        if mcp:
            table = TomlTable(("mcp_servers", "vademecum"), {**server(programs), "env_vars": list(PASSED_ON)})
            wanted.append(Wanted(str(folder / "config.toml"), "mcp", (table,)))
        return tuple(wanted)

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        codex = Path(folders.codex)
        return ((str(codex / "sessions"), "*/*/*/rollout-*.jsonl*"), (str(codex / "archived_sessions"), "rollout-*.jsonl*"))


def trust(hooks_path: str, hooks: dict[str, Any], config: dict[str, Any]) -> Iterator[tuple[str, Trust]]:
    """Yield (event, state) of each hook of ours in a parsed `hooks.json`, by what `config.toml` says was reviewed.

    A hook's key is the file, its event and its place; its hash is SHA-256 of its normalised form (codex-rs/hooks,
    `discovery.rs`, and codex-rs/config, `fingerprint.rs`).
    """
    state = config.get("hooks", {}).get("state", {})
    for event, entries in hooks.get("hooks", {}).items():
        label = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        for group, entry in enumerate(entries):
            if not is_ours(entry):
                continue
            for place, handler in enumerate(entry.get("hooks", ())):
                known = state.get(f"{hooks_path}:{label}:{group}:{place}", {})
                yield event, _judged(known, _hash(label, entry.get("matcher"), handler))


def _judged(known: dict[str, Any], current: str) -> Trust:
    if known.get("enabled") is False:
        return "disabled"
    if "trusted_hash" not in known:
        return "untrusted"
    return "trusted" if known["trusted_hash"] == current else "modified"


def _hash(label: str, matcher: str | None, handler: dict[str, Any]) -> str:
    waits = min(handler.get("timeout", 600), _END_WAITS_S) if label == "session_end" else handler.get("timeout", 600)
    normal = {"async": False, "command": handler["command"], "timeout": waits, "type": "command"}
    identity: dict[str, Any] = {"event_name": label, "hooks": [normal]}
    if matcher is not None:
        identity["matcher"] = matcher
    whole = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    import hashlib  # noqa: PLC0415 -- 3 ms that a hook does not take

    return "sha256:" + hashlib.sha256(whole.encode()).hexdigest()
