"""Tools of MCP beside the six of the default list."""
