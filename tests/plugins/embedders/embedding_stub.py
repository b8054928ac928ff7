"""A real HTTP server on loopback that speaks the embedding protocols, with the reference embedder behind it."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from vademecum.adapters.embedders.reference import Hashing
from vademecum.plugins.embedders.borrowed import borrowed
from vademecum.plugins.embedders.options import Options
from vademecum.plugins.embedders.services import USUAL


@dataclass
class Stub:
    """What the server shall do, and what it was asked.

    Attributes:
        failures: statuses to answer first, one per request.
        body: raw answer instead of vectors. dim: cut vectors to this length. delay_s: wait before answering.
    """

    url: str = ""
    failures: list[int] = field(default_factory=list)
    body: bytes | None = None
    dim: int = Hashing.dim
    delay_s: float = 0
    requests: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, path: str, texts: list[str]) -> bytes:
        if self.body is not None:
            return self.body
        rows = [[float(x) for x in row[: self.dim]] for row in Hashing().embed(texts)]
        if path == "/api/embed":
            return json.dumps({"model": "stub", "embeddings": rows}).encode()
        if path.endswith("/invoke"):
            return json.dumps({"embedding": rows[0], "inputTextTokenCount": 1}).encode()
        entries = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        return json.dumps({"object": "list", "data": entries[::-1], "model": "stub"}).encode()


@contextmanager
def serving() -> Iterator[Stub]:
    """A stub that listens; `/v1/embeddings`, `/api/embed` and `/model/.../invoke`."""
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.requests.append({"path": self.path, "key": self.headers.get("Authorization"), **payload})
            time.sleep(stub.delay_s)
            status = stub.failures.pop(0) if stub.failures else 200
            content = (
                stub.answer(self.path, payload.get("input") or [payload["inputText"]]) if status == 200 else b'{"error": "no"}'
            )
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

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


def create(name: str, options: Options = Options()):  # noqa: B008 -- frozen
    """The embedder that a value of the setting `embedder` names, with options that settings do not have."""
    service, _, model = name.partition(":")
    return borrowed(service, model or USUAL[service], options)
