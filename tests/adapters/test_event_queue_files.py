"""Events that wait for capture: what the hook client, and clients of before, left in the queue."""

import pytest

from vademecum.adapters.device.event_queue import Spool

HEAD = b'{"host":"codex","cwd":"/srv"}\n'


@pytest.mark.parametrize(
    ("raw", "payload"),
    [
        (HEAD + b'{"a": "x"}', {"a": "x"}),
        (HEAD + b'{\n "a": "x"\n}\n', {"a": "x"}),
        (HEAD + '{"a": "é"}'.encode("utf-16"), {"a": "é"}),
        (HEAD + b'{"a": "caf\xe9"}', {"a": "caf\ufffd"}),
        (HEAD + b'{"a": "cut', None),
        (HEAD, None),
        (b'{"host":"codex","cwd":"/srv","payload":{"a": "x"}}', {"a": "x"}),
        (b'{"host":"codex","cwd":"/srv","payload":{\n"a": "x"}\n}', {"a": "x"}),
    ],
)
def test_files(tmp_path, raw, payload):
    """The payload is read whatever bytes it is made of; of one that is not whole the host is known all the same."""
    (tmp_path / "1.json").write_bytes(raw)
    (event,) = Spool(tmp_path).waiting()
    assert (event.host, event.cwd, event.payload) == ("codex", "/srv", payload)


def test_no_head(tmp_path):
    """A file that nobody of ours wrote has no host, and is met once."""
    (tmp_path / "1.json").write_bytes(b"\xff\xfe\x00")
    spool = Spool(tmp_path)
    (event,) = spool.waiting()
    assert (event.host, event.payload) == ("", None)
    spool.set_aside(event)
    assert (list(spool.waiting()), spool.count_aside()) == ([], 1)
