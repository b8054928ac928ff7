"""The person's own Codex, run once without a terminal: it uses their subscription.

The conversation is not saved (`--ephemeral`), nothing can be written (`read-only`), and hooks and the person's configuration,
with its MCP servers, are not loaded.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vademecum.adapters.llms.completion import Complete, Completion, counted
from vademecum.adapters.llms.endpoint import Options
from vademecum.adapters.llms.program import failure, run
from vademecum.domain.llm import Prompt

NAME = "codex"
#: Disabled features: those that an injected instruction could use, and those that would run our own hooks.
_FEATURES = ("hooks", "plugins", "shell_tool", "unified_exec", "multi_agent", "goals", "view_image")
_ISOLATED = (
    "--ephemeral", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules", "--sandbox", "read-only", "--color", "never",
    *(part for feature in _FEATURES for part in ("-c", f"features.{feature}=false")), "-c", 'web_search="disabled"',
)  # fmt: skip


def completing(model: str, options: Options) -> Complete:
    """Return a function that asks `model`; "": Codex' default."""

    def complete(prompt: Prompt) -> Completion:
        def arguments(folder: Path) -> list[str]:
            schema = folder / "schema.json"
            schema.write_text(json.dumps(prompt.schema), encoding="utf-8")
            chosen = ["--model", model] if model else []
            return ["exec", "--json", *_ISOLATED, *chosen, "--output-schema", str(schema), "-"]

        done = run(NAME, arguments, f"{prompt.task}\n\n{prompt.text}", options.environment, options.timeout_s)
        return _read(list(_events(done.stdout)), prompt, done.code, done.stderr)

    return complete


def _events(stdout: str) -> Iterator[dict[str, Any]]:
    for line in stdout.splitlines():
        if line.startswith("{"):
            try:
                yield json.loads(line)
            except ValueError:
                continue


def _read(events: list[dict[str, Any]], prompt: Prompt, code: int, stderr: str) -> Completion:
    text = usage = None
    wrong = ""
    for event in events:
        item = event.get("item") or {}
        if event.get("type") == "item.completed" and item.get("type") == "agent_message":
            text = str(item.get("text", ""))
        elif event.get("type") == "turn.completed":
            usage = event.get("usage")
        elif event.get("type") in ("error", "turn.failed"):
            wrong = str((event.get("error") or event).get("message", event))
    if text is None or code:
        raise failure(NAME, wrong or stderr)
    return Completion(text, counted(usage, ("input_tokens",), "output_tokens", prompt, text))
