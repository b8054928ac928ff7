"""A real HTTP server on loopback that speaks both wire formats of models, and programs that print what Claude Code and Codex print.

What Claude Code and Codex print was seen from the real ones (tests/real/test_real_models.py runs those).
"""

import json
import stat
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

#: What a model says: an object, or a text.
Reply = Mapping[str, Any] | str


@dataclass
class Stub:
    """What the server shall do, and what it was asked.

    Attributes:
        replies: what the model says, one for each request; then an empty text.
        failures: (status, text, headers) to answer first, one for each request.
        body: raw answer instead of all that. announced: bytes that are announced beyond those sent.
        finish: why the model stopped, in the words of the wire. counts: whether usage is told. delay_s: wait before answering.
    """

    url: str = ""
    replies: list[Reply] = field(default_factory=list)
    failures: list[tuple[int, str, Mapping[str, str]]] = field(default_factory=list)
    body: bytes | None = None
    announced: int = 0
    finish: str = ""
    counts: bool = True
    delay_s: float = 0
    requests: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, path: str) -> bytes:
        if self.body is not None:
            return self.body
        reply = self.replies.pop(0) if self.replies else ""
        told = _anthropic(self, reply) if path.endswith("/messages") else _openai(self, reply)
        return json.dumps(told).encode()


def _openai(stub: Stub, reply: Reply) -> dict[str, Any]:
    said = reply if isinstance(reply, str) else json.dumps(reply)
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": stub.finish or "stop"}
    usage = {"usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}} if stub.counts else {}
    return {"id": "c1", "object": "chat.completion", "choices": [choice], **usage}


def _anthropic(stub: Stub, reply: Reply) -> dict[str, Any]:
    block = (
        {"type": "text", "text": reply}
        if isinstance(reply, str)
        else {"type": "tool_use", "id": "t1", "name": "x", "input": reply}
    )
    usage = {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 10}
    told = {"id": "m1", "type": "message", "role": "assistant", "content": [block], "stop_reason": stub.finish or "tool_use"}
    return {**told, "usage": usage} if stub.counts else told


@contextmanager
def serving() -> Iterator[Stub]:
    """A stub that listens: `/v1/chat/completions` and `/v1/messages`."""
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.requests.append({"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}, **payload})
            time.sleep(stub.delay_s)
            status, text, headers = stub.failures.pop(0) if stub.failures else (200, "", {})
            content = stub.answer(self.path) if status == 200 else text.encode()
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content) + stub.announced))
                self.end_headers()
                self.wfile.write(content)
            except BrokenPipeError:  # whoever asked did not wait
                return

        def do_GET(self) -> None:
            stub.requests.append({"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}})
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Programs:
    """Programs called `claude` and `codex` in a folder of their own.

    Attributes:
        folder: holds them, `script.json` (what they say, one entry a run) and `runs.jsonl` (how they were run).
    """

    folder: Path

    def say(self, *replies: Reply | Mapping[str, str]) -> None:
        """What the next runs say; `{"fail": text}` is a complaint, `{"sleep": True}` never ends."""
        (self.folder / "script.json").write_text(json.dumps(replies), "utf-8")

    @property
    def runs(self) -> list[dict[str, Any]]:
        """How they were run: arguments, standard input, environment, folder."""
        path = self.folder / "runs.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def programs_in(folder: Path) -> Programs:
    """Make the two programs."""
    folder.mkdir()
    for name in ("claude", "codex"):
        path = folder / name
        path.write_text(f"#!{sys.executable}\n{_PROGRAM}", "utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    made = Programs(folder)
    made.say()
    return made


_PROGRAM = """
import json, os, pathlib, subprocess, sys, time
here = pathlib.Path(__file__).parent
name = pathlib.Path(sys.argv[0]).name
with (here / "runs.jsonl").open("a") as file:
    run = {"program": name, "arguments": sys.argv[1:], "stdin": sys.stdin.read(), "env": dict(os.environ), "cwd": os.getcwd()}
    file.write(json.dumps(run) + "\\n")
script = json.loads((here / "script.json").read_text())
reply = script.pop(0) if script else ""
(here / "script.json").write_text(json.dumps(script))
if isinstance(reply, dict) and "sleep" in reply:
    child = subprocess.Popen(["sleep", "600"])
    (here / "child.pid").write_text(str(child.pid))
    time.sleep(600)
fault = reply.get("fail") if isinstance(reply, dict) else None
if name == "claude":
    told = {"type": "result", "subtype": "success", "is_error": bool(fault), "result": fault or "", "total_cost_usd": 0.25}
    told["usage"] = {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 10}
    if not fault:
        told["result"] = reply if isinstance(reply, str) else ""
        told |= {"structured_output": reply} if isinstance(reply, dict) else {}
    print(json.dumps(told))
elif fault:
    print(json.dumps({"type": "thread.started", "thread_id": "1"}))
    print(json.dumps({"type": "turn.failed", "error": {"message": fault}}))
else:
    said = reply if isinstance(reply, str) else json.dumps(reply)
    print(json.dumps({"type": "thread.started", "thread_id": "1"}))
    print(json.dumps({"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": said}}))
    usage = {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 10, "reasoning_output_tokens": 0}
    print(json.dumps({"type": "turn.completed", "usage": usage}))
sys.exit(1 if fault else 0)
"""
