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


def test_canvas(vade, tmp_path):
    """`vade canvas REF` draws what a memory replaced, its source and its links, as JSON Canvas 1.0 has them."""
    (tmp_path / "Notes" / ".obsidian").mkdir(parents=True)
    vade("init", str(tmp_path / "Notes"))
    vade("save", "decision", "Use SQLite", "--body", "We use SQLite.", "--key", "KD", "--source", "https://sqlite.org")
    vade("save", "incident", "Lost orders", "--body", "Orders were lost.", "--key", "COE")
    vade("evolve", "KD01", "it grew", "--body", "We use Postgres. See COE01.")
    vade("save", "fact", "Other", "--body", "There is no Postgres here.")
    vade("link", "KD01", "contradicts", "Other")
    drawn = json.loads(vade("canvas", "KD01")[1])
    assert set(drawn) == {"nodes", "edges"}
    nodes = {node["id"]: node for node in drawn["nodes"]}
    needs = {"file": "file", "text": "text", "link": "url"}
    for node in nodes.values():
        assert isinstance(node[needs[node["type"]]], str)
        assert all(isinstance(node[name], int) for name in ("x", "y", "width", "height"))
        assert node["type"] != "file" or (tmp_path / "Notes" / node["file"]).is_file()
    assert len({(node["x"], node["y"]) for node in nodes.values()}) == len(nodes) == 5
    told = {(nodes[edge["fromNode"]]["type"], edge["label"], nodes[edge["toNode"]]["type"]) for edge in drawn["edges"]}
    assert told == {
        ("file", "replaced: it grew", "file"),
        ("link", "taken from", "file"),
        ("file", "contradicts", "file"),
        ("file", "mentions", "file"),
    }
    assert len({edge["id"] for edge in drawn["edges"]}) == len(drawn["edges"])


def test_canvas_of_what_is_withheld(vade, tmp_path):
    """The person sees what is withheld on their own canvas."""
    vade("init", str(tmp_path / "notes"))
    vade("save", "fact", "Blood test", "--body", "It was fine.", "--tags", "visibility/pii")
    vade("evolve", "Blood test", "again", "--body", "It was better.")
    assert len(json.loads(vade("canvas", "Blood test")[1])["nodes"]) == 2
