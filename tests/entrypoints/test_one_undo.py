"""Design rule 4: what a person does is one operation. Whatever a verb writes, one `vade undo` takes it back whole.

Of every verb of the table this is shown in test_each_verb.py.
"""

import json

import pytest

from vademecum.vault.journal import from_line
from vademecum.vault.segments import lines_of, segments_of

#: Generated pages, the journal, sources and what sync tools left: no memories.
_DERIVED = ("_journal/", "_views/", ".raw/", "_archive/conflicts/")


def memories(home) -> dict[str, str]:
    """Return the text of every memory's file, by path."""
    paths = {path.relative_to(home).as_posix(): path for path in home.rglob("*.md")}
    texts = {name: path.read_text() for name, path in paths.items() if not name.startswith(_DERIVED)}
    return {name: text for name, text in texts.items() if "\nid: " in text}


def operations(home) -> list:
    """Return every record of the journal that is no generated page's, the first first."""
    segments = (path for folder in (home / "_journal").iterdir() if folder.is_dir() for path in segments_of(folder))
    found = [record for path in segments for record in map(from_line, lines_of(path)) if record]
    return sorted((one for one in found if not one.is_generated and one.actor != "hand"), key=lambda one: one.id)


def _said(text: str) -> str:
    return f'{{"role": "user", "text": "{text}"}}\n'


#: What a person types, each something that writes several memories or changes one in several ways.
MANY = {
    "move": ["move", "Kettle", "--kind", "lesson", "--title", "Water boiler"],
    "save": ["save", "fact", "Pot", "--body", "Scour the pot.", "--supersedes", "Kettle"],
    "import": ["import", "three.md", "--mine", "--yes"],
    "seed": ["import", "--seed", "three.md", "--mine", "--yes"],
    "capture": ["capture", "talk.jsonl"],
    "process": ["process", "talk.jsonl"],
}


@pytest.mark.parametrize("words", MANY.values(), ids=MANY)
def test_many_changes_one_undo(person, tmp_path, words):
    """An action that writes several memories, or changes several things of one, is taken back by one undo, and comes back by one more."""
    (tmp_path / "three.md").write_text(
        "# Preferences\n\n- Always use tabs in Go.\n- Never log passwords.\n- Deploy on Tuesdays.\n"
    )
    (tmp_path / "talk.jsonl").write_text(_said("Always peel the beetroot twice.") + _said("Never salt the lentils early."))
    person("save", "fact", "Kettle", "--body", "Descale the kettle.")
    person("save", "fact", "Lamp", "--body", "See [[kettle]].")
    home = tmp_path / "notes"
    before = memories(home)
    person(*words)
    after = memories(home)
    assert after != before
    redo = person("undo").splitlines()[-1].rpartition(" ")[2]
    assert memories(home) == before
    person("undo", redo)
    assert memories(home) == after


@pytest.fixture
def captured(person, tmp_path):
    """A memory into which one conversation put two memories: its folder."""
    (tmp_path / "talk.jsonl").write_text(_said("Always peel the beetroot twice.") + _said("Never salt the lentils early."))
    person("capture", "talk.jsonl")
    assert len(memories(tmp_path / "notes")) == 2
    return tmp_path / "notes"


def test_undo_of_one_memory_leaves_the_others(person, captured):
    """Who names a memory takes back what was done to it last, not all else that the same action did."""
    before = memories(captured)
    gone = next(path for path, text in before.items() if "beetroot" in text)
    person("undo", gone)
    assert memories(captured) == {path: text for path, text in before.items() if path != gone}
    person("undo")
    assert memories(captured) == {}


def test_undo_is_whole_or_nothing(captured, vade):
    """When one of the memories of an action was changed since, undo changes none of them and says so."""
    for path, text in memories(captured).items():
        if "beetroot" in text:
            (captured / path).write_text(f"{text}By hand.\n")
    before = memories(captured)
    code, _, said = vade("undo")
    assert (code, "cannot be undone" in said) == (7, True), (code, said)
    assert memories(captured) == before


def test_the_feed_tells_one_action_once(captured, vade):
    """The pages and `log` tell of what one action did in one line, whose undo takes it back whole."""
    told = json.loads(vade("log", "--json")[1])["results"]
    assert [(one["op"], len(one["memories"])) for one in told] == [("save", 2)]
    vade("undo", told[0]["id"])
    assert memories(captured) == {}
    undone = json.loads(vade("log", "--json")[1])["results"][0]
    assert (undone["op"], undone["undoes"]) == ("undo", told[0]["id"])
