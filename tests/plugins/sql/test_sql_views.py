"""SQL over what is known: the tables of Memory v2, for reading only."""

import json
from datetime import UTC, datetime

import numpy as np
import pytest

from vademecum.domain.errors import InvalidInput
from vademecum.domain.extraction import Extraction
from vademecum.domain.memory import By
from vademecum.domain.saved import SaveOptions
from vademecum.domain.tokens import estimate_tokens
from vademecum.plugins.sql.ask import ask
from vademecum.plugins.sql.views import VIEWS
from vademecum.plugins.styles import styles
from vademecum.plugins.styles.styles import StyleParts
from vademecum.wiring import open_memory

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
FACTS = (
    "id text topics importance kind created_at last_confirmed_at confirmation_count last_used_at use_count source_session_id"
    " source_thread_id source_interface source_uri superseded_by is_latest deprecated_at deprecation_reason metadata profile_id"
).split()


def asked(memory, statement, **more):
    found = ask(memory.context, statement, **more)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def test_facts(memory, clock):
    """VO-02: a fact has the published columns, with what its file and its use say."""
    first = memory.notes.save(
        "fact", "Port", "The API listens on port 8080.", topics=("api",), source="session://codex/7"
    ).memory
    memory.notes.confirm(first.id)
    memory.context.state.usage.note("used", [first.uri], clock.now())
    second = memory.notes.save(
        "fact", "Port now", "The API now listens on port 8081.", SaveOptions(supersedes=(first.id,)), topics=("api",)
    ).memory
    rows = {row["id"]: row for row in asked(memory, "SELECT * FROM facts")}
    assert list(rows[first.id]) == FACTS
    old, new = rows[first.id], rows[second.id]
    assert (old["text"], json.loads(old["topics"]), old["kind"]) == ("The API listens on port 8080.", ["api"], "fact")
    assert (old["confirmation_count"], old["use_count"], old["source_session_id"]) == (2, 1, "session://codex/7")
    assert (old["is_latest"], old["superseded_by"], old["deprecation_reason"]) == (0, second.id, "replaced by a newer memory")
    assert (new["is_latest"], new["deprecated_at"], new["profile_id"]) == (1, None, "default")


def test_agents_own_apart(memory):
    """VO-13, X-16: what an agent keeps about itself stands in a partition of its own."""
    memory.notes.save("self", "Terminal", "Runs in the terminal.", agent="kiro")
    memory.notes.save("decision", "Streams", "Uses server-sent events.", agent="kiro")
    memory.notes.save("identity", "Person", "Lives in Lisbon.")
    assert asked(memory, "SELECT profile_id, text FROM facts ORDER BY profile_id, text") == [
        {"profile_id": "_obsilo", "text": "Runs in the terminal."},
        {"profile_id": "default", "text": "Lives in Lisbon."},
        {"profile_id": "default", "text": "Uses server-sent events."},
    ]


def test_edges(memory):
    """VO-06: an edge leads to a fact or to a URI, never to both; one that names nothing is stale."""
    base = memory.notes.save("fact", "Importer", "It reads CSV.").memory
    more = memory.notes.save("fact", "Nightly", "See [[No such note]].").memory
    memory.notes.link(more.id, "refines", base.id)
    memory.notes.link(more.id, "related", "https://example.org/plan")
    rows = asked(
        memory, "SELECT edge_type, to_fact_id, external_uri, metadata FROM fact_edges WHERE from_fact_id = '" + more.id + "'"
    )
    assert {(row["edge_type"], row["to_fact_id"], row["external_uri"]) for row in rows} == {
        ("refines", base.id, None), ("related", None, "https://example.org/plan"), ("links", None, "No such note"),
    }  # fmt: skip
    assert [row["edge_type"] for row in rows if "stale" in row["metadata"]] == ["links"]


def test_vectors_and_topics(opened):
    """VO-05, VO-11: vectors come as 32-bit floats of unit length, and a topic with the mean of its memories'."""
    memory = opened(embedder="hashing")
    for text in ("The kettle whistles.", "The kettle leaks."):
        memory.notes.save("fact", text, text, topics=("Kitchen",))
    vectors = [np.frombuffer(row["embedding"], "<f4") for row in asked(memory, "SELECT embedding FROM fact_embeddings")]
    assert len(vectors) == 2
    assert all(abs(np.linalg.norm(vector) - 1) < 1e-3 for vector in vectors)
    (topic,) = asked(memory, "SELECT * FROM known_topics")
    assert (topic["topic"], topic["fact_count"]) == ("kitchen", 2)
    assert np.allclose(np.frombuffer(topic["centroid_embedding"], "<f4"), np.mean(vectors, axis=0), atol=1e-6)


def test_audit(memory):
    """VO-12: the audit tells what was done to what, why, and by whom, from the journal."""
    first = memory.notes.save("fact", "Cellar", "The cellar is damp.").memory
    memory.notes.confirm(first.id, by=By("agent", "mcp"))
    memory.notes.archive(first.id, "it was dried")
    rows = asked(
        memory, "SELECT operation, rationale, metadata FROM memory_audit WHERE fact_id = '" + first.id + "' ORDER BY timestamp"
    )
    assert [row["operation"] for row in sorted(rows, key=lambda row: json.loads(row["metadata"])["record"])] == [
        "insert", "confirm", "deprecate",
    ]  # fmt: skip
    assert {row["rationale"] for row in rows} == {"", "it was dried"}
    assert {json.loads(row["metadata"])["actor"] for row in rows} == {"user", "agent"}


@pytest.mark.parametrize("table", [*VIEWS, "memory_audit"])
def test_every_table_answers(memory, table):
    """VO-16: every table can be asked, in a memory that holds something."""
    memory.notes.save("procedure", "Release", "Tag, build, push.")
    memory.notes.save("style", "At work", "Short and dry.", topics=("work",))
    assert ask(memory.context, f"SELECT * FROM {table}").columns


def talk(folder, name: str, *said: str, day: int = 1) -> None:
    """A transcript of Claude Code; what begins with `$` is a call of a tool."""
    lines = []
    for number, words in enumerate(said):
        kind = "user" if number % 2 == 0 else "assistant"
        command = {"type": "tool_use", "id": f"c{number}", "name": "Edit", "input": {"file_path": words[2:]}}
        content = words if kind == "user" else [command if words.startswith("$ ") else {"type": "text", "text": words}]
        lines.append({
            "type": kind, "uuid": f"{day:08d}-0000-4000-8000-{number:012d}", "sessionId": name, "isSidechain": False,
            "cwd": "/home/user/larder", "timestamp": f"2026-03-0{day}T09:{number:02d}:00Z", "message": {"role": kind, "content": content},
        })  # fmt: skip
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_vo16_threads(memory, tmp_path):
    """VO-16: a thread spans sessions; how far it was read and what it came to stand beside it. A session alone is its own thread."""
    thread = "thread-2026-03-01-abc123"
    folder = tmp_path / "talk"
    talk(
        folder,
        "a",
        f"Please rename the pantry module, {thread}.",
        "$ pantry.py",
        "Go on.",
        "I renamed the pantry module to larder.",
    )
    talk(folder, "b", f"Now rename its tests, {thread}.", "$ tests.py", "And?", "I renamed the tests of the larder.", day=2)
    talk(
        folder, "c", "Which port does the shop use?", "It uses port 8080.", "Thanks, go on.", "I am done with the port.", day=3
    )
    memory.maintenance.capture((str(folder),))
    memory.sessions.handoff("b")
    rows = {row["id"]: row for row in asked(memory, "SELECT * FROM conversation_threads")}
    assert set(rows) == {thread, "session://claude-code/c"}
    both = rows[thread]
    assert (both["session_count"], both["memory_eligible"], both["last_extracted_message_index"]) == (2, 1, 5)
    assert (both["created_at"][:10], both["updated_at"][:10]) == ("2026-03-01", "2026-03-02")
    assert "renamed the tests" in both["delta_summary"]
    held = asked(memory, "SELECT thread_id, session_id, source_interface FROM thread_sessions ORDER BY session_id")
    assert [(row["thread_id"], row["session_id"]) for row in held] == [
        (thread, "session://claude-code/a"), (thread, "session://claude-code/b"), ("session://claude-code/c",) * 2,
    ]  # fmt: skip
    assert {row["source_interface"] for row in held} == {"claude-code"}
    memory.context.storage.extractions.change(
        "session://claude-code/c",
        lambda known: Extraction(
            "session://claude-code/c", "", "done", MONDAY, MONDAY, turns_read=2, summary="The port is 8080."
        ),
    )
    (alone,) = asked(memory, "SELECT * FROM conversation_threads WHERE id = 'session://claude-code/c'")
    assert (alone["last_extracted_message_index"], alone["delta_summary"]) == (1, "The port is 8080.")


def test_vo16_episodes(memory, tmp_path):
    """VO-16: an episode tells what came of a session, and its trail: tools with how often, files in the order of their last touch."""
    folder = tmp_path / "talk"
    talk(folder, "a", "Please rename the pantry module.", "$ pantry.py", "Go on.", "$ tests.py", "Go on.", "$ pantry.py", "And?",
         "I renamed the pantry module to larder.")  # fmt: skip
    memory.maintenance.capture((str(folder),))
    memory.sessions.handoff("a")
    (row,) = asked(memory, "SELECT * FROM episodes")
    assert (row["session_id"], row["success"]) == ("session://claude-code/a", 1)
    assert "renamed the pantry" in row["result_summary"]
    assert json.loads(row["stigmergy"]) == {"tools": {"Edit": 3}, "files": ["tests.py", "pantry.py"]}


def test_vo16_history(opened, tmp_path):
    """VO-16: what was said, in pieces, with role, length in tokens, vector and place."""
    memory = opened(embedder="hashing")
    talk(tmp_path / "talk", "a", "Which port does the shop use?", "It uses port 8080.")
    memory.maintenance.capture((str(tmp_path / "talk"),))
    memory.maintenance.refine()
    rows = asked(memory, "SELECT * FROM history_chunks ORDER BY chunk_index")
    assert list(rows[0]) == "session_id chunk_index role text tokens embedding created_at metadata".split()
    assert [(row["role"], row["text"]) for row in rows] == [
        ("user", "Which port does the shop use?"), ("agent", "It uses port 8080."),
    ]  # fmt: skip
    assert [row["tokens"] for row in rows] == [estimate_tokens(row["text"]) for row in rows]
    assert all(abs(np.linalg.norm(np.frombuffer(row["embedding"], "<f4")) - 1) < 1e-3 for row in rows)
    assert json.loads(rows[1]["metadata"]) == {
        "turn": 1, "ref": "00000001-0000-4000-8000-000000000001", "speaker": "agent", "host": "claude-code",
    }  # fmt: skip


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM items", "UPDATE items SET kind = 'x'", "INSERT INTO meta VALUES('a', 1)", "DROP TABLE items",
        "ATTACH '/tmp/x.db' AS x", "PRAGMA user_version = 1", "CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)", "VACUUM",
        "BEGIN", "SELECT load_extension('x')", "SELECT 1; DELETE FROM items", "SELECT * FROM no_such_table", "no sql", "",
    ],
)  # fmt: skip
def test_nothing_but_reading(memory, statement):
    """Nothing can be written, attached or loaded; what is refused says so, and what is there stays."""
    memory.notes.save("fact", "Cellar", "The cellar is damp.")
    with pytest.raises(InvalidInput):
        ask(memory.context, statement)
    assert asked(memory, "SELECT count(*) AS n FROM facts") == [{"n": 1}]


def test_limits(opened, settings):
    """A statement that does not end is stopped, and one that gives too much is cut and says so."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"
    with open_memory(settings()) as memory:
        memory.notes.save("fact", "Cellar", "The cellar is damp.")
        with pytest.raises(InvalidInput, match="stopped"):
            ask(memory.context, endless.format("max(i)"), seconds=1)
        cut = ask(memory.context, endless.format("i"), limit=3)
        assert (cut.rows, cut.more) == (((1,), (2,), (3,)), True)


def test_style_contexts(memory):
    """VO-10: a style's context is the one it was made for, "default" for everywhere, whatever its topics are."""
    styles.add(memory.context, StyleParts(context="code-review", description="Short and direct."))
    styles.add(memory.context, StyleParts(context="", description="Always in English."))
    rows = asked(memory, "SELECT context_match, style_description FROM communication_styles ORDER BY context_match")
    assert [row["context_match"] for row in rows] == ["code-review", "default"]
