"""X-42: what a host deletes after a month was archived before, and can be given back."""

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from vademecum.domain.errors import AlreadyExists, NotFound
from vademecum.domain.query import Query

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
    memory.maintenance.capture((str(path),))
    path.unlink()
    assert [(one.there, one.archived) for one in memory.sessions.list()] == [(False, True)]
    assert memory.sessions.restore("a").path == str(path)
    assert path.read_bytes() == before
    with pytest.raises(AlreadyExists):
        memory.sessions.restore("a")
    assert memory.sessions.restore("a", to=str(path.with_name("b.jsonl"))).bytes == len(before)


def test_never_over_a_link(memory, talk, tmp_path):
    """A dangling link in the place of the transcript is not written through."""
    path = talk("a", "one", "two")
    memory.maintenance.capture((str(path),))
    path.unlink()
    path.symlink_to(tmp_path / "target")
    with pytest.raises(AlreadyExists):
        memory.sessions.restore("a")
    assert not (tmp_path / "target").exists()


def test_secrets_do_not_reach_the_disk(memory, talk, tmp_path):
    """X-37: no file of ours holds a secret, archive and reading marks included, and what comes back says where one was."""
    path = talk("a", f"My token is {TOKEN}.", "Noted.")
    memory.maintenance.capture((str(path),))
    memory.close()
    held = b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())
    assert TOKEN.encode() not in held
    path.unlink()
    restored = memory.sessions.restore("a")
    assert restored.placeholders == 1
    assert TOKEN not in path.read_text() and "[REDACTED:" in path.read_text()


def test_growth_is_stored_once(memory, talk):
    """A transcript that grows a hundred times takes the room of one."""
    texts = [f"turn {number} " + " ".join(f"w{number * k % 977}" for k in range(200)) for number in range(400)]
    path = talk("a", *texts)
    memory.maintenance.capture((str(path),))
    before = memory.sessions.check_archive().size
    for number in range(5):
        talk("a", f"and {number} more", "yes")
        memory.maintenance.capture((str(path),))
    after = memory.sessions.check_archive()
    assert after.size.pieces <= before.pieces + 1 and after.size.disk_bytes <= before.disk_bytes * 1.2
    assert after.problems == () and memory.sessions.export("a").text == path.read_text()


def test_unchanged_is_not_opened(memory, talk, monkeypatch):
    """What is archived as it is now is left alone; it is archived anew when it changed, also without a new turn."""
    path = talk("a", "one", "two")
    memory.maintenance.capture((str(path),))
    with monkeypatch.context() as patched:
        patched.setattr("vademecum.ingest.archiver.pieces", lambda file: pytest.fail("was opened"))
        memory.maintenance.capture((str(path),))
    with path.open("a") as file:
        file.write(json.dumps({"type": "note"}) + "\n")
    memory.maintenance.capture((str(path),))
    assert memory.sessions.export("a").text == path.read_text()


def test_archived_later(opened, talk):
    """Transcripts that were read before they were archived are archived at the next reading."""
    path = talk("a", "one", "two")
    opened(archive=False).maintenance.capture((str(path),))
    with pytest.raises(NotFound):
        opened(archive=False).sessions.restore("a")
    memory = opened()
    memory.maintenance.capture((str(path),))
    assert memory.sessions.list()[0].archived


def test_full(opened, talk):
    """A full archive says so and what to do; the conversation is searchable all the same, and nothing that is kept goes."""
    memory = opened(archive_mb=1)
    memory.maintenance.capture((str(talk("a", "the kettle is in the attic", "yes")),))
    big = talk("b", *(f"The parrot sat there. {os.urandom(40_000).hex()}" for _ in range(40)))
    report = memory.maintenance.capture((str(big),))
    assert any(
        "archive of transcripts is full" in problem.message and "archive_mb" in problem.message for problem in report.problems
    )
    assert memory.recall.ask(Query("where is the parrot", gated=False)).hits
    assert [(one.session, one.archived) for one in sorted(memory.sessions.list(), key=lambda one: one.session)] == [
        ("session://plain/a", True), ("session://plain/b", False),
    ]  # fmt: skip


def test_retention(opened, talk, clock):
    """Transcripts leave the archive after the time that the person chose, and do not come back; without one they stay."""
    path = talk("a", "one", "two")
    memory = opened()
    memory.maintenance.capture((str(path),))
    clock.advance(timedelta(days=900))
    memory.maintenance.capture((str(path),))
    assert memory.sessions.list()[0].archived
    short = opened(archive_days=30)
    short.maintenance.capture((str(path),))
    assert not short.sessions.list()[0].archived
    short.maintenance.capture((str(path),))
    assert not short.sessions.list()[0].archived


def test_rebuilt_from_the_archive(memory, talk):
    """X-42: an index that is built anew has the conversations that only the archive still holds."""
    path = talk("a", "The parrot is called Quetzal.", "What a name.")
    memory.maintenance.capture((str(path),))
    path.unlink()
    report = memory.maintenance.rebuild()
    assert report.problems == ()
    assert memory.recall.ask(Query("what is the parrot called")).hits[0].item.key == "session://plain/a"
    assert [turn.text for turn in memory.sessions.get("a").turns] == ["The parrot is called Quetzal.", "What a name."]


def test_not_text(memory, tmp_path, talk):
    """A file that is no text cannot be rid of secrets, so it is not kept; nothing else stops."""
    path = talk("a", "one", "two")
    memory.maintenance.capture((str(path),))
    path.write_bytes(b'{"a": "\0"}\n' + path.read_bytes())
    memory.maintenance.capture((str(path),))
    assert memory.sessions.check_archive().problems == ()


def test_only_here(memory, talk):
    """`check` names what the host deleted: that is what would be lost with the archive."""
    path = talk("a", "one", "two")
    memory.maintenance.capture((str(path),))
    assert memory.sessions.check_archive().only_here == ()
    path.unlink()
    assert [record.session for record in memory.sessions.check_archive().only_here] == ["session://plain/a"]
    assert Path(memory.sessions.list()[0].path) == path


def test_retention_of_search(opened, talk, clock):
    """SW-16: what passed the chosen 180 days and is gone from its host is no longer searchable; what the host still has, is."""
    memory = opened()
    gone, there = talk("a", "The kettle is in the attic.", "Yes."), talk("b", "The teapot is in the cellar.", "Yes.")
    memory.maintenance.capture((str(gone.parent),))
    gone.unlink()
    clock.advance(timedelta(days=181))
    memory.maintenance.capture((str(there.parent),))
    assert [hit.item.key for hit in memory.sessions.search("kettle is in the attic").hits if hit.exact] == ["session://plain/a"]
    memory.close()
    short = opened(archive_days=180)
    short.maintenance.capture((str(there.parent),))
    assert {one.session for one in short.sessions.list()} == {"session://plain/b"}
    assert not [hit for hit in short.sessions.search("kettle is in the attic").hits if hit.exact]
    assert [hit.exact for hit in short.sessions.search("teapot is in the cellar").hits] == [True]


def test_full_archive_is_told_of(opened, talk):
    """A full archive is told of by `vade status`, whoever met it while nobody looked on; what was not read yet is no such thing."""
    memory = opened(archive_mb=1)
    small = talk("a", "the kettle is in the attic", "yes")
    memory.maintenance.capture((str(small),))
    small.write_text(small.read_text() + small.read_text())
    status = memory.maintenance.status()
    assert (status.archive.cap_bytes, status.unarchived) == (1_000_000, 0)
    assert not any(text.startswith("archive") for text in status.degraded)
    big = talk("b", *(f"The parrot sat there. {os.urandom(40_000).hex()}" for _ in range(40)))
    memory.maintenance.capture((str(big),))
    status = memory.maintenance.status()
    assert status.unarchived == 1
    assert any(text.startswith("archive: ") and "Raise the setting archive_mb" in text for text in status.degraded)
