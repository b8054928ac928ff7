"""`MEMORY.md` of SwarmAI: entries by key, `- [KD07] 2026-04-01 text`, under headings by kind, with their time as a comment (SW-02, SW-31).

The index between its comment marks says nothing that the entries do not; keys stay as aliases.
"""

import re
from collections.abc import Iterator, Sequence

from vademecum.compat.formats.record import Format, Given, Record, moment

_KINDS = {"COE": "coe", "KD": "key_decision", "LL": "lessons", "RC": "recent_context", "OT": "open_thread"}
_ENTRY = re.compile(
    r"^(?:[-*] |#{2,4} )\**\[?(?P<key>(?P<prefix>COE|KD|LL|RC|OT)\d{1,4})\]?\**:?\s*(?P<date>\d{4}-\d{2}-\d{2})?[ \t:—–-]*(?P<text>.*)$"
)
_INDEX = re.compile(r"<!--[^>]*INDEX[^>]*START[^>]*-->.*?<!--[^>]*INDEX[^>]*END[^>]*-->", re.DOTALL | re.IGNORECASE)
_TIMES = re.compile(r"<!--\s*(?P<said>valid_from:.*?)-->", re.DOTALL)
_CONFIDENCES = ("low", "medium", "high")
_ENTRIES_MIN = 2


def _entries(text: str) -> list[tuple[int, re.Match[str], list[str]]]:
    """Return (line, head, lines below it) of each entry; a heading ends one."""
    found: list[tuple[int, re.Match[str], list[str]]] = []
    inside = False
    for number, line in enumerate(_INDEX.sub(lambda index: "\n" * index[0].count("\n"), text).splitlines(), 1):
        head = _ENTRY.match(line)
        if head:
            found.append((number, head, []))
        inside = bool(head) or (inside and not line.startswith("#"))
        if inside and not head:
            found[-1][2].append(line)
    return found


def _read(files: Sequence[Given]) -> Iterator[Record]:
    for given in files:
        for line, head, below in _entries(given.text):
            body = "\n".join([head["text"], *below])
            found = _TIMES.search(body)
            times = dict(re.findall(r"(\w+):\s*([^|]+?)\s*(?:\||$)", found["said"].strip())) if found else {}
            said = _TIMES.sub("", body).strip()
            if said:
                yield _record(given, line, head, said, times)


def _record(given: Given, line: int, head: re.Match[str], said: str, times: dict[str, str]) -> Record:
    ended = times.get("superseded_by", "null").lower() not in ("null", "none", "")
    sure = times.get("confidence", "")
    return Record(
        given.path, said, kind=_KINDS[head["prefix"]], key=head["key"], line=line, at=moment(head["date"] or times.get("valid_from")),
        aliases=(head["key"],), status="resolved" if ended else "active",
        properties={"confidence": sure} if sure in _CONFIDENCES else {},
    )  # fmt: skip


FORMAT = Format("swarm", "MEMORY.md of SwarmAI", lambda given: len(_entries(given.text)) >= _ENTRIES_MIN, _read)
