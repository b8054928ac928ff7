"""What this plugin adds."""

from vademecum.plugin import Plugin, Setting, rows_in

PLUGIN = Plugin(
    name="memory_tool",
    about="Anthropic's `memory` tool: memories as files under /memories.",
    settings=(Setting("memory_tool", False, "True: MCP also offers Anthropic's `memory` tool (files under /memories)."),),
    tools=rows_in("vademecum.plugins.memory_tool.tool", "TOOLS"),
)
