"""The catalogues of phrases, each a case of its own: MV-33, MV-34, MV-55, SW-03, SW-44, IN-34, IN-35."""

import tomllib
from pathlib import Path

import pytest

from vademecum.domain.session import Session, Turn
from vademecum.ingest.batch import found_in
from vademecum.write.candidates import way_of

CASES = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text("utf-8"))["case"]
#: Met before each phrase: a fix is about an error.
ERROR = "sqlite3.OperationalError: database is locked"


@pytest.mark.parametrize("case", CASES, ids=[f"{case['from']} {case['phrase']} {case['role']}" for case in CASES])
def test_phrase(case):
    """Each phrase is found, by whom it is said, as the kind that it should be; only what a person says outright is saved unasked."""
    turns = (Turn("t0", "tool", ERROR), Turn("t1", case["role"], case["text"]))
    said, ideas = found_in(Session("plain", "s1", "/s1.jsonl", turns))
    found = (*said, *ideas)
    assert [one.kind for one in found] == [case["kind"]], found
    assert (way_of(found[0], "interactive") == "save") == case["saved"]
