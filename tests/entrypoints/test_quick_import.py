"""Modules that are imported without what they do not need."""

import importlib
import subprocess
import sys

import pytest

from vademecum.entrypoints.quick_import import quick_import

NAMES = ("kettle_needs", "kettle_unused", "kettle_absent", "kettle_broken")


@pytest.fixture
def modules(tmp_path, monkeypatch):
    (tmp_path / "kettle_unused.py").write_text("whole = True\n")
    (tmp_path / "kettle_absent.py").write_text("whole = True\n")
    (tmp_path / "kettle_broken.py").write_text("import kettle_unused\nkettle_unused.other\n")
    (tmp_path / "kettle_needs.py").write_text(
        "import kettle_unused\nport = kettle_unused.port\n"
        "try:\n    import kettle_absent\nexcept ImportError:\n    kettle_absent = None\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in NAMES:
        sys.modules.pop(name, None)


def test_replaced_only_meanwhile(modules):
    quick_import("kettle_needs", {"kettle_unused": {"port": 4417}, "kettle_absent": None})
    needs = sys.modules["kettle_needs"]
    assert (needs.port, needs.kettle_absent) == (4417, None)
    assert [importlib.import_module(name).whole for name in ("kettle_unused", "kettle_absent")] == [True, True]


def test_what_is_loaded_stays(modules):
    whole = importlib.import_module("kettle_unused")
    with pytest.raises(AttributeError):
        quick_import("kettle_needs", {"kettle_unused": {"port": 4417}})
    assert sys.modules["kettle_unused"] is whole


def test_nothing_stays_after_a_failure(modules):
    with pytest.raises(AttributeError):
        quick_import("kettle_broken", {"kettle_unused": {}})
    assert importlib.import_module("kettle_unused").whole


def test_command_imports_less_of_msgspec(tmp_path):
    command = (
        "import sys; sys.argv = ['vade', '--version']\n"
        "from vademecum.entrypoints.cli.entry import main\n"
        "try:\n main()\nfinally:\n print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True, env={"HOME": str(tmp_path), "PATH": ""}
    )
    assert "msgspec" in done.stdout.split()
    assert {"typing_extensions", "platform"}.isdisjoint(done.stdout.split())
