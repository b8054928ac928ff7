"""The person's own Claude Code, run once without a terminal: it uses their subscription.

It loads none of their settings, so no hook of ours, no MCP server and no memory file is loaded; it has no tools and saves no
transcript. `--bare` would do most of that, but then it does not read the subscription's login either.
"""

import json
from pathlib import Path
from typing import Any

from vademecum.adapters.llms.completion import READ_BY_CLAUDE, Complete, Completion, counted, odd
from vademecum.adapters.llms.endpoint import Options
from vademecum.adapters.llms.program import failure, run
from vademecum.domain.llm import Prompt, Usage

NAME = "claude"
_ISOLATED = (
    "--setting-sources", "", "--settings", '{"disableAllHooks": true}', "--strict-mcp-config", "--no-session-persistence",
    "--disable-slash-commands", "--tools", "",
)  # fmt: skip


def completing(model: str, options: Options) -> Complete:
    """Return a function that asks `model`, a name or alias that Claude Code knows."""

    def complete(prompt: Prompt) -> Completion:
        def arguments(_: Path) -> list[str]:
            schema = json.dumps(prompt.schema)
            asked = ["--print", "--output-format", "json", "--json-schema", schema, "--system-prompt", prompt.task]
            return [*asked, *(("--model", model) if model else ()), *_ISOLATED]

        limits = {"MAX_THINKING_TOKENS": "0", "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(prompt.max_output_tokens)}
        done = run(NAME, arguments, prompt.text, {**options.environment, **limits}, options.timeout_s)
        try:
            by_key = json.loads(done.stdout.strip().splitlines()[-1])
        except (ValueError, IndexError) as error:
            raise failure(NAME, done.stderr or done.stdout) from error
        if not isinstance(by_key, dict):
            raise odd(NAME)
        if done.code or by_key.get("is_error"):
            raise failure(NAME, str(by_key.get("result") or by_key.get("errors") or done.stderr))
        return _read(by_key, prompt)

    return complete


def _read(fields: dict[str, Any], prompt: Prompt) -> Completion:
    value, text = fields.get("structured_output"), str(fields.get("result") or "")
    usage = counted(fields.get("usage"), READ_BY_CLAUDE, "output_tokens", prompt, text)
    cost = fields.get("total_cost_usd")
    usage = Usage(usage.input_tokens, usage.output_tokens, float(cost) if isinstance(cost, int | float) else None)
    return Completion(value if isinstance(value, dict) else text, usage)
