"""Tools and prompts of MCP."""

from vademecum.entrypoints.mcp import data
from vademecum.entrypoints.mcp.prompts import REVIEWED_AT_ONCE, Prompt
from vademecum.entrypoints.mcp.tools import SAVED, Tool

__all__ = [
    "REVIEWED_AT_ONCE",
    "SAVED",
    "Prompt",
    "Tool",
    "data",
]
