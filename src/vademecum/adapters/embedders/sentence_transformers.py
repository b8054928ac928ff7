"""Models that the package `sentence-transformers` runs with PyTorch. It downloads a model when first used."""

from typing import Any

from vademecum.adapters.embedders import extras
from vademecum.adapters.embedders.options import Options
from vademecum.adapters.embedders.remote import Ask
from vademecum.model.errors import EmbedderUnavailable


def asking(model: str, options: Options) -> Ask:
    """Ask `model`, such as "BAAI/bge-large-en-v1.5".

    Raises:
        EmbedderUnavailable: the package is absent, or does not know or cannot get the model.
    """
    package = extras.load("sentence_transformers", "sentence-transformers")
    try:
        loaded = package.SentenceTransformer(model)
    except (ValueError, OSError) as error:
        raise EmbedderUnavailable(
            f"sentence-transformers cannot load {model}: {error}", "Check the name and the network."
        ) from error

    def ask(texts: list[str]) -> Any:
        return loaded.encode(texts, convert_to_numpy=True, show_progress_bar=False)

    return ask
