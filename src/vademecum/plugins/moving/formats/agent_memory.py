"""Files of agent-memory: `<agent>/<category>.md` and `_project.md`, formerly `<agent>.md` (IN-09, IN-10, IN-44).

An entry begins with `<!-- id:1773679871839 -->` and ends at the next one, not at a horizontal rule; its heading has date and
tags.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence

from vademecum.language.checkboxes import is_ticked_off
from vademecum.plugins.moving.flat_files import entries
from vademecum.plugins.moving.formats.record import Format, Given, Record, moment

SCHEME = "agent-memory://"
_ID = re.compile(r"^<!--\s*id:\s*(?P<id>\S+?)\s*-->[ \t]*$", re.MULTILINE)
_HEAD = re.compile(r"\s*##[ \t]+(?P<date>\d{4}-\d{2}-\d{2}\S*)[ \t]*(?P<tags>[^\n]*)\n?")
_RULE = re.compile(r"\n+(?:-{3,}|\*{3,})[ \t]*\Z")
_TAG = re.compile(r"#([\w/-]+)")
_PROJECT = "_project.md"


def _fits(given: Given) -> bool:
    return bool(_ID.search(given.text)) or (given.name == _PROJECT and given.folder in ("", ".memory"))


def _read(files: Sequence[Given]) -> Iterator[Record]:
    for given in files:
        if given.name == _PROJECT:
            yield Record(given.path, given.text, _heading(given.text), "project", key=given.path, line=1)
        elif _ID.search(given.text):
            yield from _entries(given)
        elif "/" not in given.path and not given.name.startswith("_"):
            yield from _flat(given)


def _heading(text: str) -> str:
    first = text.lstrip().partition("\n")[0]
    return first.lstrip("# ").strip() if first.startswith("#") else ""


def _entries(given: Given) -> Iterator[Record]:
    matches = list(_ID.finditer(given.text))
    for match, after in zip(matches, [*matches[1:], None], strict=True):
        whole = given.text[match.end() : after.start() if after else len(given.text)]
        head = _HEAD.match(whole)
        body = _RULE.sub("", (whole[head.end() :] if head else whole).rstrip()).strip() + "\n"
        if not body.strip():
            continue
        category = given.name.removesuffix(".md")
        done = category == "tasks" and is_ticked_off(body)
        yield Record(
            given.path, body, "", category, "lesson", key=f"{given.folder}/{match['id']}",
            line=given.text.count("\n", 0, match.start()) + 1,
            at=moment(head["date"]) if head else None, tags=tuple(_TAG.findall(head["tags"])) if head else (),
            aliases=(match["id"],), agent=given.folder, status="resolved" if done else "active",
        )  # fmt: skip


def _flat(given: Given) -> Iterator[Record]:
    agent = given.name.removesuffix(".md")
    for entry in entries(given.text):
        content = f"{entry.heading}\0{entry.body}".encode()
        source = f"{SCHEME}{agent}#{hashlib.blake2b(content, digest_size=8).hexdigest()}"
        status = "resolved" if entry.kind == "task" and entry.done else "active"
        yield Record(given.path, entry.body + "\n", entry.title, entry.kind, agent=agent, source=source, status=status)  # type: ignore[arg-type]


FORMAT = Format("agent-memory", "files of agent-memory", _fits, _read, of_repository=True)
