"""A command loads what it needs and nothing else: the person waits for every module."""

import subprocess
import sys

#: What only writing, following, measuring and showing off need.
HEAVY = (
    "yaml", "filelock", "markdown_it", "platformdirs", "configparser", "difflib", "numpy.ma", "vademecum.vault.store",
    "vademecum.capture", "vademecum.upkeep.absorb", "vademecum.upkeep.keep", "vademecum.upkeep.follow", "vademecum.bench",
    "vademecum.demo", "vademecum.adapters.transcripts", "vademecum.adapters.stores.memory",
)  # fmt: skip


def test_recall_loads_little(memory, home, tmp_path):
    """`vade recall` loads no job, no vault and no parser of notes."""
    memory.save("fact", "Kettle", "Descale the kettle monthly with citric acid.")
    memory.close()
    code = (
        "import sys; from vademecum.doors.cli import run; code = run(sys.argv[2:]);"
        "print(*(name for name in sys.argv[1].split() if name in sys.modules), file=sys.stderr); sys.exit(code)"
    )
    environment = {
        "VADEMECUM_HOME": str(home),
        "VADEMECUM_DATA_DIR": str(tmp_path / "data"),
        "VADEMECUM_CACHE_DIR": str(tmp_path / "cache"),
        "VADEMECUM_CONFIG": str(tmp_path / "config.toml"),
        "VADEMECUM_EMBEDDER": "static",
        "PYTHONPATH": ":".join(sys.path),
    }
    said = subprocess.run(
        [sys.executable, "-c", code, " ".join(HEAVY), "recall", "descale", "kettle"],
        capture_output=True, text=True, env=environment, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert "citric acid" in said.stdout
    assert said.stderr.split() == []
