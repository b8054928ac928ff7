"""The services by name. Their code is imported when one is opened, because every check of the settings reads the names."""

from functools import partial

from vademecum.plugin import EmbedderService, late

#: Service -> model if none is named. The local models are multilingual and run no code of their makers:
#: docs/measurements/experiments.md#optional-models.
USUAL = {
    "openai": "text-embedding-3-small",
    "ollama": "embeddinggemma",
    "bedrock": "amazon.titan-embed-text-v2:0",
    "fastembed": "google/embeddinggemma-300m",
    "sentence-transformers": "intfloat/multilingual-e5-large",
}

_open = late("vademecum.plugins.embedders.borrowed", "opened")

SERVICES = tuple(EmbedderService(service, model, partial(_open, service)) for service, model in USUAL.items())
