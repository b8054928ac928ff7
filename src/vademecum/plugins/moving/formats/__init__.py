"""Formats of other memories. One is added by a file here and a row in `FORMATS`, which are asked in order."""

from vademecum.plugins.moving.formats import (
    agent_memory,
    claude_ai,
    claude_memory,
    json_exports,
    knowledge_graph,
    memory_bank,
    memory_v2,
    mempalace,
    mif,
    notes,
    openclaw,
    own,
    paste,
    rules,
    swarm,
)
from vademecum.plugins.moving.formats.record import Format

#: Asked in order, what is told apart most surely first; the last takes any text that was named.
FORMATS: tuple[Format, ...] = (
    own.FORMAT, agent_memory.FORMAT, swarm.FORMAT, mempalace.FORMAT, claude_ai.FORMAT, json_exports.LETTA,
    json_exports.CLAUDE_MEM, json_exports.MEM0, knowledge_graph.FORMAT, memory_v2.FORMAT, memory_bank.FORMAT, rules.FORMAT,
    openclaw.FORMAT,
    mif.FORMAT, notes.BASIC_MEMORY, claude_memory.FORMAT, notes.NOTES, notes.OKF, paste.FORMAT,
)  # fmt: skip
