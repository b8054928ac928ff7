"""Where memories come from, asked at the doors: the note shows little, the journal knows it all."""

import json
import shutil
from datetime import UTC, datetime

import pytest

from vademecum.vault.files import etag_of

SAID = "Remember that the staging server is called heron."


@pytest.fixture
def captured(vade, tmp_path):
    """A conversation of which a memory was made: the memory's line of `list --evidence`."""
    rows = [{"type": "session", "id": "s1", "time": "2026-03-01T09:00:00+00:00"}]
    said = ("Where do we stand?", "Nearly done.", SAID, "Noted.", "What is next?", "The tests.", "Do that, please.", "Yes.")
    rows += [{"id": f"t{n}", "speaker": "assistant" if n % 2 else "user", "text": text} for n, text in enumerate(said)]
    vade("init", str(tmp_path / "Notes"))
    (tmp_path / "talk.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    vade("capture", str(tmp_path / "talk.jsonl"))
    return next(one for one in _listed(vade, "--evidence") if "heron" in one["body"] and one["kind"] != "handoff")


def _listed(vade, *options):
    return json.loads(vade("list", "--json", *options)[1])["results"]


def _shown(vade, ref, *options):
    return json.loads(vade("show", ref, "--json", *options)[1])


def test_list_tells_source_and_turns(captured):
    """What a memory came from is told to programs, though its note does not show the turns."""
    assert (captured["source"], captured["span"]) == ("session://plain/s1", "t2")


def test_mined_note_is_short(vade, captured, tmp_path):
    """A kept memory's file bears the title's name and at most eight properties, none of them evidence."""
    (path,) = (tmp_path / "Notes").rglob("*heron.md")
    head = path.read_text().split("---\n")[1].splitlines()
    assert [line.partition(":")[0] for line in head] == ["id", "kind", "title", "created", "source", "trust"]
    assert path.stem == "the-staging-server-is-called-heron"


def test_show_evidence(vade, captured):
    """`show --evidence` and `why` tell the conversation, the turns with their words, the reason, and confirmations."""
    vade("save", "fact", "Heron", "--body", "The staging server is called heron.")
    vade("confirm", captured["id"])
    for verb in (("show", captured["id"], "--evidence"), ("why", captured["id"])):
        code, told, _ = vade(*verb)
        assert code == 0
        for words in ("session://plain/s1", "source_span       t2", "rationale", f"said by user t2: {SAID}", "confirmed 20"):
            assert words in told
    shown = _shown(vade, captured["id"], "--evidence")
    assert shown["memory"]["confirmations"] == 2
    assert [one["said"] for one in shown["confirmed"]] == ["said again: Heron: The staging server is called heron.", ""]
    assert shown["evidence"]["source_span"] == "t2"
    assert [turn["text"] for turn in shown["said"]] == [SAID]


def test_nothing_is_known(vade, tmp_path):
    """A memory that the person wrote has no evidence, and `why` of something unknown says so."""
    vade("init", str(tmp_path / "Notes"))
    vade("save", "fact", "Kettle", "--body", "Descale it.")
    assert "none is known" in vade("show", "kettle", "--evidence")[1]
    assert vade("why", "nothing-of-that-name")[2].startswith("No search and no memory is called 'nothing-of-that-name'.")


def test_rebuilt_from_text(vade, captured, tmp_path):
    """An index made anew from notes and journals, on this device or another, gives the same answers, evidence included."""
    vade("save", "fact", "Kettle", "--body", "Descale it.", "--importance", "0.9")
    vade("confirm", "kettle")
    vade("tag", captured["id"], "--add", "server")
    asked = [("list", "--json"), ("list", "--json", "--evidence"), ("show", "kettle", "--json")]
    before = [vade(*verb)[1] for verb in asked]
    assert vade("rebuild")[0] == 0
    assert [vade(*verb)[1] for verb in asked] == before
    shutil.rmtree(tmp_path / "data")
    vade("sync")
    assert [vade(*verb)[1] for verb in asked] == before


def test_evidence_is_forgotten(vade, captured, tmp_path):
    """X-36: forgetting a memory erases its evidence from the journals too, and the search of all bytes finds nothing."""
    vade("confirm", captured["id"])
    code, told, _ = vade("forget", captured["id"], "--yes")
    assert code == 0
    journal = "".join(path.read_text() for path in (tmp_path / "Notes").rglob("_journal/*/*.md"))
    assert captured["id"] in journal
    assert not [
        word for word in ("heron", "Remember that", '"t2"', "session://plain/s1") if word in journal.replace("_forgotten", "")
    ]
    assert "found in" not in told


def test_older_version_shares_the_vault(vade, tmp_path):
    """A vault into which an older version of the program goes on writing is told of by `sync` and `doctor`; its memories are read."""
    vade("init", str(tmp_path / "Notes"))
    vade("save", "fact", "Kettle", "--body", "Descale it.")
    (home,) = (one.parent for one in (tmp_path / "Notes").rglob("_journal"))
    note = (
        "---\nid: 01M0000000000000000000000A\nkind: fact\ntitle: Pot\nstatus: active\nconfirmations: 2\n---\nThe pot is blue.\n"
    )
    (home / "personal/fact/pot.md").write_text(note)
    record = {
        "v": 1, "id": "7ZZZZZZZZZ000000000000000A", "time": f"{datetime.now(UTC).isoformat()}", "op": "save", "actor": "user",
        "device": "tablet",
        "changes": [{
            "memory": "01M0000000000000000000000A",
            "after": {"space": "personal", "path": "personal/fact/pot.md", "etag": etag_of(note.encode()), "text": note},
        }],
    }  # fmt: skip
    (home / "_journal/tablet.jsonl").write_text(json.dumps(record) + "\n")
    for verb in ("sync", "doctor"):
        _, told, errors = vade(verb)
        assert "An older version of Vademecum wrote here" in told + errors
    assert {(one["title"], one["confirmations"]) for one in _listed(vade)} == {("Kettle", 0), ("Pot", 2)}
