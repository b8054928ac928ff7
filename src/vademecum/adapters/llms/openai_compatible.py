"""Any endpoint with OpenAI's `/v1/chat/completions`: OpenAI, Ollama, vLLM, llama.cpp, LM Studio, gateways, ..."""

import json
from collections.abc import Mapping
from typing import Any

from vademecum.adapters.llms.completion import Complete, Completion, counted, odd
from vademecum.adapters.llms.endpoint import Options, post
from vademecum.domain.errors import LLMRefused, LLMUnavailable
from vademecum.domain.llm import Prompt

DEFAULT_URL, OLLAMA_URL = "https://api.openai.com/v1", "http://127.0.0.1:11434/v1"


def completing(model: str, options: Options, default_url: str = DEFAULT_URL) -> Complete:
    """Return a function that asks `model` at the base address `options.url`, which may end with "/chat/completions".

    The schema is sent as `response_format` and, for servers that ignore it, in the prompt. A server that refuses the field is
    asked without it.
    """
    endpoint = options.address(default_url, "/chat/completions")
    limit = (
        "max_completion_tokens" if endpoint.startswith(DEFAULT_URL) else "max_tokens"
    )  # other servers know only the older name
    plain = False

    def complete(prompt: Prompt) -> Completion:
        nonlocal plain
        headers = options.bearer()
        payload = _payload(model, prompt, limit)
        try:
            answer = post(endpoint, payload if not plain else _without_format(payload), headers, options.timeout_s)
        except LLMUnavailable as error:
            if plain or isinstance(error, LLMRefused) or "response_format" not in error.message:
                raise
            plain = True
            answer = post(endpoint, _without_format(payload), headers, options.timeout_s)
        return _read(answer, prompt, endpoint)

    return complete


def of_ollama(model: str, options: Options) -> Complete:
    """Return a function that asks `model` of the Ollama at `options.url`, through its OpenAI-compatible interface."""
    return completing(model, options, OLLAMA_URL)


def _payload(model: str, prompt: Prompt, limit: str) -> dict[str, Any]:
    asked = f"{prompt.task}\n\nAnswer with one JSON object and nothing else. Its schema:\n{json.dumps(prompt.schema)}"
    return {
        "model": model,
        "messages": [{"role": "system", "content": asked}, {"role": "user", "content": prompt.text}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": prompt.tool, "schema": prompt.schema, "strict": True},
        },
        limit: prompt.max_output_tokens,
        "stream": False,
    }


def _without_format(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in payload.items() if name != "response_format"}


def _read(answer: Any, prompt: Prompt, endpoint: str) -> Completion:
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        result = message.get("content") or ""
        refusal = message.get("refusal") or ""
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise odd(endpoint) from error
    if not isinstance(result, str):
        raise odd(endpoint)
    usage = counted(answer.get("usage"), ("prompt_tokens",), "completion_tokens", prompt, result)
    complaint = f"it was cut off after {prompt.max_output_tokens} tokens" if choice.get("finish_reason") == "length" else ""
    return Completion(result, usage, f"it refused: {refusal}" if refusal else complaint)
