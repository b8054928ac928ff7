"""Text -> meaning as a vector. One file per model or service; only the chosen one is imported, and NumPy with it."""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from vademecum.adapters.endpoint import Endpoint
from vademecum.domain.errors import UnknownWord

if TYPE_CHECKING:
    from vademecum.ports.embedder import Embedder

__all__ = ["DEFAULT", "MODELS", "SERVICES", "Options", "create", "create_late", "name_of", "names"]

DEFAULT = "use"
#: Seconds before the second attempt.
FIRST_WAIT_S = 0.25
#: Name -> (module, class). No options, no network.
MODELS = {"use": ("use", "UniversalSentenceEncoder"), "hashing": ("reference", "Hashing")}
#: Name -> the languages it was made for.
LANGUAGES = {"use": "sixteen languages, among them Chinese, English, French, German, Portuguese and Spanish"}
#: Those whose weights lie beside them, in this file.
SHIPPED = {"use": "use-multilingual.safetensors"}
#: Name -> (module, its function, model when none is named). Used as "ollama:nomic-embed-text". Local models named here know many languages
#: and run no code of their makers: docs/measurements/experiments.md#optional-models.
SERVICES = {
    "openai": ("endpoints", "of_openai", "text-embedding-3-small"),
    "ollama": ("endpoints", "of_ollama", "embeddinggemma"),
    "bedrock": ("endpoints", "of_bedrock", "amazon.titan-embed-text-v2:0"),
    "fastembed": ("packages", "of_fastembed", "google/embeddinggemma-300m"),
    "sentence-transformers": ("packages", "of_sentence_transformers", "intfloat/multilingual-e5-large"),
}


class Options(Endpoint, frozen=True):
    """What a borrowed model may need to know. The models that we ship look at `notes` only.

    Attributes:
        notes: a file of ours that says which weights were found right; None: look anew each time.
        query_prefix, passage_prefix: put before the texts of a role; None is what the model is known to want.
        dim: numbers in a vector; None asks the model.
    """

    timeout_s: float = 10
    notes: Path | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dim: int | None = None


def create(name: str = DEFAULT, options: Options | None = None) -> "Embedder | None":
    """Return the embedder called `name`: one of `MODELS`, or one of `SERVICES` with ":<model>". "none" gives None.

    Raises:
        UnknownWord: there is no such embedder.
        EmbedderUnavailable: its weights or its package are absent. A server is not asked yet.
    """
    service, _, model = name.partition(":")
    if name == "none":
        return None
    if name in MODELS:
        module, model_class = MODELS[name]
        given = {"notes": options.notes} if options and name in SHIPPED else {}
        embedder: Embedder = getattr(_module(module), model_class)(**given)
        return embedder
    if service in SERVICES:
        return _borrowed(service, model, options or Options())
    raise UnknownWord("embedder", name, names())


def names() -> tuple[str, ...]:
    """Return every name that :func:`create` knows; one that ends with ":<model>" stands for all that begin like it.

    A service alone, which is a name too, stands for its usual model and is not listed.
    """
    return ("none", *MODELS, *(f"{service}:<model>" for service in SERVICES))


def name_of(model_id: str) -> str:
    """Return the name by which :func:`create` makes the embedder with that model id."""
    for name, (module, model_class) in MODELS.items():
        if getattr(_module(module), model_class).model_id == model_id:
            return name
    return model_id


def create_late(name: str, options: Options | None = None) -> "Embedder | None":
    """Make an embedder as :func:`create` does, but only look for the weights that we ship: the first text reads and checks them.

    Raises:
        UnknownWord, EmbedderUnavailable: as :func:`create`.
    """
    if name not in SHIPPED:
        return create(name, options)
    module, model_class = MODELS[name]
    _module("weight_files").must_be_there(SHIPPED[name])
    late: Embedder = _module("late").Late(getattr(_module(module), model_class), lambda: create(name, options))
    return late


def _borrowed(service: str, model: str, options: Options) -> "Embedder":
    module, function, usual_model = SERVICES[service]
    model = model or usual_model
    ask = options.patient(getattr(_module(module), function)(model, options), FIRST_WAIT_S)
    by_key = {"query": options.query_prefix, "passage": options.passage_prefix}
    remote = _module("remote")
    known = remote.for_model(model)
    prefixes = replace(known, **{role: prefix for role, prefix in by_key.items() if prefix is not None})
    embedder: Embedder = remote.Remote(f"{service}:{model}", ask, prefixes, options.dim)
    return embedder


def _module(name: str) -> Any:
    return importlib.import_module(f"vademecum.adapters.embedders.{name}")
