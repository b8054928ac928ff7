"""Ways to a server: one stream of JSON lines, standard input and output, and streamable HTTP."""

import asyncio
import contextlib
import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp

#: A longer message is passed over and answered with an error: nobody means it, and memory is bounded.
MESSAGE_MAX_BYTES = 32 << 20
_CHUNK_BYTES = 1 << 16
_ID = rb'"id"\s*:\s*(\d{1,18}|"[\w-]{1,100}")\s*'
_ID_FIRST = re.compile(rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*' + _ID + rb"[,}]")
_ID_LAST = re.compile(rb",\s*" + _ID + rb"\}\s*\Z")
_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600


class Reader(Protocol):
    """Where messages come from."""

    async def read(self, most: int, /) -> bytes:
        """Return what is there, at least one byte and `most` at most; none at the end."""


class Writer(Protocol):
    """Where answers go."""

    def write(self, data: bytes, /) -> None:
        """Take bytes."""

    async def drain(self) -> None:
        """Wait until they went, or may wait elsewhere."""

    def close(self) -> None:
        """Write no more."""


async def serve_connection(server: "Server[Any]", reader: Reader, writer: Writer) -> None:
    """Serve one MCP connection over newline-delimited JSON until the client leaves. The first request decides the revision.

    A line that is no message is answered with an error and nothing else happens. The writer is closed at the end.
    """
    import anyio
    from mcp.shared.message import SessionMessage

    incoming, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write_stream, outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    async def write() -> None:
        async with outgoing:
            async for message in outgoing:
                await _send(writer, message.message.model_dump_json(by_alias=True, exclude_unset=True))

    async def read() -> None:
        async with incoming:
            async for line, cut in _lines(reader):
                message = _too_long(_id_at_an_end(line)) if cut else _message(line)
                if isinstance(message, str):
                    await _send(writer, message)
                else:
                    await incoming.send(message)
                if cut and _id_at_an_end(line) is None:
                    return  # nobody knows who waits for an answer: the end of the connection tells them

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            tasks.start_soon(read)
            await server.run(read_stream, write_stream, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    except* (anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
        pass  # the client went away in the middle of something, which is its right
    finally:
        writer.close()


async def _send(writer: Writer, text: str) -> None:
    writer.write(text.encode("utf-8", "replace") + b"\n")
    await writer.drain()


async def _lines(reader: Reader) -> AsyncIterator[tuple[bytes, bool]]:
    """Yield lines without their ends, and whether they are cut: of one that is too long only its two ends are kept. A last line without
    an end is no message."""
    rest, cut = bytearray(), False
    while chunk := await reader.read(_CHUNK_BYTES):
        *whole, last = chunk.split(b"\n")
        for end in whole:
            line = bytes(rest) + end
            if line.strip():
                yield line, cut
            rest.clear()
            cut = False
        rest += last
        cut = cut or len(rest) > MESSAGE_MAX_BYTES
        if cut:
            del rest[_CHUNK_BYTES:-_CHUNK_BYTES]


def _message(line: bytes) -> Any:
    """Return the message in a line, or the error to answer it with."""
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter
    from pydantic import ValidationError

    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValidationError as error:
        bad_json = any(entry["type"] == "json_invalid" for entry in error.errors(include_url=False, include_context=False))
        if bad_json:
            return _error(_PARSE_ERROR, "This is not JSON. Send one JSON-RPC message on a line.", _id_of(line))
        return _error(_INVALID_REQUEST, "This is not a JSON-RPC 2.0 message.", _id_of(line))


def _too_long(identity: object) -> str:
    return _error(_INVALID_REQUEST, f"A message may have {MESSAGE_MAX_BYTES >> 20} MB at most. Send less at a time.", identity)


def _id_at_an_end(line: bytes) -> object:
    """Return the id of a message whose middle is gone, where clients put it: before everything that is no word, or last."""
    match = _ID_FIRST.match(line) or _ID_LAST.search(line[-_CHUNK_BYTES:])
    return json.loads(match[1]) if match else None


def _id_of(line: bytes) -> object:
    """Return the id of a message that is none otherwise, so that whoever waits for its answer hears of it."""
    try:
        value = json.loads(line)  # reads NaN and half characters too, which JSON does not know
    except (ValueError, RecursionError):
        return None
    result = value.get("id") if isinstance(value, dict) else None
    return result if isinstance(result, str | int) and not isinstance(result, bool) else None


def _error(code: int, message: str, identity: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": message}})


async def serve_stdio(server: "Server[Any]") -> None:
    """Serve one connection over this process's standard streams, without a helper.

    They are kept for it alone: what is printed meanwhile goes to standard error, and a program that is started reads nothing.
    """
    asked, count = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    await serve_connection(server, _Input(asked), _Output(count))


class _Input:
    """Reads a pipe of which nobody knows whether something is in it, on a thread."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    async def read(self, most: int) -> bytes:
        from anyio import to_thread

        return await to_thread.run_sync(os.read, self._pipe, most)


class _Output:
    """Writes to a pipe that may be full, on a thread; what is written together stays together."""

    def __init__(self, pipe: int) -> None:
        self._file = open(pipe, "wb")  # noqa: SIM115 -- closed with the connection
        self._waiting = b""
        self._turn = asyncio.Lock()

    def write(self, data: bytes) -> None:
        self._waiting += data

    async def drain(self) -> None:
        async with self._turn:
            data, self._waiting = self._waiting, b""
            await asyncio.to_thread(self._put, data)

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()


def http_endpoint(server: "Server[Any]") -> "tuple[ASGIApp, AbstractAsyncContextManager[None]]":
    """Return an ASGI application for streamable HTTP, and the context that it must be served in.

    Each request stands by itself in both revisions, so nothing is held between them. Whoever mounts it guards the door.
    """
    from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager

    manager = StreamableHTTPSessionManager(
        app=server, json_response=True, stateless=True, max_request_body_size=MESSAGE_MAX_BYTES
    )
    return StreamableHTTPASGIApp(manager), manager.run()
