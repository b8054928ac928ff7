"""`MEMORY.md` of SwarmAI: entries under headings by kind (SW-02, SW-31), as of 2026-11 in two forms.

Either `- [KD07] 2026-04-01 text` with times in a comment, or `- 2026-04-01: **Title** — text`, with keys only in an index
between comment marks. That index has no other information. Keys become aliases.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from vademecum.domain.item import Status
from vademecum.plugins.moving.formats.record import Format, Given, Record, moment

_KINDS = {"COE": "coe", "KD": "key_decision", "LL": "lessons", "RC": "recent_context", "OT": "open_thread"}
_SECTIONS = {
    "coe registry": "COE",
    "key decisions": "KD",
    "lessons learned": "LL",
    "recent context": "RC",
    "open threads": "OT",
}
_KEY = r"(?P<key>(?P<prefix>COE|KD|LL|RC|OT)\d{1,4})"
_DATE = r"(?P<date>\d{4}-\d{2}-\d{2})?[ \t:—–-]*"
#: A symbol for state or importance of an entry, such as ✅ or 🔴.
_MARK = r"(?:(?P<mark>[^\w\s*\[(<`\"'~_]+)[ \t]+)?"
_KEYED = re.compile(rf"^(?:[-*] |#{{2,4}} )\**\[?{_KEY}\]?\**:?\s*{_MARK}{_DATE}(?P<text>.*)$")
_PLAIN = re.compile(rf"^[-*] {_MARK}{_DATE}(?P<text>\S.*)$")
_HEADING = re.compile(r"^(?P<marks>#{1,6}) +(?P<name>.*?) *$")
#: A title in bold, and the dash after it.
_BOLD = re.compile(r"\*\*(?P<title>[^*]+)\*\*(?:[ \t]*[—–:-][ \t]+)?")
#: Marks of an open thread that is done.
_DONE = re.compile(r"(?:✅|☑️?|✔️?|\[[xX]\])[ \t]*")
_INDEX = re.compile(r"<!--[^>]*INDEX[^>]*START[^>]*-->.*?<!--[^>]*INDEX[^>]*END[^>]*-->", re.DOTALL | re.IGNORECASE)
_INDEXED = re.compile(rf"^- \[{_KEY}\]\s*{_DATE}(?P<title>.*?)(?:\s*\|.*)?$", re.MULTILINE)
_TIMES = re.compile(r"<!--\s*(?P<said>(?:valid_from|superseded_by|confidence):.*?)-->", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CONFIDENCES = ("low", "medium", "high")
_ENTRIES_MIN = 2


class _Entry(Struct):
    """One entry. `under`: the subheading above it."""

    line: int
    prefix: str
    key: str
    date: str
    said: list[str]
    under: str


def _entries(text: str) -> list[_Entry]:
    """Return each entry with the lines below it; a heading ends an entry."""
    entries: list[_Entry] = []
    section = under = ""
    inside = False
    for number, line in enumerate(_INDEX.sub(lambda index: "\n" * index[0].count("\n"), text).splitlines(), 1):
        keyed, heading = _KEYED.match(line), _HEADING.match(line)
        plain = _PLAIN.match(line) if section else None
        if head := keyed or plain:
            prefix, key = (keyed["prefix"], keyed["key"]) if keyed else (section, "")
            done = head["mark"] and _DONE.match(head["mark"])
            text = f"{head['mark']} {head['text']}" if done else head["text"]
            entries.append(_Entry(number, prefix, key, head["date"] or "", [text], under))
        elif heading and len(heading["marks"]) <= 2:
            section, under = _SECTIONS.get(heading["name"].casefold(), ""), ""
        elif heading:
            under = heading["name"]
        elif inside:
            entries[-1].said.append(line)
        inside = bool(head) or (inside and not heading)
    return entries


def _with_keys(text: str, entries: Sequence[_Entry]) -> Sequence[_Entry]:
    """Give each entry without a key the key of the first matching row of the index."""
    index = _INDEX.search(text)
    known = list(_INDEXED.finditer(index[0])) if index else []
    for entry in entries:
        words = entry.said[0].casefold()
        fits = (row for row in known if row["prefix"] == entry.prefix and row["title"].casefold() in words)
        if not entry.key and (row := next(fits, None)):
            known.remove(row)
            entry.key = row["key"]
    return entries


def _read(files: Sequence[Given]) -> Iterator[Record]:
    for given in files:
        for entry in _with_keys(given.text, _entries(given.text)):
            body = "\n".join(entry.said)
            match = _TIMES.search(body)
            times = dict(re.findall(r"(\w+):\s*([^|]+?)\s*(?:\||$)", match["said"].strip())) if match else {}
            yield _record(given, entry, _COMMENT.sub("", body).strip(), times)


def _record(given: Given, entry: _Entry, result: str, times: dict[str, str]) -> Record:
    successor = times.get("superseded_by", "")
    successor = "" if successor.lower() in ("null", "none") else successor
    done = _DONE.match(result)
    result = result[done.end() :] if done else result
    resolved = done or entry.under.casefold().startswith("resolved")
    status: Status = "superseded" if successor else "resolved" if resolved else "active"
    sure, bold = times.get("confidence", ""), _BOLD.match(result)
    text = result[bold.end() :] if bold and result[bold.end() :].strip() else result
    return Record(
        given.path, text, bold["title"] if bold else "", _KINDS[entry.prefix], key=entry.key, line=entry.line,
        at=moment(entry.date), since=moment(times.get("valid_from")), aliases=(entry.key,), status=status, superseded_by=successor,
        tags=tuple(word for word in entry.under.split()[:1] if word in ("P0", "P1", "P2")),
        properties={"confidence": sure} if sure in _CONFIDENCES else {},
    )  # fmt: skip


def _fits(given: Given) -> bool:
    keyed = sum(bool(entry.key) for entry in _entries(given.text)) >= _ENTRIES_MIN
    return keyed or (given.name == "MEMORY.md" and bool(_INDEX.search(given.text) or "\n## COE Registry" in given.text))


FORMAT = Format("swarm", "MEMORY.md of SwarmAI", _fits, _read)
