"""The commands that change an installation fit the tool that made it, and none gets this package from an index."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from vademecum.adapters import installation as module
from vademecum.adapters.installation import Installation, adding_extra, installation

ROOT = Path(__file__).parents[2]
#: Commands that would get this package from an index: a name of ours where no file, folder or address is.
FROM_AN_INDEX = re.compile(
    r"(?:pip3?|pipx|uv(?: tool)?|uvx|easy_install|npx|brew|conda)\s+(?:tool\s+)?(?:install|run|upgrade|add|--from)"
    r"(?:\s+--?[\w-]+)*\s+['\"]?vademecum(?:\[[\w,-]+\])?(?![\w./-])"
)


def installed_by(tmp_path, monkeypatch, mark, url):
    """Let the program that runs look as if a tool had installed it."""
    info = tmp_path / "site" / "vademecum-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "direct_url.json").write_text(json.dumps(url), encoding="utf-8")
    (info / "METADATA").write_text(
        "Name: vademecum\nRequires-Dist: click>=8\nProvides-Extra: team\n"
        "Requires-Dist: psycopg[binary,pool]>=3.3; (sys_platform != 'win32') and extra == 'team'\n"
        "Requires-Dist: watchfiles>=1.0; extra == 'watch'\n"
    )
    if mark:
        (tmp_path / mark).touch()
    monkeypatch.setattr(module.sys, "path", [str(tmp_path / "site")])
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: name)  # pip is there
    monkeypatch.setattr(module.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(module.sys, "executable", "/opt/my tools/bin/python")


WHEEL = {"url": "file:///tmp/dist/vademecum-1.0-py3-none-any.whl", "archive_info": {}}
FOLDER = {"url": "file:///home/me/my%20code", "dir_info": {"editable": True}}


@pytest.mark.parametrize(
    ("mark", "url", "way", "adds", "removes"),
    [
        ("pipx_metadata.json", WHEEL, "pipx", "pipx inject vademecum 'psycopg[binary,pool]>=3.3'", "pipx uninstall vademecum"),
        (
            "uv-receipt.toml", WHEEL, "uv tool",
            "uv pip install --python '/opt/my tools/bin/python' 'psycopg[binary,pool]>=3.3'", "uv tool uninstall vademecum",
        ),
        (
            "", WHEEL, "pip", "'/opt/my tools/bin/python' -m pip install 'psycopg[binary,pool]>=3.3'",
            "'/opt/my tools/bin/python' -m pip uninstall vademecum",
        ),
        (
            "", FOLDER, "checkout", "'/opt/my tools/bin/python' -m pip install 'psycopg[binary,pool]>=3.3'",
            "'/opt/my tools/bin/python' -m pip uninstall vademecum",
        ),
    ],
)  # fmt: skip
def test_each_way(tmp_path, monkeypatch, mark, url, way, adds, removes):
    """pipx, uv, pip and a checkout each get their own command; what an extra needs is named by its packages."""
    installed_by(tmp_path, monkeypatch, mark, url)
    assert installation().way == way
    assert adding_extra("team") == adds
    assert installation().removing() == removes
    assert (
        "/home/me/my code" in installation().upgrading()
        if way == "checkout"
        else re.search("install --force(-reinstall)? FILE.whl$", installation().upgrading())
    )


def test_without_pip():
    """An environment of uv has no pip: uv is named instead."""
    assert Installation("pip", "/v/bin/python", "", has_pip=False).adding(["x"]) == "uv pip install --python /v/bin/python x"


def test_unknown_extra(tmp_path, monkeypatch):
    """Where nothing was noted, the extra's own name stands for its packages."""
    installed_by(tmp_path, monkeypatch, "", WHEEL)
    assert adding_extra("fastembed").endswith(" fastembed")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("pip install 'vademecum[server]'", True), ("pipx install vademecum", True), ("uv tool install --force vademecum", True),
        ("uvx --from vademecum vade", True), ("pipx install dist/vademecum-0.1.0.whl", False), ("pipx uninstall vademecum", False),
        ("pipx inject vademecum psycopg", False), ("uv pip install ./vademecum", False),
    ],
)  # fmt: skip
def test_what_counts(text, wrong):
    assert bool(FROM_AN_INDEX.search(text)) == wrong


def test_no_text_names_an_index():
    """The name is nobody's on the index: whoever registers it would run code at everybody who follows such a line."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, cwd=ROOT, check=True).stdout.decode().split("\0")
    texts = [ROOT / name for name in listed if name and Path(name).parts[0] not in ("tests", "requirements")]
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in texts
        if path.suffix in (".py", ".md", ".json", ".toml", ".sh", ".html", "") and path.is_file()
        for match in FROM_AN_INDEX.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


def test_this_installation():
    """The program that runs the tests knows its own interpreter."""
    assert installation().python == sys.executable
