"""A model that a local Ollama serves, through its OpenAI-compatible door."""

from vademecum.adapters.llms import openai_compatible
from vademecum.adapters.llms.completion import Complete
from vademecum.adapters.llms.options import Options

DEFAULT_URL = "http://127.0.0.1:11434/v1"


def completing(model: str, options: Options) -> Complete:
    """Ask `model` of the Ollama at `options.url`."""
    return openai_compatible.completing(model, options, DEFAULT_URL)
