"""The helper: one process for each user that keeps the memory warm and serves hooks, MCP and HTTP."""
