"""The formats, and the kinds of files that contain many conversations."""

from vademecum.plugins.chat_exports.accounts import Export, ExportList
from vademecum.plugins.chat_exports.agent_memory import AgentMemory
from vademecum.plugins.chat_exports.chats import ChatGpt, ClaudeChat
from vademecum.plugins.chat_exports.gemini_activity import GeminiActivity

FORMATS = (AgentMemory(), ChatGpt(), ClaudeChat(), GeminiActivity())
LIBRARIES = (Export(), ExportList())
