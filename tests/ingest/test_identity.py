"""Conversations whose host gives them no id are known by the path they lie at (capture-18)."""

import json

from vademecum.domain.query import Scope
from vademecum.ingest.load_session import whole_session


def write(path, *texts, time=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [{"role": "user" if n % 2 == 0 else "assistant", "text": text} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def held(memory):
    """Texts by conversation, and its title."""
    items = memory.context.index.select(Scope(sources=("session",), statuses=None))
    return {item.key: (item.title, [one.passage.text for one in memory.context.index.passages_of(item.key)]) for item in items}


def test_two_files_of_one_name(memory, tmp_path):
    """Two files of one name in two folders are two conversations, whichever is read first, also after the index is built anew."""
    folder = tmp_path / "talk"
    write(folder / "a" / "conversation.jsonl", "Where are the shears kept?", "In the shed.")
    write(folder / "b" / "conversation.jsonl", "Who waters the ferns?", "Nobody does.", "Then I will.")
    memory.maintenance.capture((str(folder),))
    expected = [
        ("Where are the shears kept?", ["Where are the shears kept?", "In the shed."]),
        ("Who waters the ferns?", ["Who waters the ferns?", "Nobody does.", "Then I will."]),
    ]
    assert sorted(held(memory).values()) == expected
    keys = held(memory).keys()
    write(folder / "b" / "conversation.jsonl", "Who waters the ferns?", "Nobody does.", "Then I will.", "Thank you.")
    assert len(memory.maintenance.capture((str(folder),)).sessions) == 1
    memory.maintenance.rebuild()
    assert held(memory).keys() == keys
    assert [len(texts) for _, texts in sorted(held(memory).values())] == [2, 4]
    for key, (_, texts) in held(memory).items():
        assert [turn.text for turn in whole_session(memory.context, key)[0].turns] == texts


def test_a_moved_file_is_the_same_conversation(memory, tmp_path):
    """A file without an id that is moved and renamed stays one conversation, and what was said stands once."""
    folder = tmp_path / "talk"
    write(folder / "a.jsonl", "Where are the shears kept?", "In the shed.", "Thanks.")
    memory.maintenance.capture((str(folder),))
    (folder / "b").mkdir()
    (folder / "a.jsonl").rename(folder / "b" / "other.jsonl")
    write(folder / "b" / "other.jsonl", "Where are the shears kept?", "In the shed.", "Thanks.", "You are welcome.")
    memory.maintenance.capture((str(folder),))
    ((key, (_, texts)),) = held(memory).items()
    assert key == "session://plain/a"
    assert texts == ["Where are the shears kept?", "In the shed.", "Thanks.", "You are welcome."]


def test_another_conversation_at_the_same_place(memory, tmp_path):
    """A file without an id that was deleted, and one of its name with other words, are two conversations, also when it grows."""
    path = tmp_path / "talk" / "a.jsonl"
    for texts in (
        ("Where are the shears kept?", "In the shed over there."),
        ("Who waters the ferns?", "Nobody waters them now."),
        ("Who waters the ferns?", "Nobody waters them now.", "Then I will."),
    ):
        path.unlink(missing_ok=True)
        write(path, *texts)
        memory.maintenance.capture((str(path.parent),))
    assert sorted(texts for _, texts in held(memory).values()) == [
        ["Where are the shears kept?", "In the shed over there."],
        ["Who waters the ferns?", "Nobody waters them now.", "Then I will."],
    ]
