"""Results of measurements: one JSON file each in benchmarks/results, with machine and date."""

import json
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"


def machine() -> str:
    """Return a description of this machine."""
    cpus = Path("/proc/cpuinfo")
    cores = len(cpus.read_text(encoding="utf-8").split("processor\t")) - 1 if cpus.exists() else "some"
    return f"{platform.machine()}, {cores} cores, Python {platform.python_version()}, {platform.system()}"


def save_result(name: str, about: str, command: str, figures: dict[str, Any], folder: Path) -> None:
    """Write one result with machine and date."""
    result = {
        "measured": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": machine(),
        "set": about,
        "command": command,
        "figures": figures,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_result(name: str, folder: Path) -> dict[str, Any] | None:
    """Return an earlier result; None if there is none."""
    file = folder / f"{name}.json"
    if not file.exists():
        return None
    result: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return result
