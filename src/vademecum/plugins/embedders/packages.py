"""Models that run in an installed package: `fastembed` with ONNX, `sentence-transformers` with PyTorch.

Both download a model on its first use.
"""

import importlib
from typing import Any

from vademecum.domain.errors import EmbedderUnavailable
from vademecum.plugin_api.machine import adding_extra
from vademecum.plugins.embedders.options import Options
from vademecum.plugins.embedders.remote import Ask


def of_fastembed(model: str, options: Options) -> Ask:
    """Return a function that asks `model`, such as "google/embeddinggemma-300m".

    Raises:
        EmbedderUnavailable: the package is missing, or cannot load the model.
    """
    package = load("fastembed", "fastembed")
    try:
        loaded = package.TextEmbedding(model_name=model)
    except (ValueError, OSError) as error:
        raise EmbedderUnavailable(f"fastembed cannot load {model}: {error}", "Check the name and the network.") from error

    def ask(texts: list[str]) -> Any:
        return list(loaded.embed(texts))

    return ask


def of_sentence_transformers(model: str, options: Options) -> Ask:
    """Return a function that asks `model`, such as "intfloat/multilingual-e5-large".

    Raises:
        EmbedderUnavailable: the package is missing, or cannot load the model.
    """
    package = load("sentence_transformers", "sentence-transformers")
    try:
        loaded = package.SentenceTransformer(model)
    except (ValueError, OSError) as error:
        raise EmbedderUnavailable(
            f"sentence-transformers cannot load {model}: {error}", "Check the name and the network."
        ) from error

    def ask(texts: list[str]) -> Any:
        return loaded.encode(texts, convert_to_numpy=True, show_progress_bar=False)

    return ask


def load(package: str, extra: str) -> Any:
    """Import and return a package.

    Raises:
        EmbedderUnavailable: it is not installed; the hint is the command that installs it.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise EmbedderUnavailable(
            f"The package {package} is not installed ({error}).", f"Install it with: {adding_extra(extra)}"
        ) from error
