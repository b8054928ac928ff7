"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="mcp_tools",
    about="Tools of MCP beside the six of the default list.",
    tools=rows_in("vademecum.plugins.mcp_tools.tools", "TOOLS"),
)
