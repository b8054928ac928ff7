"""Language models, one file per protocol or program; only the chosen one is imported."""

import importlib
from typing import TYPE_CHECKING, Any

from vademecum.adapters.llms.endpoint import Options
from vademecum.domain.errors import InvalidInput, UnknownWord

if TYPE_CHECKING:
    from vademecum.ports.llm import LLM

__all__ = ["SERVICES", "Options", "create", "names"]

#: Seconds before the second attempt.
FIRST_WAIT_S = 1.0
#: Name -> (module, its function, default model; None: the name of a model is required). Used as "ollama:qwen3". The
#: measurements add one.
SERVICES: dict[str, tuple[str, str, str | None]] = {
    "openai": ("openai_compatible", "completing", None),
    "ollama": ("openai_compatible", "of_ollama", None),
    "anthropic": ("anthropic", "completing", "claude-haiku-4-5"),
    "claude-cli": ("claude_cli", "completing", "haiku"),
    "codex-cli": ("codex_cli", "completing", ""),
}


def create(name: str, options: Options) -> "LLM | None":
    """Return the model called `name`: one of `SERVICES`, with ":<model>". "none" gives None. No request is made yet.

    Raises:
        UnknownWord: there is no such service. InvalidInput: it needs the name of a model.
    """
    service, _, model = name.partition(":")
    if name in ("", "none"):
        return None
    if service not in SERVICES:
        raise UnknownWord("language model", name, names())
    module, function, usual = SERVICES[service]
    if not model and usual is None:
        raise InvalidInput(f"Setting llm names no model of {service}.", f"Set it to {service}:<model>.")
    complete = options.patient(getattr(_module(module), function)(model or usual, options), FIRST_WAIT_S)
    llm: LLM = _module("structured").Structured(f"{service}:{model or usual}".rstrip(":"), options.metered(complete))
    return llm


def names() -> tuple[str, ...]:
    """Return every name that :func:`create` accepts; ":<model>" stands for the name of any model."""
    alone = (service for service, (_, _, usual) in SERVICES.items() if usual is not None)
    return ("none", *alone, *(f"{service}:<model>" for service in SERVICES))


def _module(name: str) -> Any:
    return importlib.import_module(name if "." in name else f"vademecum.adapters.llms.{name}")
