"""Files of rules that a repository has for agents: CLAUDE.md, AGENTS.md, GEMINI.md, rules of Cursor, Windsurf, Cline and Copilot.

They stay what their hosts read at every start, so only single lines in them that state how the person wants things are proposed; the
file is kept whole beside those, as a document in the archive.
"""

from collections.abc import Iterator, Sequence

from vademecum.plugins.moving.formats.blocks import blocks
from vademecum.plugins.moving.formats.paste import said_like
from vademecum.plugins.moving.formats.record import Format, Given, Record

_NAMES = frozenset({
    "claude.md", "claude.local.md", "agents.md", "gemini.md", "copilot-instructions.md", ".cursorrules", ".windsurfrules",
    ".clinerules",
})  # fmt: skip
#: What a line may be for it to be proposed: what else stands in these files tells of the repository.
_PROPOSED = ("preference", "decision", "lesson", "identity", "style")
_LINE_CHARS = 400


def _fits(given: Given) -> bool:
    return given.name.lower() in _NAMES or given.name.endswith((".mdc", ".instructions.md"))


def _read(files: Sequence[Given]) -> Iterator[Record]:
    for given in files:
        skipped = given.text.count("\n") - given.note.body.count("\n")
        for block in blocks(given.note.body):
            kind = said_like(block.text) if len(block.text) <= _LINE_CHARS else ""
            if kind in _PROPOSED:
                yield Record(given.path, block.text, kind=kind, line=block.line + skipped)


FORMAT = Format(
    "rules",
    "rules for agents (CLAUDE.md, AGENTS.md, Cursor, Copilot)",
    _fits,
    _read,
    trust="user",
    cuts=True,
    of_repository=True,
)
