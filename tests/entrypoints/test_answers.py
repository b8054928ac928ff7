"""What the command line answers: one sentence on what was done with the way back, and errors that tell what to do."""

import json
from pathlib import Path

import pytest

from vademecum.domain.extraction import Trial
from vademecum.domain.reading import ModelState, ReaderState
from vademecum.entrypoints.verbs.llm import reader_text
from vademecum.entrypoints.verbs.maintenance import synced_text
from vademecum.sync.index import SyncReport

RUN = {
    "archive": (["Kettle"], "Archived: Kettle."),
    "edit": (["Kettle", "--body", "It is green."], "Edited: Kettle."),
    "confirm": (["Kettle"], "Confirmed: Kettle (2 sources by now)."),
    "tag": (["Kettle", "--add", "kitchen"], "Tagged: Kettle (kitchen)."),
    "move": (["Kettle", "--kind", "lesson"], "Moved: Kettle, now a lesson at personal/lesson/kettle.md."),
    "link": (["Kettle", "related", "Pot"], "Linked: Kettle."),
    "supersede": (["Pot", "Kettle"], "Holds now: Kettle; the other one was archived."),
}


@pytest.fixture
def kitchen(person, vade):
    """A memory with a kettle and a pot."""
    person("save", "fact", "Kettle", "--body", "The kettle is red.")
    person("save", "fact", "Pot", "--body", "The pot is made of copper.")
    return vade


def state(vade):
    """Every memory as it stands, but for the time of its last change."""
    rows = json.loads(vade("list", "--status", "active,superseded,archived,resolved", "--json")[1])["results"]
    shown = [json.loads(vade("show", row["id"], "--json")[1]) for row in rows]
    return sorted(
        [(one["id"], one["title"], one["kind"], one["status"], one["body"], one["tags"], one["path"]) for one in shown]
    )


@pytest.mark.parametrize("verb", RUN)
def test_one_sentence_and_the_way_back(kitchen, verb):
    """A change answers with one sentence and the command that takes it back, which does; `--json` is the whole object."""
    words, sentence = RUN[verb]
    before = state(kitchen)
    code, out, _ = kitchen(verb, *words)
    assert (code, out.splitlines()[0]) == (0, sentence)
    assert len(out.splitlines()) == 2
    back = out.splitlines()[1].removeprefix("Take it back: vade ").split()
    assert back[0] == "undo"
    code, undone, _ = kitchen(*back)
    assert code == 0
    assert undone.startswith("Undone: ")
    assert state(kitchen) == before
    again = json.loads(kitchen(verb, *words, "--json")[1])
    assert {"id", "title", "kind", "path", "body", "status"} <= set(again)


def test_restore_and_settle(kitchen):
    """What was archived comes back by restore; of two that contradict each other settle says which holds."""
    kitchen("archive", "Kettle")
    assert kitchen("restore", "Kettle")[1].startswith(
        "Restored: Kettle, active at personal/fact/kettle.md.\nTake it back: vade undo "
    )
    kitchen("link", "Kettle", "may_replace", "Pot")
    code, out, err = kitchen("settle", "Kettle")
    assert code == 0, err
    assert out.startswith("Settled, it holds: Kettle.\nTake it back: vade undo ")


def test_edit_of_what_is_set_aside_says_so(kitchen):
    """An edit or a confirmation of an archived memory says that agents are not shown it."""
    kitchen("archive", "Kettle")
    for change in (("edit", "Kettle", "--body", "It is blue."), ("confirm", "Kettle")):
        assert "it is archived: not shown to agents" in kitchen(*change)[1]


def test_undo_of_a_save_names_the_file(kitchen):
    assert kitchen("undo", "Pot")[1].startswith(
        "Undone: save of pot; personal/fact/pot.md is removed.\nBring it back with: vade undo "
    )


def test_two_of_one_name(kitchen):
    """Each is told with its short id, kind, title, place and first line; the short id names it."""
    kitchen("edit", "Kettle", "--set", "aliases=Vessel")
    kitchen("edit", "Pot", "--set", "aliases=Vessel")
    code, _, err = kitchen("show", "Vessel")
    lines = [line.split("  ") for line in err.splitlines() if line.startswith("  ")]
    assert code == 5
    assert [one[2:] for one in lines] == [
        ["fact", "Kettle", "(personal/fact/kettle.md): The kettle is red."],
        ["fact", "Pot", "(personal/fact/pot.md): The pot is made of copper."],
    ]
    assert kitchen("show", lines[1][1])[1].startswith("Pot\n")
    assert json.loads(kitchen("show", "Vessel", "--json")[1])["error"] == "ambiguous"


def test_name_that_is_part_of_others(kitchen):
    """What is called nearly so is proposed, with ids; what was archived is not."""
    kitchen("save", "fact", "Kettle cord", "--body", "One metre.")
    kitchen("archive", "Pot")
    _, _, err = kitchen("show", "ettl")
    assert "Kettle cord (" in err and "; Kettle (" in err
    assert "Pot (" not in kitchen("show", "po")[2]


@pytest.mark.parametrize("verb", ["capture", "process"])
@pytest.mark.parametrize("words", [["gone.jsonl"], ["none-*.jsonl"], ["gone", "away"]])
def test_missing_file(kitchen, tmp_path, verb, words):
    """A file that is not there is an error with a code; of several the others are read, and the missing one is named (IN-47)."""
    (tmp_path / "t.jsonl").write_text(json.dumps({"role": "user", "text": "Remember: the lamp is on the left."}) + "\n")
    code, out, err = kitchen(verb, *words)
    assert (code, out) == (4, "")
    assert words[-1] in err
    assert json.loads(kitchen(verb, *words, "--json")[1])["error"] == "not_found"
    assert "lamp" not in kitchen("list")[1]
    code, out, _ = kitchen(verb, "t.jsonl", *words)
    assert code == 0 and ("*" in words[-1] or words[-1] in out)


def test_capture_says_what_was_kept(kitchen, tmp_path):
    """How much was read, what was kept and waits, how to find the rest; a second time that there is nothing new."""
    said = [("user", "Remember: the deploy box is called heron."), ("agent", "Noted."), ("user", "Thanks."), ("agent", "Sure.")]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"role": role, "text": text}) + "\n" for role, text in said))
    out = kitchen("capture", "t.jsonl")[1]
    assert out.startswith("Read 1 conversation with something new (4 turns)")
    assert "Saved 1 memory:\n  saved: The deploy box is called heron" in out
    assert "vade sessions search" in out and "vade reader show" in out
    again = kitchen("capture", "t.jsonl")[1]
    assert again == "Nothing new: 1 file had nothing new.\n"


USAGE = [["lst"], ["show"], ["show", "--nonsense"], ["save"], ["completion"], ["idea"], ["settings", "set"], ["init"],
         ["recall", "--limit", "many", "tea"], ["--nowhere", "list"]]  # fmt: skip


@pytest.mark.parametrize("words", USAGE, ids=" ".join)
def test_usage_errors_as_json(kitchen, words):
    """With --json a wrong command line is one object on standard output like every other error, with the code 64."""
    code, out, err = kitchen(*words, "--json")
    answer = json.loads(out)
    assert (code, err) == (64, "")
    assert answer["error"] == "usage" and answer["message"] and answer["hint"]
    assert "Traceback" not in out
    code, out, err = kitchen(*words)
    assert (code, out) == (64, "") and err


@pytest.mark.parametrize(("made", "waiting", "told"), [(8, 0, "ready for all"), (8, 2, "2 passages still wait"), (0, 0, "")])
def test_sync_says_whether_search_by_meaning_is_ready(made, waiting, told):
    """After vectors were made, `vade sync` says whether any are still missing; where none were made it says nothing of it."""
    lines = synced_text(SyncReport(same=3, vectors=made, waiting=waiting)).split("\n")
    assert lines[0].startswith("0 new, 0 changed, 0 gone, 3 unchanged")
    assert told in lines[-1] and len(lines) == (2 if told else 1)


def test_without_a_program_that_could_read_a_way_is_named():
    """`vade reader show`, which setup names to set a reader, says how, also where it finds no program that could be one."""
    assert "vade reader use ollama:MODEL" in reader_text(ReaderState(ModelState("none"), {}, (), Trial("none"), ()))


def test_an_emptied_file_says_so(kitchen):
    """A memory whose text was deleted in an editor says so, and the commands that it names bring the text back."""
    file = Path(json.loads(kitchen("status", "--json")[1])["home"], "personal/fact/kettle.md")
    file.write_text(file.read_text("utf-8").partition("The kettle")[0], "utf-8")
    assert "The file has no text. If that was a mistake: vade sync, vade log, vade undo" in kitchen("show", "Kettle")[1]
    kitchen("sync")
    assert kitchen("undo", json.loads(kitchen("log", "--json")[1])["results"][0]["id"])[0] == 0
    assert "The kettle is red." in file.read_text("utf-8")
