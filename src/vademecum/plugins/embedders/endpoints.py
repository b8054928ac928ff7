"""Embedders behind an HTTP endpoint: OpenAI's `/v1/embeddings` (OpenAI, vLLM, llama.cpp, ...), Ollama, Bedrock.

Every failure becomes one sentence on which the person who chose the embedder can act.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from vademecum.domain.errors import EmbedderUnavailable
from vademecum.plugin_api.embedders import PASSING, NoAnswer, NotHttp, NotJson, Passing
from vademecum.plugin_api.machine import Refusal, post
from vademecum.plugins.embedders.options import Options
from vademecum.plugins.embedders.remote import Ask

BEDROCK_URL = "https://bedrock-runtime.us-east-1.amazonaws.com"
OPENAI_URL, OLLAMA_URL = "https://api.openai.com/v1", "http://127.0.0.1:11434"


def of_openai(model: str, options: Options) -> Ask:
    """Return a function that asks `model` at the base address `options.url`, with or without "/embeddings" at its end."""
    endpoint = options.address(OPENAI_URL, "/embeddings")

    def ask(texts: list[str]) -> Any:
        asked = {"model": model, "input": texts, "encoding_format": "float"}
        answer = _post(endpoint, asked, options)
        try:
            return [entry["embedding"] for entry in sorted(answer["data"], key=lambda entry: entry["index"])]
        except (TypeError, KeyError) as error:
            raise EmbedderUnavailable(
                f"{endpoint} answered without embeddings.", "Is it an OpenAI-compatible embeddings endpoint?"
            ) from error

    return ask


def of_ollama(model: str, options: Options) -> Ask:
    """Return a function that asks `model` of the Ollama server at `options.url`. Ollama truncates texts that are too long."""
    endpoint = options.address(OLLAMA_URL, "/api/embed")

    def ask(texts: list[str]) -> Any:
        answer = _post(endpoint, {"model": model, "input": texts, "truncate": True}, options)
        try:
            return answer["embeddings"]
        except (TypeError, KeyError) as error:
            raise EmbedderUnavailable(f"{endpoint} answered without embeddings.", f"Try: ollama pull {model}") from error

    return ask


def of_bedrock(model: str, options: Options) -> Ask:
    """Return a function that asks a Titan `model` of Amazon Bedrock at `options.url`, with a Bedrock API key.

    One text per request; 1024 dimensions by the model's default.
    """
    endpoint = options.address(BEDROCK_URL, f"/model/{quote(model, safe='')}/invoke")

    def ask(texts: list[str]) -> Any:
        answers = [_post(endpoint, {"inputText": text}, options) for text in texts]
        try:
            return [answer["embedding"] for answer in answers]
        except (TypeError, KeyError) as error:
            raise EmbedderUnavailable(
                f"{endpoint} answered without an embedding.", "Is it a Titan embeddings model?"
            ) from error

    return ask


class PassingFailure(EmbedderUnavailable, Passing):
    """The endpoint did not answer this time; a retry may help."""


def _post(url: str, payload: Mapping[str, Any], options: Options) -> Any:
    """Return the decoded JSON answer.

    Raises:
        PassingFailure: timeout, no connection, or a status that is temporary.
        EmbedderUnavailable: any other refusal, or an answer that is not JSON.
    """
    try:
        return post(url, payload, options.bearer(), options.timeout_s)
    except NotHttp as error:
        raise EmbedderUnavailable(str(error), "Set embedder_url to http://... or https://...") from error
    except NoAnswer as error:
        raise PassingFailure(str(error), "Is the server running and the address right?") from error
    except NotJson as error:
        raise EmbedderUnavailable(str(error), "Is it an embeddings endpoint?") from error
    except Refusal as error:
        if error.status in PASSING:
            raise PassingFailure(str(error), "Try again later; until then recall compares words only.") from error
        hint = "Check the key." if error.status in (401, 403) else "Check the address and the model's name."
        raise EmbedderUnavailable(str(error), hint) from error
