"""Archives made to unfold to thousands of times their size: named, and what lies beside them is read."""

import zipfile

import pytest

from vademecum.adapters.zstandard import zstd
from vademecum.entrypoints.cli import cli
from vademecum.plugins.moving.formats import given

TALK = '{"role": "user", "text": "How is the kettle descaled?"}\n{"role": "assistant", "text": "With vinegar."}\n'
NOTHING = bytes(1 << 20)


@pytest.fixture
def vade(tmp_path, monkeypatch, capfd):
    """Runs a command line in a folder with a memory: exit code and everything printed."""
    for name, value in {
        "CONFIG": "c.toml",
        "DATA_DIR": "data",
        "CACHE_DIR": "cache",
        "EMBEDDER": "none",
        "QUICK_EMBEDDER": "none",
    }.items():
        monkeypatch.setenv(f"VADEMECUM_{name}", str(tmp_path / value) if value[0] in "cd" else value)
    monkeypatch.chdir(tmp_path)
    cli.run(["init", "memory"])

    def typed(*words):
        code = cli.run(list(words))
        said = capfd.readouterr()
        return code, said.out + said.err

    return typed


def _zstd(folder):
    (folder / "bomb.jsonl.zst").write_bytes(zstd.compress(NOTHING * 80))


def _zip(folder):
    with (
        zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("conversations.json", "w") as file,
    ):
        for _ in range(80):
            file.write(NOTHING)


@pytest.mark.parametrize("make", [_zstd, _zip])
def test_packed_transcript(vade, tmp_path, make):
    """A transcript or an account export that is a bomb is told of with its name; the conversation beside it is found."""
    (talks := tmp_path / "talks").mkdir()
    make(talks)
    (talks / "talk.jsonl").write_text(TALK)
    code, said = vade("capture", "talks")
    assert (code, "bomb" in said, "unpacks to more than 64 MB" in said) == (0, True, True)
    assert "vinegar" in vade("sessions", "search", "vinegar")[1]


def test_packed_memories(vade, tmp_path, monkeypatch):
    """An archive whose files are each short and together too much is read as far as there is room; the others are named."""
    monkeypatch.setattr(given, "ALL_MAX_BYTES", 1 << 20)
    with zipfile.ZipFile(tmp_path / "memories.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", "# Deploy box\n\nThe deploy box is called heron.\n")
        archive.writestr("b.md", "word " * (1 << 18))
    code, said = vade("import", "memories.zip")
    assert code == 0 and "b.md" in said and "More than 1 MB were named" in said
