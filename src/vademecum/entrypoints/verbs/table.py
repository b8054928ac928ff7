"""The table of the modules with verbs. Command line, MCP and HTTP are generated from the rows of these modules.

A verb is added as a row (:class:`vademecum.entrypoints.verbs.verb.Verb`) of `VERBS` in the module of its group; if its first word is
new there, the word is added here.
"""

from collections.abc import Mapping

#: Module of this package -> first words of the verbs in it. The table of all has the modules in this order.
WORDS: Mapping[str, str] = {
    "notes": "save show list edit evolve supersede settle archive restore move tag link links confirm history undo forget",
    "recall": "recall search bundle briefing questions topics why",
    "actions": "rule",
    "browse": "list log why",
    "projects": "project",
    "inbox": "inbox review review-all",
    "sessions": "sessions handoff",
    "conversations": "save-conversation conversations mark",
    "person": "benefit observe log sources",
    "llm": "reader",
    "jobs": "jobs compact process",
    "maintenance": "status capture sync rebuild guard",
}
