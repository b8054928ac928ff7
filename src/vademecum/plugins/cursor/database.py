"""The databases of Cursor's editor and command line, as of Cursor 3.16 (2026-11). They are only read.

* Editor: `<User>/globalStorage/state.vscdb`, table cursorDiskKV with `composerData:<id>` and `bubbleId:<id>:<bubble>` (after
  skillsynchq/txcript, src/harness/cursor_desktop.rs).
* Command line: `~/.cursor/chats/<MD5 of the folder>/<id>/store.db` (after kenn-io/agentsview#1664 and getagentseal/codeburn#986).
  Table meta has one row, JSON in hexadecimal digits, with `agentId` and `latestRootBlobId`. Table blobs has messages in JSON, by
  their hash, and the root, a protobuf message whose field 1 contains the hashes of the messages in order.
"""

import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.plugin_api.transcripts import (
    Connection,
    Database,
    blocks_of,
    columns,
    digest_of,
    folder_of_workspace,
    json_object,
    json_value,
    mapping,
    mappings,
    text_of,
    text_of_value,
    word,
    words_of,
)
from vademecum.plugins.cursor.folders import cursor_folder
from vademecum.plugins.cursor.transcripts import document


class CursorDatabase(Database):
    """`state.vscdb` of Cursor's editor."""

    name = "cursor"
    needs = (frozenset({"cursorDiskKV"}),)

    def marks(self, base: Connection, path: str) -> Iterator[tuple[str, str]]:
        """Return the conversations with a hash of the record, and number and total length of the messages.

        An answer is filled in after the conversation's record was written, and the record need not be written again.
        """
        rows = base.execute(
            "SELECT substr(key, 10, instr(substr(key, 10), ':') - 1), count(*), sum(octet_length(value)) FROM cursorDiskKV"
            " WHERE key >= 'bubbleId:' AND key < 'bubbleId;' GROUP BY 1"
        )
        sizes = {str(name): f"{count}:{size}" for name, count, size in rows}
        records = base.execute(
            "SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL"
        )
        for key, value in records:
            name = str(key).partition(":")[2]
            yield name, f"{digest_of(text_of_value(value).encode('utf-8', 'replace'))}:{sizes.get(name, '')}"

    def document(self, base: Connection, path: str, name: str) -> bytes | None:
        record = base.execute("SELECT value FROM cursorDiskKV WHERE key = ?", (f"composerData:{name}",)).get
        if record is None:
            return None
        start = f"bubbleId:{name}:"
        rows = base.execute(
            "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? AND value IS NOT NULL ORDER BY rowid",
            (start, start[:-1] + ";"),
        )
        bubbles = {str(key)[len(start) :]: text_of_value(value) for key, value in rows}
        about = _head(base, Path(path).parent.parent, name) | json_object(text_of_value(record))
        return _composed(name, about, bubbles)


def _head(base: Connection, user: Path, name: str) -> dict[str, Any]:
    """Return what the editor's list of conversations states about one: name, folder, is it a sub-agent's; empty before 3.16.

    Args:
        user: the editor's folder `User`.
    """
    if not columns(base, "composerHeaders") >= {"composerId", "workspaceId", "isSubagent", "value"}:
        return {}
    rows = base.execute("SELECT workspaceId, isSubagent, value FROM composerHeaders WHERE composerId = ?", (name,))
    for place, spawned, text in rows:
        head = json_object(text_of_value(text))
        folder = mapping(mapping(head.get("workspaceIdentifier")).get("uri")).get("fsPath")
        folder = folder or folder_of_workspace(user / "workspaceStorage" / str(place or ""))
        return {"name": head.get("name"), "isSubagent": bool(spawned), "folder": folder}
    return {}


def _composed(name: str, about: dict[str, Any], bubbles: Mapping[str, str]) -> bytes:
    """Return a conversation with its messages in order; before version 3 the record itself contains them.

    Args:
        about: the record, over what the editor's list of conversations states.
    """
    about.setdefault("composerId", name)
    order = [header.get("bubbleId") for header in mappings(about.pop("fullConversationHeadersOnly", None))]
    inline = mappings(about.pop("conversation", None))
    # Without any order, that of the database.
    messages = [json_object(bubbles[entry]) for entry in order if isinstance(entry, str) and entry in bubbles] or inline
    messages = messages or [json_object(text) for text in bubbles.values()]
    if about.get("folder") and not mapping(mapping(about.get("workspaceIdentifier")).get("uri")).get("fsPath"):
        about["workspaceIdentifier"] = {"uri": {"fsPath": about["folder"]}}
    known = ("composerId", "name", "createdAt", "lastUpdatedAt", "workspaceIdentifier")
    spawned = bool(about.get("subagentInfo") or about.get("isSubagent"))
    return document({key: about[key] for key in known if key in about}, messages, subagent=spawned)


class _Chat(NamedTuple):
    """A conversation of the command line: its description, and the hashes of its messages in order."""

    about: dict[str, Any]
    messages: tuple[str, ...]


class CursorChat(Database):
    """`store.db` of Cursor's command line, which contains one conversation."""

    name = "cursor"
    needs = (frozenset({"blobs", "meta"}),)

    def marks(self, base: Connection, path: str) -> Iterator[tuple[str, str]]:
        about, messages = _chat(base, path)
        yield str(about["agentId"]), f"{len(messages)}:{about.get('latestRootBlobId')}"

    def document(self, base: Connection, path: str, name: str) -> bytes | None:
        about, messages = _chat(base, path)
        if name != str(about["agentId"]):
            return None
        place = {"workspaceIdentifier": {"uri": {"fsPath": cursor_folder(path)}}}
        known = {"composerId": name, "name": about.get("name"), "createdAt": about.get("createdAt"), **place}
        found = [mapping(json_value(_blob(base, message))) for message in messages]
        return document(known, _as_bubbles(messages, found))


def _chat(base: Connection, path: str) -> _Chat:
    """Return the conversation in a store.

    Raises:
        OSError: its messages are not found, because the store is encrypted or has another layout.
    """
    for (value,) in base.execute("SELECT value FROM meta"):
        about = _described(value)
        root = _blob(base, str(about.get("latestRootBlobId") or ""))
        names = tuple(_hashes(root))
        (count,) = next(base.execute("SELECT count(*) FROM blobs"))
        if about.get("agentId") and (names or count <= 1):  # a chat in which nobody said anything has only its root
            return _Chat(about, names)
    raise OSError(f"{path} contains no conversation in a known layout")


def _described(value: object) -> dict[str, Any]:
    text = text_of_value(value) if isinstance(value, str | bytes) else ""
    try:
        return json_object(bytes.fromhex(text).decode("utf-8", "replace"))
    except (ValueError, binascii.Error):
        return json_object(text)


def _blob(base: Connection, name: str) -> bytes:
    row = base.execute("SELECT data FROM blobs WHERE id = ?", (name,)).fetchone()
    data = row[0] if row else b""
    return data if isinstance(data, bytes) else str(data or "").encode()


#: Beginning of an entry of the root's field 1: the number and type of the field, and the length of a hash.
_ENTRY, _HASH_BYTES = b"\x0a\x20", 32


def _hashes(root: bytes) -> Iterator[str]:
    """Yield the hashes with which a root begins."""
    place = 0
    while root[place : place + len(_ENTRY)] == _ENTRY and len(root) >= place + len(_ENTRY) + _HASH_BYTES:
        place += len(_ENTRY) + _HASH_BYTES
        yield root[place - _HASH_BYTES : place].hex()


def _as_bubbles(names: Sequence[str], messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages in the form of the editor's database; a call and its result are one message there."""
    bubbles: list[dict[str, Any]] = []
    calls: dict[str, dict[str, Any]] = {}
    for name, message in zip(names, messages, strict=True):
        role, blocks = message.get("role"), blocks_of(message.get("content"))
        text = words_of(blocks)
        pictures = [block for block in blocks if block.get("type") == "image"]
        when = {"createdAt": message.get("createdAt")}
        if role in ("user", "assistant") and (text.strip() or pictures):
            bubbles.append({"bubbleId": name, "type": 1 if role == "user" else 2, "text": text, "images": pictures, **when})
        for number, block in enumerate(blocks):
            call_id = word(block.get("toolCallId"))
            if block.get("type") == "tool-call":
                held = {"name": block.get("toolName"), "toolCallId": call_id, "rawArgs": json.dumps(block.get("args"))}
                calls[call_id] = held
                bubbles.append({"bubbleId": f"{name}.{number}", "type": 2, "text": "", "toolFormerData": held, **when})
            elif block.get("type") == "tool-result" and call_id in calls:
                calls[call_id]["result"] = text_of(block.get("result")) or json.dumps(block.get("result"))
                calls[call_id]["status"] = (
                    "error" if block.get("isError") is True else "completed" if block.get("isError") is False else ""
                )
    return bubbles


LIBRARIES = (CursorDatabase(), CursorChat())
