"""X-26: whatever is imported is only read. The source stays byte for byte, and nothing of it is dropped for standing in the wrong place."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.plugins.checkpoints.checkpoints import sync_checkpoints
from vademecum.plugins.moving.flat_files import entries
from vademecum.plugins.moving.importing import ImportOptions, import_memories
from vademecum.wiring import open_memory

PREAMBLE = "We decided to use PostgreSQL for the orders, because it locks rows."
NOTE = f"{PREAMBLE}\n\n# Heading\n\nDon't use abbreviations like qty in column names.\n"


def state(folder):
    """Everything below a folder: names, bytes and when each was written."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return [(str(path), path.read_bytes(), path.stat().st_mtime_ns) for path in files]


@pytest.fixture
def sources(tmp_path):
    """A folder of each sort of thing that can be imported."""
    flat, talk, chats = (tmp_path / name for name in ("flat", "talk", "chats"))
    for folder in (flat, talk, chats):
        folder.mkdir()
    (flat / "scout.md").write_text(f"{PREAMBLE}\n\n## Findings\n- The pool runs dry.\n", "utf-8")
    said = [PREAMBLE, "Noted.", "The lamp is blue.", "Yes."]
    lines = [{"speaker": "user" if number % 2 == 0 else "agent", "text": text} for number, text in enumerate(said)]
    (talk / "talk.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    chat = {"savedAt": "2026-03-01T09:00:00Z", "messages": [{"role": "user", "text": text} for text in said * 10]}
    (chats / "kiro.json").write_text(json.dumps(chat), "utf-8")
    return flat, talk, chats


def take_over(memory, sources):
    flat, talk, chats = sources
    import_memories(memory.context, ("agent-memory", str(flat)), options=ImportOptions(mine=True, yes=True))
    memory.maintenance.capture((str(talk),))
    sync_checkpoints(memory.context, str(chats))
    memory.maintenance.compact()


def test_x26_the_source_stays(memory, sources):
    """X-26: flat files, transcripts and chats of other tools are as they were, read once, twice, and after all was forgotten."""
    before = [state(folder) for folder in sources]
    take_over(memory, sources)
    take_over(memory, sources)
    assert memory.notes.list(status=("active", "inbox"))
    memory.notes.forget("PostgreSQL orders", "query", yes=True)
    assert [state(folder) for folder in sources] == before


def test_x26_the_note_stays(settings, tmp_path):
    """X-26: a note that memories are taken from is not written to without consent; what stands before its first heading is taken."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "note.md").write_text(NOTE, "utf-8")
    with open_memory(settings(home=str(vault / "Memory"), vault=str(vault))) as memory:
        memory.maintenance.sync()
        before = (vault / "note.md").read_bytes()
        told = memory.person.add_source("note.md", write_frontmatter=False)
        assert (vault / "note.md").read_bytes() == before
        taken = {memory.notes.get(one.memory.id).body.strip() for one in told.saved if one.memory}
        assert any("PostgreSQL" in body for body in taken)
        assert any("qty" in body for body in taken)


@given(
    st.text(alphabet="abc .:\n-*`", min_size=1, max_size=200),
    st.sampled_from(["", "## Findings\n- one\n", "## A\n\n## B\ntext\n"]),
)
def test_x26_preamble(preamble, rest):
    """X-26: every word before the first heading stands in an entry that is under no heading."""
    found = entries(f"{preamble}\n{rest}")
    kept = " ".join(one.body for one in found if not one.heading).split()
    said = [word.strip("-*") for word in preamble.split()]
    assert all(word in " ".join(kept) for word in said if word)
