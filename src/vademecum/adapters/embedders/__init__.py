"""Embedders of the core. Plugins add services. Only the chosen one is imported, with NumPy."""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.domain.errors import EmbedderUnavailable, UnknownWord

if TYPE_CHECKING:
    from vademecum.ports.embedder import Embedder

__all__ = ["DEFAULT", "MODELS", "create", "create_late", "must_be_there", "name_of", "names"]

FOLDER = Path(__file__).parent / "weights"
HINT = "Reinstall Vademecum, or choose another embedder (`none` compares words only)."

DEFAULT = "use"
#: Name -> (module, class). No options, no network.
MODELS = {"use": ("use", "UniversalSentenceEncoder"), "hashing": ("reference", "Hashing")}
#: Name -> supported languages.
LANGUAGES = {"use": "sixteen languages, among them Chinese, English, French, German, Portuguese and Spanish"}
#: Embedders with weights in the package -> the weight file.
SHIPPED = {"use": "use-multilingual.safetensors"}


def create(name: str = DEFAULT, notes: Path | None = None) -> "Embedder | None":
    """Return the embedder called `name`, one of `MODELS`; "none" gives None.

    Args:
        notes: our file that records verified weights; None: verify them each time.

    Raises:
        UnknownWord: there is no such embedder.
        EmbedderUnavailable: its weights are missing.
    """
    if name == "none":
        return None
    if name not in MODELS:
        raise UnknownWord("embedder", name, names())
    module, model_class = MODELS[name]
    given = {"notes": notes} if notes and name in SHIPPED else {}
    embedder: Embedder = getattr(_module(module), model_class)(**given)
    return embedder


def names() -> tuple[str, ...]:
    """Return every name that :func:`create` accepts."""
    return ("none", *MODELS)


def name_of(model_id: str) -> str:
    """Return the name with which :func:`create` returns the embedder with that model id; the id itself if there is none."""
    for name, (module, model_class) in MODELS.items():
        if getattr(_module(module), model_class).model_id == model_id:
            return name
    return model_id


def create_late(name: str, notes: Path | None = None) -> "Embedder | None":
    """Return an embedder as :func:`create` does, but only check that its weight file exists: the first text loads and verifies
    it.

    Raises:
        UnknownWord, EmbedderUnavailable: as :func:`create`.
    """
    if name not in SHIPPED:
        return create(name, notes)
    module, model_class = MODELS[name]
    must_be_there(name)
    late: Embedder = _module("late").Late(getattr(_module(module), model_class), lambda: create(name, notes))
    return late


def must_be_there(name: str, folder: Path = FOLDER) -> None:
    """Check that the weight file of an embedder in `SHIPPED` exists; its content is verified when it is read.

    Raises:
        EmbedderUnavailable: it is missing.
    """
    if not (folder / SHIPPED[name]).is_file():
        raise EmbedderUnavailable(f"The weights {SHIPPED[name]} are not in this installation.", HINT)


def _module(name: str) -> Any:
    return importlib.import_module(f"vademecum.adapters.embedders.{name}")
