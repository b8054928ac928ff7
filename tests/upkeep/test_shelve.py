"""X-42: what a host deletes after a month was archived before, and can be given back."""

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from vademecum.model.errors import AlreadyExists, NotFound
from vademecum.model.query import Query

TOKEN = "ghp_" + "a8Kd93kLmQ02xPz7RtYw5VbN1cXe6UfGh4Js"


@pytest.fixture
def talk(tmp_path, clock):
    """Writes, or goes on with, a plain transcript; gives its path."""
    folder = tmp_path / "talk"
    folder.mkdir()

    def written(name, *texts):
        path = folder / f"{name}.jsonl"
        if not path.exists():
            path.write_text(json.dumps({"type": "session", "id": name, "time": clock.now().isoformat()}) + "\n")
        first = len(path.read_text().splitlines())
        with path.open("a") as file:
            for number, text in enumerate(texts, first):
                file.write(
                    json.dumps({"id": str(number), "speaker": "user" if number % 2 else "assistant", "text": text}) + "\n"
                )
        os.utime(path, (clock.now().timestamp(), clock.now().timestamp()))
        return path

    return written


def test_x42_given_back(memory, talk):
    """X-42: a transcript that its host deleted comes back byte for byte."""
    path = talk("a", "Where is the kettle?", "In the attic.")
    before = path.read_bytes()
    memory.capture((str(path),))
    path.unlink()
    assert [(one.there, one.archived) for one in memory.sessions()] == [(False, True)]
    assert memory.restore_session("a").path == str(path)
    assert path.read_bytes() == before
    with pytest.raises(AlreadyExists):
        memory.restore_session("a")
    assert memory.restore_session("a", to=str(path.with_name("b.jsonl"))).bytes == len(before)


def test_never_over_a_link(memory, talk, tmp_path):
    """A dangling link in the place of the transcript is not written through."""
    path = talk("a", "one", "two")
    memory.capture((str(path),))
    path.unlink()
    path.symlink_to(tmp_path / "target")
    with pytest.raises(AlreadyExists):
        memory.restore_session("a")
    assert not (tmp_path / "target").exists()


def test_secrets_do_not_reach_the_disk(memory, talk, tmp_path):
    """X-37: no file of ours holds a secret, archive and reading marks included, and what comes back says where one was."""
    path = talk("a", f"My token is {TOKEN}.", "Noted.")
    memory.capture((str(path),))
    memory.close()
    held = b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())
    assert TOKEN.encode() not in held
    path.unlink()
    restored = memory.restore_session("a")
    assert restored.placeholders == 1
    assert TOKEN not in path.read_text() and "[REDACTED:" in path.read_text()


def test_growth_is_stored_once(memory, talk):
    """A transcript that grows a hundred times takes the room of one."""
    texts = [f"turn {number} " + " ".join(f"w{number * k % 977}" for k in range(200)) for number in range(400)]
    path = talk("a", *texts)
    memory.capture((str(path),))
    before = memory.check_archive().size
    for number in range(5):
        talk("a", f"and {number} more", "yes")
        memory.capture((str(path),))
    after = memory.check_archive()
    assert after.size.pieces <= before.pieces + 1 and after.size.disk_bytes <= before.disk_bytes * 1.2
    assert after.problems == () and memory.export_session("a").text == path.read_text()


def test_unchanged_is_not_opened(memory, talk, monkeypatch):
    """What is archived as it is now is left alone; it is archived anew when it changed, also without a new turn."""
    path = talk("a", "one", "two")
    memory.capture((str(path),))
    with monkeypatch.context() as patched:
        patched.setattr("vademecum.upkeep.shelve.pieces", lambda file: pytest.fail("was opened"))
        memory.capture((str(path),))
    with path.open("a") as file:
        file.write(json.dumps({"type": "note"}) + "\n")
    memory.capture((str(path),))
    assert memory.export_session("a").text == path.read_text()


def test_archived_later(opened, talk):
    """Transcripts that were read before they were archived are archived at the next reading."""
    path = talk("a", "one", "two")
    opened(archive=False).capture((str(path),))
    with pytest.raises(NotFound):
        opened(archive=False).restore_session("a")
    memory = opened()
    memory.capture((str(path),))
    assert memory.sessions()[0].archived


def test_full(opened, talk):
    """A full archive says so and what to do; the conversation is searchable all the same, and nothing that is kept goes."""
    memory = opened(archive_mb=1)
    memory.capture((str(talk("a", "the kettle is in the attic", "yes")),))
    big = talk("b", *(f"The parrot sat there. {os.urandom(40_000).hex()}" for _ in range(40)))
    report = memory.capture((str(big),))
    assert any(
        "archive of transcripts is full" in problem.message and "archive_mb" in problem.message for problem in report.problems
    )
    assert memory.recall(Query("where is the parrot", gated=False)).hits
    assert [(one.session, one.archived) for one in sorted(memory.sessions(), key=lambda one: one.session)] == [
        ("session://plain/a", True), ("session://plain/b", False),
    ]  # fmt: skip


def test_retention(opened, talk, clock):
    """Transcripts leave the archive after the time that the person chose, and do not come back; without one they stay."""
    path = talk("a", "one", "two")
    memory = opened()
    memory.capture((str(path),))
    clock.advance(timedelta(days=900))
    memory.capture((str(path),))
    assert memory.sessions()[0].archived
    short = opened(archive_days=30)
    short.capture((str(path),))
    assert not short.sessions()[0].archived
    short.capture((str(path),))
    assert not short.sessions()[0].archived


def test_rebuilt_from_the_archive(memory, talk):
    """X-42: an index that is built anew has the conversations that only the archive still holds."""
    path = talk("a", "The parrot is called Quetzal.", "What a name.")
    memory.capture((str(path),))
    path.unlink()
    report = memory.rebuild()
    assert report.problems == ()
    assert memory.recall(Query("what is the parrot called")).hits[0].item.key == "session://plain/a"
    assert [turn.text for turn in memory.session("a").turns] == ["The parrot is called Quetzal.", "What a name."]


def test_not_text(memory, tmp_path, talk):
    """A file that is no text cannot be rid of secrets, so it is not kept; nothing else stops."""
    path = talk("a", "one", "two")
    memory.capture((str(path),))
    path.write_bytes(b'{"a": "\0"}\n' + path.read_bytes())
    memory.capture((str(path),))
    assert memory.check_archive().problems == ()


def test_only_here(memory, talk):
    """`check` names what the host deleted: that is what would be lost with the archive."""
    path = talk("a", "one", "two")
    memory.capture((str(path),))
    assert memory.check_archive().only_here == ()
    path.unlink()
    assert [record.session for record in memory.check_archive().only_here] == ["session://plain/a"]
    assert Path(memory.sessions()[0].path) == path


def test_retention_of_search(opened, talk, clock):
    """SW-16: what passed the chosen 180 days and is gone from its host is no longer searchable; what the host still has, is."""
    memory = opened()
    gone, there = talk("a", "The kettle is in the attic.", "Yes."), talk("b", "The teapot is in the cellar.", "Yes.")
    memory.capture((str(gone.parent),))
    gone.unlink()
    clock.advance(timedelta(days=181))
    memory.capture((str(there.parent),))
    assert [hit.item.key for hit in memory.search_sessions("kettle is in the attic").hits if hit.exact] == ["session://plain/a"]
    memory.close()
    short = opened(archive_days=180)
    short.capture((str(there.parent),))
    assert {one.session for one in short.sessions()} == {"session://plain/b"}
    assert not [hit for hit in short.search_sessions("kettle is in the attic").hits if hit.exact]
    assert [hit.exact for hit in short.search_sessions("teapot is in the cellar").hits] == [True]


def test_full_archive_is_told_of(opened, talk):
    """A full archive is told of by `vade status`, whoever met it while nobody looked on; what was not read yet is no such thing."""
    memory = opened(archive_mb=1)
    small = talk("a", "the kettle is in the attic", "yes")
    memory.capture((str(small),))
    small.write_text(small.read_text() + small.read_text())
    status = memory.status()
    assert (status.archive.cap_bytes, status.unarchived) == (1_000_000, 0)
    assert not any(text.startswith("archive") for text in status.degraded)
    big = talk("b", *(f"The parrot sat there. {os.urandom(40_000).hex()}" for _ in range(40)))
    memory.capture((str(big),))
    status = memory.status()
    assert status.unarchived == 1
    assert any(text.startswith("archive: ") and "Raise the setting archive_mb" in text for text in status.degraded)
