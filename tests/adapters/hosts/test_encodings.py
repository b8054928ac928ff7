"""Files of hosts in other encodings than plain UTF-8: what was there stays as it was, byte order mark included."""

import codecs

import pytest

from vademecum.adapters.hosts.all_hosts import wants
from vademecum.adapters.hosts.installing import Installer
from vademecum.adapters.hosts.places import host_folders
from vademecum.domain.host import Programs
from vademecum.wiring.hosts import install_targets, other_names

MARKS = {
    "utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE, "utf-32-le": codecs.BOM_UTF32_LE,
}  # fmt: skip
FILES = {
    "codex": (".codex/config.toml", '# mine\nmodel = "größte"\n\n[mcp_servers]\nother = { command = "x" }\n'),
    "claude-code": (".claude/settings.json", '{\r\n  "theme": "größte"\r\n}\r\n'),
    "gemini": (".gemini/settings.json", '{"theme": "größte"} // mine\n'),
}


@pytest.mark.parametrize("encoding", MARKS)
@pytest.mark.parametrize("host", FILES)
def test_byte_order_mark(tmp_path, host, encoding):
    """A host's file with a byte order mark is installed into, keeps its encoding and its mark, and gets its bytes back."""
    name, text = FILES[host]
    path = tmp_path / name
    path.parent.mkdir()
    before = MARKS[encoding] + text.encode(encoding)
    path.write_bytes(before)
    folders = host_folders({"HOME": str(tmp_path)})
    worker = Installer(tmp_path / "data", wants(folders, Programs("/usr/bin/python3", "/data/hook/client.py", False, ())))
    worker.apply(worker.plan(host, "user", ""))
    after = path.read_bytes()
    assert after.startswith(MARKS[encoding])
    written = after[len(MARKS[encoding]) :].decode(encoding)
    assert "größte" in written
    assert "vademecum" in written or "client.py" in written
    assert not written.startswith("\ufeff")
    worker.apply(worker.plan_removal(host, ""))
    assert path.read_bytes() == before


def test_other_names():
    """A host is found by the names that people know it by; each of them leads to one that can be installed."""
    targets = install_targets()
    for name, own in other_names().items():
        assert own in targets
        assert name == own or name not in targets
    assert {name: other_names()[name] for name in ("copilot", "github-copilot", "claude", "agy")} == {
        "copilot": "vscode", "github-copilot": "vscode", "claude": "claude-code", "agy": "antigravity",
    }  # fmt: skip
