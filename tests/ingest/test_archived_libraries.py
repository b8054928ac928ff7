"""X-42 for what lies in databases, exports and compressed files: each conversation is archived by itself, and given back."""

import json
import random
import zipfile

import pytest
from backports import zstd
from tests.ingest.test_libraries import DATABASES, chatgpt, opencode_database, opencode_says, rollout, spoken

from vademecum.domain.errors import AlreadyExists, InvalidInput

TOKEN = "ghp_" + "a8Kd93kLmQ02xPz7RtYw5VbN1cXe6UfGh4Js"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "host"
    made.mkdir()
    return made


def archived(memory):
    return {record.path: record for record in memory.context.storage.archive.records()}


def test_x42_database(memory, folder, tmp_path):
    """A conversation that vanished with its host's database is read on from the archive, and comes back as a file that is read."""
    path = folder / "opencode.db"
    opencode_database(path, "The parrot is called Quetzal.", "Noted.").close()
    memory.maintenance.capture((str(folder),))
    assert set(archived(memory)) == {f"{path}#ses_1"}
    assert memory.sessions.check_archive().only_here == ()
    path.unlink()
    assert [record.session for record in memory.sessions.check_archive().only_here] == ["session://opencode/ses_1"]
    assert [turn.text for turn in memory.sessions.get("ses_1").turns] == ["The parrot is called Quetzal.", "Noted."]
    with pytest.raises(InvalidInput, match="never changed"):
        memory.sessions.restore("ses_1")
    back = tmp_path / "back.json"
    memory.sessions.restore("ses_1", to=str(back))
    assert json.loads(back.read_text())["info"]["id"] == "ses_1"
    memory.maintenance.rebuild()
    assert spoken(memory, "session://opencode/ses_1") == ["The parrot is called Quetzal.", "Noted."]


@pytest.mark.parametrize("host", DATABASES)
def test_database_that_grew(memory, folder, host):
    """What is new in a database is archived; what did not change is not taken again."""
    file, made, says, name = DATABASES[host]
    path = folder / file
    base = made(path, "The parrot is called Quetzal.", "Noted.")
    memory.maintenance.capture((str(folder),))
    kept = archived(memory)[f"{path}#{name}"]
    memory.maintenance.capture((str(folder),))
    assert archived(memory)[f"{path}#{name}"] == kept
    says(base, "And the cat is called Onyx.")
    memory.maintenance.capture((str(folder),))
    assert "Onyx" in memory.sessions.export(name).text
    assert memory.context.storage.archive.size().pieces == 1
    base.close()


def test_session_deleted_within(memory, folder):
    """A conversation that its host took out of a database is named as one that only the archive has."""
    path = folder / "opencode.db"
    base = opencode_database(path, "The parrot is called Quetzal.", "Noted.")
    memory.maintenance.capture((str(folder),))
    base.execute("DELETE FROM session")
    assert [record.path for record in memory.sessions.check_archive().only_here] == [f"{path}#ses_1"]
    memory.maintenance.rebuild()
    assert spoken(memory, "session://opencode/ses_1") == ["The parrot is called Quetzal.", "Noted."]
    base.close()


def test_secrets_of_a_database(memory, folder, tmp_path):
    """X-37: a secret said in a database reaches none of our files."""
    path = folder / "opencode.db"
    opencode_database(path, f"My token is {TOKEN}.", "Noted.").close()
    memory.maintenance.capture((str(folder),))
    assert "[REDACTED:github-token]" in memory.sessions.export("ses_1").text
    memory.close()
    held = b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())
    assert TOKEN.encode() not in held


def test_compressed(memory, folder):
    """A compressed rollout is archived as text and comes back uncompressed, where its host finds it, over nothing."""
    path = folder / "rollout-2026-03-01T09-00-00-1.jsonl.zst"
    text = rollout("The parrot is called Quetzal.", "Feed it at noon.")
    path.write_bytes(zstd.compress(text))
    memory.maintenance.capture((str(folder),))
    assert memory.sessions.export("rollout-1").text == text.decode()
    path.unlink()
    assert memory.sessions.restore("rollout-1").path == str(path).removesuffix(".zst")
    assert path.with_suffix("").read_bytes() == text
    with pytest.raises(AlreadyExists):
        memory.sessions.restore("rollout-1")
    memory.maintenance.capture((str(folder),))
    assert spoken(memory, "session://codex/rollout-1") == ["The parrot is called Quetzal.", "Feed it at noon."]


def test_export_archive(memory, folder):
    """Each conversation of an account export is archived by itself."""
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("conversations.json", json.dumps([chatgpt("c1", "Quetzal eats figs."), chatgpt("c2", "Onyx eats fish.")]))
    memory.maintenance.capture((str(path),))
    assert set(archived(memory)) == {f"{path}#c1", f"{path}#c2"}
    path.unlink()
    assert "figs" in memory.sessions.export("c1").text
    assert memory.sessions.check_archive().problems == ()


def test_long_conversation_grows_by_what_is_new(memory, folder):
    """A conversation of megabytes within a database that grows twice: each time only its last piece is made anew, so that
    neither what is written nor what stays on the disk is a multiple of what was said."""
    path = folder / "opencode.db"
    chance = random.Random(7)

    def says(times):
        for _ in range(times):
            opencode_says(base, "The parrot ate. " + "".join(chance.choices("aeiou", k=75_000)))

    base = opencode_database(path)
    says(40)
    memory.maintenance.capture((str(folder),))
    archive = memory.context.storage.archive
    place = f"{path}#ses_1"
    first, before = archive.size(), archive.sources(archived(memory)[place])
    assert len(before) > 3
    fresh = []
    for _ in range(2):
        says(3)
        memory.maintenance.capture((str(folder),))
        after = archive.sources(archived(memory)[place])
        fresh.append(len(set(after) - set(before)))
        before = after
    assert max(fresh) <= 2 and sum(fresh) < 4
    last = archive.size()
    assert last.pieces == len(before)
    assert last.disk_bytes < 1.1 * first.disk_bytes * 46 / 40
    memory.sessions.restore("ses_1", to=str(folder / "back.json"))
    given_back = json.loads((folder / "back.json").read_text())
    assert len(given_back["messages"]) == 46
    assert len(spoken(memory, "session://opencode/ses_1")) > 55
    base.close()
