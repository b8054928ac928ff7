"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="embedders",
    about="Services and packages whose models turn text into vectors: OpenAI and what speaks like it, Ollama, Bedrock, and others.",
    embedders=rows_in("vademecum.plugins.embedders.services", "SERVICES"),
)
