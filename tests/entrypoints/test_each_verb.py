"""Every verb of the table, done once where it finds something to do: so that a new one can forget none of this."""

import json

import pytest
from tests.entrypoints.every_verb import EVERY, WITH_A_SERVER, WRITING
from tests.entrypoints.test_files_end_with_a_newline import bare
from tests.entrypoints.test_one_undo import memories, operations

from vademecum.entrypoints.cli import cli


@pytest.mark.parametrize("verb", [one for one in EVERY if one.name not in WITH_A_SERVER], ids=lambda verb: verb.name)
def test_each_verb(everything, verb, capfd):
    """With --json it prints exactly one JSON object on one line, and nothing else. Each file that it writes ends with a newline. What it
    wrote into memories is one operation of the journal, and one undo brings every byte of before back; no undo brings back what
    `forget` removed.
    """
    home = everything.folder / "Notes" / "Vademecum"
    before, known = memories(home), {one.id for one in operations(home)}
    code, out, err = everything(verb)
    assert (code, err, out.count("\n")) == (0, "", 1)
    answer = json.loads(out)
    assert isinstance(answer, dict)
    assert "error" not in answer
    assert verb not in WRITING or bare(everything.folder / "Notes") == []
    mine = [one for one in operations(home) if one.id not in known]
    assert {one.action for one in mine} == {one.id for one in mine[:1]}, [(one.op, one.id, one.action) for one in mine]
    if mine and verb.name != "forget":
        named = [mine[0].id] if mine[0].undoes else []  # without an id "undo" means what somebody did, not what was taken back
        assert cli.run(["undo", *named]) == 0, capfd.readouterr().err
    assert verb.name == "forget" or memories(home) == before
