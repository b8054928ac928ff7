"""Notes that a person wrote are found by their names, and from another language by what they mean."""

import json

import pytest

from vademecum.domain.query import Query

#: What a long note says of everything, so that no single name is left to the note that bears it.
OF_EVERYTHING = ("Daily notes", "Templates", "Word count", "Workspaces", "Backlinks", "File recovery")


def _handbook(folder):
    """Write a note of each name, and one that has a chapter about each."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in OF_EVERYTHING:
        (folder / f"{name}.md").write_text(f"A plugin of the core. Turn it on, then use it: {name.split()[0].lower()}.\n")
    chapters = [f"## {name}\n\n{name} has {name.lower()}:open and {name.lower()}:close." for name in OF_EVERYTHING]
    (folder / "Command line.md").write_text("\n\n".join(["# Command line", *chapters, ""]))


@pytest.mark.parametrize("name", OF_EVERYTHING)
def test_the_note_of_that_name_comes_first(vade, tmp_path, name):
    """Who asks for a note by its title gets it before a long note that speaks of everything."""
    _handbook(tmp_path / "Vault")
    vade("init", str(tmp_path / "Vault"))
    found = json.loads(vade("recall", name, "--json")[1])
    assert found["hits"][0]["title"] == name
    assert found["hits"][0]["signals"]["title"] > 0.9


def test_an_alias_is_a_name(vade, tmp_path):
    """A note is asked for by an alias as by its title."""
    _handbook(tmp_path / "Vault")
    (tmp_path / "Vault" / "Word count.md").write_text("---\naliases: [Tally of letters]\n---\nA plugin of the core.\n")
    vade("init", str(tmp_path / "Vault"))
    found = json.loads(vade("recall", "tally of letters", "--json")[1])
    assert found["hits"][0]["title"] == "Word count"
    assert found["hits"][0]["signals"]["title"] > 0.9


def test_in_another_language(opened, home):
    """A note is told to who asks in another language, where no word can speak for it; what it does not speak of is not told."""
    vault = home.parent
    notes = {
        "Embed files": "You can embed an image or a PDF in a note, so that it is shown in the middle of your text.",
        "Sync": "Your notes are synchronized between your phone and your computer through our server, encrypted.",
        "Themes": "Change the colours and the fonts of the whole application with a theme.",
        "Refunds": "You get your money back within seven days after the purchase.",
    }
    for name, text in notes.items():
        (vault / f"{name}.md").write_text(f"{text}\n")
    memory = opened(embedder="use", vault=str(vault))
    memory.maintenance.sync()
    memory.maintenance.refine()

    def titles(question):
        return [hit.item.title for hit in memory.recall.ask(Query(question)).hits]

    assert titles("Wie kann ich die Farben und Schriften der ganzen Anwendung ändern?")[:1] == ["Themes"]
    assert titles("Wie viele Eier kommen in den Teig für die Pfannkuchen?") == []


@pytest.mark.parametrize("name", ["description", "summary"])
def test_what_a_note_says_of_itself(vade, tmp_path, name):
    """A note is found by the sentence of its frontmatter that says what it is about."""
    _handbook(tmp_path / "Vault")
    (tmp_path / "Vault" / "Workspaces.md").write_text(f"---\n{name}: Restore a layout of panes.\n---\nA plugin of the core.\n")
    vade("init", str(tmp_path / "Vault"))
    found = json.loads(vade("recall", "how do I restore the layout of my panes?", "--json")[1])
    assert found["hits"][0]["title"] == "Workspaces"
    assert found["hits"][0]["passage"]["text"] == "Restore a layout of panes."
