"""The interfaces: command line, hooks, MCP, HTTP, helper. Each parses arguments, calls `api`, and prints results.

Start with `verbs/`: one table of verbs serves all interfaces. Hooks are the exception: `hooks/client.py` is what a host runs.
"""
