"""Any endpoint that speaks OpenAI's `/v1/embeddings`: OpenAI, vLLM, llama.cpp, LM Studio, text-embeddings-inference, ..."""

from typing import Any

from vademecum.adapters.embedders.http_json import post
from vademecum.adapters.embedders.options import Options
from vademecum.adapters.embedders.remote import Ask
from vademecum.model.errors import EmbedderUnavailable

DEFAULT_URL = "https://api.openai.com/v1"


def asking(model: str, options: Options) -> Ask:
    """Ask `model` at the endpoint whose base address is `options.url`, with or without "/embeddings" at its end."""
    endpoint = (options.url or DEFAULT_URL).rstrip("/").removesuffix("/embeddings") + "/embeddings"
    headers = {"Authorization": f"Bearer {options.api_key}"} if options.api_key else {}

    def ask(texts: list[str]) -> Any:
        answer = post(endpoint, {"model": model, "input": texts, "encoding_format": "float"}, headers, options.timeout_s)
        try:
            return [entry["embedding"] for entry in sorted(answer["data"], key=lambda entry: entry["index"])]
        except (TypeError, KeyError) as error:
            raise EmbedderUnavailable(
                f"{endpoint} answered without embeddings.", "Is it an OpenAI-compatible embeddings endpoint?"
            ) from error

    return ask
