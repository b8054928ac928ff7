"""Models that the package `fastembed` runs with ONNX. It downloads a model when that is used for the first time."""

from typing import Any

from vademecum.adapters.embedders import extras
from vademecum.adapters.embedders.options import Options
from vademecum.adapters.embedders.remote import Ask
from vademecum.model.errors import EmbedderUnavailable


def asking(model: str, options: Options) -> Ask:
    """Ask `model`, such as "BAAI/bge-small-en-v1.5".

    Raises:
        EmbedderUnavailable: the package is absent, or does not know or cannot get the model.
    """
    package = extras.load("fastembed", "fastembed")
    try:
        loaded = package.TextEmbedding(model_name=model)
    except (ValueError, OSError) as error:
        raise EmbedderUnavailable(f"fastembed cannot load {model}: {error}", "Check the name and the network.") from error

    def ask(texts: list[str]) -> Any:
        return list(loaded.embed(texts))

    return ask
