"""The interfaces: command line, hooks, MCP, HTTP. One table of verbs (`verbs/`) serves all; each parses arguments and prints results."""
