"""Rule files of a repository for agents: CLAUDE.md, AGENTS.md, GEMINI.md, rules of Cursor, Windsurf, Cline and Copilot.

Hosts read these files at every start anyway, so only single lines are proposed that state how the person wants things done. The
complete file is saved with them as an archived document.
"""

from collections.abc import Iterator, Sequence

from vademecum.plugins.moving.formats.blocks import blocks
from vademecum.plugins.moving.formats.paste import said_like
from vademecum.plugins.moving.formats.record import Format, Given, Record

_NAMES = frozenset({
    "claude.md", "claude.local.md", "agents.md", "gemini.md", "copilot-instructions.md", ".cursorrules", ".windsurfrules",
    ".clinerules",
})  # fmt: skip
#: Kinds of lines that are proposed; other lines describe the repository.
_PROPOSED = ("preference", "decision", "lesson", "identity", "style")
_LINE_CHARS = 400
#: Heading below which Gemini CLI writes what it was told to remember.
_REMEMBERED = "gemini added memories"


def _fits(given: Given) -> bool:
    return given.name.lower() in _NAMES or given.name.endswith((".mdc", ".instructions.md"))


def _read(files: Sequence[Given]) -> Iterator[Record]:
    for given in files:
        skipped = given.text.count("\n") - given.note.body.count("\n")
        for block in blocks(given.note.body):
            kind = said_like(block.text) if len(block.text) <= _LINE_CHARS else ""
            if kind in _PROPOSED or block.heading.lower() == _REMEMBERED:
                yield Record(given.path, block.text, kind=kind or "fact", line=block.line + skipped)


FORMAT = Format(
    "rules",
    "rules for agents (CLAUDE.md, AGENTS.md, Cursor, Copilot)",
    _fits,
    _read,
    trust="user",
    cuts=True,
    of_repository=True,
)
