"""Memory over HTTP on this machine: every verb, the routes of two earlier designs, and MCP."""
