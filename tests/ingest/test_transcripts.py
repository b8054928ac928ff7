"""Many transcripts are taken in together, and those that did not change are left alone."""

import json

import pytest

from vademecum.domain.query import Scope


@pytest.fixture
def talk(tmp_path):
    """Writes plain transcripts; gives the folder."""
    folder = tmp_path / "talk"
    folder.mkdir()

    def written(name, *texts, first=0):
        lines = [{"id": str(number), "speaker": "user", "text": text} for number, text in enumerate(texts, first)]
        with (folder / f"{name}.jsonl").open("a") as file:
            if not first:
                file.write(json.dumps({"type": "session", "id": name, "time": "2026-03-01T09:00:00Z"}) + "\n")
            file.writelines(json.dumps(line) + "\n" for line in lines)
        return str(folder)

    return written


def told(memory):
    """What the index holds, by session."""
    keys = [item.key for item in memory.context.index.select(Scope(sources=("session",)))]
    return {
        key.rpartition("/")[2]: [stored.passage.text for stored in memory.context.index.passages_of(key)]
        for key in sorted(keys)
    }


@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_batches(memory, talk, monkeypatch, at_once):
    """However many conversations go in together, the same turns stand in the same order."""
    monkeypatch.setattr("vademecum.ingest.batch.TURNS_AT_ONCE", at_once)
    for name in "abc":
        folder = talk(name, f"{name} one", f"{name} two")
    memory.maintenance.capture((folder,))
    talk("b", "b three", first=2)
    talk("d", "d one")
    memory.maintenance.capture((folder,))
    assert told(memory) == {
        "a": ["a one", "a two"], "b": ["b one", "b two", "b three"], "c": ["c one", "c two"], "d": ["d one"],
    }  # fmt: skip


def test_unchanged_is_not_opened(memory, talk, monkeypatch):
    """A transcript that was read to its end is not opened again until it grows."""
    folder = talk("a", "one", "two")
    memory.maintenance.capture((folder,))
    with monkeypatch.context() as patched:
        patched.setattr("vademecum.ingest.transcripts.head", lambda path: pytest.fail(f"{path} was opened"))
        assert memory.maintenance.capture((folder,)).unchanged == 1
    talk("a", "three", first=2)
    assert len(memory.maintenance.capture((folder,)).sessions) == 1


def test_killed_before_the_end(memory, talk, monkeypatch):
    """Indexed but not yet mined: what was not finished is done again, and nothing stands twice."""
    folder = talk("a", "We decided to use SQLite for the index.", "Fine.", "Good.", "Thanks.")
    with monkeypatch.context() as patched:
        patched.setattr("vademecum.ingest.batch._settled", lambda *given, **named: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            memory.maintenance.capture((folder,))
    assert len(memory.maintenance.capture((folder,)).sessions[0].saved) == 1
    assert len(told(memory)["a"]) == 4


def test_killed_while_growing(memory, talk, monkeypatch):
    """X-10: a conversation that grew, read by a process that was killed before it noted so, holds no turn twice."""
    folder = talk("a", "one", "two", "three", "four")
    memory.maintenance.capture((folder,))
    talk("a", "five", "six", first=4)
    with monkeypatch.context() as patched:
        patched.setattr("vademecum.ingest.batch._settled", lambda *given, **named: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            memory.maintenance.capture((folder,))
    talk("a", "seven", first=6)
    memory.maintenance.capture((folder,))
    assert told(memory)["a"] == ["one", "two", "three", "four", "five", "six", "seven"]


@pytest.mark.parametrize(("said", "is_saved"), [("The export is written.", True), ("Shall the export hold the dates?", False)])
def test_a_reply_that_is_read_later(memory, tmp_path, said, is_saved):
    """A reply to a report counts as one, also where the report was read before it: a conversation is read piece by piece."""
    file = tmp_path / "work.jsonl"
    lines = [{"type": "session", "id": "work", "time": "2026-03-01T09:00:00Z"}]
    lines += [{"id": str(n), "speaker": who, "text": text} for n, (who, text) in enumerate((
        ("user", "Write the export."), ("agent", "I look at the tables first."), ("user", "Go on."), ("agent", said),
    ))]  # fmt: skip
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    memory.maintenance.capture((str(file),))
    with file.open("a") as more:
        more.write(json.dumps({"id": "9", "speaker": "user", "text": "The export should leave the dates out."}) + "\n")
    memory.maintenance.capture((str(file),))
    found = [item.title for item in memory.context.index.select(Scope(sources=("memory",)))]
    assert any("leave the dates out" in title for title in found) == is_saved
