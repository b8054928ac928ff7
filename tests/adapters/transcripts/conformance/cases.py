"""The conformance cases of every format: of the core here, of plugins beside their tests."""

import importlib
from pathlib import Path

from tests.adapters.transcripts.conformance.case import Case

ROOT = Path(__file__).parents[4]
FILES = [
    *(file for file in Path(__file__).parent.glob("*.py") if not file.stem.startswith(("test_", "case"))),
    *ROOT.glob("tests/plugins/*/transcript_cases.py"),
]
MODULES = sorted(".".join(file.relative_to(ROOT).with_suffix("").parts) for file in FILES)
CASES: list[Case] = [case for name in MODULES for case in importlib.import_module(name).CASES]
