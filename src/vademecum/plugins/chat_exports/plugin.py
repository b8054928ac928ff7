"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="chat_exports",
    about="Conversations in exports: of accounts of ChatGPT, Claude, DeepSeek and Gemini, of agent-memory.",
    formats=rows_in("vademecum.plugins.chat_exports.accounts", "FORMATS"),
    libraries=rows_in("vademecum.plugins.chat_exports.accounts", "LIBRARIES"),
)
