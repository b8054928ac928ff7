"""Walks through the doors that a person takes: each shows, by its commands, something that went wrong once."""

import json
import re

import pytest


def asked(person, *words):
    return json.loads(person(*words, "--json"))


def test_ticked_tasks(person, tmp_path):
    """A task whose boxes are all ticked is open no more, and of a list only the open lines are told (IN-26)."""
    person("save", "task", "Write the guide", "--body", "- [x] outline\n  - [x] headings\n- [ ] examples\n- [x] all proofread")
    person("save", "task", "Ship it", "--body", "- [x] all done")
    person("save", "task", "Call the printer")
    text = asked(person, "briefing")["text"]
    assert [word in text for word in ("examples", "Call the printer")] == [True, True]
    assert not re.search("outline|headings|proofread|Ship it|all done", text)
    assert [one["title"] for one in asked(person, "list", "--status", "resolved")["results"]] == ["Ship it"]
    note = next((tmp_path / "notes").rglob("ship-it.md"))
    note.write_text(note.read_text().replace("[x]", "[ ]"))
    person("sync")
    assert "Ship it" in asked(person, "briefing")["text"]


def test_ticked_tasks_taken_over(person, tmp_path):
    """A ticked task of an earlier system is taken over as one that is done (IN-44)."""
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / "dev.md").write_text("# Dev\n\n## Tasks\n- [x] write ADR 11\n- [ ] write ADR 12\n")
    person("import", "agent-memory", str(tmp_path / "flat"), "--mine", "--yes")
    found = asked(person, "list", "--status", "active,resolved")["results"]
    assert {one["title"]: one["status"] for one in found} == {"write ADR 11": "resolved", "write ADR 12": "active"}


def talk(tmp_path, *texts, name="0a5f63de-0c1d-4c8e-9b0a-6f2f7d9d6a11", cwd="/work/barn"):
    """A transcript of Claude Code's, speakers in turns."""
    path = tmp_path / "talks" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    begun = len(path.read_text().splitlines()) if path.exists() else 0
    with path.open("a") as file:
        for number, text in enumerate(texts, begun):
            role = ("user", "assistant")[number % 2]
            line = {"type": role, "sessionId": name, "cwd": cwd, "uuid": f"{number:08d}-0000-4000-8000-000000000000"}
            line |= {"timestamp": f"2026-03-01T10:{number:02d}:00Z", "message": {"role": role, "content": text}}
            file.write(json.dumps(line) + "\n")
    return path


TALK = (
    "From now on always answer in British English.",
    "I will.",
    "Never commit to the main branch again.",
    "Understood.",
    "What is a sluice?",
    "A gate for water.",
)


@pytest.mark.parametrize(
    "named", ["0a5f63de-0c1d-4c8e-9b0a-6f2f7d9d6a11", "0a5f63", "From now on always answer", "session://claude-code/{}"]
)
def test_one_conversation_is_one_source(person, tmp_path, named):
    """A session that was mined is marked by any name, its journal of reading is lost, and it grew: one source all the time
    (VO-38, SW-54, IN-49)."""
    path = talk(tmp_path, *TALK)
    person("capture", str(path.parent), "--mine")
    kept = asked(person, "list", "--status", "active,inbox")["results"]
    marked = person("mark", named.format(path.stem))
    assert kept and "confirmed:" in marked
    (tmp_path / "data" / "device.db").write_bytes(b"not a database" * 400)
    talk(tmp_path, "Good.", "Yes.")
    person("capture", str(path.parent), "--mine")
    found = asked(person, "list", "--status", "active,inbox")["results"]
    assert [(one["title"], one["confirmations"]) for one in found] == [(one["title"], 0) for one in kept]
    assert "by 1 source)" in person("show", kept[0]["id"])


def test_other_conversations_confirm(person, tmp_path):
    """Each further conversation that says the same is one more source, once."""
    for number in range(3):
        path = talk(tmp_path, *TALK, name=f"{number}a5f63de-0c1d-4c8e-9b0a-6f2f7d9d6a11")
        for _ in range(2):
            person("capture", str(path.parent), "--mine")
            person("mark", path.stem)
    kept = [one for one in asked(person, "list", "--status", "active")["results"] if one["kind"] == "preference"]
    assert kept and [one["confirmations"] for one in kept] == [2] * len(kept)


@pytest.fixture
def profile(vade, tmp_path):
    """A note of the person's, in the vault around their memory, that is a source: gives what writes it and has it read."""
    note = tmp_path / "vault" / "Me" / "Profile.md"
    note.parent.mkdir(parents=True)
    (tmp_path / "vault" / ".obsidian").mkdir()

    def wrote(text):
        note.write_text(text)
        vade("sync")
        vade("capture")

    note.write_text("I live in Porto with my partner Ana.\n\nI am allergic to peanuts.\n")
    vade("init", "--vault", str(tmp_path / "vault"), str(tmp_path / "vault" / "Vademecum"))
    vade("sync")
    vade("sources", "--add", "Me/Profile.md")
    return wrote


def test_facts_follow_their_note(vade, profile):
    """A line of a source note that was changed replaces what was taken from it; of one that was deleted the person is asked (VO-41)."""

    def typed(*words):
        return vade(*words)[1]

    def texts(status):
        return sorted(one["title"] for one in asked(typed, "list", "--status", status)["results"] if one["kind"] != "source")

    assert texts("active") == ["I am allergic to peanuts", "I live in Porto with my partner Ana"]
    profile("I live in Braga with my partner Ana.\n\nI am allergic to peanuts.\n")
    assert texts("active") == ["I am allergic to peanuts", "I live in Braga with my partner Ana"]
    assert (texts("superseded"), texts("disputed")) == (["I live in Porto with my partner Ana"], [])
    profile("I live in Braga with my partner Ana.\n")
    assert (texts("active"), texts("inbox")) == (["I live in Braga with my partner Ana"], ["I am allergic to peanuts"])
    assert "its note no longer says it" in asked(typed, "show", "I am allergic to peanuts")["extra"]["mining_rationale"]
    assert "peanuts" not in typed("briefing")
    profile("I live in Braga with my partner Ana.\n\nI am allergic to peanuts.\n")
    assert texts("active") == ["I am allergic to peanuts", "I live in Braga with my partner Ana"]


def test_disputes_are_doubts(person):
    """What contradicts what is listed where doubts are."""
    person("save", "fact", "The archive is compressed with zstd")
    person("save", "fact", "The archive is not compressed with zstd")
    assert asked(person, "list", "--status", "disputed")["results"]
    assert "against?" in person("settle", "--open")


def test_edited_in_review(person, tmp_path):
    """A proposal that is taken in with another text is called and filed after that (MV-37)."""
    person("observe", "I told you to never commit to main.")
    waiting = asked(person, "list", "--status", "inbox")["results"][0]
    person("review", waiting["id"], "edit", "--body", "Commit to a branch of your own.")
    (found,) = asked(person, "list", "--status", "active")["results"]
    assert (found["title"], found["path"]) == (
        "Commit to a branch of your own",
        "personal/preference/commit-to-a-branch-of-your-own.md",
    )
    person("undo", found["id"])
    assert asked(person, "list", "--status", "inbox")["results"][0]["title"] == waiting["title"]


def test_carriage_returns_of_a_file(person, tmp_path):
    """A body from a file keeps every byte (X-03)."""
    (tmp_path / "body.md").write_bytes(b"one\r\ntwo\r\n")
    person("save", "fact", "Line ends", "--body", f"@{tmp_path / 'body.md'}")
    assert next((tmp_path / "notes").rglob("line-ends.md")).read_bytes().endswith(b"one\r\ntwo\r\n")


def test_learnt_by_its_key(person):
    """What the page of what was learnt calls C001 is found by that name (SW-03)."""
    person("save", "correction", "Use the logger, not print")
    assert "C001" in person("log", "--learned")
    assert person("show", "c001").startswith("Use the logger, not print")
    assert person("show", "C002") == ""


def test_closed_stays_closed(person, tmp_path):
    """Nothing is added to a closed conversation, its id named or not (VO-54)."""
    said = json.dumps([{"role": "user", "content": "We meet on Monday."}])
    known = asked(person, "save-conversation", "claude-ai", "--messages", said)["conversation_id"]
    person("save-conversation", "--close", "--conversation-id", known)
    more = json.dumps([{"role": "user", "content": "Or on Tuesday."}])
    assert person("save-conversation", "claude-ai", "--messages", more, "--conversation-id", known) == ""
    assert asked(person, "save-conversation", "claude-ai", "--messages", more)["conversation_id"] != known


def test_mined_of_an_agents_chat(person):
    """What is taken from an agent's own chat is that agent's (IN-43)."""
    said = json.dumps(
        [{"role": "user", "text": "Never restart the broker without asking me."}, {"role": "agent", "text": "Right."}]
    )
    person("checkpoint", "--close", "dev", "--messages", said)
    found = asked(person, "list", "--status", "active,inbox", "--kind", "preference")["results"]
    assert [one["agent"] for one in found] == ["dev"]


def test_ideas_come_later(person, tmp_path, monkeypatch):
    """MV-50, MV-51: an idea that nobody could ask about is surfaced later with one question, an approved one at once, with its links."""
    page = tmp_path / "notes" / "Ideas.md"
    person("save", "decision", "Maps of the larder", "--body", "A map view of the larder is drawn from the shelf list.")
    assert "Later: vade idea list --surface" in person("idea", "Boat", "--pitch", "A small one. With sails. And oars.")
    assert "Later: vade idea list --surface" in person("idea", "Boat", "--pitch", "A small one. With sails. And oars.")
    said = "Someday I'd like to add a map view to the larder."
    talk(tmp_path, "The importer works.", "Good.", said, "Right.", "Bye.", "Bye.")
    person("capture", str(tmp_path / "talks"))
    assert "Later: vade idea list --surface" in person("review", "someday", "approve") + person("review-all", "approve")
    assert not page.exists()
    monkeypatch.setenv("VADEMECUM_CONSENT", "silent")
    assert re.search(r"written: .*Ideas.md\n  Boat\n  Someday", person("idea", "list", "--surface"))
    text = page.read_text()
    assert [text.count("## "), text.count("A small one. With sails. [["), text.count("larder")] == [2, 1, 3]
    assert "lists every open idea" in person("idea", "list", "--surface")
    assert page.read_text() == text
    idea = next((tmp_path / "notes" / "_idea-incubator").glob("someday*/_index.md")).read_text()
    assert "[[personal/decision/maps-of-the-larder|Maps of the larder]]" in idea
    person("undo")
    assert not page.exists()


def test_an_approved_idea_is_listed(person, tmp_path, monkeypatch):
    """MV-50: the approval itself puts an idea into Ideas.md where the person allows it; undoing the approval takes its links back."""
    monkeypatch.setenv("VADEMECUM_CONSENT", "silent")
    talk(
        tmp_path, "The importer works.", "Good.", "Someday I'd like to add a map view to the larder.", "Right.", "Bye.", "Bye."
    )
    person("capture", str(tmp_path / "talks"))
    (waits,) = asked(person, "inbox")["results"]
    assert "Ideas.md" in person("review", waits["title"], "approve")
    assert "map view" in (tmp_path / "notes" / "Ideas.md").read_text()
    person("undo", waits["title"])
    assert [one["status"] for one in asked(person, "inbox")["results"]] == ["inbox"]


def test_an_edit_by_hand_that_a_write_met(person, tmp_path):
    """MV-13: what somebody typed into a note a moment before it was written is in the history, by hand, and one undo brings it back."""
    person("save", "fact", "Kettle", "--body", "Descale monthly.")
    note = next((tmp_path / "notes").rglob("kettle.md"))
    with note.open("a") as file:
        file.write("\nWith vinegar.\n")
    person("edit", "Kettle", "--body", "Descale weekly.")
    told = re.findall(r"(save|edit|undo|evolve) +by (user|hand)", person("history", "Kettle"))
    assert told == [("save", "user"), ("edit", "hand"), ("edit", "user")]
    person("undo", "Kettle")
    assert "With vinegar." in note.read_text()
    note.write_text(note.read_text() + "Or lemon.\n")
    person("evolve", "Kettle", "because", "--body", "Descale daily.")
    assert re.findall(r"(edit|evolve) +by (user|hand)", person("history", "Kettle"))[2:4] == [
        ("edit", "hand"),
        ("evolve", "user"),
    ]
    assert person("sync").startswith("0 new, 0 changed")


def test_readers_that_are_here(person, tmp_path, monkeypatch):
    """`vade reader show` names every program and local model that could read, with what to type for it."""
    for name, says in {"ollama": "NAME ID SIZE\nqwen3:8b 1 5GB\ngemma3:4b 2 3GB", "claude": ""}.items():
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    shown = person("reader", "show")
    assert re.findall(r"vade reader use (\S+)", shown)[:4] == [
        "claude-cli",
        "claude-cli:sonnet",
        "ollama:qwen3:8b",
        "ollama:gemma3:4b",
    ]


def test_pages_of_the_memory(person, tmp_path):
    """SW-02: a person reads the pages, mends a line and adds one, and finds both again: one in its memory, one in review."""
    person("save", "decision", "Use SQLite", "--body", "We use SQLite for the shelves.")
    assert "written: _views/MEMORY.md" in person("sync", "--views")
    page = tmp_path / "notes" / "_views" / "MEMORY.md"
    text = page.read_text().replace("for the shelves", "for shelves and orders")
    page.write_text(text.replace("## Lessons Learned\n", "## Lessons Learned\n\n- Count twice.\n"))
    told = person("sync", "--views")
    assert "taken over from a page: Use SQLite" in told
    assert "waits in vade review, from a page: Count twice." in told
    assert asked(person, "show", "Use SQLite")["body"] == "We use SQLite for shelves and orders.\n"
    assert "for shelves and orders" in page.read_text()
    assert [one["kind"] for one in asked(person, "inbox")["results"]] == ["lesson"]
    assert person("sync", "--views") == "The pages are up to date.\n"
