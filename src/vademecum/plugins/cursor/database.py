"""The database of Cursor's editor, as of Cursor 3.16 (2026-11). It is only read.

`<User>/globalStorage/state.vscdb`, table cursorDiskKV with `composerData:<id>` and `bubbleId:<id>:<bubble>` (after
skillsynchq/txcript, src/harness/cursor_desktop.rs).
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vademecum.plugin_api.transcripts import (
    Connection,
    Database,
    json_value,
    mapping,
    opened,
    text_of_value,
)
from vademecum.plugins.cursor.transcripts import document
from vademecum.ports.transcripts import Member


class CursorDatabase(Database):
    """`state.vscdb` of Cursor's editor."""

    name = "cursor"
    needs = (frozenset({"cursorDiskKV"}),)

    def members(self, path: str) -> Sequence[Member]:
        with opened(Path(path)) as base:
            sizes = cursor_sizes(base)
            named = [(key.partition(":")[2], text) for key, text in cursor_conversations(base)]
        return [Member(name, f"{_digest(text)}:{sizes.get(name, '')}") for name, text in named]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        wanted = set(names)
        with opened(Path(path)) as base:
            for key, text in cursor_conversations(base):
                name = key.partition(":")[2]
                if name in wanted:
                    yield name, _composed(name, _object(text), cursor_bubbles(base, name))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _composed(name: str, about: dict[str, Any], bubbles: dict[str, str]) -> bytes:
    """Return a conversation with its messages in order; before version 3 the record itself contains them."""
    about.setdefault("composerId", name)
    headers = about.pop("fullConversationHeadersOnly", None)
    inline = about.pop("conversation", None)
    order = [mapping(header).get("bubbleId") for header in headers] if isinstance(headers, list) else []
    result = [_object(bubbles[entry]) for entry in order if isinstance(entry, str) and entry in bubbles]
    if not result and isinstance(inline, list):
        result = [by_key for by_key in inline if isinstance(by_key, dict)]
    known = ("composerId", "name", "createdAt", "lastUpdatedAt", "workspaceIdentifier")
    spawned = bool(about.get("subagentInfo") or about.get("isSubagent"))
    return document({key: about[key] for key in known if key in about}, result, subagent=spawned)


def _object(text: str) -> dict[str, Any]:
    return dict(mapping(json_value(text)))


def cursor_conversations(base: Connection) -> list[tuple[str, str]]:
    """Return (key of the record, JSON) for each conversation in the editor's database."""
    rows = base.execute(
        "SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL"
    )
    return [(str(key), text_of_value(value)) for key, value in rows]


def cursor_sizes(base: Connection) -> dict[str, str]:
    """Return conversation id -> number and total length of its messages.

    An answer is filled in after the conversation's record was written, and the record need not be written again.
    """
    rows = base.execute(
        "SELECT substr(key, 10, instr(substr(key, 10), ':') - 1), count(*), sum(octet_length(value)) FROM cursorDiskKV"
        " WHERE key >= 'bubbleId:' AND key < 'bubbleId;' GROUP BY 1"
    )
    return {str(name): f"{count}:{size}" for name, count, size in rows}


def cursor_bubbles(base: Connection, name: str) -> dict[str, str]:
    """Return id -> JSON for the messages of a conversation."""
    start = f"bubbleId:{name}:"
    rows = base.execute(
        "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? AND value IS NOT NULL", (start, start[:-1] + ";")
    )
    return {str(key)[len(start) :]: text_of_value(value) for key, value in rows}


LIBRARIES = (CursorDatabase(),)
