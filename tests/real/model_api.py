"""A loopback stand-in for the model APIs of Anthropic, OpenAI and Google, which keeps every request that it was sent.

It speaks just enough of three protocols for the real programs to hold a conversation: Anthropic Messages, OpenAI Responses and
Gemini generateContent, all streamed as server-sent events. What the stand-in answers is scripted by the test; what it is for is
the other direction: `requests` holds exactly what the model would have read.

It is the programs' HTTP proxy as well. Whoever tries to leave the machine is refused and remembered in `strays`.
"""

import json
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Literal, TypeAlias

from msgspec import Struct

Role = Literal["system", "developer", "user", "assistant", "tool"]
Api = Literal["anthropic", "openai", "gemini"]

#: What is answered when the script is at its end.
DEFAULT_REPLY = "Understood."


class ToolCall(Struct, frozen=True):
    """A scripted answer that calls a tool instead of saying something.

    Attributes:
        name: the tool's name as the program told it to the model.
        arguments: what it is called with.
        namespace: of the tool, where a program (Codex) gathers the tools of one server under one.
    """

    name: str
    arguments: dict[str, Any]
    namespace: str = ""


#: What is answered, or how to tell it from the request.
Reply: TypeAlias = "str | ToolCall | Callable[[Request], str | ToolCall]"


class Request(Struct, frozen=True):
    """One request that a model would have answered."""

    api: Api
    path: str
    body: dict[str, Any]

    @property
    def said(self) -> list[tuple[Role, str]]:
        """(role, text) of everything that the model reads, in the order in which it reads it. Definitions of tools are left out."""
        return list(_READERS[self.api](self.body))

    def text(self, *roles: Role) -> str:
        """The texts of these roles, one below the other; of all roles when none is named."""
        return "\n".join(text for role, text in self.said if not roles or role in roles)

    @property
    def told(self) -> str:
        """What the model was told: all it reads except its own words and the results of tools."""
        return self.text("system", "developer", "user")

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        """Definition of each tool by its name; a tool inside a namespace as `namespace.name`."""
        return dict(_TOOLS[self.api](self.body))


class ModelApi:
    """The stand-in. Use it in a `with` statement.

    Attributes:
        requests: every conversation request so far, oldest first. Side requests of a program (a title, a token count) are in
            `asides`: they have no tools and see no hook.
        strays: what else a program asked for: "CONNECT example.org:443", "GET /unknown".
        news: what a program asks for that no setting of it forbids; it is refused, and is no stray.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.asides: list[Request] = []
        self.strays: list[str] = []
        self.news: set[str] = set()
        self._script: list[tuple[str, Reply]] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.api = self

    def __enter__(self) -> "ModelApi":
        threading.Thread(target=self._server.serve_forever, name="model api", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Without a path: each program adds its own."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, *replies: Reply, to: str = "") -> None:
        """What to answer the next conversation requests with, one each; then `DEFAULT_REPLY`.

        With `to`, only a conversation in which a person said that gets the answer: an agent and its sub-agent ask
        at the same time.
        """
        self._script.extend((to, reply) for reply in replies)

    @property
    def last(self) -> Request:
        """The last conversation request."""
        assert self.requests, f"no program has asked the model anything; strays: {self.strays}"
        return self.requests[-1]

    def take(self, request: Request) -> str | ToolCall:
        """Keep the request; what to answer it with."""
        with self._lock:
            if not request.tools:
                self.asides.append(request)
                return DEFAULT_REPLY
            self.requests.append(request)
            entry = next((entry for entry in self._script if entry[0] in request.text("user")), None)
            if entry is None:
                return DEFAULT_REPLY
            self._script.remove(entry)
            reply = entry[1]
        return reply(request) if callable(reply) else reply


# What the model reads, per protocol.


def _anthropic_said(body: dict[str, Any]) -> Iterator[tuple[Role, str]]:
    for text in _texts(body.get("system")):
        yield "system", text
    for message in body.get("messages", []):
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "text":
                yield message["role"], block["text"]
            elif block["type"] == "tool_result":
                yield from (("tool", text) for text in _texts(block.get("content")))


def _openai_said(body: dict[str, Any]) -> Iterator[tuple[Role, str]]:
    if body.get("instructions"):
        yield "system", body["instructions"]
    for item in body.get("input", []):
        if item.get("type", "message") == "message":
            yield from ((item["role"], text) for text in _texts(item["content"]))
        elif str(item.get("type")).endswith("_output"):
            yield from (("tool", text) for text in _texts(item.get("output")))


def _gemini_said(body: dict[str, Any]) -> Iterator[tuple[Role, str]]:
    for text in _texts((body.get("systemInstruction") or {}).get("parts")):
        yield "system", text
    for content in body.get("contents", []):
        role: Role = "assistant" if content.get("role") == "model" else "user"
        for part in content["parts"]:
            if "text" in part:
                yield role, part["text"]
            elif "functionResponse" in part:
                yield "tool", json.dumps(part["functionResponse"].get("response"))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (part["text"] for part in value if isinstance(part, dict) and isinstance(part.get("text"), str))


def _anthropic_tools(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for tool in body.get("tools") or []:
        yield tool["name"], tool


def _openai_tools(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for tool in body.get("tools") or []:
        if tool.get("type") == "namespace":
            yield from ((f"{tool['name']}.{inner['name']}", inner) for inner in tool["tools"])
        else:
            yield tool.get("name") or tool["type"], tool


def _gemini_tools(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for group in body.get("tools") or []:
        yield from ((tool["name"], tool) for tool in group.get("functionDeclarations", []))


_READERS = {"anthropic": _anthropic_said, "openai": _openai_said, "gemini": _gemini_said}
_TOOLS = {"anthropic": _anthropic_tools, "openai": _openai_tools, "gemini": _gemini_tools}


# What the model says, per protocol: the events of one streamed answer.

Event = tuple[str, dict[str, Any]]


def _anthropic_events(body: dict[str, Any], reply: str | ToolCall, number: int) -> Iterator[Event]:
    message: dict[str, Any] = {
        "id": f"msg_{number:04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [],
    }
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    start: dict[str, Any]
    delta: dict[str, Any]
    if isinstance(reply, ToolCall):
        start = {"type": "tool_use", "id": f"toolu_{number:04}", "name": reply.name, "input": {}}
        delta, why = {"type": "input_json_delta", "partial_json": json.dumps(reply.arguments)}, "tool_use"
    else:
        start, delta, why = {"type": "text", "text": ""}, {"type": "text_delta", "text": reply}, "end_turn"
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    for kind, more in (
        ("message_start", {"message": message}),
        ("content_block_start", {"index": 0, "content_block": start}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": why, "stop_sequence": None}, "usage": usage}),
        ("message_stop", {}),
    ):
        yield kind, {"type": kind, **more}


def _openai_events(body: dict[str, Any], reply: str | ToolCall, number: int) -> Iterator[Event]:
    item: dict[str, Any]
    if isinstance(reply, ToolCall):
        item = {"type": "function_call", "id": f"fc_{number:04}", "call_id": f"call_{number:04}", "name": reply.name}
        item |= {"arguments": json.dumps(reply.arguments), "status": "completed"}
        item |= {"namespace": reply.namespace} if reply.namespace else {}
    else:
        content = [{"type": "output_text", "text": reply, "annotations": []}]
        item = {"type": "message", "id": f"msg_{number:04}", "role": "assistant", "status": "completed", "content": content}
    response: dict[str, Any] = {
        "id": f"resp_{number:04}",
        "object": "response",
        "model": body.get("model"),
        "status": "in_progress",
        "output": [],
    }
    usage: dict[str, Any] = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    for kind, more in (
        ("response.created", {"response": response}),
        ("response.output_item.added", {"output_index": 0, "item": item | {"status": "in_progress"}}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": response | {"status": "completed", "output": [item], "usage": usage}}),
    ):
        yield kind, {"type": kind, **more}


def _gemini_events(_: dict[str, Any], reply: str | ToolCall, number: int) -> Iterator[Event]:
    part: dict[str, Any]
    if isinstance(reply, ToolCall):
        part = {"functionCall": {"id": f"call_{number:04}", "name": reply.name, "args": reply.arguments}}
    else:
        part = {"text": reply}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    yield "", {"candidates": [candidate], "usageMetadata": usage, "responseId": f"resp-{number:04}"}


_SPEAKERS = {"anthropic": _anthropic_events, "openai": _openai_events, "gemini": _gemini_events}


def _whole_anthropic(events: Iterable[Event]) -> dict[str, Any]:
    """The message that a stream of events tells, for a request that did not ask for a stream."""
    by_kind: dict[str, dict[str, Any]] = dict(events)
    block = dict(by_kind["content_block_start"]["content_block"])
    delta = by_kind["content_block_delta"]["delta"]
    block |= {"text": delta["text"]} if "text" in delta else {"input": json.loads(delta["partial_json"])}
    message: dict[str, Any] = by_kind["message_start"]["message"]
    message |= by_kind["message_delta"]["delta"]
    return message | {"content": [block]}


# The server.


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    api: ModelApi

    def handle_error(self, request: object, client_address: object) -> None:
        """A program that hangs up in the middle is no error of the stand-in; any other error is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    ROUTES: ClassVar[tuple[tuple[Api, re.Pattern[str]], ...]] = (
        ("anthropic", re.compile(r"/v1/messages(\?.*)?$")),
        ("openai", re.compile(r"/v1/responses(\?.*)?$")),
        ("gemini", re.compile(r"/v1(beta)?/models/[^:/]+:(streamGenerateContent|generateContent)(\?.*)?$")),
    )

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        api = next((api for api, route in self.ROUTES if route.match(self.path)), None)
        if api is None:
            if re.match(r"/v1(beta)?/.*count_?tokens", self.path, re.IGNORECASE):
                self._send({"input_tokens": 10, "totalTokens": 10})
            else:
                self._refuse()
            return
        request = Request(api, self.path, json.loads(raw))
        reply = self.server.api.take(request)
        number = len(self.server.api.requests) + len(self.server.api.asides)
        events = list(_SPEAKERS[api](request.body, reply, number))
        if request.body.get("stream") or ":streamGenerateContent" in self.path:
            lines = (f"event: {kind}\n" * bool(kind) + f"data: {json.dumps(data)}\n\n" for kind, data in events)
            self._send("".join(lines), "text/event-stream")
        else:
            self._send(_whole_anthropic(events) if api == "anthropic" else events[-1][1])

    def do_GET(self) -> None:
        if re.match(r"/v1/models(\?.*)?$", self.path):
            self._send({"object": "list", "data": [], "models": []})
        else:
            self._refuse()

    def do_CONNECT(self) -> None:
        self._refuse()

    def _refuse(self) -> None:
        asked = f"{self.command} {self.path}"
        if asked not in self.server.api.news:
            self.server.api.strays.append(asked)
        self._send(
            {"type": "error", "error": {"type": "not_found_error", "message": "the stand-in has no such route"}}, status=404
        )

    def _send(self, body: object, kind: str = "application/json", status: int = 200) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing: what matters is kept in `requests` and `strays`."""
