"""Pages through the doors: what is told, what is written where."""

import json


def test_types_that_clash(vade, tmp_path):
    """`vade init` tells which properties the vault has another type for, and changes nothing."""
    types = tmp_path / "Notes" / ".obsidian" / "types.json"
    types.parent.mkdir(parents=True)
    types.write_text(json.dumps({"types": {"status": "multitext", "kind": "text", "mood": "number", "tags": "tags"}}))
    before = types.read_bytes()
    told = json.loads(vade("init", str(tmp_path / "Notes"), "--json")[1])
    assert told["clashes"] == {"status": ["multitext", "text"]}
    assert types.read_bytes() == before
