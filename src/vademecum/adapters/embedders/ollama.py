"""A model that a local Ollama serves, through its own `/api/embed`."""

from typing import Any

from vademecum.adapters.embedders.http_json import post
from vademecum.adapters.embedders.options import Options
from vademecum.adapters.embedders.remote import Ask
from vademecum.model.errors import EmbedderUnavailable

DEFAULT_URL = "http://127.0.0.1:11434"


def asking(model: str, options: Options) -> Ask:
    """Ask `model` of the Ollama at `options.url`. Texts longer than the model reads are cut by Ollama."""
    endpoint = (options.url or DEFAULT_URL).rstrip("/") + "/api/embed"
    headers = {"Authorization": f"Bearer {options.api_key}"} if options.api_key else {}

    def ask(texts: list[str]) -> Any:
        answer = post(endpoint, {"model": model, "input": texts, "truncate": True}, headers, options.timeout_s)
        try:
            return answer["embeddings"]
        except (TypeError, KeyError) as error:
            raise EmbedderUnavailable(f"{endpoint} answered without embeddings.", f"Try: ollama pull {model}") from error

    return ask
