"""Formats of other memories. One is added by a file here and a row in `FORMATS`, which are asked in order."""

from vademecum.compat.formats import agent_memory, claude_memory, paste
from vademecum.compat.formats.record import Format

#: Asked in order; the last takes any text that was named.
FORMATS: tuple[Format, ...] = (agent_memory.FORMAT, claude_memory.FORMAT, paste.FORMAT)
