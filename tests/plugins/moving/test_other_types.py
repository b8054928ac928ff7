"""A value of another type than usual is read as it was meant or named as unreadable, never taken apart, and never left out in silence."""

import json

import pytest
from tests.plugins.moving.test_formats import lay, take

LONG = "The sluice opens to the left. " * 12


def _lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def _entity(observations, **more):
    return {"type": "entity", "name": "Petrel", "entityType": "boat", "observations": observations, **more}


@pytest.mark.parametrize(
    ("name", "text", "bodies"),
    [
        ("memory.jsonl", _lines(_entity("Moored at quay five")), ["- Moored at quay five\n"]),
        ("memory.jsonl", _lines(_entity([{"content": "Moored"}, {"text": "Nine metres"}, 9])), ["- Moored\n- Nine metres\n- 9\n"]),
        ("memory.jsonl", _lines(_entity(None)), ["Petrel\n"]),
        ("memory.json", json.dumps({"entities": _entity("Moored"), "relations": None}), ["- Moored\n"]),
        ("m.json", json.dumps([{"memory": ["Oak oars", "Larch planks"]}]), ["Oak oars\nLarch planks\n"]),
        ("m.json", json.dumps([{"memory": {"text": "Oak oars"}}]), ["Oak oars\n"]),
        ("m.json", json.dumps({"results": [{"memory": "Oak oars"}, {"text": "Larch planks"}, "Ash masts"]}),
         ["Oak oars\n", "Larch planks\n", "Ash masts\n"]),
        ("m.json", "\ufeff" + json.dumps([{"memory": "Oak oars"}]), ["Oak oars\n"]),
        ("memories.json", json.dumps({"memories": [{"content": "Oak", "state": "active"}, {"content": "Gone", "state": "deleted"}]}),
         ["Oak\n"]),
        ("backup.json", json.dumps({"memories": [{"content": "Oak oars", "content_hash": "9f", "created_at": 1770000000.5}]}),
         ["Oak oars\n"]),
        ("GEMINI.md", "# Boat\n\nIt floats.\n\n## Gemini Added Memories\n- The oars are of oak.\n", ["The oars are of oak.\n"]),
        ("c.json", json.dumps({"observations": [{"title": "Oars", "facts": ["Of oak", "Long"]}]}), ["- Of oak\n- Long\n"]),
        ("c.json", json.dumps({"observations": [{"title": "Oars", "facts": "Of oak"}]}), ["- Of oak\n"]),
        ("a.af", json.dumps({"blocks": [{"label": "human", "value": ["Rows", "Swims"]}]}), ["Rows\nSwims\n"]),
        ("memories.json", json.dumps([{"conversations_memory": ["- The user rows."]}]), ["The user rows.\n"]),
    ],
)  # fmt: skip
def test_read_as_meant(memory, tmp_path, name, text, bodies):
    """Texts in lists and objects are read; nothing becomes single characters or the notation of a programming language."""
    done = take(memory, lay(tmp_path / "theirs", {name: text}))
    assert [one.body for one in done.saved if one.status != "archived"] == bodies
    assert done.problems == ()


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("memory.jsonl", _lines(_entity(["Moored"]), _entity(["Lost"], name=None), {"type": "relation", "from": "Petrel"}), 2),
        ("memory.json", json.dumps({"entities": [_entity(["Moored"]), "Petrel"]}), 1),
        ("m.json", json.dumps([{"memory": "Oak oars"}, {"memory": {"x": 1}}, None, {"memory": ""}]), 3),
        ("c.json", json.dumps({"observations": [{"title": "Oars", "text": "Of oak"}, {"text": True}, None]}), 2),
        ("a.af", json.dumps({"blocks": [{"label": "human", "value": "Rows"}, {"label": "pet", "value": {"x": True}}]}), 1),
        ("f.json", json.dumps([{"text": "Oak oars", "kind": "fact"}, {"text": {}, "kind": "fact"}, 7]), 2),
    ],
)
def test_named_when_unreadable(memory, tmp_path, name, text, count):
    """What has no text that can be read is named, one line each; the others come in."""
    done = take(memory, lay(tmp_path / "theirs", {name: text}))
    assert (len([one for one in done.saved if one.status != "archived"]), len(done.problems)) == (1, count)


INDEX = {"MEMORY.md": "# Memory\n\n- [Sluice](sluice.md) - which way\n"}


@pytest.mark.parametrize(
    ("text", "title", "body", "problems"),
    [
        ("---\nname: Sluice\ndescription: It opens to the left\n---\n", "Sluice", "It opens to the left\n", 0),
        (f"---\nname: Sluice\ndescription: {LONG}\n---\nOf oak.\n", "Sluice", f"{LONG.strip()}\n\nOf oak.\n", 0),
        ("---\nname: Sluice\ndescription: Short\ntags:\n  - oak\n\nOf oak.\n", "Sluice", "Of oak.\n", 0),
        ("---\n\nOf oak.\n", "sluice", "---\n\nOf oak.\n", 0),
        ("---\nname: Sluice\n---\n", "", "", 1),
    ],
)  # fmt: skip
def test_topics_of_auto_memory(memory, tmp_path, text, title, body, problems):
    """A topic of only a description, a long description and a block of properties without an end lose nothing."""
    done = take(memory, lay(tmp_path / "theirs", {**INDEX, "sluice.md": text}))
    assert [(one.title, one.body) for one in done.saved] == ([(title, body)] if title else [])
    assert len(done.problems) == problems


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_files_with_a_byte_order_mark(memory, tmp_path, encoding):
    """A file as Windows programs write it, in UTF-16 or with a mark before UTF-8, is read."""
    folder = lay(tmp_path / "theirs", INDEX)
    (tmp_path / "theirs" / "sluice.md").write_bytes(
        "---\nname: Schleuse\ndescription: kurz\n---\nSie öffnet nach links.\n".encode(encoding)
    )
    assert [(one.title, one.body) for one in take(memory, folder).saved] == [("Schleuse", "Sie öffnet nach links.\n")]
