"""OpenAI Codex. It validates a hook's output by a schema and drops all of it for one unknown key, so only known keys are
written.

Hooks are written to `hooks.json`, never to `config.toml`: an invalid value there prevents Codex from starting. The person
approves each hook once, by a hash of its entry in the file; so the command must be the same in all our versions.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from vademecum.adapters.hosts.base import CALL_WAIT_S, WAIT_S, Limits, Row, TableHost, text
from vademecum.adapters.hosts.claude_code import STARTS, groups, server
from vademecum.adapters.hosts.edits import TomlTable, is_ours
from vademecum.domain.host import Checked, HostFolders
from vademecum.ports.host import Switch, Target, Wanted

#: Longest time in seconds that Codex waits at the end of a session.
_END_WAITS_S = 3

#: Variables that Codex passes on to the MCP server, which otherwise gets only HOME, PATH and similar. They determine our
#: folders.
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
    #: Codex saves a text of more than 2,500 tokens to a file and shows the agent only its beginning.
    limits: ClassVar[Limits] = Limits(chars=9000, tokens=2400)
    rows: ClassVar[tuple[Row, ...]] = (
        Row("SessionStart", "start", WAIT_S, STARTS, shows_text=True),
        Row("UserPromptSubmit", "prompt", WAIT_S, shows_text=True),
        Row("PreToolUse", "call", CALL_WAIT_S),
        Row("SubagentStart", "agent start", WAIT_S, shows_text=True),
        Row("SubagentStop", "agent end", WAIT_S),
        Row("Stop", "pause", WAIT_S),
        Row("PreCompact", "shrink", WAIT_S),
        Row("SessionEnd", "end", _END_WAITS_S),
    )

    def by_person(self, row: Row, payload: Mapping[str, object]) -> bool:
        """A prompt from an agent to its sub-agent contains the sub-agent's id; a person's does not."""
        return row.moment != "prompt" or not text(payload, self.fields.agent)

    def files(self, to: Target) -> tuple[Wanted, ...]:
        folder = to.at(to.folders.codex, ".codex")
        table = TomlTable(("mcp_servers", "vademecum"), {**server(to.programs), "env_vars": list(PASSED_ON)})
        return to.wanted(
            (folder / "hooks.json", "hooks", groups(self.registered(), {"command": to.programs.hook(self.name)})),
            (folder / "config.toml", "mcp", table),
        )

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        codex = Path(folders.codex)
        return ((str(codex / "sessions"), "*/*/*/rollout-*.jsonl*"), (str(codex / "archived_sessions"), "rollout-*.jsonl*"))


def trust(hooks_path: str, hooks: dict[str, Any], config: dict[str, Any]) -> Iterator[tuple[str, Trust]]:
    """Yield (event, state) of each hook of ours in a parsed `hooks.json`, according to the reviews recorded in `config.toml`.

    A hook's key is the file, its event and its position; its hash is SHA-256 of its normalised form (codex-rs/hooks,
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
    import hashlib  # noqa: PLC0415 -- 3 ms that hooks avoid

    return "sha256:" + hashlib.sha256(whole.encode()).hexdigest()
