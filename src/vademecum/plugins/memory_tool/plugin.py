"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="memory_tool",
    about="Anthropic's `memory` tool: memories as files under /memories. It is offered where the setting mcp_tools names it.",
    tools=rows_in("vademecum.plugins.memory_tool.tool", "TOOLS"),
)
