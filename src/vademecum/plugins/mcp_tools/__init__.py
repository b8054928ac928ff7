"""MCP tools in addition to the six of the default list."""
