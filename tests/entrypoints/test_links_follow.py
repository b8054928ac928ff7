"""A memory whose file gets another name or place stays linked: our own memories' links follow, the person's notes find the old name."""

import json

import pytest

#: Text of a memory that links to the memory "Tea kettle" in every way that Obsidian knows.
LINKS = """See [[tea-kettle]], [[tea-kettle|the pot]], ![[tea-kettle#Scale]] and [[tea-kettle#^b1|one line]].
By folder: [[fact/tea-kettle]], [[personal/fact/tea-kettle#Scale]] and [[Vademecum/personal/fact/tea-kettle.md|whole]].
As Markdown: [a](tea-kettle.md), [b](./tea-kettle.md#scale), [c](../fact/tea-kettle.md), [d](<tea-kettle.md>).
Not these: `[[tea-kettle]]`, [[tea-kettle-lid]], [e](https://tea-kettle.md).
"""
#: A note of the person's outside of memory.
NOTE = "My [[tea-kettle]] and [[Vademecum/personal/fact/tea-kettle|the same]].\n"


@pytest.fixture
def linked(vade, tmp_path):
    """A vault with a memory, a memory that links to it, and a note of the person's that does: its memory folder and `typed`."""
    vault = tmp_path / "Vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "Mine.md").write_text(NOTE)
    vade("init", str(vault))
    vade("save", "fact", "Tea kettle", "--body", "# Scale\n\nDescale it. ^b1\n")
    vade("save", "fact", "Kitchen", "--body", LINKS)
    return vault / "Vademecum", vade


def body(home) -> str:
    return (home / "personal/fact/kitchen.md").read_text().partition("\n---\n")[2]


def dead(vade) -> list[str]:
    """What lint finds of links that lead nowhere."""
    found = json.loads(vade("lint", "--check", "wikilink-resolution", "--json")[1])["findings"]
    return [one["message"] for one in found if "tea-kettle-lid" not in one["message"]]


def test_another_title(linked):
    """A new title gives the file a new name: links in our memories name it, with label, heading, block and folder as they were; code
    and other links stay; the person's note is untouched and still finds it."""
    home, vade = linked
    vade("move", "Tea kettle", "--title", "Water boiler")
    assert body(home) == (
        LINKS.replace("[[tea-kettle]], [[", "[[water-boiler]], [[").replace("[[tea-kettle|", "[[water-boiler|")
        .replace("[[tea-kettle#", "[[water-boiler#").replace("fact/tea-kettle", "fact/water-boiler")
        .replace("(tea-kettle.md)", "(water-boiler.md)").replace("(./tea-kettle.md#scale)", "(water-boiler.md#scale)")
        .replace("(../fact/water-boiler.md)", "(water-boiler.md)").replace("<tea-kettle.md>", "<water-boiler.md>")
    )  # fmt: skip
    assert (home.parent / "Mine.md").read_text() == NOTE
    assert "tea-kettle" in json.loads(vade("show", "Water boiler", "--json")[1])["aliases"]
    assert json.loads(vade("show", "tea-kettle", "--json")[1])["title"] == "Water boiler"
    assert dead(vade) == []


def test_another_kind(linked):
    """A move to another folder leads links with a folder and relative ones on; those by name alone stay as they are."""
    home, vade = linked
    vade("move", "Tea kettle", "--kind", "lesson")
    assert body(home) == (
        LINKS.replace("[[fact/", "[[lesson/").replace("personal/fact/", "personal/lesson/")
        .replace("(tea-kettle.md)", "(../lesson/tea-kettle.md)").replace("(./tea-kettle.md#scale)", "(../lesson/tea-kettle.md#scale)")
        .replace("(../fact/tea-kettle.md)", "(../lesson/tea-kettle.md)").replace("<tea-kettle.md>", "<../lesson/tea-kettle.md>")
    )  # fmt: skip
    assert dead(vade) == []


def test_own_relative_links(linked):
    """The relative links of the file that moves lead where they led."""
    home, vade = linked
    vade("move", "Kitchen", "--kind", "lesson")
    text = (home / "personal/lesson/kitchen.md").read_text()
    assert (
        "[a](../fact/tea-kettle.md), [b](../fact/tea-kettle.md#scale), [c](../fact/tea-kettle.md), [d](<../fact/tea-kettle.md>)"
        in text
    )
    assert "[[tea-kettle]], [[tea-kettle|the pot]]" in text


@pytest.mark.parametrize("words", [
    ("archive", "Tea kettle"), ("supersede", "Tea kettle", "STALE"), ("move", "Tea kettle", "--kind", "lesson", "--title", "Boiler"),
    ("edit", "Tea kettle", "--set", "always_load=true"), ("edit", "Tea kettle", "--set", "project=kitchen"),
    ("edit", "Tea kettle", "--set", "status=inbox"), ("evolve", "Tea kettle", "newer", "--body", "Never boil it dry."),
], ids=lambda words: "-".join(words[:1] + words[2:4]))  # fmt: skip
def test_nothing_breaks(linked, words):
    """Whatever puts the file elsewhere, no link to it is dead afterwards, memories know each other still, and undo brings all back."""
    home, vade = linked
    before = {
        path: path.read_text() for path in home.rglob("*.md") if "_journal" not in path.parts and "_views" not in path.parts
    }
    assert vade(*words)[0] == 0
    assert dead(vade) == []
    ids = {link["target"] for link in json.loads(vade("links", "Kitchen", "--json")[1])["results"] if link["state"] == "known"}
    assert len(ids) >= 1
    vade("undo")
    assert {path: path.read_text() for path in before} == before


def test_links_found_at_once(linked):
    """The index knows the new text of what links to it at once, without a sync."""
    _, vade = linked
    vade("move", "Tea kettle", "--title", "Water boiler")
    found = json.loads(vade("search", "water-boiler", "--json")[1])
    assert "Kitchen" in {hit["title"] for hit in found["hits"]}
    assert "changed" not in json.loads(vade("sync", "--json")[1]) or json.loads(vade("sync", "--json")[1])["changed"] == 0
