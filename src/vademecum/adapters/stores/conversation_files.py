"""Conversations that agents submit: one append-only JSONL file each, in the plain format that capture can read.

    {"type": "session", "id": "...", "host": "claude-ai", "thread": "...", "title": "...", "time": "..."}
    {"role": "user", "text": "...", "time": "..."}
    {"type": "session", "id": "...", "closed": true, "time": "..."}
    {"type": "session", "id": "...", "confirmed": true}

A file's folder determines whether it may be read: capture never looks into `pending`, and confirming moves the file.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.conversation import Conversation, Message, check_conversation_id
from vademecum.domain.errors import AlreadyExists, NotFound, WriteFailed

_ROLES = ("user", "assistant", "system", "tool")


class ConversationFiles(Struct, frozen=True):
    """The Conversations port over two folders.

    Attributes:
        folder: of conversations that capture reads. pending: of conversations that wait for confirmation.
    """

    folder: Path
    pending: Path

    def get(self, identity: str) -> Conversation:
        name = check_conversation_id(identity) + ".jsonl"
        for folder in (self.folder, self.pending):
            found = self._read(folder / name)
            if found is not None:
                return found
        raise NotFound(
            f"There is no conversation {identity}.", "Save it again without conversation_id; the answer has a new id."
        )

    def newest(self, limit: int, *, interface: str = "", pending: bool | None = None) -> tuple[Conversation, ...]:
        folders = [folder for folder, waits in ((self.folder, False), (self.pending, True)) if pending in (None, waits)]
        files = sorted((file for folder in folders for file in folder.glob("*.jsonl")), key=_stamp, reverse=True)
        read = (self._read(file) for file in files)
        fitting = [
            conversation for conversation in read if conversation is not None and interface in ("", conversation.interface)
        ]
        return tuple(sorted(fitting, key=lambda conversation: (conversation.used, conversation.id), reverse=True)[:limit])

    def start(self, conversation: Conversation) -> Conversation:
        file = (self.pending if conversation.pending else self.folder) / f"{conversation.id}.jsonl"
        header = {
            "type": "session",
            "id": conversation.id,
            "host": conversation.interface,
            "thread": conversation.thread,
            "title": conversation.title,
            "time": conversation.started.isoformat(),
        }
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            raise AlreadyExists(f"There is a conversation {conversation.id} already.", "To add to it, give its id.") from None
        _append(file, [header])
        return replace(conversation, path=str(file))

    def add(
        self, conversation: Conversation, messages: Sequence[Message], moment: datetime, about: Mapping[str, str]
    ) -> Conversation:
        lines: list[dict[str, Any]] = [
            {"role": message.role, "text": message.text, "time": moment.isoformat()} for message in messages
        ]
        noted = {**conversation.about, **about}
        if conversation.closed or noted != conversation.about:
            header = {"type": "session", "id": conversation.id, "closed": False, "time": moment.isoformat()}
            lines.insert(0, header | ({"about": noted} if noted else {}))
        _append(Path(conversation.path), lines)
        return replace(conversation, used=moment, closed=False, messages=(*conversation.messages, *messages), about=noted)

    def close(self, conversation: Conversation, moment: datetime) -> Conversation:
        _append(
            Path(conversation.path), [{"type": "session", "id": conversation.id, "closed": True, "time": moment.isoformat()}]
        )
        return replace(conversation, closed=True)

    def confirm(self, conversation: Conversation) -> Conversation:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = self.folder / Path(conversation.path).name
        _append(Path(conversation.path), [{"type": "session", "id": conversation.id, "confirmed": True}])
        Path(conversation.path).replace(place)
        return replace(conversation, path=str(place), pending=False, confirmed=True)

    def drop(self, conversation: Conversation) -> None:
        Path(conversation.path).unlink(missing_ok=True)

    def _read(self, file: Path) -> Conversation | None:
        """Return the conversation in a file; None when the file is missing or has no readable header."""
        header: dict[str, Any] = {}
        used, closed, confirmed = "", False, False
        about: dict[str, str] = {}
        messages: list[Message] = []
        for line in _lines(file):
            used = str(line.get("time", used))
            if line.get("type") == "session":
                header = header or line
                closed, confirmed = bool(line.get("closed", closed)), bool(line.get("confirmed", confirmed))
                about = line.get("about", about)
            elif line.get("role") in _ROLES and isinstance(line.get("text"), str):
                messages.append(Message(line["role"], line["text"]))
        if not header:
            return None
        return Conversation(
            id=file.stem,
            interface=str(header.get("host", "")),
            thread=str(header.get("thread", "")),
            title=str(header.get("title", "")),
            started=_moment(str(header.get("time", ""))),
            used=_moment(used),
            closed=closed,
            pending=file.parent == self.pending,
            path=str(file),
            messages=tuple(messages),
            about=about if isinstance(about, dict) else {},
            confirmed=confirmed,
        )


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file; incomplete lines are skipped."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return
    for line in data.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)


def _stamp(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except FileNotFoundError:  # another process has confirmed or dropped it
        return 0


def _append(file: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Append lines and flush them to disk; a line that a crashed writer left incomplete is terminated first."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    try:
        with file.open("r+b") as opened:
            end = opened.seek(0, os.SEEK_END)
            if end:
                opened.seek(end - 1)
                text = text if opened.read(1) == b"\n" else "\n" + text
            opened.seek(end)
            opened.write(text.encode("utf-8"))
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as error:
        raise WriteFailed(
            f"The conversation could not be written: {error.strerror}.", "Free some space and try again."
        ) from error
