"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="chat_exports",
    about="Conversations in exports: of ChatGPT's and Claude's accounts, of agent-memory.",
    formats=rows_in("vademecum.plugins.chat_exports.rows", "FORMATS"),
    libraries=rows_in("vademecum.plugins.chat_exports.rows", "LIBRARIES"),
)
