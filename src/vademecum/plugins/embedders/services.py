"""The services, and what a model at one may need to know."""

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from vademecum.plugin import EmbedderService
from vademecum.plugins.embedders.endpoints import of_bedrock, of_ollama, of_openai
from vademecum.plugins.embedders.options import Options
from vademecum.plugins.embedders.packages import of_fastembed, of_sentence_transformers
from vademecum.plugins.embedders.remote import Ask, Remote, for_model

#: Seconds before the second attempt.
FIRST_WAIT_S = 0.25

Connect = Callable[[str, Options], Ask]


def borrowed(service: str, connect: Connect, model: str, options: Options) -> Remote:
    """Return the embedder of a model at a service.

    Raises:
        EmbedderUnavailable: its package is absent. A server is not asked yet.
    """
    ask = options.patient(connect(model, options), FIRST_WAIT_S)
    given = {"query": options.query_prefix, "passage": options.passage_prefix}
    prefixes = replace(for_model(model), **{role: prefix for role, prefix in given.items() if prefix is not None})
    return Remote(f"{service}:{model}", ask, prefixes, options.dim)


def _open(service: str, connect: Connect, model: str, url: str, key: Callable[[], str]) -> Remote:
    return borrowed(service, connect, model, Options(url=url, api_key=key))


#: Service -> (how it is connected to, model when none is named). Local models named here know many languages and run no code of their
#: makers: docs/measurements/experiments.md#optional-models.
CONNECTED: dict[str, tuple[Connect, str]] = {
    "openai": (of_openai, "text-embedding-3-small"),
    "ollama": (of_ollama, "embeddinggemma"),
    "bedrock": (of_bedrock, "amazon.titan-embed-text-v2:0"),
    "fastembed": (of_fastembed, "google/embeddinggemma-300m"),
    "sentence-transformers": (of_sentence_transformers, "intfloat/multilingual-e5-large"),
}

SERVICES = tuple(
    EmbedderService(service, usual_model, partial(_open, service, connect))
    for service, (connect, usual_model) in CONNECTED.items()
)
