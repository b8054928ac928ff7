"""`vade uninstall --all`, as a person runs it."""

import json
import os
import subprocess
import sys

import pytest
from tests.adapters.transcripts.conformance import claude_code


@pytest.fixture
def vade(tmp_path):
    """`vade` of a person with a home folder of their own: arguments -> (exit code, all it said)."""

    def run(*arguments, cwd=tmp_path):
        environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "VADEMECUM_EMBEDDER": "none"}
        done = subprocess.run(
            [sys.executable, "-m", "vademecum", *arguments],
            capture_output=True, text=True, check=False, cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    return run


def test_everything_of_ours_goes(vade, tmp_path):
    """Hooks, servers, data, caches and settings go, in projects too; the notes, the host's own lines and strange files stay."""
    theirs = tmp_path / ".claude" / "settings.json"
    theirs.parent.mkdir()
    theirs.write_text(json.dumps({"model": "opus"}), encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    vade("init", "Notes")
    vade("save", "fact", "Kettle", "--body", "Descale it.")
    vade("install", "claude-code")
    vade("install", "codex", "--scope", "project", cwd=work)
    said = [claude_code.user(0, "Descale the kettle", **claude_code.HUMAN), claude_code.agent(1, claude_code.words("Done."))]
    transcript = work / f"{claude_code.SESSION}.jsonl"
    transcript.write_text("".join(json.dumps(line) + "\n" for line in said), encoding="utf-8")
    vade("capture", str(transcript))
    transcript.unlink()
    assert (tmp_path / ".local" / "share" / "vademecum" / "hash.key").is_file()  # made with the first conversation that is read
    strange = tmp_path / ".local" / "share" / "vademecum" / "mine.txt"
    strange.write_text("the person's", encoding="utf-8")
    lock = tmp_path / ".cache" / "vademecum" / "run" / "0badcafe.lock"  # of the process that answers commands
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    weights = tmp_path / ".cache" / "vademecum" / "weights-1" / "use-multilingual.safetensors"  # of who built the package
    weights.parent.mkdir()
    weights.touch()

    code, said = vade("uninstall", "--all")
    assert (code, "--yes" in said) == (3, True)
    assert "vademecum" in theirs.read_text(encoding="utf-8")

    code, said = vade("uninstall", "--all", "--yes")
    assert code == 0
    assert "Checked" in said
    assert f"Your memories stay: {tmp_path / 'Notes'}" in said
    assert [line for line in said.splitlines() if "so it stays:" in line] == [f"Not ours, so it stays: {strange}"]
    assert json.loads(theirs.read_text(encoding="utf-8")) == {"model": "opus"}
    left = {path for path in tmp_path.rglob("*") if path.is_file() and tmp_path / "Notes" not in path.parents}
    assert left == {theirs, strange}
    assert (tmp_path / "Notes" / "personal" / "fact" / "kettle.md").exists()


def test_one_or_all(vade):
    """A host or everything is named, never both and never neither."""
    assert vade("uninstall")[0] == vade("uninstall", "codex", "--all")[0] == 3
