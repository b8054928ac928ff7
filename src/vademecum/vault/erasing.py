"""Take bytes away: files of memories, and what journals hold of them. The only module that does, for forgetting and purging.

Only under the vault's lock. Every step may be repeated: what was erased before is passed over.
"""

import json
import os
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vademecum.model.errors import InvalidInput, VademecumError
from vademecum.model.memory import Space
from vademecum.vault import files
from vademecum.vault.daily import blanked_rows, without
from vademecum.vault.find import Finder
from vademecum.vault.frontmatter import read, set_body, set_properties
from vademecum.vault.journal import Change as Rewritten
from vademecum.vault.journal import Journal, Version
from vademecum.vault.places import DAILY
from vademecum.vault.scan import scan_memories
from vademecum.vault.writer import version

Change = Callable[[str], str]

#: Stands for the place of a memory that is gone: its file's name told its title.
GONE = "_forgotten/{id}.md"
_HANDOFF = re.compile(r"^kind: handoff$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Erased:
    """How much went: memory files removed and rewritten, and lines of journals rewritten."""

    files: int = 0
    rewritten: int = 0
    journal_lines: int = 0


def erase_files(
    space: Space, finder: Finder, identities: Collection[str], blank: Change, *, everywhere: bool
) -> tuple[int, list[Rewritten]]:
    """Remove the files of these memories, conflict copies included, and blank sentences of handoffs (`everywhere`: of all).

    Returns:
        (files removed, those rewritten).
    """
    root, removed = Path(space.root), 0
    rewritten: list[Rewritten] = []
    for source in scan_memories(space).files:
        try:
            found = finder.at(space.name, source.path)
        except VademecumError:
            continue  # what cannot be read is told by the proof, which looks at bytes
        path = root / source.path
        files.sweep(path.parent)
        if found.memory.id in identities:
            files.remove(root, path, etag=found.memory.etag)
            removed += 1
        elif everywhere or found.memory.kind == "handoff":
            fresh = blanked(found.text, blank)
            if fresh != found.text:
                files.replace(root, path, fresh.encode(), etag=found.memory.etag)
                before = Version(space.name, source.path, found.memory.etag, None)
                rewritten.append(Rewritten(found.memory.id, before, version(space.name, source.path, fresh)))
    return removed, rewritten


def blanked(text: str, blank: Change) -> str:
    """A note with `blank` made of its body and of the texts in its frontmatter."""
    note = read(text)
    changes: dict[str, Any] = {}
    for name, value in note.texts().items():
        if isinstance(value, str) and name not in ("id", "kind", "status") and blank(value) != value:
            changes[name] = blank(value)
        elif isinstance(value, list) and any(blank(str(one)) != one for one in value):
            changes[name] = [blank(str(one)) for one in value]
    fresh = set_properties(text, changes) if changes else text
    body = read(fresh).body
    return fresh if blank(body) == body else set_body(fresh, blank(body))


def erase_pages(root: Path, sessions: Collection[str], blank: Change) -> int:
    """Take the blocks of these sessions out of the notes of days, and make `blank` of what they and their sidecars say.

    Returns:
        Files rewritten.
    """
    count = 0
    for stem in sorted({path.with_suffix("") for path in (root / DAILY).glob("*") if path.suffix in (".md", ".jsonl")}):
        note, sidecar = stem.with_suffix(".md"), stem.with_suffix(".jsonl")
        texts = [_text(path) for path in (note, sidecar)]
        said, facts = without(texts[0] or "", texts[1] or "", sessions)
        fresh = (_blanked_page(said, blank), blanked_rows(facts, blank))
        for path, old, new in zip((note, sidecar), texts, fresh, strict=True):
            if old is not None and old != new:
                files.replace(root, path, new.encode("utf-8", "replace"), etag=files.etag_of(old.encode()))
                count += 1
    return count


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None  # what cannot be read is told by the proof, which looks at bytes


def _blanked_page(text: str, blank: Change) -> str:
    try:
        return blanked(text, blank)
    except InvalidInput:
        return blank(text)  # it has no frontmatter


def erase_journal(journal: Journal, identities: Collection[str], blank: Change, *, everywhere: bool) -> int:
    """Take texts, names and reasons of these memories out of every device's journal, and blank sentences of handoffs (or all).

    Returns:
        Lines rewritten.
    """
    count = 0
    for path in journal.files():
        before = path.read_bytes()
        lines = before.split(b"\n")
        fresh = [_erased(line, identities, blank, everywhere) for line in lines]
        changed = sum(old != new for old, new in zip(lines, fresh, strict=True))
        if changed:
            files.replace(path.parent, path, b"\n".join(fresh), etag=files.etag_of(before))
            count += changed
    return count


def _erased(line: bytes, identities: Collection[str], blank: Change, everywhere: bool) -> bytes:
    if not line:
        return line
    try:
        data = json.loads(line)
        changes = data["changes"]
    except (ValueError, KeyError, TypeError):
        text = line.decode("utf-8", "replace")
        return line if blank(text) == text else b""  # torn: no record is lost, since it is none
    before = json.dumps(data)
    for change in changes:
        mine = change.get("memory") in identities
        for side in filter(None, (change.get("before"), change.get("after"))):
            if mine:
                side.pop("text", None)
                side["path"] = GONE.format(id=change["memory"])
            elif side.get("text") and (everywhere or _HANDOFF.search(side["text"])):
                side["text"] = blanked(side["text"], blank)
        if mine or everywhere:
            data["reason"] = "" if mine else blank(data.get("reason", ""))
    if not data.get("reason"):
        data.pop("reason", None)
    if json.dumps(data) == before:
        return line
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def drop_empty_folders(root: Path) -> None:
    """Remove folders below `root` that hold nothing any more; their names may tell as much as a file's."""
    for folder, _, _ in os.walk(root, topdown=False):
        place = Path(folder)
        if place != root and not any(place.iterdir()):
            place.rmdir()
