"""The workspace of OpenClaw and of programs with the same layout: the agent's memory of the person and of each day.

As of 2026-11: `USER.md` describes the person, `MEMORY.md` is long-term memory, `memory/YYYY-MM-DD.md` (lately with text after
the date) is the log of a day, `TOOLS.md` describes this machine, `IDENTITY.md` and `SOUL.md` the agent. The other files
instruct the agent; `AGENTS.md` is a file of rules.
"""

import re
from collections.abc import Iterator, Sequence

from vademecum.domain.errors import Problem
from vademecum.domain.item import Status
from vademecum.domain.procedural import SELF
from vademecum.plugin_api.vault import slugify, title_of
from vademecum.plugins.moving.flat_files import entries, kind_of
from vademecum.plugins.moving.formats.blocks import sections
from vademecum.plugins.moving.formats.record import Format, Given, Record, moment

_LONG_KEPT = "MEMORY.md"
_AGENT = {"IDENTITY.md", "SOUL.md"}
_ORDERS = {"HEARTBEAT.md", "BOOTSTRAP.md", "BOOT.md"}
_WHOLE = {"USER.md": ("identity", "About the person"), "TOOLS.md": ("fact", "Tools of this machine")}
_DAY = re.compile(r"(?:^|/)memory/(?:.*/)?(?P<date>\d{4}-\d{2}-\d{2})[^/]*\.md$")
_NAME = re.compile(r"^[-*\s]*\**name:?\**:?[ \t]*(?P<name>[^\s_*(].*?)[ \t*]*$", re.IGNORECASE | re.MULTILINE)
#: An empty field of the template, and the template's explanations in italics.
_EMPTY = re.compile(r"^[ \t]*[-*][ \t]+\*\*[^*]+:\*\*(?:[ \t]*_\([^)]*\)_)?[ \t]*$|^_\(?[^_]*_[ \t]*$")
_NO_AGENT = "openclaw"


def _fits(given: Given) -> bool:
    return given.name in _AGENT | _ORDERS | _WHOLE.keys() or _DAY.search(given.place) is not None


def _read(files: Sequence[Given]) -> Iterator[Record | Problem]:
    names = (_NAME.search(given.text) for given in files if given.name == "IDENTITY.md")
    agent = next((slugify(match["name"]) for match in names if match), "") or _NO_AGENT
    for given in files:
        day = _DAY.search(given.place)
        if day:
            title = title_of(given.note.body, given.path)
            yield _whole(given, title if day["date"] in title else f"{day['date']} {title}", "event", at=day["date"])
        elif given.name == _LONG_KEPT:
            yield from _kept(given)
        elif given.name in _ORDERS:
            yield Problem(given.path, "It tells an agent what to do and was left out.")
        elif not _said(given.note.body):
            yield Problem(given.path, "Nothing is filled in.")
        elif given.name in _AGENT:
            yield _whole(given, title_of(given.note.body, given.path), SELF, agent=agent)
        else:
            kind, title = _WHOLE[given.name]
            yield _whole(given, title, kind)


def _whole(given: Given, title: str, kind: str, *, at: str = "", agent: str = "") -> Record:
    return Record(
        given.path, given.note.body, title, kind, key=given.path.removesuffix(".md"), line=1, at=moment(at), agent=agent
    )


def _kept(given: Given) -> Iterator[Record]:
    """Yield long-term memory, one record for each section.

    If a heading names a kind and only a list follows, there is one record for each item.
    """
    skipped = given.text.count("\n") - given.note.body.count("\n")
    for block in sections(given.note.body):
        is_table = block.text.lstrip().startswith("|")
        kind, line = "" if is_table else kind_of(block.heading), block.line + skipped
        if kind:
            for entry in entries(f"## {block.heading}\n{block.text}"):
                status: Status = "resolved" if kind == "task" and entry.done else "active"
                yield Record(given.path, entry.body, "", kind, line=line, status=status)
        elif block.text.strip():
            yield Record(given.path, block.text, block.heading, line=line)


def _said(body: str) -> str:
    """Return the text of a file without headings and the template's questions."""
    lines = (line for line in body.splitlines() if not line.startswith("#") and not _EMPTY.match(line.rstrip()))
    return "".join(lines).strip(" \t-*_")


FORMAT = Format(
    "openclaw", "workspace of OpenClaw", _fits, _read, takes=frozenset({_LONG_KEPT}),
)  # fmt: skip
