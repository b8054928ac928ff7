"""Formats of other memories. To add one, write a module here and add it to `FORMATS`."""

from vademecum.plugins.moving.formats import (
    agent_memory,
    claude_ai,
    claude_memory,
    codex_memory,
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

#: Tried in order, the most specific first; the last accepts any text that was named explicitly.
FORMATS: tuple[Format, ...] = (
    own.FORMAT, agent_memory.FORMAT, swarm.FORMAT, mempalace.FORMAT, claude_ai.FORMAT, json_exports.LETTA,
    json_exports.CLAUDE_MEM, json_exports.MEM0, knowledge_graph.FORMAT, memory_v2.FORMAT, memory_bank.FORMAT, rules.FORMAT,
    openclaw.FORMAT,
    mif.FORMAT, notes.BASIC_MEMORY, codex_memory.FORMAT, claude_memory.FORMAT, notes.NOTES, notes.OKF, paste.FORMAT,
)  # fmt: skip
