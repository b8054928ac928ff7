"""Anthropic's Messages API. The object is the input of a tool that the model is forced to call."""

from typing import Any

from vademecum.adapters.llms.completion import READ_BY_CLAUDE, Complete, Completion, counted, odd
from vademecum.adapters.llms.endpoint import Options, post
from vademecum.domain.llm import Prompt

DEFAULT_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"


def completing(model: str, options: Options) -> Complete:
    """Return a function that asks `model` at the base address `options.url`, which may end with "/v1/messages"."""
    endpoint = (options.url or DEFAULT_URL).rstrip("/").removesuffix("/v1/messages").removesuffix("/v1") + "/v1/messages"

    def complete(prompt: Prompt) -> Completion:
        headers = {"x-api-key": options.api_key(), "anthropic-version": VERSION}
        payload = {
            "model": model,
            "max_tokens": prompt.max_output_tokens,
            "system": prompt.task,
            "messages": [{"role": "user", "content": prompt.text}],
            "tools": [{"name": prompt.tool, "description": "Give the answer.", "input_schema": prompt.schema}],
            "tool_choice": {"type": "tool", "name": prompt.tool},
        }
        return _read(post(endpoint, payload, headers, options.timeout_s), prompt, endpoint)

    return complete


def _read(answer: Any, prompt: Prompt, endpoint: str) -> Completion:
    try:
        blocks = answer["content"]
        called = [block["input"] for block in blocks if block["type"] == "tool_use"]
        text = "\n".join(block["text"] for block in blocks if block["type"] == "text")
        stopped = answer.get("stop_reason")
    except (TypeError, KeyError, AttributeError) as error:
        raise odd(endpoint) from error
    usage = counted(answer.get("usage"), READ_BY_CLAUDE, "output_tokens", prompt, f"{called}{text}")
    if stopped == "max_tokens":
        return Completion(text, usage, f"it was cut off after {prompt.max_output_tokens} tokens")
    if called and isinstance(called[0], dict):
        return Completion(called[0], usage)
    return Completion(text, usage, "" if text else "it did not call the tool")
