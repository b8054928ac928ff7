"""Tools and prompts of MCP."""

from vademecum.entrypoints.mcp import data
from vademecum.entrypoints.mcp.prompts import REVIEWED_AT_ONCE, Prompt
from vademecum.entrypoints.mcp.tools import (
    INTERFACE,
    OLDER_ARGUMENTS,
    ONLY,
    PROJECT,
    QUOTE,
    REF,
    SAVED,
    WHY,
    Tool,
    apps_of,
    evolve,
    kind_param,
    own_memory,
    project_of,
)
from vademecum.entrypoints.recall_text import scores_text
from vademecum.entrypoints.verbs import verb_named
