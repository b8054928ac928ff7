"""The walk by which SwarmAI's memory says that a memory is good, through the command line."""

import json

import pytest

CHOSEN = ("SQLite for the larder", "Brass taps in the barn", "Postgres for the orders", "Oak shelves in the cellar")


@pytest.fixture
def person(vade, tmp_path):
    """Somebody with a memory in `notes` and four decisions that have keys: `person(*words)` gives what is printed."""

    def typed(*words):
        return vade(*words)[1]

    typed("init", str(tmp_path / "notes"))
    for title in CHOSEN:
        typed("save", "decision", title, "--body", f"We take {title.lower()}, see [COE01] for the reason.", "--key", "KD")
    return typed


def asked(person, *words):
    return json.loads(person(*words, "--json"))


def test_keys_stay(person):
    """X-06: keys are handed out once; one that is inserted or put away moves no other."""
    person("archive", "KD02", "sold")
    person("save", "decision", "Zinc gutters on the roof", "--body", "They last.", "--key", "KD")
    titles = [asked(person, "show", f"KD0{number}")["title"] for number in (1, 3, 4, 5)]
    assert titles == [CHOSEN[0], CHOSEN[2], CHOSEN[3], "Zinc gutters on the roof"]


def test_forty_decisions_come_with_their_keys(person, tmp_path):
    """Forty decisions of a MEMORY.md come in with their keys, which stay when one is inserted and when all of it comes in again; one
    undo takes the whole import back."""
    lines = "".join(f"- [KD{number}] 2026-04-01 Plate {number} lies in bath {number}.\n" for number in range(11, 51))
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "MEMORY.md").write_text(f"# Memory\n\n## Key Decisions\n{lines}")
    assert "40 saved" in person("import", str(tmp_path / "theirs"), "--mine", "--yes")
    (tmp_path / "theirs" / "MEMORY.md").write_text(f"## Key Decisions\n- [KD51] 2026-05-01 One more bath.\n{lines}")
    assert "1 saved" in person("import", str(tmp_path / "theirs"), "--mine", "--yes")
    for number in (11, 30, 50):
        assert person("show", f"KD{number}").startswith(f"Plate {number} lies in bath {number}.")
    person("undo")
    person("undo")
    assert len(asked(person, "list", "--kind", "decision", "--limit", "99")["results"]) == len(CHOSEN)


def test_superseded_counts_a_tenth(person):
    """SW-33: a decision that no longer holds stands behind one that does, though its words fit better, and weighs a tenth."""
    person("save", "decision", "Orders move to MariaDB", "--body", "The orders go to MariaDB.")
    before = {hit["title"]: hit["score"] for hit in _hits(person)}
    person("supersede", "KD03", "STALE", "nobody runs it any more")
    after = {hit["title"]: hit["score"] for hit in _hits(person)}
    assert next(iter(before)) == CHOSEN[2]
    assert next(iter(after)) != CHOSEN[2]
    assert after.get(CHOSEN[2], 0.0) <= before[CHOSEN[2]] / 9


def _hits(person):
    return asked(person, "recall", "Which Postgres is for the orders?", "--profile", "swarm")["hits"]


def test_overflow_lies_whole_in_the_archive(person, tmp_path, monkeypatch):
    """SW-42, X-08: what a full section lets go lies in the archive word for word, and one word brings it back."""
    theirs = tmp_path / "theirs" / "dev"
    theirs.mkdir(parents=True)
    entries = [
        f"<!-- id:{number} -->\n## 2026-01-{number % 28 + 1:02} 09:00\n\nShelf {number} bends under pot {number}.\n  Detail {number}.\n"
        for number in range(28)
    ]
    (theirs / "lessons.md").write_text("\n---\n\n".join(entries))
    person("import", "agent-memory", str(theirs.parent), "--mine", "--yes")
    monkeypatch.setenv("VADEMECUM_SECTION_CAPS", "archive")
    assert "lesson: 28 of 25, archived: 3" in person("jobs", "run", "caps")
    gone = [path.read_text() for path in (tmp_path / "notes" / "_archive").rglob("*.md")]
    assert sorted(text.rpartition("---\nShelf ")[2] for text in gone) == [
        f"{n} bends under pot {n}.\n  Detail {n}.\n" for n in range(3)
    ]
    person("jobs", "undo", "caps")
    assert len(asked(person, "list", "--kind", "lesson", "--limit", "99")["results"]) == 28


def test_grown_transcript_is_found_by_its_newest_error(person, tmp_path):
    """X-10: a transcript that grew after it was read is found by the words of its newest error."""
    path = tmp_path / "talk.jsonl"

    def says(*texts):
        with path.open("a") as file:
            for text in texts:
                file.write(json.dumps({"speaker": "user", "text": text}) + "\n")
        person("capture", str(path))

    says("The baker fills the oven.", "It starts at six.")
    says("Now it prints: OvenError E4711: flue blocked at damper 3")
    assert "E4711" in person("sessions", "search", "OvenError E4711")
    assert "flue blocked" in person("sessions", "search", "blocked flue damper")


def test_unknown_subject_gives_nothing(person):
    """X-09: what nobody ever told is answered with nothing, in the design's own profile too."""
    for profile in ("auto", "swarm"):
        assert asked(person, "recall", "Who won the regatta in Genoa?", "--profile", profile)["hits"] == []


def test_own_questions_as_regression(person, vade):
    """A person's own fixed questions: each must find the memory that says it answers it; the command ends with 1 when one does not."""
    assert "No memory has the property" in person("questions")
    person("edit", "KD03", "--set", "answers=Which database is for the orders?")
    assert vade("questions")[:2] == (0, "place 1: Which database is for the orders?  (Postgres for the orders)\n")
    person("edit", "KD04", "--set", "answers=Who won the regatta in Genoa?")
    code, told, _ = vade("questions")
    assert code == 1
    assert "NOT SHOWN: Who won the regatta in Genoa?  (Oak shelves in the cellar)" in told
