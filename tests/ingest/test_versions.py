"""X-42: what a host takes away stays: versions of a conversation, what is told of them, and how they are given back."""

import json
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from tests.ingest.hosts import HOSTS, START, AgentMemory, Claude, Gemini, OpenCode, Plain

from vademecum.domain.errors import NotFound
from vademecum.domain.session import Session, Turn
from vademecum.entrypoints.verbs.maintenance import captured_text
from vademecum.entrypoints.verbs.sessions import archive_text, sessions_text
from vademecum.ingest.versions import lost_turns, united


def talk(first, last):
    return [(number, f"Sentence {number} on the lantern.") for number in range(first, last + 1)]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "host"


def write(host, session, turns, at=None):
    host.write(session, turns)
    write.count = getattr(write, "count", 0) + 1
    time = at or 1_700_000_000 + write.count
    os.utime(host.path, (time, time))


def capture(memory, host):
    return memory.maintenance.capture((str(host.path.parent),))


def heard(memory, uri):
    return [one.passage.text for one in memory.context.index.passages_of(uri)]


def test_host_leaves_a_stub(memory, folder, clock):
    """X-42: A conversation of 60 turns of which its host leaves metadata only stays searchable, readable, exportable and restorable, also
    when the file goes and the index is built anew; capture, list, check and status say what the host did, and when."""
    host = Claude(folder)
    write(host, "s1", talk(1, 60))
    full = host.path.read_bytes()
    capture(memory, host)
    write(host, "s1", [])
    report = capture(memory, host)
    told = "The host cut this conversation from 60 to 0 turns on 2026-03-02; all 60 are archived here."
    assert told in captured_text(report)
    line = memory.sessions.list()[0]
    assert line.turns == 60 and line.archived and told in sessions_text((line,))
    assert f"session://claude-code/s1: {told}" in memory.maintenance.status().cut
    for _ in range(2):
        assert memory.sessions.search("Sentence 17 on the lantern.").hits[0].exact
        assert len(memory.sessions.get("s1").turns) == 60
        assert memory.sessions.export("s1").text.startswith(full.decode())
        host.path.unlink(missing_ok=True)
        memory.maintenance.rebuild()
    assert told in archive_text(memory.sessions.check_archive())
    restored = memory.sessions.restore("s1")
    assert (restored.version, restored.versions) == (1, 2) and host.path.read_bytes() == full
    clock.advance(timedelta(minutes=1))
    assert captured_text(capture(memory, host)).count("The host cut") == 0
    assert len(heard(memory, "session://claude-code/s1")) == 60


def test_what_comes_back_is_no_version(memory, folder):
    """Once the host has everything again, one version is left and nothing is told any more."""
    host = Claude(folder)
    for turns in (talk(1, 9), talk(1, 2), talk(1, 12)):
        write(host, "s1", turns)
        capture(memory, host)
    archive = memory.context.storage.archive
    assert [one.cut for one in archive.of_session("session://claude-code/s1")] == [None]
    assert memory.maintenance.status().cut == ()
    assert archive.size().pieces == 1


@pytest.mark.parametrize("kind", HOSTS, ids=lambda kind: kind.__name__)
def test_growth_makes_no_version(memory, folder, kind):
    """A host that writes its file or its rows anew at each message has one version, however often it is captured."""
    host = kind(folder)
    for last in range(2, 8):
        write(host, "s1", talk(1, last))
        assert capture(memory, host).cut == ()
    records = memory.context.storage.archive.records()
    assert [(one.version, one.cut) for one in records] == [(1, None)]
    assert len(heard(memory, records[0].session)) == 7
    host.close()


@pytest.mark.parametrize("kind", [Claude, Gemini, OpenCode])
def test_goes_on_after_a_cut(memory, folder, kind):
    """What is said after a cut stands behind what was said before it, in search, in reading, and after the index was built anew."""
    host = kind(folder)
    for turns in (talk(1, 6), talk(5, 6), talk(5, 8), talk(5, 10)):
        write(host, "s1", turns)
        capture(memory, host)
    uri = f"session://{host.host}/s1"
    expected = [text for _, text in talk(1, 10)]
    for _ in range(2):
        assert heard(memory, uri) == expected
        assert [turn.text for turn in memory.sessions.get(uri).turns if turn.role in ("user", "agent")] == expected
        memory.maintenance.rebuild()
    host.close()


def test_a_name_used_again(memory, folder):
    """Turns that their host gives no name are called by what they say, also when the file was written anew."""
    host = Plain(folder)
    write(host, "s1", talk(1, 4))
    capture(memory, host)
    write(host, "s1", talk(11, 12))
    capture(memory, host)
    with host.path.open("a") as file:
        file.write(json.dumps({"speaker": "user", "text": "Sentence 13 on the lantern."}) + "\n")
    capture(memory, host)
    expected = [text for _, text in (*talk(1, 4), *talk(11, 13))]
    assert heard(memory, "session://plain/s1") == expected
    refs = [one.passage.ref for one in memory.context.index.passages_of("session://plain/s1")]
    assert len(set(refs)) == len(refs) == 7 and all(ref.startswith("t-") for ref in refs)


def test_another_conversation_in_its_place(memory, folder):
    """A file that holds another conversation now: both are kept, each by its own name, and nothing is read again and again."""
    host = Claude(folder)
    write(host, "s1", talk(1, 4))
    capture(memory, host)
    write(host, "s2", talk(11, 13))
    report = capture(memory, host)
    assert "from 4 to 0 turns" in captured_text(report)
    for _ in range(2):
        assert heard(memory, "session://claude-code/s1") == [text for _, text in talk(1, 4)]
        assert [turn.text for turn in memory.sessions.get("s1").turns] == [text for _, text in talk(1, 4)]
        assert [turn.text for turn in memory.sessions.get("s2").turns] == [text for _, text in talk(11, 13)]
        memory.maintenance.rebuild()
    assert "lantern" not in memory.sessions.export("s2").text.replace("Sentence 11 on the lantern.", "").replace(
        "Sentence 12 on the lantern.", ""
    ).replace("Sentence 13 on the lantern.", "")
    assert capture(memory, host).sessions == ()


@pytest.mark.parametrize("how", ["delete", "empty", "damage"])
@pytest.mark.parametrize("kind", [Claude, AgentMemory, OpenCode])
def test_store_goes(memory, folder, kind, how):
    """A whole store that is deleted, emptied or damaged takes nothing with it."""
    host = kind(folder)
    write(host, "s1", talk(1, 4))
    capture(memory, host)
    getattr(host, how)()
    capture(memory, host)
    uri = f"session://{host.host}/s1"
    for _ in range(2):
        assert heard(memory, uri) == [text for _, text in talk(1, 4)]
        assert "Sentence 3" in memory.sessions.export(uri).text
        memory.maintenance.rebuild()
    host.close()


def test_mined_again_after_a_cut(memory, folder):
    """Who asks for a conversation to be mined again gets all of it, also what its host has no longer."""
    host = Claude(folder)
    write(host, "s1", [(2, "We decided to use oak for the door, because it lasts."), *talk(3, 6)])
    capture(memory, host)
    write(host, "s1", talk(5, 6))
    capture(memory, host)
    assert memory.conversations.mark("s1").turns == 5
    host.delete()
    assert memory.conversations.mark("s1").turns == 5


def test_version_by_number(memory, folder, tmp_path):
    """Each version can be exported and written back by its number; a number that is not there is answered with those that are."""
    host = AgentMemory(folder)
    write(host, "s1", talk(1, 3))
    first = host.path.read_bytes()
    capture(memory, host)
    write(host, "s1", talk(7, 8))
    capture(memory, host)
    uri = "session://agent-memory/s1"
    assert memory.sessions.export(uri, version=1).text == first.decode()
    assert all(text in memory.sessions.export(uri).text for _, text in (*talk(1, 3), *talk(7, 8)))
    memory.sessions.restore(uri, to=str(tmp_path / "two.json"), version=2)
    assert (tmp_path / "two.json").read_bytes() == host.path.read_bytes()
    with pytest.raises(NotFound) as caught:
        memory.sessions.restore(uri, version=3)
    assert "1: 3 turns; 2: 2 turns" in caught.value.hint


def test_forgotten_in_every_version(memory, folder):
    """Words that are forgotten stand in no version any more, and a forgotten conversation leaves none."""
    host = Claude(folder)
    write(host, "s1", [(1, "The quetzal is called Onyx."), *talk(2, 6)])
    capture(memory, host)
    write(host, "s1", talk(5, 6))
    capture(memory, host)
    archive = memory.context.storage.archive
    memory.notes.forget("quetzal is called Onyx", "subject", yes=True)
    held = b"".join(b"".join(archive.read(one)) for one in archive.records())
    assert b"Sentence 3" in held and b"quetzal" not in held
    capture(memory, host)
    memory.maintenance.rebuild()
    assert [text for text in heard(memory, "session://claude-code/s1") if "quetzal" in text] == []
    assert len([text for text in heard(memory, "session://claude-code/s1") if "Sentence" in text]) == 5
    memory.notes.forget("session://claude-code/s1", "source", yes=True)
    capture(memory, host)
    memory.maintenance.rebuild()
    assert archive.records() == () and heard(memory, "session://claude-code/s1") == []


def test_paused_in_every_version(memory, folder, clock):
    """What was said in a pause is in no version: not in the one before a cut and not in the one behind it."""
    host, writes = Claude(folder), [3, 2, 1]
    clock.advance(START + timedelta(seconds=2.5) - clock.now())
    memory.context.storage.pauses.begin(clock.now())
    clock.advance(timedelta(seconds=2))
    memory.sessions.resume()
    write(host, "s1", talk(1, 8), at=(START + timedelta(minutes=writes.pop())).timestamp())
    capture(memory, host)
    write(host, "s1", talk(3, 4), at=(START + timedelta(minutes=writes.pop())).timestamp())
    capture(memory, host)
    write(host, "s1", talk(4, 9), at=(START + timedelta(minutes=writes.pop())).timestamp())
    capture(memory, host)
    archive = memory.context.storage.archive
    expected = [text for number, text in talk(1, 9) if number not in (3, 4)]
    for _ in range(2):
        assert heard(memory, "session://claude-code/s1") == expected
        assert [turn.text for turn in memory.sessions.get("s1").turns if turn.role in ("user", "agent")] == expected
        held = b"".join(b"".join(archive.read(one)) for one in archive.records())
        assert b"Sentence 2 " in held and b"Sentence 3 " not in held and b"Sentence 4 " not in held
        memory.maintenance.rebuild()


def test_damage_is_told(memory, folder, tmp_path):
    """A version of which parts are missing is told by status; one that only the index knows still is told by the check."""
    host = Claude(folder)
    write(host, "s1", talk(1, 4))
    capture(memory, host)
    base = apsw.Connection(str(tmp_path / "data" / "archive.db"))
    base.execute("DELETE FROM part")
    assert any("parts of 1 transcripts are missing" in one for one in memory.maintenance.status().degraded)
    base.execute("DELETE FROM transcript")
    host.path.unlink()
    assert "neither at its host nor in the archive" in memory.sessions.check_archive().problems[0].message
    base.close()


CAPTURING = """
import sys
from vademecum.settings import Settings
from vademecum.wiring import open_memory
home, data, cache, folder = sys.argv[1:]
memory = open_memory(Settings(home=home, data_dir=data, cache_dir=cache, device="laptop", embedder="none"))
print("begun", flush=True)
memory.maintenance.capture((folder,))
print("done", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.0, 0.05, 0.15, 0.4])
def test_killed_at_a_cut(opened, settings, folder, wait):
    """kill -9 in the middle of a capture that meets a cut: whenever it comes, the next capture has every turn."""
    memory = opened()
    host = Claude(folder)
    write(host, "s1", talk(1, 400))
    capture(memory, host)
    memory.close()
    write(host, "s1", talk(399, 401))
    made = settings()
    process = subprocess.Popen(
        [sys.executable, "-c", CAPTURING, made.home, made.data_dir, made.cache_dir, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    process.stdout.readline()
    try:
        process.wait(wait)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    memory = opened()
    capture(memory, host)
    assert heard(memory, "session://claude-code/s1") == [text for _, text in talk(1, 401)]
    memory.maintenance.rebuild()
    assert heard(memory, "session://claude-code/s1") == [text for _, text in talk(1, 401)]
    assert len(memory.context.storage.archive.of_session("session://claude-code/s1")) == 2


def test_archive_of_an_earlier_program(memory, folder, tmp_path):
    """An archive in which a path had one version is read, and holds several from then on."""
    host = Claude(folder)
    write(host, "s1", talk(1, 5))
    capture(memory, host)
    memory.close()
    as_before(tmp_path / "data" / "archive.db")
    assert memory.sessions.export("s1").text == host.path.read_text()
    write(host, "s1", [*talk(1, 5), (6, "Sentence 6 on the lantern.")])
    assert capture(memory, host).cut == ()
    write(host, "s1", talk(6, 6))
    assert [one.had for one in capture(memory, host).cut] == [6]
    memory.maintenance.rebuild()
    assert len(heard(memory, "session://claude-code/s1")) == 6
    assert memory.sessions.check_archive().problems == ()


def as_before(path: Path) -> None:
    """Make an archive one as programs before versions wrote it: their table, and no hash of the whole file."""
    base = apsw.Connection(str(path))
    base.execute(
        "DROP INDEX transcript_by_session; ALTER TABLE transcript RENAME TO later;"
        "CREATE TABLE transcript(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, session TEXT NOT NULL, kept INTEGER NOT NULL,"
        " fields TEXT NOT NULL);"
        "INSERT INTO transcript SELECT id, path, session, kept, json_remove(fields, '$.prefix') FROM later; DROP TABLE later;"
        "CREATE INDEX transcript_by_session ON transcript(session)"
    )
    base.close()


def session(*turns):
    return Session("plain", "s", "/s", tuple(turns))


def turn(ref, text, speaker="user", **more):
    return Turn(ref, speaker, text, **more)


def test_what_counts_as_lost():
    """A turn that goes on, or is called otherwise, is not lost; one that says something else or less is, and so is one of two."""
    assert lost_turns(session(turn("a", "Hel")), session(turn("a", "Hello"))) == ()
    assert lost_turns(session(turn("@7", "Hello")), session(turn("@90", "Hello"))) == ()
    assert len(lost_turns(session(turn("a", "Hello")), session(turn("a", "Hel")))) == 1
    assert len(lost_turns(session(turn("a", "yes"), turn("b", "yes")), session(turn("a", "yes")))) == 1
    assert lost_turns(session(turn("a", "bookkeeping", "note")), session()) == ()
    call = {"call": "c1", "tools": ("Bash",)}
    assert lost_turns(session(turn("a", "{}", "tool", **call)), session(turn("a", "ls", "tool", **call))) == ()
    assert len(lost_turns(session(turn("a", "ls", "tool")), session())) == 1


def test_united_order():
    """Without times, what only the later version has stands behind what it followed and before what both have next."""
    older = session(turn("1", "a"), turn("2", "b"), turn("3", "c"))
    newer = session(turn("2", "b"), turn("9", "x"), turn("3", "c"), turn("4", "d"))
    assert [one.text for one in united([older, newer]).turns] == ["a", "b", "x", "c", "d"]
    assert [one.text for one in united([session(turn("1", "abc")), session(turn("1", "ab"))]).turns] == ["abc"]
