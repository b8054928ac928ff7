"""`vade web` with a real helper: a command line, a port, a browser's request."""

import http.client
import json
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from tests.entrypoints.hooks.conftest import Installed

from vademecum.entrypoints.daemon.call import call

pytest.importorskip("htpy")


@pytest.fixture
def installed(tmp_path):
    one = Installed(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    one.configure(port=str(port))
    yield one
    call(one.settings, "stop")


def vade(installed, *words):
    """What a command says as JSON, and its exit code."""
    command = [sys.executable, "-P", "-m", "vademecum", "--config", str(installed.config), *words, "--json"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=installed.environment(), cwd=installed.folder
    )
    return json.loads(done.stdout), done.returncode


def get(address, cookie=""):
    """Status, headers and text of an answer."""
    place = urlsplit(address)
    line = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
    try:
        line.request("GET", f"{place.path}?{place.query}", headers={"Cookie": cookie} if cookie else {})
        answer = line.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        line.close()


@pytest.mark.slow
def test_open_and_revoke(installed):
    """IN-54: the command starts the helper and gives an address that lets a browser in once, until it is shut out again."""
    told, code = vade(installed, "web", "--print-url")
    assert code == 0
    status, headers, _ = get(told["url"])
    assert (status, headers["location"]) == (303, "/web/")
    cookie = headers["set-cookie"].partition(";")[0]
    first = told["url"].partition("/web/")[0] + "/web/"
    status, headers, text = get(first, cookie)
    assert status == 200
    assert "4 memories" in text
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert get(told["url"])[0] == 401
    assert vade(installed, "web", "--revoke") == ({"revoked": 1}, 0)
    assert get(first, cookie)[0] == 401


def test_without_a_port(installed):
    """Who switched the port off is told what the pages need."""
    installed.configure(port="0")
    told, code = vade(installed, "web", "--print-url")
    assert code == 3
    assert "port" in told["hint"]
