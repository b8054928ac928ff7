"""Hosts that keep one conversation as a list of (name, text), each in its own way; persons and agents speak in turn by number."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def at(number: int) -> str:
    return (START + timedelta(seconds=number)).isoformat().replace("+00:00", "Z")


def ms(number: int) -> int:
    return int((START + timedelta(seconds=number)).timestamp() * 1000)


def lines(values) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in values)


class FileHost:
    """A host with a file for each conversation; `name` of the file stays the same, `session` is what stands in it."""

    host = file = ""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / self.file

    def write(self, session: str, turns) -> None:
        self.path.write_bytes(self.made(session, turns))

    def grow(self, session: str, turns, fresh) -> None:
        self.write(session, [*turns, *fresh])

    def delete(self) -> None:
        self.path.unlink(missing_ok=True)

    def damage(self) -> None:
        self.path.write_bytes(b"\x00\xff" * 600)

    def empty(self) -> None:
        self.path.write_bytes(b"")

    def close(self) -> None: ...

    @staticmethod
    def made(session: str, turns) -> bytes:
        raise NotImplementedError


class Claude(FileHost):
    """Claude Code: lines with ids and times."""

    host, file = "claude-code", "talk.jsonl"

    @staticmethod
    def made(session, turns):
        made = [{"type": "custom-title", "customTitle": "Larder", "sessionId": session}]
        for number, text in turns:
            kind = "assistant" if number % 2 else "user"
            content = [{"type": "text", "text": text}] if number % 2 else text
            made.append(
                {
                    "type": kind,
                    "uuid": f"00000000-0000-4000-8000-{number:012d}",
                    "sessionId": session,
                    "isSidechain": False,
                    "cwd": "/home/user/larder",
                    "timestamp": at(number),
                    "message": {"role": kind, "content": content},
                }
            )
        return lines(made)


class Codex(FileHost):
    """Codex: lines without ids, so a turn is known by what it says and where it stands."""

    host, file = "codex", "rollout-2026-03-01T09-00-00-1.jsonl"

    @staticmethod
    def made(session, turns):
        made = [{"timestamp": at(0), "type": "session_meta", "payload": {"id": session, "cwd": "/home/user/larder"}}]
        for number, text in turns:
            kind = "agent_message" if number % 2 else "user_message"
            made.append({"timestamp": at(number), "type": "event_msg", "payload": {"type": kind, "message": text}})
        return lines(made)


class Plain(FileHost):
    """Plain turns without ids and times: a turn is named by its ordinal."""

    host, file = "plain", "talk.jsonl"

    @staticmethod
    def made(session, turns):
        said = ({"speaker": "assistant" if number % 2 else "user", "text": text} for number, text in turns)
        return lines([{"type": "session", "id": session}, *said])


class Gemini(FileHost):
    """Gemini CLI: one document, written anew as a whole."""

    host, file = "gemini", "session-1.json"

    @staticmethod
    def made(session, turns):
        messages = [
            {"id": f"m{number}", "timestamp": at(number), "type": "gemini" if number % 2 else "user", "content": text}
            for number, text in turns
        ]
        return json.dumps(
            {"sessionId": session, "projectHash": "p", "startTime": at(0), "lastUpdated": at(len(turns)), "messages": messages}
        ).encode()


class AgentMemory(FileHost):
    """agent-memory: one document, whose messages have neither ids nor times."""

    host, file = "agent-memory", "dev.json"

    @staticmethod
    def made(session, turns):
        messages = [{"role": "agent" if number % 2 else "user", "text": text} for number, text in turns]
        return json.dumps({"agentId": session, "savedAt": at(99), "messages": messages}).encode()


class Database(FileHost):
    """A host with one database, which holds another conversation as well."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._base: apsw.Connection | None = None
        self._clock = 0

    def _opened(self) -> apsw.Connection:
        if self._base is None:
            self.path.unlink(missing_ok=True)
            self._base = apsw.Connection(str(self.path))
            self._base.execute(self.tables)
        return self._base

    def write(self, session, turns):
        self._clock += 1
        base = self._opened()
        with base:
            self.fill(base, session, turns)

    def delete(self):
        self.close()
        self.path.unlink(missing_ok=True)

    def damage(self):
        self.close()
        super().damage()

    def empty(self):
        base = self._opened()
        with base:
            for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                base.execute(f"DELETE FROM {table}")

    def close(self):
        if self._base is not None:
            self._base.close()
            self._base = None


class OpenCode(Database):
    """OpenCode: a row for each message and each of its parts."""

    host, file = "opencode", "opencode.db"
    tables = (
        "CREATE TABLE session(id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INT, time_updated INT);"
        "CREATE TABLE message(id TEXT, session_id TEXT, time_created INT, time_updated INT, data TEXT);"
        "CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, time_created INT, time_updated INT, data TEXT)"
    )

    def fill(self, base, session, turns):
        for table in ("session", "message", "part"):
            base.execute(f"DELETE FROM {table}")
        base.execute(
            "INSERT INTO session VALUES(?, 'p', NULL, '/home/user/larder', 'Larder', ?, ?)", (session, ms(0), ms(self._clock))
        )
        for number, text in turns:
            role = json.dumps({"role": "assistant" if number % 2 else "user", "time": {"created": ms(number)}})
            said = json.dumps({"type": "text", "text": text})
            base.execute(
                "INSERT INTO message VALUES(?, ?, ?, ?, ?)", (f"msg_{number}", session, ms(number), ms(self._clock), role)
            )
            base.execute(
                "INSERT INTO part VALUES(?, ?, ?, ?, ?, ?)",
                (f"prt_{number}", f"msg_{number}", session, ms(number), ms(self._clock), said),
            )


class Cursor(Database):
    """Cursor's editor: a record of the conversation, and one for each message."""

    host, file = "cursor", "state.vscdb"
    tables = "CREATE TABLE ItemTable(key TEXT, value BLOB); CREATE TABLE cursorDiskKV(key TEXT UNIQUE, value BLOB)"

    def fill(self, base, session, turns):
        base.execute("DELETE FROM cursorDiskKV")
        headers = [{"bubbleId": f"b{number}", "type": 1 + number % 2} for number, _ in turns]
        about = {"composerId": session, "name": "Larder", "createdAt": ms(0), "fullConversationHeadersOnly": headers}
        base.execute("INSERT INTO cursorDiskKV VALUES(?, ?)", (f"composerData:{session}", json.dumps(about)))
        for header, (number, text) in zip(headers, turns, strict=True):
            base.execute(
                "INSERT INTO cursorDiskKV VALUES(?, ?)", (f"bubbleId:{session}:b{number}", json.dumps({**header, "text": text}))
            )


class Kiro(Database):
    """Kiro's command line: all of a conversation in one value, in pairs without ids."""

    host, file = "kiro", "data.sqlite3"
    tables = "CREATE TABLE conversations_v2(key TEXT, conversation_id TEXT, value TEXT, created_at INT, updated_at INT)"

    def fill(self, base, session, turns):
        base.execute("DELETE FROM conversations_v2")
        history = []
        for number, text in turns:
            if number % 2 and history and "assistant" not in history[-1]:
                history[-1]["assistant"] = {"Response": {"content": text}}
            elif number % 2:
                history.append({"assistant": {"Response": {"content": text}}})
            else:
                history.append({"user": {"content": {"Prompt": {"prompt": text}}}})
        base.execute(
            "INSERT INTO conversations_v2 VALUES('/home/user/larder', ?, ?, 1, ?)",
            (session, json.dumps({"history": history}), self._clock),
        )


HOSTS = (Claude, Codex, Plain, Gemini, AgentMemory, OpenCode, Cursor, Kiro)
