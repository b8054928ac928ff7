"""Boards (JSON Canvas): their texts are searched as notes of the person's, and nothing is written to them."""

import json

import pytest

from vademecum.vault.note import canvas_text


def test_texts_of_a_board_are_found(vade, tmp_path):
    """vault-19: texts, names of groups and labels of arrows are found under the file's name; the file keeps its bytes."""
    vault = tmp_path / "V"
    (vault / ".obsidian").mkdir(parents=True)
    board = {
        "nodes": [
            {"id": "1", "type": "text", "text": "The winch is greased with tallow. #boat", "x": 0, "y": 0},
            {"id": "2", "type": "group", "label": "Winter quarters"},
            {"id": "3", "type": "file", "file": "Other.md"},
        ],
        "edges": [{"id": "4", "fromNode": "1", "toNode": "2", "label": "moves at Michaelmas"}],
    }
    file = vault / "Harbour plan.canvas"
    file.write_text(json.dumps(board))
    (vault / "broken.canvas").write_text("{")
    before = file.read_bytes()
    vade("init", str(vault))
    for question in ("what is the winch greased with", "winter quarters", "michaelmas"):
        assert "Harbour plan" in vade("search", question)[1]
    assert "Harbour plan" in vade("list", "--source", "document", "--tag", "boat")[1]
    assert vade("lint", "--fix")[2] == ""
    vade("sync")
    assert file.read_bytes() == before
    board["nodes"][0]["text"] = "The winch is oiled."
    file.write_text(json.dumps(board))
    vade("sync")
    assert "tallow" not in vade("search", "tallow")[1]


@pytest.mark.parametrize("raw", [b"", b"[1]", b'{"nodes": 4, "edges": [7, {"label": 3}]}', b"[" * 200_000, b"\xff"])
def test_what_is_no_board(raw):
    """Any bytes are read as a board without a text."""
    assert canvas_text(raw) == ""
