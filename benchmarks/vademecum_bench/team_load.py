"""`vade bench team-load`: members who query a team's server simultaneously over HTTP, each with its own token."""

import contextlib
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vademecum.adapters.clock import SystemClock, new_token
from vademecum.plugins.team.postgres.private import PrivateDatabase, made_database, private_server
from vademecum.plugins.team.postgres.schema import migrate, open_space, role_of
from vademecum.plugins.team.postgres.team import PostgresTeam
from vademecum.plugins.team.values import Member, digest_of

_WORDS = "pump lock canal gate heron ledger basin sluice towpath barge winch keel lantern harbour".split()
#: Verbs of ten requests of a member.
_MIX = ("publish", "publish", "changes", "changes", "changes", "search", "search", "search", "search", "search")


def bench_team_load(members: int, requests: int) -> dict[str, Any]:
    """Return the times of requests by verb, for `members` clients that each send requests as fast as they are answered.

    Args:
        requests: of each member; the server allows 300 per minute and token.
    """
    with tempfile.TemporaryDirectory() as folder, private_server(Path(folder) / "pg") as superuser:
        database = made_database(superuser, "load")
        migrate(database.owner, role_of(database.service))
        tokens = _let_in(database, members)
        with _serving(Path(folder), database) as port, ThreadPoolExecutor(members) as pool:
            began = time.perf_counter()
            each = list(pool.map(lambda token: _ask(port, token, requests), tokens))
            seconds = time.perf_counter() - began
    taken: dict[str, list[float]] = {}
    failed = 0
    for verb, took, status in (one for asked in each for one in asked):
        taken.setdefault(verb, []).append(took * 1000)
        failed += status != http.client.OK
    rows = {verb: _row(sorted(times)) for verb, times in sorted(taken.items())}
    return {
        "members": members,
        "requests": requests,
        "per_second": round(members * requests / seconds, 1),
        "failed": failed,
        "ms": rows,
    }


def team_load_text(result: dict[str, Any]) -> str:
    """Return a result as lines of text."""
    lines = [
        f"{result['members']} members, {result['requests']} requests each: {result['per_second']} a second, {result['failed']} failed"
    ]
    for verb, row in result["ms"].items():
        lines.append(
            f"  {verb:<8} {row['n']:>6}  p50 {row['p50']:>7.1f} ms  p95 {row['p95']:>7.1f} ms  p99 {row['p99']:>7.1f} ms"
        )
    return "\n".join(lines)


def _row(times: list[float]) -> dict[str, float]:
    return {
        "n": len(times),
        **{f"p{part}": round(times[min(len(times) - 1, len(times) * part // 100)], 1) for part in (50, 95, 99)},
    }


def _let_in(database: PrivateDatabase, members: int) -> list[str]:
    now, tokens = datetime.now(UTC), [new_token() for _ in range(members)]
    open_space(database.owner, Member("load", "keeper", "keeper", now), digest_of("keeper"))
    store = PostgresTeam(database.service)
    try:
        for number, token in enumerate(tokens):
            store.add_member(Member("load", f"member-{number}", "writer", now), digest_of(token), by="keeper")
    finally:
        store.close()
    return tokens


@contextlib.contextmanager
def _serving(folder: Path, database: PrivateDatabase) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    environment = {
        **os.environ, "HOME": str(folder), "VADEMECUM_TEAM_DATABASE": database.service, "VADEMECUM_TEAM_PORT": str(port),
        "VADEMECUM_TEAM_ADDRESS_LIMIT": "1000000000",
    }  # fmt: skip
    command = [sys.executable, "-m", "vademecum", "team", "serve"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None and not _is_ready(port):
                time.sleep(0.1)
            yield port
        finally:
            process.terminate()


def _is_ready(port: int) -> bool:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        line.request("GET", "/ready")
        return line.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        line.close()


def _ask(port: int, token: str, requests: int) -> list[tuple[str, float, int]]:
    """Return (verb, seconds, status) of each request of one member."""
    chance, clock, line = random.Random(token), SystemClock(), http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    asked, cursor = [], 0
    for _ in range(requests):
        verb = chance.choice(_MIX)
        text = " ".join(chance.choices(_WORDS, k=30))
        identity = clock.new_id()
        bodies: dict[str, Mapping[str, object]] = {
            "publish": {"id": identity, "text": f"---\nid: {identity}\nkind: fact\ntitle: {text[:40]}\n---\n{text}\n"},
            "changes": {"after": cursor},
            "search": {"question": " ".join(chance.sample(_WORDS, 3))},
        }
        began = time.perf_counter()
        status, said = _answer(line, verb, token, bodies[verb])
        asked.append((verb, time.perf_counter() - began, status))
        if verb == "changes" and status == http.client.OK and (changes := json.loads(said)):
            cursor = changes[-1]["cursor"]
    line.close()
    return asked


def _answer(line: http.client.HTTPConnection, verb: str, token: str, body: Mapping[str, object]) -> tuple[int, bytes]:
    """Return status and text of an answer; 0 for a connection that broke, after which another is opened."""
    try:
        line.request("POST", f"/v1/load/{verb}", json.dumps(body), {"Authorization": f"Bearer {token}"})
        answer = line.getresponse()
        return answer.status, answer.read()
    except (ConnectionError, http.client.HTTPException):
        line.close()
        return 0, b""
