"""Account exports of ChatGPT, Claude, DeepSeek and Gemini: a ZIP with a list of conversations or activities, or the list alone.

As of 2026-11. Newer exports of ChatGPT have several lists, `conversations-000.json` and on. The names of Google's folders and files follow
the language of the account; "Gemini" stays in them.
"""

import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vademecum.plugin_api.transcripts import digest_of, unpacked
from vademecum.plugins.chat_exports.agent_memory import AgentMemory
from vademecum.plugins.chat_exports.chats import ChatGpt, ClaudeChat
from vademecum.plugins.chat_exports.gemini_activity import GeminiActivity, conversations_of, is_activity
from vademecum.ports.transcripts import Member

_FORMATS = (ChatGpt(), ClaudeChat())
#: Entries of a ZIP that may be such lists.
_LIST = re.compile(r"(?:\A|/)(?:conversations[^/]*|[^/]*gemini[^/]*/[^/]+)\.json\Z", re.IGNORECASE)


class _Export:
    """An export: a library of conversations."""

    name = "export"

    def all(self, path: str) -> Iterator[tuple[str, bytes]]:
        """Yield (name, document) of each conversation."""
        raise NotImplementedError

    def members(self, path: str) -> Sequence[Member]:
        return [Member(name, digest_of(data)) for name, data in self.all(path)]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        wanted = set(names)
        return ((name, data) for name, data in self.all(path) if name in wanted)


class Export(_Export):
    """An account export as it comes (ZIP)."""

    def recognises(self, head: bytes, path: str) -> bool:
        return head.startswith(b"PK\x03\x04") and bool(_lists(path))

    def all(self, path: str) -> Iterator[tuple[str, bytes]]:
        try:
            with zipfile.ZipFile(path) as archive:
                for entry in _lists(path):
                    with archive.open(entry) as file:
                        yield from _conversations(unpacked(file, archive.getinfo(entry).compress_size))
        except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            raise OSError(f"it is damaged: {error}") from error


class ExportList(_Export):
    """The list of such an export, unpacked."""

    def recognises(self, head: bytes, path: str) -> bool:
        start = head.lstrip()
        keys = ((b'"mapping"', b'"title"'), (b'"chat_messages"', b'"uuid"'), (b'"header"', b'"products"'))
        return start.startswith(b"[") and any(all(key in head for key in pair) for pair in keys)

    def all(self, path: str) -> Iterator[tuple[str, bytes]]:
        return _conversations(Path(path).read_bytes())


def _lists(path: str) -> list[str]:
    """Return the entries of a ZIP archive that may contain conversations."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    except (OSError, zipfile.BadZipFile):
        return []
    return sorted(name for name in names if _LIST.search(name))


def _conversations(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield (name, document) of each conversation in a list.

    Raises:
        OSError: it is no JSON.
    """
    try:
        values = json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError) as error:
        raise OSError(f"its list of conversations is damaged: {error}") from error
    found = [value for value in (values if isinstance(values, list) else [values]) if isinstance(value, dict)]
    for value in found:
        if any(entry.is_own(value) for entry in _FORMATS):
            yield _name_of(value), _bytes_of(value)
    for name, value in conversations_of(filter(is_activity, found)):
        yield name, _bytes_of(value)


def _bytes_of(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _name_of(value: Mapping[str, Any]) -> str:
    result = next((value[key] for key in ("conversation_id", "uuid", "id") if isinstance(value.get(key), str)), "")
    return result or digest_of(_bytes_of(value))


FORMATS = (AgentMemory(), *_FORMATS, GeminiActivity())
LIBRARIES = (Export(), ExportList())
