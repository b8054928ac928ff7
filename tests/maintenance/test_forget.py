"""X-36: forget reaches every copy that we made, says which it cannot reach, and proves it by a search of the bytes."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from vademecum.adapters import embedders
from vademecum.adapters.embedders.reference import Hashing
from vademecum.domain.errors import InvalidInput, NotFound, Refused
from vademecum.domain.memory import BY_PERSON, By
from vademecum.domain.query import Query
from vademecum.domain.saved import SaveOptions
from vademecum.entrypoints.verbs import verb_named
from vademecum.entrypoints.verbs.notes import forgetting_text
from vademecum.guard.forgotten import FORGOTTEN
from vademecum.maintenance import erase_copies as sweep
from vademecum.plugins.checkpoints.verbs import save as save_checkpoint
from vademecum.settings import Settings
from vademecum.wiring import open_memory

MINER = By("extraction", "capture")
SECRET = "The spare key of the boathouse hangs behind the third lantern."
WORDS = b"behind the third lantern"


def talked(folder, name, *texts):
    """A plain transcript with these turns, the person first."""
    folder.mkdir(exist_ok=True)
    lines = [{"type": "session", "id": name, "time": "2026-03-01T09:00:00+00:00"}]
    lines += [
        {"id": str(number), "speaker": "assistant" if number % 2 else "user", "text": text} for number, text in enumerate(texts)
    ]
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def holding(words, *folders):
    """Files below the folders whose bytes hold the words, whatever they are; archives unpacked are looked at by the verb."""
    return [path for folder in folders for path in folder.rglob("*") if path.is_file() and words in path.read_bytes()]


def said_in(memory, name):
    """The first turn of a conversation, as its archive has it."""
    (record,) = memory.context.storage.archive.of_session(f"session://plain/{name}")
    return json.loads(b"".join(memory.context.storage.archive.read(record)).splitlines()[1])["text"]


@pytest.fixture
def everywhere(memory, tmp_path, home):
    """A secret in every place of ours: memory, its older text, journal, archive, a conversation, checkpoint, story, state, log."""
    kept = memory.notes.save("fact", "Boathouse key", SECRET).memory
    memory.notes.edit(kept.id, body=SECRET + "\nAsk the neighbour.")
    memory.notes.evolve(kept.id, "moved", "The spare key of the boathouse lies under the blue pot.")
    path = talked(tmp_path / "talk", "s1", "Where was the key?", SECRET + " I told you last week.", "Right.", "Anything else?")
    memory.maintenance.capture((str(path),))
    memory.conversations.accept(
        "claude-code",
        [{"role": "user", "content": "Somebody asked for it. " + SECRET}, {"role": "assistant", "content": "Noted."}],
    )
    save_checkpoint(memory, "helper", json.dumps([{"role": "user", "text": SECRET}]))
    memory.notes.save(
        "handoff", "Where we stopped", f"- we spoke of the boat\n- {SECRET}\n- next: paint it", SaveOptions(unique=True)
    )
    memory.recall.ask(Query("boathouse spare key third lantern", gated=False))
    log = tmp_path / "data" / "log"
    log.mkdir(exist_ok=True)
    (log / "hooks-2026-03-02.jsonl").write_text(json.dumps({"at": "x", "prompt": "is it behind the third lantern?"}) + "\n")
    copy = home / memory.notes.get(kept.id).path
    shutil.copy(copy, copy.with_name("boathouse-key (conflicted copy 2026-03-01).md"))
    assert len(holding(WORDS, home, tmp_path / "data")) >= 6
    return memory


def test_x36_memory(everywhere, tmp_path, home):
    """X-36: a memory goes with its older texts, its copies, and what was said where it was taken from."""
    done = everywhere.notes.forget("Boathouse key", yes=True)
    assert holding(WORDS, home, tmp_path / "data") in ([], [tmp_path / "data" / "log" / "hooks-2026-03-02.jsonl"])
    assert not holding(b"under the blue pot", home, tmp_path / "data")
    assert {one.title for one in done.memories} == {"Boathouse key"}
    assert done.removed["memory files"] == 3  # both versions, and the conflict copy
    assert not any(one.found for one in done.proof if one.place != "device data"), done.proof
    handoff = everywhere.notes.get("Where we stopped").body
    assert FORGOTTEN in handoff
    assert "next: paint it" in handoff
    kept = next(one for one in everywhere.context.storage.archive.records() if one.path == str(tmp_path / "talk" / "s1.jsonl"))
    assert b"".join(everywhere.context.storage.archive.read(kept)).count(FORGOTTEN.encode()) == 1
    assert not [
        hit
        for hit in everywhere.recall.ask(Query("boathouse spare key lantern", gated=False)).hits
        if "lantern" in hit.passage.text
    ]


def test_x36_subject(everywhere, tmp_path, home):
    """X-36: words that are named go from every text of ours, and the search that proves it looks at bytes."""
    done = everywhere.notes.forget("third  LANTERN", "subject", yes=True)
    assert not holding(WORDS, home, tmp_path / "data")
    assert sum(one.files for one in done.proof) > 8
    assert [one.found for one in done.proof if one.found] == []
    assert any(str(tmp_path / "talk" / "s1.jsonl") in one.command for one in done.beyond)


def test_x36_proof_is_a_search(everywhere, tmp_path):
    """What is still there is told: the proof cannot pass by itself."""
    copy = tmp_path / "data" / "left.bin"
    copy.write_bytes(b"\x00\x01 the THIRD lantern \x02")
    done = everywhere.notes.forget("third lantern", "subject", yes=True)
    assert [found for one in done.proof for found in one.found] == [str(copy)]
    assert f"STILL in 1: {copy}" in forgetting_text(done)


def test_x36_not_mined_again(everywhere, tmp_path, told):
    """X-36: what was forgotten does not come back: not from its transcript, not from an agent, not by a rebuild."""
    everywhere.notes.forget("third lantern", "subject", yes=True)
    path = talked(tmp_path / "talk", "s2", "Remember: " + SECRET, "Noted.", "Remember: " + SECRET, "Yes.")
    everywhere.maintenance.capture((str(path), str(tmp_path / "talk" / "s1.jsonl")))
    everywhere.maintenance.rebuild()
    for question in ("spare key", "boathouse"):
        found = everywhere.recall.ask(Query(question, gated=False)).hits
        assert not [hit for hit in found if "lantern" in hit.passage.text]
    assert not holding(WORDS, tmp_path / "data")
    with pytest.raises(Refused, match="forgotten"):
        everywhere.notes.save("fact", "Key", SECRET, by=MINER)
    assert everywhere.notes.save("fact", "Key again", SECRET).action == "saved"  # the person may say it again


def test_x36_files_that_go_meanwhile(tmp_path, monkeypatch):
    """An event that the helper processes while it is looked at stops nothing, does not come back and counts as no remains."""
    for name in ("listed", "read", "stays"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"prompt": SECRET}))
    below = sweep.files_below

    def listed(folder):
        for path in below(folder):
            (tmp_path / "listed.json").unlink(missing_ok=True)
            yield path

    def blanked(text):
        (tmp_path / "read.json").unlink(missing_ok=True)
        return text.replace(SECRET, "")

    monkeypatch.setattr(sweep, "files_below", listed)
    assert sweep.rewrite_texts(str(tmp_path), blanked) == [tmp_path / "stays.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["stays.json"]
    (tmp_path / "listed.json").touch()
    searched = sweep.search_folder("device", str(tmp_path), lambda path: [path.read_bytes()], lambda data: WORDS in data)
    assert (searched.files, searched.found) == (1, ())


def test_x36_evidence(memory, tmp_path, home):
    """X-36: what the journal keeps of why and from which words a memory was kept goes too, also where it is evidence of another one."""
    told = {"mining_rationale": "told", "mining_excerpt": SECRET}
    memory.notes.save("fact", "Boat", "The boat is painted in spring.", by=MINER, **told)
    assert [path.suffix for path in holding(WORDS, home)] == [".md"]
    done = memory.notes.forget("third lantern", "subject", yes=True)
    assert holding(WORDS, home, tmp_path / "data") == []
    assert done.removed["journal lines"] == 1
    assert WORDS.decode() not in str(memory.notes.get("Boat").extra)


def test_x36_tombstone_tells_nothing(everywhere, home):
    """The tombstone holds ids and keyed hashes, no word of what was forgotten."""
    everywhere.notes.forget("third lantern", "subject", yes=True)
    (stone,) = (home / "_journal").glob("*/_forgotten/*.md")
    assert b"lantern" not in stone.read_bytes().lower()


def test_x36_source(memory, tmp_path, home):
    """X-36: a conversation goes whole with what came of it, and is not read again."""
    path = talked(tmp_path / "talk", "s1", "I prefer green ink for all my letters.", "Fine.", "I always use green ink.", "Yes.")
    memory.maintenance.capture((str(path),))
    (line,) = memory.sessions.list()
    memory.notes.save("preference", "Green ink", "Prefers green ink for letters.", source=line.session, by=MINER)
    done = memory.notes.forget(line.session, "source", yes=True)
    assert done.conversations == (line.session,)
    assert not holding(b"green ink", home, tmp_path / "data")
    memory.maintenance.capture((str(path),))
    memory.maintenance.rebuild()
    assert memory.sessions.list() == ()
    assert not holding(b"green ink", home, tmp_path / "data")


def test_x36_query(everywhere, tmp_path, home):
    """What a question finds goes; the question itself is not kept either."""
    everywhere.notes.forget("Where does the spare key of the boathouse hang?", "query", yes=True)
    assert not holding(b"third lantern.", home, tmp_path / "data")


def test_x36_vectors(settings, clock, tmp_path, monkeypatch):
    """X-36: the cached vector of a forgotten text goes, that of another stays."""
    monkeypatch.setattr(embedders, "create_late", lambda name, options: Hashing() if name == "hashing" else None)
    with open_memory(settings(embedder="hashing"), clock=clock) as memory:
        memory.notes.save("fact", "Key", SECRET)
        memory.notes.save("fact", "Boat", "The boat is painted white every spring.")
        memory.maintenance.refine()
        rows = _rows(tmp_path)
        done = memory.notes.forget("Key", yes=True)
        assert done.removed["cached vectors"] == 1
        assert _rows(tmp_path) == rows - 1


def _rows(tmp_path):
    base = apsw.Connection(str(tmp_path / "cache" / "vectors.db"))
    try:
        return base.execute("SELECT count(*) FROM vectors").get
    finally:
        base.close()


def test_x36_derived_stay(memory):
    """Memories that came of a forgotten one are listed for the person to decide, and stay."""
    old = memory.notes.save("fact", "Boathouse key", SECRET).memory
    child = memory.notes.save("decision", "Copy the key", "A second key is made.").memory
    memory.notes.link(child.id, "derived_from", old.id)
    done = memory.notes.forget(old.id, yes=True)
    assert [(one.id, one.why) for one in done.derived] == [(child.id, "derived_from it")]
    assert memory.notes.get(child.id).title == "Copy the key"


def test_forgetting_ends_a_conflict(memory):
    """A memory in conflict with one that is forgotten holds again, and its note quotes the other no more."""
    gone = memory.notes.save("fact", "Pump", "The canal pump runs at four bar.").memory
    stays = memory.notes.save("fact", "Pump", "The canal pump runs at six bar.").memory
    assert stays.status == "disputed"
    memory.notes.forget(gone.id, yes=True)
    after = memory.notes.get(stays.id)
    assert (after.status, after.contradicts, after.body.strip()) == ("active", (), "The canal pump runs at six bar.")


def test_x36_quotes_of_a_conflict(memory, home, tmp_path):
    """Notes and journals of memories in conflict with a forgotten one quote it no more; the conflict that is left stays marked."""
    gone = memory.notes.save("fact", "Pump", "The canal pump runs at four bar.").memory
    stays = [memory.notes.save("fact", "Pump", f"The canal pump runs at {bars} bar.").memory for bars in ("six", "nine")]
    assert memory.notes.get(stays[1].id).body.count("[!contradiction]") == 2
    done = memory.notes.forget(gone.id, yes=True)
    assert not holding(b"four bar", home, tmp_path / "data")
    assert not any(searched.found for searched in done.proof)
    for mine, other in (stays, reversed(stays)):
        after = memory.notes.get(mine.id)
        assert (after.status, after.contradicts) == ("disputed", (other.id,))
        assert after.body.count("[!contradiction]") == 1


@pytest.mark.parametrize(
    ("body", "said", "goes"),
    [
        ("The canal pump runs at four bar.", "We need a new pump for the garden.", False),  # the title only names the subject
        ("White.", "Paint the shed white.", False),  # too common
        ("White.", "White.", True),
        ("hunter2", "The door of the pump opens with hunter2 now.", True),
    ],
)
def test_x36_short_texts(memory, tmp_path, body, said, goes):
    """A short title or text takes no other sentence with its words away, and nothing about its subject is refused later."""
    memory.maintenance.capture((str(talked(tmp_path / "talk", "s1", said, "Fine.")),))
    kept = memory.notes.save("fact", "Pump", body).memory
    memory.notes.forget(kept.id, yes=True)
    assert said_in(memory, "s1") == (FORGOTTEN if goes else said)
    assert memory.notes.save("fact", "Pump", "The new pump is from the shop.").memory


def test_x36_words_of_the_rival(memory, tmp_path):
    """What a memory in conflict with the forgotten one says stays in the conversations, though a note quoted it."""
    said = "The canal pump runs at six bar."
    memory.maintenance.capture((str(talked(tmp_path / "talk", "s1", said, "Fine.")),))
    memory.notes.save("fact", "Pump", said)
    gone = memory.notes.save("fact", "Pump", "The canal pump runs at four bar.").memory
    assert gone.status == "disputed"
    memory.notes.forget(gone.id, yes=True)
    assert said_in(memory, "s1") == said


def by_verb(memory, **given):
    unset = {"ref": "", "source": "", "subject": "", "query": "", "dry_run": False, "yes": False}
    return verb_named("forget").do(memory, unset | given, BY_PERSON)


def test_x36_asks(everywhere, home, tmp_path):
    """Without consent nothing changes, and the person sees what would go."""
    assert not by_verb(everywhere, ref="Boathouse key", dry_run=True, yes=True).done
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    planned = everywhere.notes.forget("Boathouse key")
    assert not planned.done
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    assert "nothing was removed yet" in forgetting_text(planned)


def test_x36_one_thing(memory):
    """What is to be forgotten is named once, and words that every text holds are refused."""
    with pytest.raises(InvalidInput):
        by_verb(memory)
    with pytest.raises(InvalidInput):
        by_verb(memory, ref="a", subject="b")
    with pytest.raises(InvalidInput):
        memory.notes.forget("", "query")
    with pytest.raises(InvalidInput):
        memory.notes.forget("a", "subject", yes=True)
    with pytest.raises(NotFound):
        memory.notes.forget("no such memory", yes=True)


def test_x36_history_only(memory, home, tmp_path):
    """A memory that was deleted by hand is forgotten by its id: the journal still held it."""
    kept = memory.notes.save("fact", "Boathouse key", SECRET).memory
    (home / kept.path).unlink()
    memory.maintenance.sync()
    memory.notes.forget(kept.id, yes=True)
    assert not holding(WORDS, home, tmp_path / "data")


def test_x36_undo_passes_over(memory):
    """A forgetting cannot be undone; undo means what was done before it."""
    memory.notes.save("fact", "Boat", "White.")
    memory.notes.save("fact", "Boathouse key", SECRET)
    memory.notes.forget("Boathouse key", yes=True)
    assert "third lantern" not in json.dumps([record.text for record in memory.notes.history("Boat")])
    memory.notes.undo()
    with pytest.raises(NotFound):
        memory.notes.get("Boat")


def test_x36_git_is_named(memory, home):
    """Copies out of reach are told with the command that removes them."""
    subprocess.run(["git", "init", "-q", str(home.parent)], check=True)
    (home.parent / ".trash").mkdir()
    kept = memory.notes.save("fact", "Boathouse key", SECRET).memory
    beyond = memory.notes.forget(kept.id).beyond
    assert any("filter-repo" in one.command and kept.path in one.command for one in beyond)
    assert any(".trash" in one.command for one in beyond)


KILLED = """
import os, signal, sys
from vademecum.settings import Settings
from vademecum.wiring import open_memory
from vademecum.maintenance import forget
from vademecum.maintenance import erase_copies as sweep
from vademecum.adapters.stores.archive import SqliteArchive
from vademecum.adapters.stores.state import SqliteState
from vademecum.vault import erasing
def die(*a, **k): os.kill(os.getpid(), signal.SIGKILL)
where = sys.argv[1]
target, name = {"files": (erasing, "erase_files"), "journal": (erasing, "erase_journal"), "texts": (sweep, "rewrite_texts"),
    "archive": (SqliteArchive, "rewrite"), "state": (SqliteState, "erase"), "done": (forget, "remember")}[where]
setattr(target, name, die)
with open_memory(Settings(home=sys.argv[2], data_dir=sys.argv[3], cache_dir=sys.argv[4], device="laptop", embedder="none")) as memory:
    memory.notes.forget("third lantern", "subject", yes=True)
"""


@pytest.mark.parametrize("where", ["files", "journal", "texts", "archive", "state", "done"])
def test_x36_killed(everywhere, opened, home, tmp_path, where):
    """X-36: a forgetting that is killed at any step is completed by the next one, from its tombstone alone."""
    everywhere.close()
    arguments = [where, str(home), str(tmp_path / "data"), str(tmp_path / "cache")]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", KILLED, *arguments], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    again = _again(home, tmp_path)
    report = again.notes.forget("third lantern", "subject", yes=True)
    again.close()
    assert not holding(WORDS, home, tmp_path / "data")
    assert not [found for one in report.proof for found in one.found]


def test_x36_other_device(everywhere, home, tmp_path):
    """X-36: the tombstone travels with the vault, and another device carries it out at its next sync."""
    everywhere.maintenance.sync()
    shutil.copytree(tmp_path / "data", tmp_path / "desk")
    everywhere.notes.forget("third lantern", "subject", yes=True)
    everywhere.close()
    assert holding(WORDS, tmp_path / "desk")
    other = _again(home, tmp_path, "desk")
    other.maintenance.sync()
    other.close()
    assert not holding(WORDS, tmp_path / "desk")


def _again(home, tmp_path, data="data"):
    return open_memory(
        Settings(
            home=str(home), data_dir=str(tmp_path / data), cache_dir=str(tmp_path / "cache"), device=data, embedder="none",
        )
    )  # fmt: skip


def test_sync_brings_a_file_back(memory, home, tmp_path):
    """A file that a sync tool brings back is not told, and the person hears of it."""
    kept = memory.notes.save("fact", "Boathouse key", SECRET).memory
    text = (home / kept.path).read_bytes()
    memory.notes.forget(kept.id, yes=True)
    (home / kept.path).parent.mkdir(parents=True, exist_ok=True)
    (home / kept.path).write_bytes(text)
    report = memory.maintenance.sync()
    assert any("forgotten" in one.message for one in report.problems)
    assert not memory.recall.ask(Query("boathouse key lantern", gated=False)).hits
    memory.notes.forget(kept.id, yes=True)
    assert not Path(home / kept.path).exists()


def test_x36_own_note_goes_on_holding_it(settings, tmp_path):
    """X-36: a note of the person's is theirs, so the index goes on holding what it says; that is told instead of left as a riddle."""
    vault = tmp_path / "notes"
    vault.mkdir()
    (vault / "mine.md").write_text("The wine cellar key hangs behind the clock.\n", "utf-8")
    with open_memory(settings(home=str(vault / "Memory"), vault=str(vault))) as memory:
        memory.maintenance.sync()
        memory.notes.save("fact", "Cellar key", "The wine cellar key hangs behind the clock.")
        done = memory.notes.forget("wine cellar key hangs behind the clock", "subject", yes=True)
        assert done.notes == ("mine.md",)
        assert "The index contains text of your own notes (mine.md); edit them, then: vade compact" in forgetting_text(done)
        (vault / "mine.md").write_text("Nothing.\n", "utf-8")
        memory.maintenance.compact()
        assert b"behind the clock" not in b"".join(
            path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()
        )
