"""A question with material -> a JSON object. One file per protocol or program; only the chosen one is imported."""

import importlib
from typing import TYPE_CHECKING, Any

from vademecum.adapters.llms.options import Options
from vademecum.model.errors import InvalidInput, UnknownWord

if TYPE_CHECKING:
    from vademecum.model.ports import LLM

__all__ = ["SERVICES", "Options", "create"]

#: Name -> (module, model when none is said; None: one must be). Used as "ollama:qwen3".
SERVICES: dict[str, tuple[str, str | None]] = {
    "openai": ("openai_compatible", None),
    "ollama": ("ollama", None),
    "anthropic": ("anthropic", "claude-haiku-4-5"),
    "claude-cli": ("claude_cli", "haiku"),
    "codex-cli": ("codex_cli", ""),
}


def create(name: str, options: Options) -> "LLM | None":
    """The model called `name`: one of `SERVICES`, with ":<model>". "none" gives None. Nothing is asked yet.

    Raises:
        UnknownWord: there is no such service. InvalidInput: it needs the name of a model.
    """
    service, _, model = name.partition(":")
    if name in ("", "none"):
        return None
    if service not in SERVICES:
        raise UnknownWord("language model", name, ["none", *(f"{known}:<model>" for known in SERVICES)])
    module, usual = SERVICES[service]
    if not model and usual is None:
        raise InvalidInput(f"Setting llm names no model of {service}.", f"Set it to {service}:<model>.")
    complete = _module(module).completing(model or usual, options)
    if options.sleep:
        complete = _module("retrying").retrying(complete, options.attempts, options.sleep)
    llm: LLM = _module("structured").Structured(f"{service}:{model or usual}".rstrip(":"), options.metered(complete))
    return llm


def _module(name: str) -> Any:
    return importlib.import_module(f"vademecum.adapters.llms.{name}")
