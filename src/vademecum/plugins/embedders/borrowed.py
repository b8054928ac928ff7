"""Embedders that use a model of a service or package."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from vademecum.plugins.embedders.endpoints import of_bedrock, of_ollama, of_openai
from vademecum.plugins.embedders.options import Options
from vademecum.plugins.embedders.packages import of_fastembed, of_sentence_transformers
from vademecum.plugins.embedders.remote import Ask, Remote, for_model

#: Seconds before the second attempt.
FIRST_WAIT_S = 0.25

#: Service -> function that returns how to ask one of its models.
CONNECT: Mapping[str, Callable[[str, Options], Ask]] = {
    "openai": of_openai,
    "ollama": of_ollama,
    "bedrock": of_bedrock,
    "fastembed": of_fastembed,
    "sentence-transformers": of_sentence_transformers,
}


def opened(service: str, model: str, url: str, key: Callable[[], str]) -> Remote:
    """Return the embedder for a model of a service, with address and key of the settings. Raises as :func:`borrowed`."""
    return borrowed(service, model, Options(url=url, api_key=key))


def borrowed(service: str, model: str, options: Options) -> Remote:
    """Return the embedder for a model of a service. A server is not contacted yet.

    Raises:
        EmbedderUnavailable: the package of the service is not installed.
    """
    ask = options.patient(CONNECT[service](model, options), FIRST_WAIT_S)
    given = {"query": options.query_prefix, "passage": options.passage_prefix}
    prefixes = replace(for_model(model), **{role: prefix for role, prefix in given.items() if prefix is not None})
    return Remote(f"{service}:{model}", ask, prefixes, options.dim)
