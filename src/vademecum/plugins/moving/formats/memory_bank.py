"""Markdown folders in which agents store their memory of a repository, by subject: Serena, the memory bank of Cline and Roo.

As of 2026-11. Serena: `.serena/memories/*.md`, with any names, often `project_overview.md`. Memory bank: `memory-bank/` with
`projectbrief.md`, `productContext.md`, `activeContext.md`, `systemPatterns.md`, `techContext.md`, `progress.md`, and other files.
"""

import re
from collections.abc import Iterator, Sequence

from vademecum.plugin_api.vault import title_of
from vademecum.plugins.moving.formats.record import Format, Given, Record, moment, words

#: Names by which such a folder is recognised, in lower case without punctuation. One is enough.
_NAMES = frozenset({
    "projectoverview", "suggestedcommands", "codestyleconventions", "stylesandconventions", "styleandconventions", "taskcompletion",
    "taskcompletionchecklist", "codebasestructure", "projectbrief", "productcontext", "activecontext", "systempatterns", "techcontext",
    "decisionlog",
})  # fmt: skip
_FOLDERS = re.compile(r"(?:^|/)(?:\.serena/memories|\.?memory[-_]bank)/", re.IGNORECASE)
_SIGNS = re.compile(r"[\W_]+")
_KINDS = {"decisionlog": "decision", "progress": "project", "activecontext": "project"}


def _fits(given: Given) -> bool:
    return given.path.endswith(".md") and (_FOLDERS.search(given.place) is not None or _plain(given) in _NAMES)


def _plain(given: Given) -> str:
    return _SIGNS.sub("", given.name.removesuffix(".md")).lower()


def _read(files: Sequence[Given]) -> Iterator[Record]:
    for given in files:
        properties = given.properties
        title = str(properties.get("title") or properties.get("name") or title_of(given.note.body, given.path))
        yield Record(
            given.path, given.note.body, title, _KINDS.get(_plain(given), ""), "project", key=given.path.removesuffix(".md"), line=1,
            at=moment(properties.get("updated") or properties.get("created") or properties.get("date")), tags=words(properties.get("tags")),
        )  # fmt: skip


FORMAT = Format(
    "memory-bank", "memory of a repository (Serena, memory bank of Cline or Roo)", _fits, _read, beside=frozenset({"*.md"}),
    of_repository=True,
)  # fmt: skip
